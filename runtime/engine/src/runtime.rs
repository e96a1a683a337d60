//! Workers and the step loop.
//!
//! Workers are shards of the state, not threads. A small step runs all workers' circuits one after another in the caller's
//! thread, which costs microseconds; where many rows wait, the rest of the step goes on in one thread for each worker, of
//! which the caller's is one.

use crate::operator::exchange::owner;
use crate::worker::circuit::{Circuit, Lead, Results, Sources, run_together};
use crate::worker::peers::Peers;
use crate::worker::pool::{Pool, Work};
use crate::worker::sink::{self, Sink};
use crate::{Batch, Builder, Layout, errors};
use std::sync::Arc;

/// With at least this many rows waiting for a node the step continues in all threads. Waking one up costs about 50 us, some
/// hundred rows' work.
const ROWS_FOR_THREADS: usize = 1000;

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
    /// One for each worker. None after a failure.
    circuits: Vec<Circuit>,
    /// The threads of all workers but the first.
    pool: Pool,
    rows_for_threads: usize,
    lead: Lead,
    view_layouts: Vec<Layout>,
    sinks: Vec<Sink>,
    steps: u64,
}

impl Runtime {
    /// # Panics
    /// When `workers` is 0, the workers' circuits differ, or threads cannot be started.
    pub fn new(workers: usize, build: impl Fn(&mut Builder)) -> Runtime {
        assert!((1..=1 << 16).contains(&workers), "the number of workers is between 1 and 65536, not {workers}");
        let mut circuits: Vec<Circuit> = (0..workers).map(|worker| Builder::build(worker, workers, &build)).collect();
        let shape = circuits[0].shape.clone();
        let same = |circuit: &Circuit| circuit.shape == shape && circuit.nodes.len() == circuits[0].nodes.len();
        assert!(circuits.iter().all(same), "the workers' circuits differ");
        if workers > 1 {
            let peers = Peers::connect(workers).into_iter().map(Some);
            circuits.iter_mut().zip(peers).for_each(|(circuit, peers)| circuit.peers = peers);
        }
        let pool = match Pool::start(workers - 1) {
            Ok(pool) => pool,
            Err(reason) => panic!("cannot start {workers} worker threads: {reason}"),
        };
        let view_layouts = shape.views.iter().map(|view| view.layout.clone()).collect();
        let sinks = shape.views.iter().map(Sink::new).collect();
        Runtime {
            circuits,
            pool,
            rows_for_threads: ROWS_FOR_THREADS,
            lead: Lead::default(),
            view_layouts,
            sinks,
            steps: 0,
        }
    }

    /// Lets all threads work from this many waiting rows on: 0 for always, `usize::MAX` for never. The results are the
    /// same.
    pub fn rows_for_threads(mut self, rows: usize) -> Runtime {
        self.rows_for_threads = rows;
        self
    }

    /// Runs one step to its end. Several inputs for one table are taken in their order.
    ///
    /// # Panics
    /// When a worker panics, which is a defect of the engine or of a kernel; the runtime is of no use afterwards.
    pub fn step(&mut self, inputs: Vec<StepInput>) -> StepOutput {
        assert!(!self.circuits.is_empty(), "an earlier step has failed");
        let active = self.active(&inputs);
        match &mut self.circuits[..] {
            [circuit] => {
                inputs.into_iter().for_each(|input| circuit.feed(input));
                circuit.run(0, &active);
            }
            _ => self.run_all(inputs, active),
        }
        self.steps += 1;
        let results = self.circuits.iter_mut().map(Circuit::take_results).collect();
        self.gather(results)
    }

    fn run_all(&mut self, inputs: Vec<StepInput>, active: Sources) {
        let active = Arc::new(active);
        if inputs.iter().map(|input| input.rows.len()).sum::<usize>() >= self.rows_for_threads {
            let (inputs, lead) = (Arc::new(inputs), self.lead);
            self.take_waited();
            self.run_in_threads(|| {
                let (inputs, active) = (Arc::clone(&inputs), Arc::clone(&active));
                Box::new(move |circuit| {
                    inputs.iter().for_each(|input| circuit.feed_share(input, lead));
                    circuit.run(0, &active);
                })
            });
            if let Some(waited) = self.take_waited() {
                self.lead.adjust(waited);
            }
            return;
        }
        for circuit in &mut self.circuits {
            inputs.iter().for_each(|input| circuit.feed_share(input, Lead::default()));
        }
        let from = run_together(&mut self.circuits, &active, self.rows_for_threads);
        if from < self.circuits[0].nodes.len() {
            self.run_in_threads(|| {
                let active = Arc::clone(&active);
                Box::new(move |circuit| circuit.run(from, &active))
            });
        }
    }

    /// Had the first worker to wait where it first met the others?
    fn take_waited(&mut self) -> Option<bool> {
        self.circuits.first_mut()?.peers.as_mut()?.take_waited()
    }

    fn run_in_threads(&mut self, work: impl Fn() -> Work) {
        match self.pool.run(std::mem::take(&mut self.circuits), work) {
            Ok(circuits) => self.circuits = circuits,
            Err(message) => panic!("step {} failed: {message}", self.steps + 1),
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

    /// The present row of a keyed table (`table` as in [`StepInput`]), found by its encoded key columns.
    pub fn keyed_row(&self, table: usize, key: &[u8]) -> Option<Vec<u8>> {
        self.circuits.get(owner(key, self.circuits.len()))?.keyed_row(table, key)
    }

    pub fn view_layouts(&self) -> &[Layout] {
        &self.view_layouts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::map_rows;
    use crate::testing::Random;
    use crate::{Aggregate, AggregateFunction, Side, row};
    use feldc_value::{ColumnType, SqlError, SqlType, Value};
    use std::collections::BTreeMap;

    const BIGINT: ColumnType = ColumnType::new(SqlType::BigInt, false);

    fn pair_layout() -> Layout {
        Layout::new(vec![BIGINT, BIGINT])
    }

    fn pairs(rows: &[(i64, i64, i64)]) -> Batch {
        let mut batch = Batch::new(Some(16));
        for (left, right, weight) in rows {
            row::put_i64(batch.buffer(), *left);
            row::put_i64(batch.buffer(), *right);
            batch.commit(*weight);
        }
        batch
    }

    fn numbers(batch: &Batch) -> Vec<(Vec<i64>, i64)> {
        let decode = |row: &[u8]| row.chunks(8).map(|column| row::get_i64(column, 0)).collect();
        batch.iter().map(|(row, weight)| (decode(row), weight)).collect()
    }

    /// Fails on a value of 3, else keeps what is not 0 and swaps the columns.
    fn swap(row: &[u8], out: &mut Vec<u8>) -> Result<bool, feldc_value::EvalError> {
        let value = row::get_i64(row, 8);
        if value == 3 {
            return Err(SqlError::new("22012", "division by zero").at(4, 2));
        }
        row::put_i64(out, value);
        row::put_i64(out, row::get_i64(row, 0));
        Ok(value != 0)
    }

    /// Every kind of operator: a keyed, a stored and a trusted table; map, join, semi, anti, distinct, aggregate.
    fn build(builder: &mut Builder) {
        let keyed = builder.keyed_table("keyed", pair_layout(), 1);
        let stored = builder.table("stored", pair_layout(), true);
        let trusted = builder.table("trusted", pair_layout(), false);
        let constant = builder.constant(pair_layout(), pairs(&[(1, 1, 1), (2, 9, 2)]));
        let kernel = Box::new(|input: &Batch, out: &mut Batch, errors: &mut crate::Errors| {
            map_rows(input, out, errors, swap);
        });
        let mapped = builder.map(trusted, pair_layout(), "mapped", kernel);
        let negated = builder.negate(mapped);
        let sum = builder.union(&[mapped, constant, mapped, negated]);

        let left = builder.exchange(keyed, 1);
        let right = builder.exchange(stored, 1);
        let left_index = builder.index(left, 1);
        let right_index = builder.index(right, 1);
        let kernel = || {
            Box::new(|left: &[u8], right: &[u8], out: &mut Vec<u8>| {
                out.extend_from_slice(left);
                out.extend_from_slice(&right[8..]);
                Ok(true)
            })
        };
        let layout = || Layout::new(vec![BIGINT; 3]);
        let first = builder.join(left, right_index, Side::Left, layout(), "joined", kernel());
        builder.update(left_index);
        let second = builder.join(right, left_index, Side::Right, layout(), "joined", kernel());
        builder.update(right_index);
        let joined = builder.union(&[first, second]);

        let whole = builder.exchange(sum, 2);
        let distinct = builder.distinct(whole);
        let one = builder.exchange(sum, 0);
        let count = Aggregate {
            function: AggregateFunction::CountStar,
            arguments: vec![],
            order: vec![],
            distinct: false,
            result: BIGINT,
            line: 1,
            column: 1,
        };
        let counted = builder.aggregate(one, 0, vec![count.clone()], true, "counted");
        let by_key = builder.exchange(sum, 1);
        let grouped = builder.aggregate(by_key, 1, vec![count], false, "grouped");
        for (name, stream) in
            [("sum", sum), ("joined", joined), ("distinct", distinct), ("counted", counted), ("grouped", grouped)]
        {
            builder.output(name, stream, true);
        }
    }

    fn random_inputs(random: &mut Random) -> Vec<StepInput> {
        let mut inputs = Vec::new();
        for table in 0..3 {
            if random.below(3) > 0 {
                let rows: Vec<_> = (0..random.below(20))
                    .map(|_| {
                        let weight = if random.below(3) == 0 { -1 } else { 1 };
                        (random.below(6) as i64, random.below(5) as i64, weight)
                    })
                    .collect();
                inputs.push(StepInput { table, rows: pairs(&rows) });
            }
        }
        inputs
    }

    #[test]
    fn any_number_of_workers_gives_the_same_bytes() {
        // With threads in every step, in some, from the middle of some on, and in none.
        let kinds = [(1, 0), (2, 0), (2, 20), (3, 50), (3, usize::MAX)];
        let runtime = |(workers, rows)| Runtime::new(workers, build).rows_for_threads(rows);
        let mut runtimes: Vec<_> = kinds.into_iter().map(runtime).collect();
        let mut integrals = vec![BTreeMap::<Vec<u8>, i64>::new(); runtimes[0].view_layouts().len()];
        for step in 0..200 {
            let outputs: Vec<_> =
                runtimes.iter_mut().map(|runtime| runtime.step(random_inputs(&mut Random::new(step)))).collect();
            outputs.iter().for_each(|output| assert_eq!(*output, outputs[0], "step {step}"));
            for (view, integral) in integrals.iter_mut().enumerate() {
                for (row, weight) in outputs[0].views[view].iter() {
                    *integral.entry(row.to_vec()).or_default() += weight;
                }
                integral.retain(|_, weight| *weight != 0);
                let contents = runtimes[1].view(view).expect("a stored view");
                assert!(contents.iter().eq(integral.iter().map(|(row, weight)| (&row[..], *weight))));
            }
        }
    }

    /// A controller may run the steps in a thread of its own.
    #[test]
    fn a_runtime_can_be_sent_to_a_thread() {
        let mut runtime = Runtime::new(2, build);
        let output = std::thread::spawn(move || runtime.step(vec![])).join().expect("the step does not panic");
        assert_eq!(numbers(&output.views[3]), [(vec![3], 1)]);
    }

    #[test]
    fn a_failing_row_is_reported_and_its_error_is_withdrawn_with_it() {
        let mut runtime = Runtime::new(1, build);
        runtime.step(vec![]);
        let output = runtime.step(vec![StepInput { table: 2, rows: pairs(&[(7, 3, 2)]) }]);
        let rows = |batch: &Batch| -> Vec<(Vec<Value>, i64)> {
            batch.iter().map(|(row, weight)| (errors::layout().decode(row), weight)).collect()
        };
        let metadata = r#"{"sqlstate":"22012","line":4,"column":2,"row":[7,3]}"#;
        let row = ["mapped", "division by zero", metadata].map(Value::text).to_vec();
        assert_eq!(rows(&output.errors), [(row.clone(), 2)]);
        let output = runtime.step(vec![StepInput { table: 2, rows: pairs(&[(7, 3, -1)]) }]);
        assert_eq!(rows(&output.errors), [(row, -1)]);
    }

    #[test]
    fn a_stored_table_refuses_to_delete_what_it_does_not_hold() {
        let mut runtime = Runtime::new(2, |builder: &mut Builder| {
            let table = builder.table("t", pair_layout(), true);
            builder.output("v", table, false);
        });
        let rows = pairs(&[(1, 1, -1), (1, 1, 1), (1, 1, -3)]);
        let output = runtime.step(vec![StepInput { table: 0, rows }]);
        assert!(output.views[0].is_empty());
        let error = errors::layout().decode(output.errors.row(0));
        assert_eq!(error[1], Value::text("cannot delete (1, 1): the table holds no such row"));
        assert_eq!(output.errors.weight(0), 3);
    }

    #[test]
    fn a_view_never_shows_a_negative_multiplicity() {
        let mut runtime = Runtime::new(2, |builder: &mut Builder| {
            let table = builder.table("t", pair_layout(), false);
            builder.output("v", table, true);
        });
        let output = runtime.step(vec![StepInput { table: 0, rows: pairs(&[(1, 1, -2), (2, 2, 1)]) }]);
        assert_eq!(numbers(&output.views[0]), [(vec![2, 2], 1)]);
        assert_eq!((output.errors.len(), output.errors.weight(0)), (1, 2));
        let output = runtime.step(vec![StepInput { table: 0, rows: pairs(&[(1, 1, 3)]) }]);
        assert_eq!(numbers(&output.views[0]), [(vec![1, 1], 1)]);
        assert_eq!((output.errors.len(), output.errors.weight(0)), (1, -2));
    }

    #[test]
    #[should_panic = "step 1 failed: a kernel broke"]
    fn a_panic_in_a_worker_ends_the_step() {
        let mut runtime = Runtime::new(3, |builder: &mut Builder| {
            let table = builder.table("t", pair_layout(), true);
            let kernel = Box::new(|_: &Batch, _: &mut Batch, _: &mut crate::Errors| panic!("a kernel broke"));
            let mapped = builder.map(table, pair_layout(), "v", kernel);
            let moved = builder.exchange(mapped, 1);
            builder.output("v", moved, false);
        })
        .rows_for_threads(0);
        runtime.step(vec![StepInput { table: 0, rows: pairs(&[(1, 1, 1)]) }]);
    }

    #[test]
    fn deletions_may_hold_the_key_alone() {
        for workers in [1, 2] {
            let mut runtime = Runtime::new(workers, |builder: &mut Builder| {
                let table = builder.keyed_table("t", pair_layout(), 1);
                builder.output("v", table, true);
            });
            runtime.step(vec![StepInput { table: 0, rows: pairs(&[(1, 1, 1), (2, 5, 1)]) }]);
            let mut key = Batch::new(None);
            key.push(&pairs(&[(1, 1, 1)]).row(0)[..8], -1);
            let more = pairs(&[(3, 3, 1)]);
            let inputs = vec![StepInput { table: 0, rows: more }, StepInput { table: 0, rows: key }];
            let output = runtime.step(inputs);
            assert_eq!(numbers(&output.views[0]), [(vec![1, 1], -1), (vec![3, 3], 1)]);
            let contents = runtime.view(0).expect("a stored view");
            assert_eq!(numbers(&contents), [(vec![2, 5], 1), (vec![3, 3], 1)]);
            for (row, found) in [((2, 5, 1), true), ((1, 1, 1), false)] {
                let row = pairs(&[row]).row(0).to_vec();
                assert_eq!(runtime.keyed_row(0, &row[..8]), found.then_some(row));
            }
        }
    }

    /// Equal rows multiply in a join; what cannot be counted any more is an error, withdrawn with its cause.
    #[test]
    fn a_product_of_weights_that_overflows_is_reported() {
        let mut runtime = Runtime::new(1, |builder: &mut Builder| {
            let (left, right) = (builder.table("l", pair_layout(), false), builder.table("r", pair_layout(), false));
            let index = builder.index(right, 1);
            builder.update(index);
            let kernel = Box::new(|left: &[u8], _: &[u8], out: &mut Vec<u8>| {
                out.extend_from_slice(left);
                Ok(true)
            });
            let joined = builder.join(left, index, Side::Left, pair_layout(), "v", kernel);
            builder.output("v", joined, false);
        });
        let input = |table, weight| StepInput { table, rows: pairs(&[(1, 1, weight)]) };
        runtime.step(vec![input(1, 1 << 40)]);
        let output = runtime.step(vec![input(0, 1 << 22)]);
        assert_eq!(numbers(&output.views[0]), [(vec![1, 1], 1 << 62)]);
        for weight in [1, -1] {
            let output = runtime.step(vec![input(0, weight * (3 << 22))]);
            assert!(output.views[0].is_empty());
            assert_eq!((output.errors.len(), output.errors.weight(0)), (1, weight));
            let error = errors::layout().decode(output.errors.row(0));
            assert_eq!(error[1], Value::text("a row occurs more often than can be counted"));
        }
    }
}
