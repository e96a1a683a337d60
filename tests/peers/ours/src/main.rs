//! The workloads on our engine with the kernels generated from `sql/`: `bench-ours WORKLOAD [WORKERS]`.

mod filter;
mod group;
mod join;
mod tables;
mod tpch;

use bench_data::micro::{self, JoinRow};
use bench_data::{Meter, Report};
use feldc_value::Value::{self, BigInt};
use tables::Tables;

fn main() {
    let mut words = std::env::args().skip(1);
    let workload = words.next().unwrap_or_else(|| "group".into());
    let workers: usize = words.next().map_or(1, |word| word.parse().expect("a number of workers"));
    let scale: f64 = words.next().map_or(0.1, |word| word.parse().expect("a scale factor"));
    let report = match workload.as_str() {
        "filter" => filter_workload(workers),
        "group" => group_workload(workers),
        "join" => join_workload(workers),
        "tpch" => tables::tpch::run(workers, scale),
        other => panic!("no workload {other}: filter, group, join, tpch"),
    };
    report.print("feldc", &workload, workers);
}

fn filter_workload(workers: usize) -> Report {
    let mut tables = Tables::new(filter::SCHEMA, workers, filter::circuit::build);
    let row = |i: u64| {
        let (a, b, c, d) = micro::bid(i);
        [BigInt(a), BigInt(b), BigInt(c), BigInt(d)]
    };
    let mut checksum = 0;
    let mut report = feed(&mut tables, micro::GROUP_ROWS, row, |tables| checksum += tables.checksum(0, "euros"));
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        tables.push("bid", &row(index as u64), 1);
        tables.step();
    });
    report
}

fn group_workload(workers: usize) -> Report {
    let mut tables = Tables::new(group::SCHEMA, workers, group::circuit::build);
    let row = |i: u64| {
        let (key, value) = micro::group(i);
        [BigInt(key), BigInt(value)]
    };
    let mut checksum = 0;
    let mut report = feed(&mut tables, micro::GROUP_ROWS, row, |tables| checksum += tables.checksum(0, "total"));
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        let (key, value) = micro::group(index as u64 * 97);
        tables.push("t", &[BigInt(key), BigInt(value)], -1);
        tables.push("t", &[BigInt(key), BigInt(value + 1)], 1);
        tables.step();
    });
    report
}

/// Feeds the first table in batches.
fn feed<const N: usize>(
    tables: &mut Tables,
    rows: u64,
    row: impl Fn(u64) -> [Value; N],
    mut read: impl FnMut(&Tables),
) -> Report {
    let mut meter = Meter::default();
    let mut from = 0;
    while from < rows {
        meter.generate(|| (from..from + micro::BATCH).for_each(|i| tables.push_at(0, &row(i), 1)));
        meter.engine(micro::BATCH, || {
            tables.step();
            read(tables);
        });
        from += micro::BATCH;
    }
    meter.finish()
}

fn join_workload(workers: usize) -> Report {
    let mut tables = Tables::new(join::SCHEMA, workers, join::circuit::build);
    let mut meter = Meter::default();
    let mut checksum = 0;
    let mut from = 0;
    while from < micro::JOIN_ROWS {
        meter.generate(|| {
            for row in (from..from + micro::BATCH).map(micro::join) {
                match row {
                    JoinRow::Person(id, name, city, state) => {
                        let row = [BigInt(id), Value::text(name), Value::text(city), Value::text(state)];
                        tables.push("person", &row, 1);
                    }
                    JoinRow::Auction(id, seller, category) => {
                        tables.push("auction", &[BigInt(id), BigInt(seller), BigInt(category)], 1);
                    }
                }
            }
        });
        meter.engine(micro::BATCH, || {
            tables.step();
            checksum += tables.checksum(0, "id");
        });
        from += micro::BATCH;
    }
    let mut report = meter.finish();
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        let seller = (micro::mix(index as u64) % (micro::JOIN_ROWS / 4)) as i64;
        tables.push("auction", &[BigInt(micro::JOIN_ROWS as i64 + index as i64), BigInt(seller), BigInt(10)], 1);
        tables.step();
    });
    report
}
