//! The threads that run circuits beside the caller's.
//!
//! A thread waits for a circuit, runs what is left of the step on it and gives it back. A panic is caught: the circuit is
//! lost and with it its ends of the channels, so its peers, who would wait for its messages for ever, stop too.

use super::circuit::Circuit;
use super::peers::{PEER_FAILED, wait};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// What to do with a circuit.
pub(crate) type Work = Box<dyn FnOnce(&mut Circuit) + Send>;

pub(crate) struct Pool {
    /// One for each thread.
    commands: Vec<Sender<(Circuit, Work)>>,
    answers: Vec<Receiver<Result<Circuit, String>>>,
    threads: Vec<JoinHandle<()>>,
}

const STOPPED: &str = "a worker thread has stopped";

impl Pool {
    /// # Errors
    /// When the operating system gives no thread.
    pub fn start(threads: usize) -> std::io::Result<Pool> {
        let mut pool = Pool { commands: Vec::new(), answers: Vec::new(), threads: Vec::new() };
        for number in 0..threads {
            let (command, commands) = channel::<(Circuit, Work)>();
            let (answer, answers) = channel();
            let serve = move || {
                for (circuit, work) in commands {
                    // Nobody listens any more when the pool is being dropped: then there is nothing to report.
                    let _ = answer.send(run(circuit, work));
                }
            };
            pool.threads.push(std::thread::Builder::new().name(format!("worker {}", number + 1)).spawn(serve)?);
            pool.commands.push(command);
            pool.answers.push(answers);
        }
        Ok(pool)
    }

    /// Runs `work` on each circuit, all at once: the first one in this thread.
    ///
    /// # Errors
    /// The message of the panic that made one fail. The circuits are lost.
    pub fn run(&self, circuits: Vec<Circuit>, work: impl Fn() -> Work) -> Result<Vec<Circuit>, String> {
        let mut circuits = circuits.into_iter();
        let first = circuits.next();
        for (command, circuit) in self.commands.iter().zip(circuits) {
            command.send((circuit, work())).map_err(|_| STOPPED)?;
        }
        let here = first.map(|circuit| run(circuit, work()));
        let there = self.answers.iter().map(|answers| wait(answers).unwrap_or_else(|_| Err(STOPPED.to_owned())));
        let (mut done, mut causes) = (Vec::new(), Vec::new());
        for answer in here.into_iter().chain(there) {
            match answer {
                Ok(circuit) => done.push(circuit),
                Err(message) => causes.push(message),
            }
        }
        first_cause(causes).map_or(Ok(done), Err)
    }
}

/// Runs `work` on a circuit, which is lost when that panics.
pub(crate) fn run(mut circuit: Circuit, work: impl FnOnce(&mut Circuit)) -> Result<Circuit, String> {
    let done = catch_unwind(AssertUnwindSafe(move || {
        work(&mut circuit);
        circuit
    }));
    done.map_err(|panic| panic_message(&*panic))
}

/// The panic that made the other workers fail, which only say that a peer has failed.
fn first_cause(mut causes: Vec<String>) -> Option<String> {
    causes.sort_by_key(|message| message.contains(PEER_FAILED));
    causes.into_iter().next()
}

pub(crate) fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => "a worker panicked".to_owned(),
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Without senders the threads' loops end.
        self.commands.clear();
        // A thread only panics when the system is out of memory for its answer: nothing to add to that here.
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}
