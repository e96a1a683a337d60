//! The threads that run the workers' circuits when there is more than one.
//!
//! Each thread waits for the command to run a step, runs it and answers. A panic inside a step is caught: the failed
//! worker tells its peers (who would wait for its messages for ever) and the pool, which reports it to its caller.

use super::circuit::{Circuit, Results, Shape, Sources};
use super::peers::{PEER_FAILED, Peers};
use crate::{Batch, Builder};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use timely_communication::{Allocator, Config, WorkerGuards, initialize};

enum Command {
    /// Run a step with these rows for the tables.
    Step { active: Arc<Sources>, tables: Vec<(usize, Batch)> },
    /// Look up the row of a keyed table.
    KeyedRow { table: usize, key: Vec<u8> },
}

enum Answer {
    Built(Shape),
    Done(Results),
    KeyedRow(Option<Vec<u8>>),
    /// The message of the panic.
    Failed(String),
}

pub(crate) struct Pool {
    commands: Vec<Sender<Command>>,
    answers: Receiver<(usize, Answer)>,
    /// `Some` until the pool is dropped.
    threads: Option<WorkerGuards<()>>,
}

const STOPPED: &str = "a worker has stopped";

/// Why a step has no result.
#[derive(Debug)]
pub(crate) struct Failure(pub String);

impl Pool {
    /// Starts the threads; each builds its circuit.
    pub fn start(workers: usize, build: Arc<dyn Fn(&mut Builder) + Send + Sync>) -> Result<(Pool, Shape), Failure> {
        let (commands, receivers): (Vec<_>, Vec<_>) = (0..workers).map(|_| channel::<Command>()).unzip();
        let (answer, answers) = channel();
        let seats: Mutex<Vec<Option<Receiver<Command>>>> = Mutex::new(receivers.into_iter().map(Some).collect());
        let answer = Mutex::new(answer);
        let threads = initialize(Config::Process(workers), move |allocator: Allocator| {
            let index = allocator.index();
            let commands = seats.lock().map_or(None, |mut seats| seats[index].take());
            let answer = answer.lock().map(|answer| answer.clone());
            if let (Some(commands), Ok(answer)) = (commands, answer) {
                work(Peers::new(allocator), &*build, &commands, &answer);
            }
        });
        let threads = threads.map_err(|reason| Failure(format!("cannot start {workers} worker threads: {reason}")))?;
        let pool = Pool { commands, answers, threads: Some(threads) };
        let shape = pool.shape()?;
        Ok((pool, shape))
    }

    /// The one shape of all circuits.
    fn shape(&self) -> Result<Shape, Failure> {
        let shapes = self.collect(|answer| match answer {
            Answer::Built(shape) => Some(shape),
            _ => None,
        })?;
        let mut shapes = shapes.into_iter();
        let first = shapes.next().unwrap_or_default();
        match shapes.all(|shape| shape == first) {
            true => Ok(first),
            false => Err(Failure("the workers' circuits differ".to_owned())),
        }
    }

    /// Runs one step: `tables[worker]` are the rows dealt to each worker.
    pub fn step(&self, active: Sources, tables: Vec<Vec<(usize, Batch)>>) -> Result<Vec<Results>, Failure> {
        let active = Arc::new(active);
        for (sender, tables) in self.commands.iter().zip(tables) {
            let command = Command::Step { active: Arc::clone(&active), tables };
            sender.send(command).map_err(|_| Failure(STOPPED.to_owned()))?;
        }
        self.collect(|answer| match answer {
            Answer::Done(results) => Some(results),
            _ => None,
        })
    }

    /// The present row of a keyed table, which one worker knows.
    pub fn keyed_row(&self, worker: usize, table: usize, key: &[u8]) -> Result<Option<Vec<u8>>, Failure> {
        let command = Command::KeyedRow { table, key: key.to_vec() };
        self.commands[worker].send(command).map_err(|_| Failure(STOPPED.to_owned()))?;
        match self.answers.recv() {
            Ok((_, Answer::KeyedRow(row))) => Ok(row),
            _ => Err(Failure(STOPPED.to_owned())),
        }
    }

    /// One answer of each worker, in order of workers.
    fn collect<T>(&self, expected: impl Fn(Answer) -> Option<T>) -> Result<Vec<T>, Failure> {
        let mut collected: Vec<Option<T>> = self.commands.iter().map(|_| None).collect();
        let mut causes = Vec::new();
        for _ in 0..collected.len() {
            match self.answers.recv() {
                Ok((_, Answer::Failed(message))) => causes.push(message),
                Ok((worker, answer)) => collected[worker] = expected(answer),
                Err(_) => break,
            }
        }
        if let Some(message) = first_cause(causes) {
            return Err(Failure(message));
        }
        let answers = collected.into_iter().collect::<Option<Vec<T>>>();
        answers.ok_or_else(|| Failure(STOPPED.to_owned()))
    }
}

fn work(
    mut peers: Peers,
    build: &dyn Fn(&mut Builder),
    commands: &Receiver<Command>,
    answer: &Sender<(usize, Answer)>,
) {
    let index = peers.index();
    // Nobody listens any more when the pool is being dropped: then there is nothing to report.
    let tell = |message| answer.send((index, message)).is_ok();
    let built = catch_unwind(AssertUnwindSafe(|| Builder::build(index, peers.count(), build)));
    let mut circuit: Circuit = match built {
        Ok(circuit) => circuit,
        Err(panic) => {
            tell(Answer::Failed(panic_message(&*panic)));
            return;
        }
    };
    tell(Answer::Built(circuit.shape.clone()));
    for command in commands {
        let answer = catch_unwind(AssertUnwindSafe(|| match command {
            Command::Step { active, tables } => {
                tables.into_iter().for_each(|(table, rows)| circuit.feed(table, rows));
                Answer::Done(circuit.run(&active, Some(&mut peers)))
            }
            Command::KeyedRow { table, key } => Answer::KeyedRow(circuit.keyed_row(table, &key)),
        }));
        match answer {
            Ok(answer) => tell(answer),
            Err(panic) => {
                peers.fail();
                tell(Answer::Failed(panic_message(&*panic)));
                return;
            }
        };
    }
}

/// The panic that made the other workers fail, which only say that a peer has failed.
fn first_cause(mut causes: Vec<String>) -> Option<String> {
    causes.sort_by_key(|message| message.contains(PEER_FAILED));
    causes.into_iter().next()
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(message), _) => (*message).to_owned(),
        (_, Some(message)) => message.clone(),
        _ => "a worker panicked".to_owned(),
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // Without senders the workers' loops end.
        self.commands.clear();
        if let Some(threads) = self.threads.take() {
            threads.join();
        }
    }
}
