//! Random change streams through aggregates, against a naive evaluation of the whole contents after each step.

mod changes;

use changes::{Contents, Random, Table, check, encode, nullable};
use feldc_engine::{Aggregate, AggregateFunction, Builder, Direction, Fraction, Layout};
use feldc_value::{ColumnType, IntervalUnit, SqlType, Value};
use std::collections::BTreeMap;

use AggregateFunction::{
    Avg, BitAnd, BitOr, BitXor, Count, CountStar, Every, Max, Min, Mode, PercentileCont, PercentileDisc, Single, Sum,
};

const DECIMAL: SqlType = SqlType::Decimal { precision: 10, scale: 2 };
const WIDE: SqlType = SqlType::Decimal { precision: 38, scale: 0 };
const INTERVAL: SqlType = SqlType::IntervalShort { from: IntervalUnit::Day, to: IntervalUnit::Second };

fn not_null(ty: SqlType) -> ColumnType {
    ColumnType::new(ty, false)
}

/// A value of the type from a small range, for some types now and then from the ends of the type's range.
fn scalar(column: ColumnType, random: &mut Random) -> Value {
    if column.nullable && random.below(4) == 0 {
        return Value::Null;
    }
    let small = random.below(7) as i64 - 3;
    let large = random.below(6) == 0;
    match column.ty {
        SqlType::Boolean => Value::Boolean(small > 0),
        SqlType::TinyInt => Value::TinyInt(if large { 127 } else { small as i8 }),
        SqlType::SmallInt => Value::SmallInt(small as i16),
        SqlType::Integer => Value::Integer(if large { i32::MIN } else { small as i32 }),
        SqlType::BigInt => Value::BigInt(if large { i64::MAX } else { small }),
        SqlType::Decimal { precision: 38, .. } => Value::Decimal(i128::from(small) * (10i128.pow(37) * 3)),
        SqlType::Decimal { .. } => Value::Decimal(i128::from(small) * 1_999_999_999),
        SqlType::Real => Value::Real(small as f32 / 2.0),
        SqlType::Double => Value::Double(small as f64 / 4.0),
        SqlType::Date => Value::Date(small as i32),
        SqlType::IntervalShort { .. } => Value::IntervalShort(small),
        _ => Value::text("é".repeat(random.below(3)) + &small.to_string()),
    }
}

/// A value as a number of units, split so that sums of any size are exact.
fn units(value: &Value) -> (i128, i128) {
    let number = match value {
        Value::TinyInt(n) => i128::from(*n),
        Value::SmallInt(n) => i128::from(*n),
        Value::Integer(n) => i128::from(*n),
        Value::BigInt(n) | Value::IntervalShort(n) => i128::from(*n),
        Value::Decimal(n) => *n,
        other => panic!("not exact: {other:?}"),
    };
    (number / SPLIT, number % SPLIT)
}

const SPLIT: i128 = 10i128.pow(19);

fn exact(ty: SqlType, value: i128) -> Option<Value> {
    Some(match ty {
        SqlType::TinyInt => Value::TinyInt(value.try_into().ok()?),
        SqlType::SmallInt => Value::SmallInt(value.try_into().ok()?),
        SqlType::Integer => Value::Integer(value.try_into().ok()?),
        SqlType::BigInt => Value::BigInt(value.try_into().ok()?),
        SqlType::IntervalShort { .. } => Value::IntervalShort(value.try_into().ok()?),
        SqlType::Decimal { precision, .. } if value.abs() < 10i128.pow(precision.into()) => Value::Decimal(value),
        _ => return None,
    })
}

/// The argument's values that are not NULL, in order, each with its weight.
fn values(rows: &[(Vec<Value>, Vec<u8>, i64)], argument: usize, distinct: bool, layout: &Layout) -> Vec<(Value, i64)> {
    let single = Layout::new(vec![layout.columns()[argument]]);
    let mut values = BTreeMap::<Vec<u8>, (Value, i64)>::new();
    for (columns, _, weight) in rows {
        let value = &columns[argument];
        if !value.is_null() {
            let entry = values.entry(encode(&single, std::slice::from_ref(value))).or_insert((value.clone(), 0));
            entry.1 += weight;
        }
    }
    values.into_values().map(|(value, weight)| (value, if distinct { 1 } else { weight })).collect()
}

/// The value at this place of the order.
fn in_order(values: &[(Value, i64)], aggregate: &Aggregate, at: i64) -> Value {
    let copies = values.iter().flat_map(|(value, weight)| vec![value; *weight as usize]);
    let mut all: Vec<&Value> = copies.collect();
    if aggregate.order[0].descending {
        all.reverse();
    }
    all[at as usize].clone()
}

/// None is an evaluation error.
fn evaluate(aggregate: &Aggregate, rows: &[(Vec<Value>, Vec<u8>, i64)], layout: &Layout) -> Option<Value> {
    let count: i64 = rows.iter().map(|row| row.2).sum();
    let argument = aggregate.arguments.first().copied().unwrap_or(0);
    let values = values(rows, argument, aggregate.distinct, layout);
    let present: i64 = values.iter().map(|value| value.1).sum();
    let has = |truth: bool| values.iter().any(|(value, _)| *value == Value::Boolean(truth));
    Some(match aggregate.function {
        CountStar => Value::BigInt(count),
        Count => Value::BigInt(present),
        Min => values.first().map_or(Value::Null, |value| value.0.clone()),
        Max => values.last().map_or(Value::Null, |value| value.0.clone()),
        Single if count > 1 => return None,
        Single => values.first().map_or(Value::Null, |value| value.0.clone()),
        Every if has(false) => Value::Boolean(false),
        Every if has(true) => Value::Boolean(true),
        AggregateFunction::Some if has(true) => Value::Boolean(true),
        AggregateFunction::Some if has(false) => Value::Boolean(false),
        _ if present == 0 => Value::Null,
        Mode => {
            let most = values.iter().map(|value| value.1).max();
            values.iter().find(|value| Some(value.1) == most)?.0.clone()
        }
        PercentileDisc(place) => {
            let at = (place.value() * present as f64).ceil() as i64 - 1;
            in_order(&values, aggregate, at.max(0))
        }
        PercentileCont(place) => {
            let at = place.value() * (present - 1) as f64;
            let float = |at: f64| match in_order(&values, aggregate, at as i64) {
                Value::Double(value) => value,
                other => panic!("{other:?} is no DOUBLE"),
            };
            let (first, second) = (float(at.floor()), float(at.ceil()));
            Value::Double(if first == second { first } else { first + at.fract() * (second - first) })
        }
        BitAnd | BitOr | BitXor => {
            let bits = values.iter().filter(|value| aggregate.function != BitXor || value.1 % 2 != 0);
            let bits = bits.map(|value| if let Value::BigInt(bits) = value.0 { bits } else { 0 });
            Value::BigInt(match aggregate.function {
                BitAnd => bits.fold(-1, |all, bits| all & bits),
                BitOr => bits.fold(0, |all, bits| all | bits),
                _ => bits.fold(0, |all, bits| all ^ bits),
            })
        }
        Sum | Avg => {
            let divisor = if aggregate.function == Avg { present } else { 1 };
            match layout.columns()[argument].ty {
                // The test's floats are few bits wide: every sum is exact.
                SqlType::Real | SqlType::Double => {
                    let float = |value: &Value| match value {
                        Value::Real(value) => f64::from(*value),
                        Value::Double(value) => *value,
                        other => panic!("no float: {other:?}"),
                    };
                    let sum: f64 = values.iter().map(|(value, weight)| float(value) * *weight as f64).sum();
                    match aggregate.result.ty {
                        SqlType::Real => Value::Real((sum / divisor as f64 + 0.0) as f32),
                        _ => Value::Double(sum / divisor as f64 + 0.0),
                    }
                }
                _ => {
                    let (mut high, mut low) = (0, 0);
                    for (value, weight) in &values {
                        high += units(value).0 * i128::from(*weight);
                        low += units(value).1 * i128::from(*weight);
                    }
                    let total = high.checked_mul(SPLIT).and_then(|high| high.checked_add(low));
                    let quotient = match total {
                        Some(total) => total / i128::from(divisor),
                        // The sum alone is beyond 128 bits.
                        None if divisor == 1 => return None,
                        None => {
                            let (quotient, rest) = (high / i128::from(divisor), high % i128::from(divisor));
                            let rest = (rest * SPLIT + low) / i128::from(divisor);
                            quotient.checked_mul(SPLIT)?.checked_add(rest)?
                        }
                    };
                    exact(aggregate.result.ty, quotient)?
                }
            }
        }
        _ => Value::Null,
    })
}

/// The view and the number of failed groups.
fn expected(table: &Table, key: usize, aggregates: &[Aggregate], scalar: bool) -> (Contents, usize) {
    let columns = table.layout.columns();
    let output = Layout::new(
        columns[..key].iter().copied().chain(aggregates.iter().map(|aggregate| aggregate.result)).collect(),
    );
    let mut groups = BTreeMap::<Vec<u8>, Vec<(Vec<Value>, Vec<u8>, i64)>>::new();
    if scalar {
        groups.insert(Vec::new(), Vec::new());
    }
    for (row, weight) in &table.contents {
        let group = groups.entry(row[..table.layout.prefix_len(row, key)].to_vec()).or_default();
        group.push((table.layout.decode(row), row.clone(), *weight));
    }
    let (mut view, mut failures) = (Contents::new(), 0);
    for rows in groups.values() {
        let results: Option<Vec<Value>> =
            aggregates.iter().map(|aggregate| evaluate(aggregate, rows, &table.layout)).collect();
        match results {
            None => failures += 1,
            Some(results) => {
                let key = rows.first().map_or(&[][..], |row| &row.0[..key]);
                view.insert(encode(&output, &[key, &results].concat()), 1);
            }
        }
    }
    (view, failures)
}

/// All functions that make sense for the type, or a few of them.
fn aggregates_of(layout: &Layout, argument: usize, random: &mut Random) -> Vec<Aggregate> {
    let ty = layout.columns()[argument].ty;
    let place = Fraction::new(random.below(11) as f64 / 10.0);
    let mut functions = vec![(Count, SqlType::BigInt), (Min, ty), (Max, ty), (Mode, ty), (PercentileDisc(place), ty)];
    match ty {
        SqlType::Boolean => functions.extend([(Every, ty), (AggregateFunction::Some, ty)]),
        SqlType::Double => functions.extend([(Sum, ty), (PercentileCont(place), ty)]),
        SqlType::BigInt => functions.extend([(Sum, ty), (BitAnd, ty), (BitOr, ty), (BitXor, ty)]),
        _ if ty.is_numeric() || ty.is_interval() => functions.extend([(Sum, ty), (Avg, ty)]),
        _ => (),
    }
    functions.retain(|_| random.below(3) > 0);
    let mut aggregates = Vec::new();
    for (function, ty) in functions {
        let result = ColumnType::new(ty, function != Count);
        let ranked = matches!(function, Mode | PercentileDisc(_) | PercentileCont(_));
        let distinct = !ranked && random.below(3) == 0;
        let descending = random.below(2) == 0;
        let order = if ranked { vec![Direction { descending, nulls_first: true }] } else { vec![] };
        let arguments = vec![argument];
        aggregates.push(Aggregate { function, arguments, order, distinct, result, line: 3, column: 4 });
    }
    aggregates
}

fn against_naive(seed: u64, scalar: bool) {
    let mut random = Random::new(seed + 1000);
    let key_types = [SqlType::BigInt, SqlType::VARCHAR, SqlType::Boolean];
    let key = if scalar { 0 } else { 1 + random.below(2) };
    let mut columns: Vec<ColumnType> = (0..key).map(|_| nullable(random.pick(&key_types))).collect();
    let types = [
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        DECIMAL,
        WIDE,
        SqlType::Real,
        SqlType::Double,
        SqlType::Date,
        INTERVAL,
        SqlType::VARCHAR,
    ];
    for _ in 0..1 + random.below(4) {
        let ty = random.pick(&types);
        columns.push(if random.below(3) == 0 { not_null(ty) } else { nullable(ty) });
    }
    let layout = Layout::new(columns.clone());
    let mut aggregates: Vec<Aggregate> =
        (key..columns.len()).flat_map(|argument| aggregates_of(&layout, argument, &mut random)).collect();
    let star = Aggregate {
        function: CountStar,
        arguments: vec![],
        order: vec![],
        distinct: false,
        result: not_null(SqlType::BigInt),
        line: 1,
        column: 1,
    };
    aggregates.push(star);
    let table =
        Table::new(layout.clone(), move |random| columns.iter().map(|column| scalar_of(*column, random)).collect());
    let (built, naive) = (aggregates.clone(), aggregates);
    let build = move |builder: &mut Builder| {
        let input = builder.table("t", layout.clone(), false);
        let input = builder.exchange(input, key);
        let output = builder.aggregate(input, key, built.clone(), scalar, "v");
        builder.output("v", output, false);
    };
    let size = [2, 10, 60][seed as usize % 3];
    check(seed, vec![table], 40, size, build, move |tables| expected(&tables[0], key, &naive, scalar));
}

fn scalar_of(column: ColumnType, random: &mut Random) -> Value {
    scalar(column, random)
}

#[test]
fn grouped_aggregates() {
    (0..150).for_each(|seed| against_naive(seed, false));
}

#[test]
fn scalar_aggregates() {
    (0..80).for_each(|seed| against_naive(seed, true));
}

/// A scalar subquery's value: an error while it has two rows.
#[test]
fn single_values() {
    for seed in 0..60 {
        let scalar = seed % 2 == 0;
        let key = usize::from(!scalar);
        let ty = [SqlType::BigInt, SqlType::VARCHAR][seed as usize / 2 % 2];
        let columns: Vec<ColumnType> = (0..key + 1).map(|_| nullable(ty)).collect();
        let layout = Layout::new(columns.clone());
        let (arguments, result) = (vec![key], nullable(ty));
        let aggregate =
            Aggregate { function: Single, arguments, order: vec![], distinct: false, result, line: 1, column: 8 };
        let table =
            Table::new(layout.clone(), move |random| columns.iter().map(|column| scalar_of(*column, random)).collect());
        let (built, naive) = (vec![aggregate.clone()], vec![aggregate]);
        let build = move |builder: &mut Builder| {
            let input = builder.table("t", layout.clone(), false);
            let input = builder.exchange(input, key);
            let output = builder.aggregate(input, key, built.clone(), scalar, "v");
            builder.output("v", output, false);
        };
        check(seed, vec![table], 40, 3, build, move |tables| expected(&tables[0], key, &naive, scalar));
    }
}

/// A sum of floats is that of the present rows, exactly rounded: nothing is left of rows that came and went.
#[test]
fn float_sums_leave_no_drift() {
    let layout = Layout::new(vec![not_null(SqlType::Double), not_null(SqlType::Real)]);
    let sum = |function, argument, ty| Aggregate {
        function,
        arguments: vec![argument],
        order: vec![],
        distinct: false,
        result: nullable(ty),
        line: 1,
        column: 1,
    };
    let aggregates = vec![sum(Sum, 0, SqlType::Double), sum(Avg, 0, SqlType::Double), sum(Sum, 1, SqlType::Real)];
    let table = layout.clone();
    let mut runtime = feldc_engine::Runtime::new(1, move |builder| {
        let input = builder.table("t", table.clone(), false);
        let output = builder.aggregate(input, 0, aggregates.clone(), true, "v");
        builder.output("v", output, false);
    });
    let mut step = |rows: &[(f64, i64)]| {
        let mut delta = feldc_engine::Batch::new(layout.stride());
        for (value, weight) in rows {
            delta.push(&encode(&layout, &[Value::Double(*value), Value::Real(*value as f32)]), *weight);
        }
        let output = runtime.step(vec![feldc_engine::StepInput { table: 0, rows: delta }]);
        let layout = &runtime.view_layouts()[0];
        let new = output.views[0].iter().find(|(_, weight)| *weight > 0).map(|(row, _)| layout.decode(row));
        new.map(|values| format!("{values:?}"))
    };
    let shown = |double: &str, average: &str, real: &str| Some(format!("[{double}, {average}, {real}]"));
    assert_eq!(step(&[]), shown("Null", "Null", "Null"));
    assert_eq!(
        step(&[(1e16, 1), (1.0, 1), (-1e16, 1)]),
        shown("Double(1.0)", "Double(0.3333333333333333)", "Real(1.0)")
    );
    assert_eq!(step(&[(f64::INFINITY, 1)]), shown("Double(inf)", "Double(inf)", "Real(inf)"));
    assert_eq!(step(&[(f64::NEG_INFINITY, 2)]), shown("Double(NaN)", "Double(NaN)", "Real(NaN)"));
    assert_eq!(
        step(&[(f64::INFINITY, -1), (f64::NEG_INFINITY, -2), (1e16, -1), (-1e16, -1), (1.0, -1), (-0.0, 1)]),
        shown("Double(0.0)", "Double(0.0)", "Real(0.0)")
    );
    assert_eq!(step(&[(0.0, -1)]), shown("Null", "Null", "Null"));
}
