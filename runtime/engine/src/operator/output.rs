//! `output`: a view's delta, sorted and consolidated.
//!
//! Each worker sorts its own share. When the workers run in threads they then divide the order among them: each merges one
//! range of all shares, so that what is left to the sink ([`crate::worker::sink`]) is to put the ranges one behind
//! another. When one thread runs all workers the sink merges. No state here.

use super::Step;
use crate::worker::peers::Peers;
use crate::{Batch, StreamId};
use std::sync::Arc;

pub struct Output {
    input: StreamId,
    view: usize,
}

impl Output {
    pub fn new(input: StreamId, view: usize) -> Output {
        Output { input, view }
    }

    /// Sorts this worker's share.
    pub fn sort(&self, step: &mut Step) {
        let mut rows = Batch::new(step.views[self.view].stride());
        for batch in step.streams.read(self.input) {
            rows.append(batch);
        }
        step.views[self.view] = rows.consolidated();
    }

    /// Merges this worker's range of all workers' shares, of which each has sorted its own.
    pub fn merge(&self, step: &mut Step, peers: &mut Peers) {
        let view = &mut step.views[self.view];
        let stride = view.stride();
        let own = Arc::new(std::mem::replace(view, Batch::new(stride)));
        // The numbers of views begin behind those of streams.
        let node = u32::MAX - self.view as u32;
        peers.send(step.number, node, (0..peers.count()).map(|_| Arc::clone(&own)));
        let mut shares = Vec::with_capacity(peers.count());
        peers.receive(step.number, node, |share| shares.push(share));
        shares.insert(peers.own(), own);
        let largest = shares.iter().max_by_key(|share| share.len()).filter(|share| !share.is_empty());
        let Some(largest) = largest else { return };
        let bound = |share: &Batch, worker: usize| match worker * largest.len() / peers.count() {
            _ if worker == 0 => 0,
            at if at < largest.len() => share.rows_before(largest.row(at)),
            _ => share.len(),
        };
        let range = |share: &Batch| bound(share, peers.own())..bound(share, peers.own() + 1);
        let parts: Vec<_> = shares.iter().map(|share| (&**share, range(share))).collect();
        step.views[self.view] = Batch::merged(&parts);
    }
}
