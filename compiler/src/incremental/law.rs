//! Law: after every step each view equals the evaluation of its plan from scratch, for any number of workers and any
//! cut of the changes into steps. Checked on random plans over random changes, by seed.

use crate::circuit::Circuit;
use crate::circuit::check::check;
use crate::lower::schema;
use crate::plan::*;
use crate::{interpret, reference};
use feldc_engine::{Batch, Layout, Runtime, StepInput};
use feldc_pipeline::schema::Schema;
use feldc_value::{ColumnType, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Lowers, makes incremental and checks.
pub(super) fn compile(program: &Program) -> Result<Circuit, crate::lower::Unsupported> {
    let circuit = super::incremental(&crate::lower::lower(program)?);
    check(&circuit).expect("the circuit keeps its rules");
    Ok(circuit)
}

struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn value(&mut self, ty: ColumnType) -> Value {
        use feldc_value::SqlType::*;
        if ty.nullable && self.chance(25) {
            return Value::Null;
        }
        let small = self.below(4) as i64;
        match ty.ty {
            Boolean => Value::Boolean(small > 1),
            TinyInt => Value::TinyInt(small as i8),
            SmallInt => Value::SmallInt(small as i16),
            Integer => Value::Integer(small as i32),
            BigInt => Value::BigInt(small),
            Decimal { .. } => Value::Decimal(small.into()),
            Real => Value::Real(small as f32),
            Double => Value::Double(small as f64),
            Char { .. } | Varchar { .. } => Value::text(["", "a", "b\u{1}", "ab"][small as usize]),
            Date => Value::Date(small as i32),
            Time => Value::Time(small),
            Timestamp => Value::Timestamp(small * 1_000_000),
            IntervalShort { .. } => Value::IntervalShort(small),
            IntervalLong { .. } => Value::IntervalLong(small as i32),
            // The laws' plans are over plain types.
            other => Value::zero(other),
        }
    }
}

/// One event: the table, its row in SQL order, and whether it comes or goes.
type Event = (usize, Vec<Value>, i64);

/// The tables' contents, kept by the same rules as the engine keeps them.
struct Model {
    tables: Vec<Vec<Vec<Value>>>,
}

impl Model {
    /// A change that the tables can take.
    fn event(&mut self, program: &Program, random: &mut Random) -> Event {
        let table = random.below(program.tables.len());
        let definition = &program.tables[table];
        let rows = &mut self.tables[table];
        if !rows.is_empty() && (rows.len() > 9 || random.chance(35)) {
            let row = rows.swap_remove(random.below(rows.len()));
            return (table, row, -1);
        }
        let row: Vec<Value> = definition.columns.iter().map(|column| random.value(column.ty)).collect();
        if !definition.primary_key.is_empty() {
            rows.retain(|other| definition.primary_key.iter().any(|&key| other[key] != row[key]));
        }
        rows.push(row.clone());
        (table, row, 1)
    }
}

/// With several workers, small steps then run in one thread, larger ones in several, some from their middle on.
const ROWS_FOR_THREADS: usize = 5;

/// A running program with the accumulated contents of its views.
struct Running {
    schema: Schema,
    runtime: Runtime,
    views: Vec<BTreeMap<String, i64>>,
    errors: i64,
}

impl Running {
    fn new(program: &Program, workers: usize) -> Running {
        let circuit = compile(program).unwrap();
        check(&circuit).unwrap_or_else(|rule| panic!("{rule}\n{circuit}"));
        let schema = schema(program);
        let running = interpret::program(Arc::new(circuit), schema.clone(), &program.views);
        let runtime = Runtime::new(workers, move |builder| (running.build)(builder)).rows_for_threads(ROWS_FOR_THREADS);
        Running { views: vec![BTreeMap::new(); schema.views.len()], schema, runtime, errors: 0 }
    }

    fn step(&mut self, events: &[Event]) {
        let mut inputs: Vec<StepInput> = vec![];
        for (number, table) in self.schema.tables.iter().enumerate() {
            let types = table.physical.iter().map(|&column| table.fields[column].columntype).collect();
            let layout = Layout::new(types);
            let mut rows = Batch::new(layout.stride());
            for (_, row, weight) in events.iter().filter(|(table, _, _)| *table == number) {
                let physical: Vec<Value> = table.physical.iter().map(|&column| row[column].clone()).collect();
                layout.encode(&physical, rows.buffer());
                rows.commit(*weight);
            }
            if !rows.is_empty() {
                inputs.push(StepInput { table: number, rows });
            }
        }
        let output = self.runtime.step(inputs);
        let layouts = self.runtime.view_layouts();
        for (number, delta) in output.views.iter().enumerate() {
            for (row, weight) in delta.iter() {
                let physical = layouts[number].decode(row);
                let mut fields = vec![Value::Null; physical.len()];
                for (value, &column) in physical.into_iter().zip(&self.schema.views[number].physical) {
                    fields[column] = value;
                }
                let count = self.views[number].entry(format!("{fields:?}")).or_default();
                *count += weight;
            }
            self.views[number].retain(|_, count| *count != 0);
        }
        self.errors += output.errors.iter().map(|(_, weight)| weight).sum::<i64>();
    }
}

/// The contents of the views that are not LOCAL, from scratch.
fn expected(program: &Program, model: &Model) -> Vec<BTreeMap<String, i64>> {
    let contents = reference::evaluate(program, &model.tables);
    let views = program.views.iter().zip(contents).filter(|(view, _)| view.kind != ViewKind::Local);
    views
        .map(|(_, contents)| {
            let mut rows = BTreeMap::new();
            contents.rows.iter().for_each(|row| *rows.entry(format!("{row:?}")).or_default() += 1);
            rows
        })
        .collect()
}

/// Runs random changes through `program` on one and on three workers and checks every step against the evaluation of
/// `meaning`: the same program, perhaps before rewriting.
fn check_programs(meaning: &Program, program: &Program, seed: u64, steps: usize, errors: bool) {
    let mut random = Random::new(seed);
    let mut model = Model { tables: vec![vec![]; program.tables.len()] };
    let (mut one, mut three, mut late) = (Running::new(program, 1), Running::new(program, 3), Running::new(program, 1));
    let mut all = vec![];
    for step in 0..steps {
        let count = if step == 0 { 0 } else { *random.pick(&[1, 1, 2, 5, 12]) };
        let events: Vec<Event> = (0..count).map(|_| model.event(program, &mut random)).collect();
        one.step(&events);
        three.step(&events);
        all.extend(events);
        let expected = expected(meaning, &model);
        for (view, expected) in expected.iter().enumerate() {
            let name = &one.schema.views[view].name;
            let context =
                || format!("seed {seed} step {step} view {name}\n{}\n{}", show(program), compile(program).unwrap());
            assert_eq!(&one.views[view], expected, "incremental differs (left) from scratch (right): {}", context());
            assert_eq!(&three.views[view], expected, "three workers differ (left) from scratch (right): {}", context());
        }
    }
    if errors {
        // The error stream holds exactly the failures of the present contents: those that were healed are gone.
        let contents = reference::evaluate(meaning, &model.tables);
        let failures = contents.iter().map(|view| view.errors.len() as i64).sum::<i64>();
        assert_eq!((one.errors, three.errors), (failures, failures), "errors differ: seed {seed}\n{}", show(program));
    }
    late.step(&all);
    assert_eq!(late.views, one.views, "one step differs (left) from many (right): seed {seed}\n{}", show(program));
}

fn show(program: &Program) -> String {
    let view = |view: &View| format!("{} {:?} = {:#?}", view.name, view.kind, Shown(&view.plan));
    program.views.iter().map(view).collect::<Vec<_>>().join("\n")
}

/// A plan in few lines.
struct Shown<'a>(&'a Plan);

impl std::fmt::Debug for Shown<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        use crate::circuit::print::Shown as E;
        let children: Vec<Shown> = self.0.children().into_iter().map(Shown).collect();
        let ids: Vec<String> = self.0.columns().iter().map(|c| format!("c{}:{}", c.id.0, c.ty)).collect();
        let head = match self.0 {
            Plan::Table { table, .. } => format!("table {}", table.0),
            Plan::View { view, .. } => format!("view {}", view.0),
            Plan::Values { rows, .. } => format!("values {}", rows.len()),
            Plan::Filter { predicate, .. } => format!("filter {}", E(predicate)),
            Plan::Project { columns, .. } => {
                let exprs: Vec<String> = columns.iter().map(|(c, e)| format!("c{} = {}", c.id.0, E(e))).collect();
                format!("project {}", exprs.join(", "))
            }
            Plan::Join { kind, on, .. } => format!("join {kind:?} on {}", E(on)),
            Plan::Aggregate { keys, aggregates, scalar, .. } => {
                let keys: Vec<u32> = keys.iter().map(|(_, id)| id.0).collect();
                let calls: Vec<String> = aggregates
                    .iter()
                    .map(|(_, a)| {
                        format!(
                            "{:?} {:?}",
                            a.function,
                            a.arguments.iter().map(|e| E(e).to_string()).collect::<Vec<_>>()
                        )
                    })
                    .collect();
                format!("aggregate by {keys:?} {calls:?} {scalar}")
            }
            Plan::Distinct { .. } => "distinct".to_string(),
            Plan::TopK { partition, order, window, .. } => format!("top {window:?} of {partition:?} by {order:?}"),
            Plan::Unnest { arrays, outer, .. } => format!("unnest {arrays:?} {outer}"),
            Plan::Union { .. } => "union".to_string(),
            Plan::SetDifference { .. } => "except".to_string(),
            Plan::SetIntersection { .. } => "intersect".to_string(),
            Plan::Apply { .. } => "apply".to_string(),
        };
        f.debug_struct(&format!("{head} -> {}", ids.join(" "))).field("of", &children).finish()
    }
}

#[path = "law_plans.rs"]
mod plans;
#[path = "law_sql.rs"]
mod sql;

#[test]
fn random_programs() {
    let seeds = match std::env::var("FELDC_LAW_SEEDS") {
        Ok(range) => {
            let (from, to) = range.split_once("..").expect("FELDC_LAW_SEEDS is FROM..TO");
            from.parse().unwrap()..to.parse().unwrap()
        }
        Err(_) => 0..150,
    };
    for seed in seeds {
        let program = plans::program(&mut Random::new(seed));
        check_programs(&program, &program, seed, 8, false);
    }
}
