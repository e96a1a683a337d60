//! TPC-H Q1, Q3, Q5, Q6 fed in batches, with the timer's borders of the peers' programs.

use super::Tables;
use crate::tpch::{SCHEMA, circuit};
use bench_data::{Meter, Report, micro, tpch};
use feldc_value::Value::{self, Date, Decimal, Integer};

fn text(text: &str) -> Value {
    Value::text(text)
}

fn money(hundredths: i64) -> Value {
    Decimal(i128::from(hundredths))
}

fn line(l: &tpch::Line) -> [Value; 16] {
    [
        Integer(l.orderkey),
        Integer(l.partkey),
        Integer(l.suppkey),
        Integer(l.linenumber),
        money(l.quantity),
        money(l.extendedprice),
        money(l.discount),
        money(l.tax),
        text(&l.returnflag),
        text(&l.linestatus),
        Date(l.shipdate),
        Date(l.commitdate),
        Date(l.receiptdate),
        text(&l.shipinstruct),
        text(&l.shipmode),
        text(&l.comment),
    ]
}

fn order(o: &tpch::Order) -> [Value; 9] {
    [
        Integer(o.orderkey),
        Integer(o.custkey),
        text(&o.orderstatus),
        money(o.totalprice),
        Date(o.orderdate),
        text(&o.orderpriority),
        text(&o.clerk),
        Integer(o.shippriority),
        text(&o.comment),
    ]
}

fn small_tables(tables: &mut Tables, scale: f64) {
    for c in tpch::customers(scale) {
        let (name, address, phone) = (text(&c.name), text(&c.address), text(&c.phone));
        let row = [Integer(c.custkey), name, address, Integer(c.nationkey), phone, money(c.acctbal)];
        tables.push("customer", &[&row[..], &[text(&c.mktsegment), text(&c.comment)]].concat(), 1);
    }
    for s in tpch::suppliers(scale) {
        let (name, address, phone) = (text(&s.name), text(&s.address), text(&s.phone));
        let row = [Integer(s.suppkey), name, address, Integer(s.nationkey), phone, money(s.acctbal), text(&s.comment)];
        tables.push("supplier", &row, 1);
    }
    for n in tpch::nations(scale) {
        tables.push("nation", &[Integer(n.key), text(&n.name), Integer(n.region), text(&n.comment)], 1);
    }
    for r in tpch::regions(scale) {
        tables.push("region", &[Integer(r.key), text(&r.name), text(&r.comment)], 1);
    }
}

fn read(tables: &Tables) -> i128 {
    tables.checksum(0, "sum_charge") + tables.checksum(1, "l_orderkey") + tables.weight(2) + tables.checksum(3, "revenue")
}

pub fn run(workers: usize, scale: f64) -> Report {
    let mut tables = Tables::new(SCHEMA, workers, circuit::build);
    tpch::warm_up();
    let mut meter = Meter::default();
    meter.generate(|| small_tables(&mut tables, scale));
    let mut checksum = meter.engine(0, || {
        tables.step();
        read(&tables)
    });
    let mut samples: Vec<[Value; 16]> = Vec::new();
    let mut steps = tpch::steps(scale, micro::BATCH as usize);
    loop {
        let rows = meter.generate(|| {
            let (lines, orders) = steps.next()?;
            for (at, l) in lines.iter().enumerate() {
                let row = line(l);
                tables.push("lineitem", &row, 1);
                if at % 97 == 0 {
                    samples.push(row);
                }
            }
            orders.iter().for_each(|o| tables.push("orders", &order(o), 1));
            Some((lines.len() + orders.len()) as u64)
        });
        let Some(rows) = rows else { break };
        checksum += meter.engine(rows, || {
            tables.step();
            read(&tables)
        });
    }
    let mut report = meter.finish();
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        let old = samples[index % samples.len()].clone();
        let mut new = old.clone();
        (new[4], new[5]) = (money(100), money(4_242));
        tables.push("lineitem", &old, -1);
        tables.push("lineitem", &new, 1);
        tables.step();
        read(&tables);
    });
    report
}
