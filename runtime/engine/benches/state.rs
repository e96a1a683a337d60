//! The aggregate (G) and the join (J) of the side-by-side benchmarks, from rows to consolidated view deltas.
//!
//! `cargo bench -p feldc-engine --bench state [-- NAME]` prints rows per second of wall time and of CPU time, the process's
//! peak memory, and the latency of single-row updates after the load. Rows are made outside the timer, by the splitmix-style
//! generator that the peers' programs use. One case per process gives honest memory figures.

use feldc_engine::{
    Aggregate, AggregateFunction, Batch, Builder, Errors, Layout, Runtime, Side, StepInput, batch::map_rows, row,
};
use feldc_value::{ColumnType, SqlType};
use std::time::{Duration, Instant};

const BATCH: u64 = 10_000;
const UPDATES: u64 = 20_000;

fn main() {
    let only = std::env::args().nth(1).filter(|name| !name.starts_with("--"));
    let cases: [(&str, fn()); 4] =
        [("group", group), ("few groups", few_groups), ("extremes", extremes), ("join", join)];
    for (name, run) in cases {
        if only.as_ref().is_none_or(|only| only == name) {
            run();
        }
    }
}

fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

const BIGINT: ColumnType = ColumnType::new(SqlType::BigInt, true);

fn put(row: &mut Vec<u8>, value: i64) {
    row::put_tag(row);
    row::put_i64(row, value);
}

fn pair(key: u64, value: u64) -> Vec<u8> {
    let mut row = Vec::with_capacity(18);
    put(&mut row, key as i64);
    put(&mut row, value as i64);
    row
}

/// Both tables' rows of one step.
type Rows = Vec<Batch>;

/// Loads `rows` rows in steps of [`BATCH`], then replaces single rows; `make` gives the rows of a range.
fn measure(
    name: &str,
    rows: u64,
    mut runtime: Runtime,
    make: impl Fn(std::ops::Range<u64>) -> Rows,
    update: impl Fn(u64) -> Rows,
) {
    let (mut wall, mut cpu, mut emitted) = (Duration::ZERO, Duration::ZERO, 0);
    let mut slowest = Duration::ZERO;
    for start in (0..rows).step_by(BATCH as usize) {
        let inputs = inputs(make(start..(start + BATCH).min(rows)));
        let (started, cpu_started) = (Instant::now(), cpu_time());
        let output = runtime.step(inputs);
        emitted += output.views[0].len();
        cpu += cpu_time() - cpu_started;
        wall += started.elapsed();
        slowest = slowest.max(started.elapsed());
    }
    let after_load = memory("VmRSS");
    let mut latencies: Vec<Duration> = (0..UPDATES)
        .map(|number| {
            let inputs = inputs(update(number));
            let started = Instant::now();
            runtime.step(inputs);
            started.elapsed()
        })
        .collect();
    latencies.sort_unstable();
    let at = |share: f64| latencies[(latencies.len() as f64 * share) as usize].as_secs_f64() * 1e6;
    println!(
        "{name:12} {:.2} M rows/s, {:.2} M rows/CPU s, {emitted} emitted, slowest step {:.1} ms; RSS {after_load} MB, peak {} MB; \
         update p50 {:.1} us, p99 {:.1} us, p99.9 {:.1} us, most {:.1} us",
        rows as f64 / wall.as_secs_f64() / 1e6,
        rows as f64 / cpu.as_secs_f64() / 1e6,
        slowest.as_secs_f64() * 1e3,
        memory("VmHWM"),
        at(0.5),
        at(0.99),
        at(0.999),
        at(0.99999),
    );
}

fn inputs(rows: Rows) -> Vec<StepInput> {
    rows.into_iter().enumerate().map(|(table, rows)| StepInput { table, rows }).collect()
}

/// CPU time of the process, from the kernel's per-thread nanoseconds.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let nanoseconds = stat.split(' ').next().and_then(|field| field.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// Megabytes of a line of the process's status; 0 where there is none.
fn memory(field: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with(field));
    line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn aggregate(function: AggregateFunction, nullable: bool) -> Aggregate {
    let result = ColumnType::new(SqlType::BigInt, nullable);
    Aggregate { function, arguments: vec![1], order: vec![], distinct: false, result, line: 1, column: 1 }
}

fn grouped(name: &str, keys: u64, rows: u64, functions: [AggregateFunction; 2]) {
    let runtime = Runtime::new(1, move |builder| {
        let input = builder.table("t", Layout::new(vec![BIGINT; 2]), false);
        let aggregates =
            functions.map(|function| aggregate(function, function != AggregateFunction::CountStar)).to_vec();
        let output = builder.aggregate(input, 1, aggregates, false, "v");
        builder.output("v", output, false);
    });
    let row = move |i: u64| pair(mix(i) % keys, mix(i ^ 0xabc) % 1000);
    let make = move |range: std::ops::Range<u64>| {
        let mut batch = Batch::new(Some(18));
        range.for_each(|i| batch.push(&row(i), 1));
        vec![batch]
    };
    let update = move |number: u64| {
        let i = mix(number) % rows;
        let mut batch = Batch::new(Some(18));
        batch.push(&row(i), -1);
        batch.push(&row(i), 1);
        let key = mix(i) % keys;
        batch.push(&pair(key, number % 1000), if number.is_multiple_of(2) { 1 } else { -1 });
        vec![batch]
    };
    measure(name, rows, runtime, make, update);
}

/// G: COUNT and SUM by a million keys.
fn group() {
    grouped("group", 1_000_000, 5_000_000, [AggregateFunction::CountStar, AggregateFunction::Sum]);
}

fn few_groups() {
    grouped("few groups", 1_000, 5_000_000, [AggregateFunction::CountStar, AggregateFunction::Sum]);
}

fn extremes() {
    grouped("extremes", 1_000_000, 2_000_000, [AggregateFunction::Min, AggregateFunction::Max]);
}

const STATES: [&str; 6] = ["or", "id", "ca", "az", "ny", "wa"];
const CITIES: [&str; 5] = ["phoenix", "los angeles", "portland", "boise", "seattle"];
const TEXT: ColumnType = ColumnType::new(SqlType::VARCHAR, true);

/// id, name, city, state.
fn person(id: u64) -> Vec<u8> {
    let mut row = Vec::new();
    put(&mut row, id as i64);
    let name = format!("person {}", mix(id) % 100_000);
    for text in [&name, CITIES[(mix(id ^ 1) % 5) as usize], STATES[(mix(id ^ 2) % 6) as usize]] {
        row::put_tag(&mut row);
        row::put_text(&mut row, text);
    }
    row
}

/// seller, id, category.
fn auction(id: u64, persons: u64, category: i64) -> Vec<u8> {
    let mut row = Vec::new();
    put(&mut row, (mix(id) % (persons + 100)) as i64);
    put(&mut row, id as i64);
    put(&mut row, category);
    row
}

/// J: persons of three states joined with auctions of one category, rows interleaved 1 : 3.
fn join() {
    let rows = 4_000_000;
    let runtime = Runtime::new(1, |builder: &mut Builder| {
        let persons = builder.table("person", Layout::new(vec![BIGINT, TEXT, TEXT, TEXT]), false);
        let auctions = builder.table("auction", Layout::new(vec![BIGINT; 3]), false);
        let persons_layout = builder.layout(persons).clone();
        let passing = Box::new(move |input: &Batch, out: &mut Batch, errors: &mut Errors| {
            map_rows(input, out, errors, |row, out| {
                let at = persons_layout.prefix_len(row, 3);
                out.extend_from_slice(row);
                Ok(["or", "id", "ca"].contains(&&*row::get_text(row, at + 1).0))
            });
        });
        let category = Box::new(|input: &Batch, out: &mut Batch, errors: &mut Errors| {
            map_rows(input, out, errors, |row, out| {
                out.extend_from_slice(&row[..18]);
                Ok(row::get_i64(row, 19) == 10)
            });
        });
        let persons = builder.map(persons, builder.layout(persons).clone(), "v", passing);
        let auctions = builder.map(auctions, Layout::new(vec![BIGINT; 2]), "v", category);
        let (by_id, by_seller) = (builder.index(persons, 1), builder.index(auctions, 1));
        let kernel = || {
            Box::new(|person: &[u8], auction: &[u8], out: &mut Vec<u8>| {
                out.extend_from_slice(&person[9..]);
                out.extend_from_slice(&auction[9..]);
                Ok(true)
            })
        };
        let layout = Layout::new(vec![TEXT, TEXT, TEXT, BIGINT]);
        let left = builder.join(persons, by_seller, Side::Left, layout.clone(), "v", kernel());
        builder.update(by_id);
        let right = builder.join(auctions, by_id, Side::Right, layout, "v", kernel());
        builder.update(by_seller);
        let output = builder.union(&[left, right]);
        builder.output("v", output, false);
    });
    let batches = || vec![Batch::new(None), Batch::new(Some(27))];
    let make = move |range: std::ops::Range<u64>| {
        let mut batches = batches();
        for i in range {
            match i % 4 {
                0 => batches[0].push(&person(i / 4), 1),
                _ => batches[1].push(&auction(i, i / 4, 10 + (mix(i ^ 3) % 5) as i64), 1),
            }
        }
        batches
    };
    let update = move |number: u64| {
        let mut batches = batches();
        let id = rows + number;
        batches[1].push(&auction(id, rows / 4, 10), 1);
        if number > 0 {
            batches[1].push(&auction(id - 1, rows / 4, 10), -1);
        }
        batches
    };
    measure("join", rows, runtime, make, update);
}
