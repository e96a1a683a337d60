//! The outputs' side: a bounded queue of steps for each connector, and the thread that encodes and writes them.

use super::Shared;
use crate::connector::Output;
use crate::format::Encoder;
use feldc_engine::StepOutput;
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// So many messages of a connector are kept for `/stats`.
const MESSAGES_MAX: usize = 100;

/// Numbers of one output.
#[derive(Clone, Debug, Default)]
pub struct OutputStats {
    pub transmitted_records: u64,
    pub transmitted_bytes: u64,
    pub queued_records: u64,
    pub queued_batches: u64,
    pub encode_errors: u64,
    pub messages: VecDeque<String>,
    pub failure: Option<String>,
    /// Microseconds for which the engine waited for this output.
    pub stall_micros: u64,
}

#[derive(Default)]
struct Queue {
    steps: VecDeque<(u64, Arc<StepOutput>)>,
    stats: OutputStats,
    /// The last step whose changes are delivered.
    completed: Option<u64>,
    /// A step is with the writing thread.
    busy: bool,
    closed: bool,
}

/// Steps on their way to one output connector.
pub struct OutputQueue {
    pub endpoint: String,
    pub view: usize,
    limit: u64,
    pub config: Value,
    queue: Mutex<Queue>,
    changed: Condvar,
}

impl OutputQueue {
    pub fn new(endpoint: String, view: usize, limit: u64, config: Value) -> OutputQueue {
        OutputQueue { endpoint, view, limit, config, queue: Mutex::default(), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn stats(&self) -> OutputStats {
        self.lock().stats.clone()
    }

    pub fn completed(&self) -> Option<u64> {
        self.lock().completed
    }

    pub fn failure(&self) -> Option<String> {
        self.lock().stats.failure.clone()
    }

    /// No more steps will come.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Hands a step over, waiting while the queue is full. A step without changes costs no wake-up when all before it
    /// are delivered.
    pub(super) fn push(&self, step: u64, output: &Arc<StepOutput>) {
        let records = output.views[self.view].len() as u64;
        let mut queue = self.lock();
        if queue.stats.failure.is_some() || (records == 0 && queue.steps.is_empty() && !queue.busy) {
            queue.completed = Some(step);
            return;
        }
        if queue.stats.queued_records >= self.limit {
            let begun = Instant::now();
            while queue.stats.queued_records >= self.limit && queue.stats.failure.is_none() {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            queue.stats.stall_micros += begun.elapsed().as_micros() as u64;
        }
        queue.stats.queued_records += records;
        queue.stats.queued_batches += 1;
        queue.steps.push_back((step, output.clone()));
        drop(queue);
        self.changed.notify_all();
    }

    /// The next step; `None` at the end.
    fn next(&self) -> Option<(u64, Arc<StepOutput>)> {
        let mut queue = self.lock();
        loop {
            if let Some(next) = queue.steps.pop_front() {
                queue.busy = true;
                queue.stats.queued_records -= next.1.views[self.view].len() as u64;
                queue.stats.queued_batches -= 1;
                drop(queue);
                self.changed.notify_all();
                return Some(next);
            }
            if queue.closed {
                return None;
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn finish(&self, step: u64, record: impl FnOnce(&mut OutputStats)) {
        let mut queue = self.lock();
        record(&mut queue.stats);
        queue.busy = false;
        queue.completed = Some(step);
        drop(queue);
        self.changed.notify_all();
    }

    fn fail(&self, reason: &str) {
        let failure = format!("output {:?}: {reason}", self.endpoint);
        crate::log::say(crate::log::Level::Error, format_args!("{failure}"));
        self.lock().stats.failure = Some(failure);
        self.changed.notify_all();
    }
}

/// The thread of one output connector, until its queue is closed and empty.
pub(super) fn drive(
    shared: &Shared,
    queue: &OutputQueue,
    mut output: Box<dyn Output>,
    mut encoder: Option<Box<dyn Encoder>>,
) {
    let mut text = String::new();
    while let Some((step, changes)) = queue.next() {
        let delta = &changes.views[queue.view];
        text.clear();
        let encoded = encoder.as_mut().map(|encoder| encoder.encode(delta, &mut text));
        let encoded =
            encoded.unwrap_or_else(|| crate::format::Encoded { records: delta.len() as u64, errors: Vec::new() });
        let failed = queue.failure().is_some();
        let written = match failed {
            true => Ok(()),
            false => output.write(text.as_bytes()).and_then(|()| output.flush()),
        };
        if let Err(reason) = written {
            queue.fail(&reason);
        }
        queue.finish(step, |stats| {
            if stats.failure.is_none() {
                stats.transmitted_records += encoded.records;
                stats.transmitted_bytes += text.len() as u64;
            }
            stats.encode_errors += encoded.errors.len() as u64;
            stats.messages.extend(encoded.errors);
            let excess = stats.messages.len().saturating_sub(MESSAGES_MAX);
            stats.messages.drain(..excess);
        });
        shared.progress.notify_waiters();
    }
}
