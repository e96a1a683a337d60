//! COUNT and SUM by a million keys.

use bench_data::{Meter, micro};
use dbsp::utils::{Tup2, Tup3};
use dbsp::{Runtime, typed_batch::IndexedZSetReader};

fn main() {
    let workers: usize = std::env::args().nth(1).map_or(1, |word| word.parse().expect("a number of workers"));
    let (mut circuit, (input, output)) = Runtime::init_circuit(workers, |circuit| {
        let (rows, input) = circuit.add_input_zset::<Tup2<Option<i64>, Option<i64>>>();
        let groups = rows.map_index(|row| (row.0, row.1)).aggregate_linear_postprocess(
            |value| Tup3(1i64, i64::from(value.is_some()), value.unwrap_or(0)),
            |sums: Tup3<i64, i64, i64>| Tup2(Some(sums.0), (sums.1 > 0).then_some(sums.2)),
        );
        let view = groups.map(|(key, sums)| Tup3(*key, sums.0, sums.1));
        Ok((input, view.accumulate_output()))
    })
    .expect("the circuit builds");
    let mut meter = Meter::default();
    let mut checksum = 0i128;
    let mut from = 0;
    while from < micro::GROUP_ROWS {
        let mut rows = meter.generate(|| {
            (from..from + micro::BATCH).map(micro::group).map(|(k, v)| Tup2(Tup2(Some(k), Some(v)), 1)).collect::<Vec<_>>()
        });
        meter.engine(micro::BATCH, || {
            input.append(&mut rows);
            circuit.transaction().expect("steps");
            for (row, _, weight) in output.concat().consolidate().iter() {
                checksum += i128::from(row.2.unwrap_or(0)) * i128::from(weight);
            }
        });
        from += micro::BATCH;
    }
    let mut report = meter.finish();
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        let (key, value) = micro::group(index as u64 * 97);
        input.append(&mut vec![Tup2(Tup2(Some(key), Some(value)), -1), Tup2(Tup2(Some(key), Some(value + 1)), 1)]);
        circuit.transaction().expect("steps");
        output.concat().consolidate();
    });
    report.print("dbsp", "group", workers);
}
