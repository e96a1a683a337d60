//! The aggregate and the join on `differential-dataflow`.

use bench_data::micro::JoinRow;
use bench_data::{Meter, Report, micro};
use differential_dataflow::input::Input;
use std::sync::atomic::{AtomicI64, Ordering};

/// The checksum of all workers.
static SUM: AtomicI64 = AtomicI64::new(0);

fn main() {
    let mut words = std::env::args().skip(1);
    let workload = words.next().unwrap_or_else(|| "group".into());
    let workers: usize = words.next().map_or(1, |word| word.parse().expect("a number of workers"));
    let run = move |worker: &mut timely::worker::Worker| {
        let report = match workload.as_str() {
            "group" => group(worker),
            "join" => join(worker),
            other => panic!("no workload {other}"),
        };
        if worker.index() == 0 {
            report.print("differential-dataflow", &workload, worker.peers());
        }
    };
    timely::execute(timely::Config::process(workers), run).expect("timely starts");
}

fn group(worker: &mut timely::worker::Worker) -> Report {
    let (index, peers) = (worker.index() as u64, worker.peers() as u64);
    let (mut input, probe) = worker.dataflow::<u64, _, _>(|scope| {
        let (input, rows) = scope.new_collection::<(i64, i64), isize>();
        let (probe, _) = rows
            .explode(|(key, value)| Some((key, (1isize, value as isize))))
            .count()
            .inspect(|((_, sums), _, weight)| {
                SUM.fetch_add(sums.1 as i64 * *weight as i64, Ordering::Relaxed);
            })
            .probe();
        (input, probe)
    });
    let mut meter = Meter::default();
    let mut time = 0;
    let mut from = 0;
    while from < micro::GROUP_ROWS {
        let share = meter.generate(|| {
            (from..from + micro::BATCH).filter(|i| i % peers == index).map(micro::group).collect::<Vec<_>>()
        });
        meter.engine(micro::BATCH, || {
            for row in share {
                input.update(row, 1);
            }
            time += 1;
            input.advance_to(time);
            input.flush();
            worker.step_while(|| probe.less_than(&time));
        });
        from += micro::BATCH;
    }
    let mut report = meter.finish();
    report.checksum = SUM.load(Ordering::Relaxed).into();
    report.latency(micro::UPDATES, |update| {
        if index == 0 {
            let (key, value) = micro::group(update as u64 * 97);
            input.update((key, value), -1);
            input.update((key, value + 1), 1);
        }
        time += 1;
        input.advance_to(time);
        input.flush();
        worker.step_while(|| probe.less_than(&time));
    });
    report
}

fn join(worker: &mut timely::worker::Worker) -> Report {
    let (index, peers) = (worker.index() as u64, worker.peers() as u64);
    let (mut persons, mut auctions, probe) = worker.dataflow::<u64, _, _>(|scope| {
        let (persons, person) = scope.new_collection::<(i64, (String, String, String)), isize>();
        let (auctions, auction) = scope.new_collection::<(i64, i64, i64), isize>();
        let wanted = person.filter(|(_, (_, _, state))| matches!(state.as_str(), "OR" | "ID" | "CA"));
        let offered = auction.filter(|(_, _, category)| *category == 10).map(|(id, seller, _)| (seller, id));
        let (probe, _) = wanted
            .join_map(offered, |_, (name, city, state), id| (name.clone(), city.clone(), state.clone(), *id))
            .inspect(|(row, _, weight)| {
                SUM.fetch_add(row.3 * *weight as i64, Ordering::Relaxed);
            })
            .probe();
        (persons, auctions, probe)
    });
    let mut meter = Meter::default();
    let mut time = 0;
    let mut from = 0;
    while from < micro::JOIN_ROWS {
        let share = meter.generate(|| {
            (from..from + micro::BATCH).filter(|i| i / 4 % peers == index).map(micro::join).collect::<Vec<_>>()
        });
        meter.engine(micro::BATCH, || {
            for row in share {
                match row {
                    JoinRow::Person(id, name, city, state) => persons.update((id, (name, city, state.to_string())), 1),
                    JoinRow::Auction(id, seller, category) => auctions.update((id, seller, category), 1),
                }
            }
            time += 1;
            persons.advance_to(time);
            auctions.advance_to(time);
            persons.flush();
            auctions.flush();
            worker.step_while(|| probe.less_than(&time));
        });
        from += micro::BATCH;
    }
    let mut report = meter.finish();
    report.checksum = SUM.load(Ordering::Relaxed).into();
    report.latency(micro::UPDATES, |update| {
        if index == 0 {
            let seller = (micro::mix(update as u64) % (micro::JOIN_ROWS / 4)) as i64;
            auctions.update((micro::JOIN_ROWS as i64 + update as i64, seller, 10), 1);
        }
        time += 1;
        persons.advance_to(time);
        auctions.advance_to(time);
        persons.flush();
        auctions.flush();
        worker.step_while(|| probe.less_than(&time));
    });
    report
}
