//! stub
pub struct OrderedIndex;
