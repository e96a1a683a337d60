//! Stub.
pub struct OrderedIndex;
