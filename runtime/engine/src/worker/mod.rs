//! Workers: shared-nothing shards that run the same circuit in lockstep.
//!
//! * [`circuit`]: one worker's nodes and the loop that runs them.
//! * [`peers`]: the messages between workers.
//! * [`pool`]: the threads.
//! * [`sink`]: where the workers' results become one.

pub(crate) mod circuit;
pub(crate) mod peers;
pub(crate) mod pool;
pub(crate) mod sink;
