//! Filter and project over bids.

use bench_data::{Meter, micro};
use dbsp::utils::{Tup2, Tup3, Tup4};
use dbsp::{Runtime, typed_batch::IndexedZSetReader};

fn main() {
    let workers: usize = std::env::args().nth(1).map_or(1, |word| word.parse().expect("a number of workers"));
    let (mut circuit, (input, output)) = Runtime::init_circuit(workers, |circuit| {
        let (rows, input) = circuit.add_input_zset::<Tup4<i64, i64, i64, i64>>();
        let view = rows.flat_map(|row| {
            (row.0 % 4 == 1 && row.2 > 1000).then(|| Tup3(row.0, row.1, row.2.checked_mul(89).expect("fits") / 100))
        });
        Ok((input, view.accumulate_output()))
    })
    .expect("the circuit builds");
    let mut meter = Meter::default();
    let mut checksum = 0i128;
    let mut from = 0;
    while from < micro::GROUP_ROWS {
        let mut rows = meter.generate(|| {
            (from..from + micro::BATCH).map(micro::bid).map(|(a, b, c, d)| Tup2(Tup4(a, b, c, d), 1)).collect::<Vec<_>>()
        });
        meter.engine(micro::BATCH, || {
            input.append(&mut rows);
            circuit.transaction().expect("steps");
            for (row, _, weight) in output.concat().consolidate().iter() {
                checksum += i128::from(row.2) * i128::from(weight);
            }
        });
        from += micro::BATCH;
    }
    let mut report = meter.finish();
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        let (a, b, c, d) = micro::bid(index as u64);
        input.append(&mut vec![Tup2(Tup4(a, b, c, d), 1)]);
        circuit.transaction().expect("steps");
        output.concat().consolidate();
    });
    report.print("dbsp", "filter", workers);
}
