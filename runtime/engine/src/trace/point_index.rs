//! A hash table over an arena of rows, the rows of a key chained.
use crate::Layout;

pub struct PointIndex {}

impl PointIndex {
    pub fn new(_layout: &Layout, _key: usize) -> PointIndex {
        PointIndex {}
    }
}
