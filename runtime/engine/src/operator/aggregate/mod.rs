//! Stub until the aggregates are here.
use super::{Operator, Step};
use crate::{Aggregate, Layout, StreamId};

pub struct Aggregation;

impl Aggregation {
    pub fn new(_: StreamId, _: StreamId, _: &Layout, _: usize, _: Vec<Aggregate>, _: bool) -> Aggregation {
        Aggregation
    }
}

impl Operator for Aggregation {
    fn eval(&mut self, _: &mut Step) {}
}
