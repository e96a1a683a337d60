//! Messages between workers, over Timely Dataflow's communication layer.
//!
//! All exchanges of a circuit share one channel. Workers run the same nodes in the same order, so the messages of one
//! sender arrive in the order in which they are awaited; a message from a sender that is ahead waits in that sender's
//! inbox. Inside one process a batch is moved, not copied; [`Message`] can also be written to bytes and read back, for
//! channels between processes.

use crate::Batch;
use std::collections::VecDeque;
use std::io::Write;
use std::time::Duration;
use timely_bytes::arc::Bytes;
use timely_communication::{Allocator, Bytesable, Pull, Push};

/// Step number of a message that says: the sender has failed, do not wait for it.
const FAILED: u64 = u64::MAX;

/// How the panic of a worker begins that stops because another one has failed.
pub(crate) const PEER_FAILED: &str = "stopped by the failure of worker";

/// A sleeping worker looks around this often even when nobody wakes it.
const LONGEST_SLEEP: Duration = Duration::from_millis(100);

/// Looks at the channel before going to sleep.
const SPINS: usize = 50;

pub(crate) struct Message {
    step: u64,
    /// The stream it belongs to, by the exchange's output.
    stream: u32,
    sender: u32,
    rows: Batch,
}

/// This worker's ends of the channels to all workers.
pub(crate) struct Peers {
    allocator: Allocator,
    senders: Vec<Box<dyn Push<Message>>>,
    receiver: Box<dyn Pull<Message>>,
    /// What each worker sent and nobody has asked for yet.
    inboxes: Vec<VecDeque<Message>>,
}

impl Peers {
    pub fn new(mut allocator: Allocator) -> Peers {
        let (senders, receiver) = allocator.allocate(0);
        let inboxes = senders.iter().map(|_| VecDeque::new()).collect();
        Peers { allocator, senders, receiver, inboxes }
    }

    pub fn index(&self) -> usize {
        self.allocator.index()
    }

    pub fn count(&self) -> usize {
        self.allocator.peers()
    }

    /// Sends each other worker its part.
    pub fn send(&mut self, step: u64, stream: u32, parts: Vec<Batch>) {
        let own = self.index();
        for (worker, rows) in parts.into_iter().enumerate().filter(|(worker, _)| *worker != own) {
            self.senders[worker].send(Message { step, stream, sender: own as u32, rows });
            self.senders[worker].done();
        }
        self.allocator.release();
    }

    /// Waits for the part of each other worker.
    ///
    /// # Panics
    /// When another worker has failed.
    pub fn receive(&mut self, step: u64, stream: u32, mut take: impl FnMut(Batch)) {
        let own = self.index();
        for worker in (0..self.count()).filter(|worker| *worker != own) {
            let message = self.next_from(worker);
            assert_ne!(message.step, FAILED, "{PEER_FAILED} {worker}");
            assert_eq!((message.step, message.stream), (step, stream), "worker {worker} runs another schedule");
            take(message.rows);
        }
    }

    fn next_from(&mut self, worker: usize) -> Message {
        let mut spins = 0;
        loop {
            if let Some(message) = self.inboxes[worker].pop_front() {
                return message;
            }
            match self.collect() {
                true => spins = 0,
                false if spins < SPINS => {
                    spins += 1;
                    std::hint::spin_loop();
                }
                false => self.allocator.await_events(Some(LONGEST_SLEEP)),
            }
        }
    }

    /// Moves what has arrived to the inboxes; was there anything?
    fn collect(&mut self) -> bool {
        self.allocator.receive();
        // The channels are asked directly; the notices of arrival only matter to those who sleep.
        let mut any = !self.allocator.events().borrow_mut().drain(..).as_slice().is_empty();
        while let Some(message) = self.receiver.recv() {
            any = true;
            self.inboxes[message.sender as usize].push_back(message);
        }
        any
    }

    /// Tells the others that this worker will send nothing any more.
    pub fn fail(&mut self) {
        let own = self.index();
        for worker in (0..self.count()).filter(|worker| *worker != own) {
            let rows = Batch::default();
            self.senders[worker].send(Message { step: FAILED, stream: 0, sender: own as u32, rows });
            self.senders[worker].done();
        }
        self.allocator.release();
    }
}

/// Bytes of the part of a message before its rows.
const HEADER: usize = 16;

impl Bytesable for Message {
    fn from_bytes(bytes: Bytes) -> Message {
        let (header, rows) = bytes.split_at(HEADER);
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        let step = u64::from(number(0)) | u64::from(number(4)) << 32;
        Message { step, stream: number(8), sender: number(12), rows: Batch::from_bytes(rows) }
    }

    fn length_in_bytes(&self) -> usize {
        HEADER + self.rows.length_in_bytes()
    }

    fn into_bytes<W: Write>(&self, writer: &mut W) {
        let mut write = || -> std::io::Result<()> {
            writer.write_all(&self.step.to_le_bytes())?;
            writer.write_all(&self.stream.to_le_bytes())?;
            writer.write_all(&self.sender.to_le_bytes())?;
            self.rows.write_to(writer)
        };
        write().expect("the communication layer hands out a buffer of the length it was told");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_survives_the_way_through_bytes() {
        for stride in [None, Some(3), Some(0)] {
            for weight in [1, -4] {
                let mut rows = Batch::new(stride);
                (0..3).for_each(|_| rows.push(&b"abc"[..stride.unwrap_or(3)], weight));
                let sent = Message { step: 1 << 40, stream: 7, sender: 2, rows };
                let mut bytes = Vec::new();
                sent.into_bytes(&mut bytes);
                assert_eq!(bytes.len(), sent.length_in_bytes());
                let received = Message::from_bytes(timely_bytes::arc::BytesMut::from(bytes).freeze());
                assert_eq!((received.step, received.stream, received.sender), (1 << 40, 7, 2));
                assert_eq!(received.rows, sent.rows);
                assert_eq!(received.rows.stride(), stride);
            }
        }
    }
}
