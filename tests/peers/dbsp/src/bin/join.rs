//! Join of a keyed table and a stream, in the shape of Nexmark Q3.

use bench_data::micro::JoinRow;
use bench_data::{Meter, micro};
use dbsp::operator::Update;
use dbsp::utils::{Tup2, Tup3, Tup4};
use dbsp::{Runtime, typed_batch::IndexedZSetReader};
use feldera_sqllib::SqlString;

type Person = Tup4<i64, SqlString, SqlString, SqlString>;
type Auction = Tup3<i64, i64, i64>;

fn main() {
    let workers: usize = std::env::args().nth(1).map_or(1, |word| word.parse().expect("a number of workers"));
    let (mut circuit, (mut persons, auctions, output)) = Runtime::init_circuit(workers, |circuit| {
        let (person, persons) = circuit.add_input_map::<i64, Person, Person, _>(|row, update| *row = update.clone());
        let (auction, auctions) = circuit.add_input_zset::<Auction>();
        let wanted = person.flat_map_index(|(_, p)| {
            let state = p.3.str();
            matches!(state, "OR" | "ID" | "CA").then(|| (p.0, Tup3(p.1.clone(), p.2.clone(), p.3.clone())))
        });
        let offered = auction.flat_map_index(|a| (a.2 == 10).then_some((a.1, a.0)));
        let view = wanted.join(&offered, |_, p, id| Tup4(p.0.clone(), p.1.clone(), p.2.clone(), *id));
        Ok((persons, auctions, view.accumulate_output()))
    })
    .expect("the circuit builds");
    let mut meter = Meter::default();
    let mut checksum = 0i128;
    let mut from = 0;
    while from < micro::JOIN_ROWS {
        let (mut people, mut offers) = meter.generate(|| {
            let (mut people, mut offers) = (vec![], vec![]);
            for row in (from..from + micro::BATCH).map(micro::join) {
                match row {
                    JoinRow::Person(id, name, city, state) => {
                        let row = Tup4(id, SqlString::from(name), SqlString::from(city), SqlString::from(state));
                        people.push(Tup2(id, Update::Insert(row)));
                    }
                    JoinRow::Auction(id, seller, category) => offers.push(Tup2(Tup3(id, seller, category), 1)),
                }
            }
            (people, offers)
        });
        meter.engine(micro::BATCH, || {
            persons.append(&mut people);
            auctions.append(&mut offers);
            circuit.transaction().expect("steps");
            for (row, _, weight) in output.concat().consolidate().iter() {
                checksum += i128::from(row.3) * i128::from(weight);
            }
        });
        from += micro::BATCH;
    }
    let mut report = meter.finish();
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        let seller = (micro::mix(index as u64) % (micro::JOIN_ROWS / 4)) as i64;
        auctions.append(&mut vec![Tup2(Tup3(micro::JOIN_ROWS as i64 + index as i64, seller, 10), 1)]);
        circuit.transaction().expect("steps");
        output.concat().consolidate();
    });
    report.print("dbsp", "join", workers);
}
