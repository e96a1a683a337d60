//! TPC-H Q1, Q3 (without its LIMIT), Q5 and Q6 over shared inputs, in the shape the peer's compiler emits.

#[path = "../rows.rs"]
mod rows;

use bench_data::{Meter, micro, tpch};
use rows::{Line, Money, date, line, money, text};
use dbsp::utils::{Tup2, Tup3, Tup4, Tup5, Tup6, Tup7, Tup8, Tup9, Tup10};
use dbsp::{Runtime, typed_batch::IndexedZSetReader};
use feldera_sqllib::{Date, SqlDecimal, SqlString};

type Order = Tup9<i32, i32, SqlString, Money, Date, SqlString, SqlString, i32, SqlString>;
type Customer = Tup8<i32, SqlString, SqlString, i32, SqlString, Money, SqlString, SqlString>;
type Supplier = Tup7<i32, SqlString, SqlString, i32, SqlString, Money, SqlString>;
type Nation = Tup4<i32, SqlString, i32, SqlString>;
type Region = Tup3<i32, SqlString, SqlString>;
type Product = SqlDecimal<31, 4>;

fn one_minus(rate: &Money) -> SqlDecimal<16, 2> {
    SqlDecimal::<1, 0>::new(1, 0).expect("fits").strict_sub_generic::<15, 2, 16, 2>(*rate)
}

fn one_plus(rate: &Money) -> SqlDecimal<16, 2> {
    SqlDecimal::<1, 0>::new(1, 0).expect("fits").strict_add_generic::<15, 2, 16, 2>(*rate)
}

fn discounted(l: &Line) -> Product {
    l.5.strict_mul_generic::<16, 2, 31, 4>(one_minus(&l.6))
}

macro_rules! revenue {
    ($rows:expr) => {
        $rows.aggregate_linear_postprocess(
            |product: &Product| Tup2(1i64, product.internal_representation()),
            |sums: Tup2<i64, i128>| sums.1,
        )
    };
}

fn main() {
    let mut words = std::env::args().skip(1);
    let workers: usize = words.next().map_or(1, |word| word.parse().expect("a number of workers"));
    let scale: f64 = words.next().map_or(0.1, |word| word.parse().expect("a scale factor"));
    let (mut circuit, handles) = Runtime::init_circuit(workers, |circuit| {
        let (lines, lines_in) = circuit.add_input_zset::<Line>();
        let (orders, orders_in) = circuit.add_input_zset::<Order>();
        let (customers, customers_in) = circuit.add_input_zset::<Customer>();
        let (suppliers, suppliers_in) = circuit.add_input_zset::<Supplier>();
        let (nations, nations_in) = circuit.add_input_zset::<Nation>();
        let (regions, regions_in) = circuit.add_input_zset::<Region>();

        let q1_limit = date(10_471);
        let q1 = lines
            .flat_map_index(move |l| {
                (l.10 <= q1_limit).then(|| {
                    let charge = discounted(l).strict_mul_generic::<16, 2, 38, 6>(one_plus(&l.7));
                    (Tup2(l.8.clone(), l.9.clone()), Tup5(l.4, l.5, discounted(l), charge, l.6))
                })
            })
            .aggregate_linear_postprocess(
                |v| {
                    Tup6(
                        1i64,
                        v.0.internal_representation(),
                        v.1.internal_representation(),
                        v.2.internal_representation(),
                        v.3.internal_representation(),
                        v.4.internal_representation(),
                    )
                },
                |s: Tup6<i64, i128, i128, i128, i128, i128>| {
                    let average = |sum: i128| if s.0 == 0 { 0 } else { sum / i128::from(s.0) };
                    Tup8(s.1, s.2, s.3, s.4, average(s.1), average(s.2), average(s.5), s.0)
                },
            )
            .map(|(key, s)| Tup10(key.0.clone(), key.1.clone(), s.0, s.1, s.2, s.3, s.4, s.5, s.6, s.7));

        let split = date(9_204);
        let building = customers.flat_map_index(|c| (c.6.str() == "BUILDING").then_some((c.0, ())));
        let early = orders.flat_map_index(move |o| (o.4 < split).then_some((o.1, Tup3(o.0, o.4, o.7))));
        let q3_orders =
            building.join_index(&early, |_, _, o| std::iter::once((o.0, Tup2(o.1, o.2))));
        let q3_lines = lines.flat_map_index(move |l| (l.10 > split).then(|| (l.0, discounted(l))));
        let q3_rows =
            q3_orders.join_index(&q3_lines, |key, o, product| std::iter::once((Tup3(*key, o.0, o.1), *product)));
        let q3 = revenue!(q3_rows).map(|(key, sum)| Tup4(key.0, *sum, key.1, key.2));

        let (from, to) = (date(8_766), date(9_131));
        let asia = regions.flat_map_index(|r| (r.1.str() == "ASIA").then_some((r.0, ())));
        let nation_by_region = nations.map_index(|n| (n.2, Tup2(n.0, n.1.clone())));
        let asian = nation_by_region.join_index(&asia, |_, n, _| std::iter::once((n.0, n.1.clone())));
        let supplier_by_nation = suppliers.map_index(|s| (s.3, s.0));
        let asian_suppliers =
            supplier_by_nation.join_index(&asian, |nation, s, name| std::iter::once((*s, Tup2(*nation, name.clone()))));
        let q5_orders = orders.flat_map_index(move |o| (from <= o.4 && o.4 < to).then_some((o.1, o.0)));
        let customer_nations = customers.map_index(|c| (c.0, c.3));
        let order_nations = q5_orders.join_index(&customer_nations, |_, o, nation| std::iter::once((*o, *nation)));
        let line_suppliers = lines.map_index(|l| (l.0, Tup2(l.2, discounted(l))));
        let sold = line_suppliers
            .join_index(&order_nations, |_, l, nation| std::iter::once((l.0, Tup2(*nation, l.1))));
        let q5_rows = sold.join_index(&asian_suppliers, |_, sale, supplier| {
            (sale.0 == supplier.0).then(|| (supplier.1.clone(), sale.1))
        });
        let q5 = revenue!(q5_rows).map(|(name, sum)| Tup2(name.clone(), *sum));

        let (low, high, most) = (money(5), money(7), money(2400));
        let q6 = lines
            .flat_map_index(move |l| {
                (from <= l.10 && l.10 < to && low <= l.6 && l.6 <= high && l.4 < most)
                    .then(|| ((), l.5.strict_mul_generic::<15, 2, 31, 4>(l.6)))
            });
        let q6 = q6
            .aggregate_linear_postprocess(
                |product: &SqlDecimal<31, 4>| Tup2(1i64, product.internal_representation()),
                |sums: Tup2<i64, i128>| sums.1,
            )
            .map(|(_, sum)| *sum);
        Ok((
            (lines_in, orders_in, customers_in, suppliers_in, nations_in, regions_in),
            (q1.accumulate_output(), q3.accumulate_output(), q5.accumulate_output(), q6.accumulate_output()),
        ))
    })
    .expect("the circuit builds");
    let ((lines_in, orders_in, customers_in, suppliers_in, nations_in, regions_in), (q1, q3, q5, q6)) = handles;
    let mut checksum = 0i128;
    let mut read = |checksum: &mut i128| {
        for (row, _, weight) in q1.concat().consolidate().iter() {
            *checksum += row.5 * i128::from(weight);
        }
        for (row, _, weight) in q3.concat().consolidate().iter() {
            *checksum += i128::from(row.0) * i128::from(weight);
        }
        *checksum += q5.concat().consolidate().iter().map(|(_, _, weight)| i128::from(weight)).sum::<i128>();
        for (row, _, weight) in q6.concat().consolidate().iter() {
            *checksum += row * i128::from(weight);
        }
    };
    tpch::warm_up();
    let mut meter = Meter::default();
    let (mut customers, mut suppliers, mut nations, mut regions) = meter.generate(|| {
        let customer = |c: &tpch::Customer| {
            let (name, address, phone) = (text(&c.name), text(&c.address), text(&c.phone));
            let (balance, segment, comment) = (money(c.acctbal), text(&c.mktsegment), text(&c.comment));
            Tup2(Tup8(c.custkey, name, address, c.nationkey, phone, balance, segment, comment), 1)
        };
        let supplier = |s: &tpch::Supplier| {
            let (name, address, phone) = (text(&s.name), text(&s.address), text(&s.phone));
            Tup2(Tup7(s.suppkey, name, address, s.nationkey, phone, money(s.acctbal), text(&s.comment)), 1)
        };
        let nation = |n: &tpch::Place| Tup2(Tup4(n.key, text(&n.name), n.region, text(&n.comment)), 1);
        let region = |r: &tpch::Place| Tup2(Tup3(r.key, text(&r.name), text(&r.comment)), 1);
        (
            tpch::customers(scale).iter().map(customer).collect::<Vec<_>>(),
            tpch::suppliers(scale).iter().map(supplier).collect::<Vec<_>>(),
            tpch::nations(scale).iter().map(nation).collect::<Vec<_>>(),
            tpch::regions(scale).iter().map(region).collect::<Vec<_>>(),
        )
    });
    meter.engine(0, || {
        customers_in.append(&mut customers);
        suppliers_in.append(&mut suppliers);
        nations_in.append(&mut nations);
        regions_in.append(&mut regions);
        circuit.transaction().expect("steps");
        read(&mut checksum);
    });
    let mut samples: Vec<Line> = Vec::new();
    let mut steps = tpch::steps(scale, micro::BATCH as usize);
    loop {
        let next = meter.generate(|| {
            steps.next().map(|(lines, orders)| {
                let lines: Vec<Tup2<Line, i64>> = lines.iter().map(|l| Tup2(line(l), 1)).collect();
                let order = |o: &tpch::Order| {
                    let (status, priority) = (text(&o.orderstatus), text(&o.orderpriority));
                    let (clerk, comment) = (text(&o.clerk), text(&o.comment));
                    let (price, when) = (money(o.totalprice), date(o.orderdate));
                    Tup2(Tup9(o.orderkey, o.custkey, status, price, when, priority, clerk, o.shippriority, comment), 1)
                };
                let orders: Vec<Tup2<Order, i64>> = orders.iter().map(order).collect();
                samples.extend(lines.iter().step_by(97).map(|Tup2(l, _)| l.clone()));
                (lines, orders)
            })
        });
        let Some((mut lines, mut orders)) = next else { break };
        meter.engine((lines.len() + orders.len()) as u64, || {
            lines_in.append(&mut lines);
            orders_in.append(&mut orders);
            circuit.transaction().expect("steps");
            read(&mut checksum);
        });
    }
    let mut report = meter.finish();
    report.checksum = checksum;
    report.latency(micro::UPDATES, |index| {
        let old = samples[index % samples.len()].clone();
        let mut new = old.clone();
        new.4 = money(100);
        new.5 = money(4_242);
        lines_in.append(&mut vec![Tup2(old, -1), Tup2(new, 1)]);
        circuit.transaction().expect("steps");
        read(&mut 0);
    });
    report.print("dbsp", "tpch", workers);
}
