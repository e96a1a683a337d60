//! Workers and the step loop.

use crate::operator::exchange::deal;
use crate::worker::circuit::{Circuit, Dealing, Results, Shape, Sources, TableInfo};
use crate::worker::pool::{Failure, Pool};
use crate::worker::sink::{self, Sink};
use crate::{Batch, Builder, Key, Layout, errors};
use std::sync::Arc;

/// The rows of one step for one table, in event order: index of the table in order of `Builder::table` calls.
pub struct StepInput {
    pub table: usize,
    pub rows: Batch,
}

/// One step's results: consolidated and sorted, the same for any number of workers.
#[derive(Clone, Debug, PartialEq)]
pub struct StepOutput {
    /// One delta per `Builder::output` call, in that order (empty batches included).
    pub views: Vec<Batch>,
    /// The delta of the error stream ([`crate::errors::layout`]).
    pub errors: Batch,
}

/// N workers, each with its own circuit built by the same function.
pub struct Runtime {
    workers: Workers,
    shape: Shape,
    view_layouts: Vec<Layout>,
    sinks: Vec<Sink>,
    steps: u64,
}

enum Workers {
    /// The one worker runs in the caller's thread.
    Here(Box<Circuit>),
    Threads(Pool, usize),
}

impl Runtime {
    /// # Panics
    /// When `workers` is 0, the workers' circuits differ, or threads cannot be started.
    pub fn new(workers: usize, build: impl Fn(&mut Builder) + Send + Sync + 'static) -> Runtime {
        assert!((1..=1 << 16).contains(&workers), "the number of workers is between 1 and 65536, not {workers}");
        let (workers, shape) = match workers {
            1 => {
                let circuit = Builder::build(0, 1, &build);
                let shape = circuit.shape.clone();
                (Workers::Here(Box::new(circuit)), shape)
            }
            _ => match Pool::start(workers, Arc::new(build)) {
                Ok((pool, shape)) => (Workers::Threads(pool, workers), shape),
                Err(Failure(message)) => panic!("{message}"),
            },
        };
        let view_layouts = shape.views.iter().map(|view| view.layout.clone()).collect();
        let sinks = shape.views.iter().map(Sink::new).collect();
        Runtime { workers, shape, view_layouts, sinks, steps: 0 }
    }

    /// Runs one step to its end. Several inputs for one table are taken in their order.
    ///
    /// # Panics
    /// When a worker panics, which is a defect of the engine or of a kernel; the runtime is of no use afterwards.
    pub fn step(&mut self, inputs: Vec<StepInput>) -> StepOutput {
        let active = self.active(&inputs);
        let results = match &mut self.workers {
            Workers::Here(circuit) => {
                inputs.into_iter().for_each(|input| circuit.feed(input.table, input.rows));
                Ok(vec![circuit.run(&active, None)])
            }
            Workers::Threads(pool, workers) => pool.step(active, deal_out(inputs, &self.shape.tables, *workers)),
        };
        self.steps += 1;
        match results {
            Ok(results) => self.gather(results),
            Err(Failure(message)) => panic!("step {} failed: {message}", self.steps),
        }
    }

    /// What can have rows in the coming step.
    fn active(&self, inputs: &[StepInput]) -> Sources {
        let mut active = if self.steps == 0 { Sources::first_step() } else { Sources::default() };
        let filled = inputs.iter().filter(|input| !input.rows.is_empty());
        filled.for_each(|input| active.add_table(input.table));
        active
    }

    fn gather(&mut self, mut results: Vec<Results>) -> StepOutput {
        let shares = results.iter_mut().map(|result| std::mem::take(&mut result.errors).consolidated());
        let mut errors = sink::merge(shares, errors::layout().stride());
        let found = errors.len();
        let views = self.sinks.iter_mut().enumerate().map(|(view, sink)| {
            let shares = results.iter_mut().map(|result| std::mem::take(&mut result.views[view]));
            sink.absorb(shares, &mut errors)
        });
        let views = views.collect();
        // The sinks may have reported more.
        let errors = if errors.len() == found { errors } else { errors.consolidated() };
        StepOutput { views, errors }
    }

    /// The contents of a stored view (position as in [`StepOutput::views`]), sorted.
    pub fn view(&self, view: usize) -> Option<Batch> {
        self.sinks.get(view)?.rows()
    }

    pub fn view_layouts(&self) -> &[Layout] {
        &self.view_layouts
    }
}

/// Each worker's share of the inputs: events of the same row or key go to the same worker, in their order.
fn deal_out(inputs: Vec<StepInput>, tables: &[TableInfo], workers: usize) -> Vec<Vec<(usize, Batch)>> {
    let mut shares: Vec<Vec<(usize, Batch)>> = (0..workers).map(|_| Vec::new()).collect();
    for StepInput { table, rows } in inputs {
        let parts = match tables[table].dealing {
            Dealing::Anyhow => cut(&rows, workers),
            Dealing::ByKey(columns) => {
                let mut parts = vec![Batch::new(rows.stride()); workers];
                deal(&rows, &Key::new(&tables[table].layout, columns), &mut parts);
                parts
            }
        };
        let filled = shares.iter_mut().zip(parts).filter(|(_, part)| !part.is_empty());
        filled.for_each(|(share, part)| share.push((table, part)));
    }
    shares
}

/// Pieces of about equal size.
fn cut(rows: &Batch, pieces: usize) -> Vec<Batch> {
    let bound = |piece: usize| rows.len() * piece / pieces;
    (0..pieces).map(|piece| rows.slice(bound(piece)..bound(piece + 1))).collect()
}
