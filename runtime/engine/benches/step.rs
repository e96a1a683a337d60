//! Throughput of large steps and latency of single-row steps, for one worker and for two.
//!
//! `cargo bench -p feldc-engine -- [CASE [WORKERS]]` prints one line for each case: rows per second for batches of 10,000 rows, and
//! microseconds (median) per step of one row. With one worker the seconds are those that the thread ran, as far as the
//! system tells, so that other programs disturb little; with more they are elapsed ones.

use feldc_engine::batch::map_rows;
use feldc_engine::{
    Aggregate, AggregateFunction, Batch, Builder, Errors, Layout, Runtime, Side, StepInput, StreamId, row,
};
use feldc_value::{ColumnType, SqlType};
use std::time::{Duration, Instant};

const BIGINT: ColumnType = ColumnType::new(SqlType::BigInt, false);
const BATCH: u64 = 10_000;
const KEYS: u64 = 1_000_000;

/// Name, number of tables, circuit.
type Case = (&'static str, usize, fn(&mut Builder));

fn main() {
    let cases: [Case; 8] = [
        ("filter and map", 1, filter_map),
        ("filter and map, stored view", 1, filter_map_stored),
        ("keyed table", 1, keyed),
        ("keyed table, stored view", 1, keyed_stored),
        ("stored table", 1, stored),
        ("sum by key", 1, aggregate),
        ("sum by key, stored view", 1, aggregate_stored),
        ("join", 2, join),
    ];
    let only = std::env::args().nth(1).filter(|name| !name.starts_with("--"));
    let worker_counts = match std::env::args().nth(2).and_then(|count| count.parse().ok()) {
        Some(count) => vec![count],
        None => vec![1, 2],
    };
    let wanted = |case: &&Case| only.as_ref().is_none_or(|only| case.0.contains(only.as_str()));
    for (name, tables, build) in cases.iter().filter(wanted) {
        for workers in worker_counts.iter().copied() {
            let rate = throughput(*build, *tables, workers);
            let (median, p99) = latency(*build, *tables, workers);
            println!(
                "{name:28} workers {workers}: {:6.2} M rows/s, single-row step {:5.2} us, p99 {:6.2} us",
                rate / 1e6,
                median.as_secs_f64() * 1e6,
                p99.as_secs_f64() * 1e6
            );
        }
    }
}

fn layout(columns: usize) -> Layout {
    Layout::new(vec![BIGINT; columns])
}

fn table(builder: &mut Builder) -> StreamId {
    builder.table("t", layout(3), false)
}

fn filter_map_stream(builder: &mut Builder) -> StreamId {
    let input = table(builder);
    let kernel = Box::new(|input: &Batch, out: &mut Batch, errors: &mut Errors| {
        map_rows(input, out, errors, |row, out| {
            let value = row::get_i64(row, 16);
            if value % 4 == 0 {
                return Ok(false);
            }
            row::put_i64(out, row::get_i64(row, 0));
            row::put_i64(out, value * 2);
            Ok(true)
        });
    });
    builder.map(input, layout(2), "v", kernel)
}

fn filter_map(builder: &mut Builder) {
    let mapped = filter_map_stream(builder);
    builder.output("v", mapped, false);
}

fn filter_map_stored(builder: &mut Builder) {
    let mapped = filter_map_stream(builder);
    builder.output("v", mapped, true);
}

fn keyed(builder: &mut Builder) {
    let input = builder.keyed_table("t", layout(3), 1);
    builder.output("v", input, false);
}

fn keyed_stored(builder: &mut Builder) {
    let input = builder.keyed_table("t", layout(3), 1);
    builder.output("v", input, true);
}

fn stored(builder: &mut Builder) {
    let input = builder.table("t", layout(3), true);
    builder.output("v", input, false);
}

fn aggregate(builder: &mut Builder) {
    let sums = aggregate_stream(builder);
    builder.output("v", sums, false);
}

fn aggregate_stored(builder: &mut Builder) {
    let sums = aggregate_stream(builder);
    builder.output("v", sums, true);
}

fn aggregate_stream(builder: &mut Builder) -> StreamId {
    let input = table(builder);
    let moved = builder.exchange(input, 1);
    let aggregate = |function, argument| Aggregate {
        function,
        arguments: vec![argument],
        order: vec![],
        distinct: false,
        result: ColumnType::new(SqlType::BigInt, function != AggregateFunction::CountStar),
        line: 1,
        column: 1,
    };
    let aggregates = vec![aggregate(AggregateFunction::CountStar, 0), aggregate(AggregateFunction::Sum, 2)];
    builder.aggregate(moved, 1, aggregates, false, "v")
}

fn join(builder: &mut Builder) {
    let (left, right) = (table(builder), table(builder));
    let (left, right) = (builder.exchange(left, 1), builder.exchange(right, 1));
    let (left_index, right_index) = (builder.index(left, 1), builder.index(right, 1));
    let kernel = || {
        Box::new(|left: &[u8], right: &[u8], out: &mut Vec<u8>| {
            out.extend_from_slice(left);
            out.extend_from_slice(&right[8..]);
            Ok(true)
        })
    };
    let first = builder.join(left, right_index, Side::Left, layout(5), "v", kernel());
    builder.update(left_index);
    let second = builder.join(right, left_index, Side::Right, layout(5), "v", kernel());
    builder.update(right_index);
    let joined = builder.union(&[first, second]);
    builder.output("v", joined, false);
}

/// Rows with scattered keys.
fn rows(from: u64, count: u64) -> Batch {
    let mut batch = Batch::new(Some(24));
    for number in from..from + count {
        let key = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % KEYS;
        for column in [key, number / 2, number] {
            row::put_i64(batch.buffer(), column as i64);
        }
        batch.commit(1);
    }
    batch
}

/// Spreads rows over the tables that the circuit has.
fn inputs(from: u64, count: u64, tables: usize) -> Vec<StepInput> {
    (0..tables).map(|table| StepInput { table, rows: rows(from, count / tables as u64) }).collect()
}

/// Seconds that this thread has run, or that have passed.
fn clock(start: Instant, workers: usize) -> f64 {
    let ran = std::fs::read_to_string("/proc/thread-self/schedstat").ok().filter(|_| workers == 1);
    let nanos = ran.and_then(|fields| fields.split(' ').next()?.parse::<u64>().ok());
    nanos.map_or(start.elapsed().as_secs_f64(), |nanos| nanos as f64 / 1e9)
}

fn throughput(build: fn(&mut Builder), tables: usize, workers: usize) -> f64 {
    let mut runtime = Runtime::new(workers, build);
    let batches = 100;
    let inputs: Vec<_> = (0..batches).map(|batch| inputs(batch * BATCH, BATCH, tables)).collect();
    let origin = Instant::now();
    let start = clock(origin, workers);
    for input in inputs {
        std::hint::black_box(runtime.step(input));
    }
    (batches * BATCH) as f64 / (clock(origin, workers) - start)
}

fn latency(build: fn(&mut Builder), tables: usize, workers: usize) -> (Duration, Duration) {
    let mut runtime = Runtime::new(workers, build);
    let steps = 20_000;
    runtime.step(inputs(0, 100_000, tables));
    let mut times = Vec::new();
    for step in 0..steps {
        let input = vec![StepInput { table: 0, rows: rows(step, 1) }];
        let start = Instant::now();
        std::hint::black_box(runtime.step(input));
        times.push(start.elapsed());
    }
    times.sort();
    (times[times.len() / 2], times[times.len() * 99 / 100])
}
