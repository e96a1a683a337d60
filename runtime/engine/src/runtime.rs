//! Workers and the step loop.

use crate::{Batch, Builder, Layout};

/// The rows of one step for one table, in event order: index of the table in order of `Builder::table` calls.
pub struct StepInput {
    pub table: usize,
    pub rows: Batch,
}

/// One step's results: consolidated and sorted, the same for any number of workers.
pub struct StepOutput {
    /// One delta per `Builder::output` call, in that order (empty batches included).
    pub views: Vec<Batch>,
    /// The delta of the error stream ([`crate::errors::layout`]).
    pub errors: Batch,
}

/// N workers, each with its own circuit built by the same function.
pub struct Runtime {
    _private: (),
}

impl Runtime {
    /// # Panics
    /// When `workers` is 0 or the workers' circuits differ.
    pub fn new(_workers: usize, _build: impl Fn(&mut Builder) + Send + Sync + 'static) -> Runtime {
        todo!()
    }

    /// Runs one step to its end.
    pub fn step(&mut self, _inputs: Vec<StepInput>) -> StepOutput {
        todo!()
    }

    /// The contents of a stored view (position as in [`StepOutput::views`]), sorted.
    pub fn view(&self, _view: usize) -> Option<Batch> {
        todo!()
    }

    pub fn view_layouts(&self) -> &[Layout] {
        todo!()
    }
}
