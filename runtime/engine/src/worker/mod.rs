//! Workers: shared-nothing shards that run the same circuit in lockstep.

pub(crate) mod peers;

pub(crate) use peers::Peers;
