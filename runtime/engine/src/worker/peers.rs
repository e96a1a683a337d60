//! What an exchange sees of the other workers.

/// This worker's place among its peers.
pub struct Peers {
    pub index: usize,
    pub count: usize,
}
