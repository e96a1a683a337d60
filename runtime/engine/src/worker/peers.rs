//! Channels between workers.
//!
//! All exchanges of a circuit share one channel for each pair of workers. Workers run the same nodes in the same order, so
//! the messages of one sender arrive in the order in which they are awaited. A batch is not copied: it moves, or all share it.
//!
//! A worker's ends belong to its circuit, not to a thread: who holds the circuit can run it. That is why this is not a
//! transport library's allocator, which stays in the thread that made it.

use crate::Batch;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, Sender, TryRecvError, channel};

/// How the panic of a worker begins that stops because another one has failed.
pub(crate) const PEER_FAILED: &str = "stopped by the failure of worker";

/// Looks at a channel before going to sleep: about 50 µs, what it costs to be woken up.
const SPINS: usize = 1000;

struct Message {
    step: u64,
    /// The node it belongs to.
    node: u32,
    rows: Arc<Batch>,
}

/// One worker's ends of the channels to and from all others.
pub(crate) struct Peers {
    own: usize,
    /// Nothing at the worker's own place.
    senders: Vec<Option<Sender<Message>>>,
    receivers: Vec<Option<Receiver<Message>>>,
    /// Was the first message that this worker looked for, since it was last asked, still to come?
    waited: Option<bool>,
}

impl Peers {
    /// The ends of each of `count` workers.
    pub fn connect(count: usize) -> Vec<Peers> {
        let new = |own| Peers { own, senders: Vec::new(), receivers: Vec::new(), waited: None };
        let mut all: Vec<Peers> = (0..count).map(new).collect();
        for from in 0..count {
            for to in 0..count {
                let (sender, receiver) = if from == to { (None, None) } else { some_pair(channel()) };
                all[from].senders.push(sender);
                all[to].receivers.push(receiver);
            }
        }
        all
    }

    pub fn own(&self) -> usize {
        self.own
    }

    pub fn count(&self) -> usize {
        self.senders.len()
    }

    /// Was the first message that this worker looked for, since the last call, still to come? `None` when it looked for
    /// none.
    pub fn take_waited(&mut self) -> Option<bool> {
        self.waited.take()
    }

    /// Sends each other worker its part.
    ///
    /// # Panics
    /// When another worker has failed.
    pub fn send(&mut self, step: u64, node: u32, parts: impl Iterator<Item = Arc<Batch>>) {
        for (worker, (sender, rows)) in self.senders.iter().zip(parts).enumerate() {
            if let Some(sender) = sender {
                assert!(sender.send(Message { step, node, rows }).is_ok(), "{PEER_FAILED} {worker}");
            }
        }
    }

    /// Waits for the part of each other worker.
    ///
    /// # Panics
    /// When another worker has failed.
    pub fn receive(&mut self, step: u64, node: u32, mut take: impl FnMut(Arc<Batch>)) {
        for (worker, receiver) in self.receivers.iter().enumerate() {
            let Some(receiver) = receiver else { continue };
            let found = receiver.try_recv();
            self.waited.get_or_insert(found.is_err());
            let Ok(message) = found.or_else(|_| wait(receiver)) else { panic!("{PEER_FAILED} {worker}") };
            assert_eq!((message.step, message.node), (step, node), "worker {worker} runs another schedule");
            take(message.rows);
        }
    }
}

fn some_pair<A, B>((a, b): (A, B)) -> (Option<A>, Option<B>) {
    (Some(a), Some(b))
}

/// The next message; an error when nobody will send one any more. Looks for a while before it sleeps.
pub(crate) fn wait<T>(receiver: &Receiver<T>) -> Result<T, RecvError> {
    for _ in 0..SPINS {
        match receiver.try_recv() {
            Ok(message) => return Ok(message),
            Err(TryRecvError::Disconnected) => return Err(RecvError),
            Err(TryRecvError::Empty) => std::hint::spin_loop(),
        }
    }
    receiver.recv()
}
