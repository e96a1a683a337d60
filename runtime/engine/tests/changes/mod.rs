//! Random change streams, and the contents they add up to: what the property tests of operators share.

use feldc_engine::{Batch, Builder, Layout, Runtime, StepInput};
use feldc_value::{ColumnType, SqlType, Value};
use std::collections::BTreeMap;

/// Rows with their weights, none of which is 0.
pub type Contents = BTreeMap<Vec<u8>, i64>;

pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number from 0 up to but excluding `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        ((self.next() >> 32) as usize * limit) >> 32
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }
}

pub fn nullable(ty: SqlType) -> ColumnType {
    ColumnType::new(ty, true)
}

pub fn encode(layout: &Layout, values: &[Value]) -> Vec<u8> {
    let mut row = Vec::new();
    layout.encode(values, &mut row);
    row
}

/// Adds a delta; weights that become 0 vanish.
pub fn add(contents: &mut Contents, delta: &Batch) {
    for (row, weight) in delta.iter() {
        *contents.entry(row.to_vec()).or_default() += weight;
    }
    contents.retain(|_, weight| *weight != 0);
}

type RandomRow = Box<dyn Fn(&mut Random) -> Vec<Value>>;

/// A table under random change.
pub struct Table {
    pub layout: Layout,
    pub contents: Contents,
    row: RandomRow,
}

impl Table {
    pub fn new(layout: Layout, row: impl Fn(&mut Random) -> Vec<Value> + 'static) -> Table {
        Table { layout, contents: Contents::new(), row: Box::new(row) }
    }

    /// A delta of about `size` rows after which no weight is negative; inside it rows come in any order, some of them
    /// withdrawn before they are inserted, some only passing through.
    pub fn change(&mut self, random: &mut Random, size: usize) -> Batch {
        let mut rows: Vec<(Vec<u8>, i64)> = Vec::new();
        let mut next = self.contents.clone();
        let shrinking = random.below(3) == 0;
        for _ in 0..random.below(size + 1) {
            let existing = next.iter().nth(random.below(next.len().max(1))).map(|(row, weight)| (row.clone(), *weight));
            match existing {
                Some((row, weight)) if random.below(4) < if shrinking { 3 } else { 1 } => {
                    let withdrawn = random.pick(&[weight, 1]);
                    rows.push((row, -withdrawn));
                }
                _ => {
                    let row = encode(&self.layout, &(self.row)(random));
                    let weight = random.pick(&[1, 1, 1, 1, 3]);
                    rows.push((row.clone(), weight));
                    if random.below(8) == 0 {
                        rows.push((row, -weight));
                        continue;
                    }
                }
            }
            let (row, weight) = &rows[rows.len() - 1];
            let sum = next.entry(row.clone()).or_default();
            *sum += weight;
            if *sum == 0 {
                next.remove(row);
            }
        }
        for at in (1..rows.len()).rev() {
            rows.swap(at, random.below(at + 1));
        }
        self.contents = next;
        let mut delta = Batch::new(self.layout.stride());
        rows.iter().for_each(|(row, weight)| delta.push(row, *weight));
        delta
    }
}

/// Runs `steps` random steps through a circuit of one view, comparing the view after each with `expected` (contents of
/// the view, number of error rows), computed from the tables' contents.
pub fn check(
    seed: u64,
    mut tables: Vec<Table>,
    steps: usize,
    size: usize,
    build: impl Fn(&mut Builder) + Send + Sync + 'static,
    expected: impl Fn(&[Table]) -> (Contents, usize),
) {
    let mut random = Random::new(seed);
    let workers = if seed % 5 == 4 { 2 } else { 1 };
    let mut runtime = Runtime::new(workers, build);
    let (mut view, mut errors) = (Contents::new(), Contents::new());
    for step in 0..steps {
        let mut inputs = Vec::new();
        for (number, table) in tables.iter_mut().enumerate() {
            if random.below(4) > 0 {
                inputs.push(StepInput { table: number, rows: table.change(&mut random, size) });
            }
        }
        let output = runtime.step(inputs);
        add(&mut view, &output.views[0]);
        add(&mut errors, &output.errors);
        let (rows, failures) = expected(&tables);
        let layout = &runtime.view_layouts()[0];
        let decoded = |contents: &Contents| -> Vec<(Vec<Value>, i64)> {
            contents.iter().map(|(row, weight)| (layout.decode(row), *weight)).collect()
        };
        assert_eq!(decoded(&view), decoded(&rows), "seed {seed}, step {step}");
        assert!(errors.values().all(|weight| *weight > 0), "seed {seed}, step {step}: {errors:?}");
        let found: i64 = errors.values().sum();
        assert_eq!(found as usize, failures, "errors at seed {seed}, step {step}");
    }
}
