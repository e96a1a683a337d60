//! Random change streams through indexes, joins, semi-joins, anti-joins and distinct, against nested loops.

mod changes;

use changes::{Contents, Random, Table, check, nullable};
use feldc_engine::{Builder, JoinKernel, Layout, Side, StreamId};
use feldc_value::error::DIVISION_BY_ZERO;
use feldc_value::{ColumnType, SqlError, SqlType, Value};

/// A key of one or two columns and a value; key 0 is much more frequent than others.
fn table(key: &[SqlType], value: ColumnType, keys: usize) -> Table {
    let columns: Vec<ColumnType> = key.iter().map(|ty| nullable(*ty)).chain([value]).collect();
    let layout = Layout::new(columns.clone());
    Table::new(layout, move |random: &mut Random| {
        let key = random.below(keys) * random.below(2);
        let count = columns.len();
        columns
            .iter()
            .enumerate()
            .map(|(at, column)| {
                let number = if at + 1 < count { key } else { random.below(200) };
                scalar(column.ty, number)
            })
            .collect()
    })
}

fn scalar(ty: SqlType, number: usize) -> Value {
    match ty {
        _ if number == 7 => Value::Null,
        SqlType::BigInt => Value::BigInt(number as i64),
        _ => Value::text("\0".repeat(number % 3) + &number.to_string()),
    }
}

fn key_len(table: &Table) -> usize {
    table.layout.columns().len() - 1
}

fn key<'a>(table: &Table, row: &'a [u8]) -> &'a [u8] {
    &row[..table.layout.prefix_len(row, key_len(table))]
}

fn concatenation(left: &Layout, right: &Layout) -> Layout {
    Layout::new(left.columns().iter().chain(right.columns()).copied().collect())
}

/// Joins rows whose last bytes do not add up to a multiple of 5, and fails for some.
fn verdict(left: &[u8], right: &[u8]) -> Result<bool, ()> {
    let sum = left.iter().chain(right).map(|byte| usize::from(*byte)).sum::<usize>();
    if sum % 23 == 0 { Err(()) } else { Ok(sum % 5 != 0) }
}

fn pair_kernel() -> JoinKernel {
    Box::new(|left, right, out| {
        out.extend_from_slice(left);
        out.extend_from_slice(right);
        verdict(left, right).map_err(|()| SqlError::new(DIVISION_BY_ZERO, "division by zero").at(1, 1))
    })
}

fn left_kernel() -> JoinKernel {
    Box::new(|left, _, out| {
        out.extend_from_slice(left);
        Ok(true)
    })
}

/// Δ(a ⋈ b) = Δa ⋈ z⁻¹I(b) + I(a) ⋈ Δb.
fn join(builder: &mut Builder, left: StreamId, right: StreamId, key: usize) -> StreamId {
    let (left_index, right_index) = (builder.index(left, key), builder.index(right, key));
    let layout = concatenation(builder.layout(left), builder.layout(right));
    let first = builder.join(left, right_index, Side::Left, layout.clone(), "v", pair_kernel());
    builder.update(left_index);
    let second = builder.join(right, left_index, Side::Right, layout, "v", pair_kernel());
    builder.update(right_index);
    builder.union(&[first, second])
}

/// Δ(a ⋉ b) = Δa ⋉ I(b) + z⁻¹I(a) ⋈ Δkeys(b), and the anti-join is the rest of a.
fn semi(builder: &mut Builder, left: StreamId, right: StreamId, key: usize, keep_present: bool) -> StreamId {
    let (left_index, right_index) = (builder.index(left, key), builder.index(right, key));
    let layout = builder.layout(left).clone();
    let presence = builder.update(right_index);
    let changed = builder.join(presence, left_index, Side::Right, layout, "v", left_kernel());
    builder.update(left_index);
    let parts = match keep_present {
        true => [builder.semi(left, right_index), changed],
        false => [builder.anti(left, right_index), builder.negate(changed)],
    };
    builder.union(&parts)
}

const KEYS: [&[SqlType]; 4] = [&[SqlType::BigInt], &[SqlType::VARCHAR], &[SqlType::BigInt, SqlType::VARCHAR], &[]];

fn tables(seed: u64) -> Vec<Table> {
    let key = KEYS[seed as usize % KEYS.len()];
    let value = [nullable(SqlType::BigInt), nullable(SqlType::VARCHAR)];
    vec![table(key, value[seed as usize / 4 % 2], 9), table(key, value[seed as usize / 8 % 2], 9)]
}

fn inputs(builder: &mut Builder, layouts: &[Layout], key: usize) -> Vec<StreamId> {
    let tables: Vec<StreamId> = layouts.iter().map(|layout| builder.table("t", layout.clone(), false)).collect();
    tables.into_iter().map(|table| builder.exchange(table, key)).collect()
}

fn layouts(tables: &[Table]) -> Vec<Layout> {
    tables.iter().map(|table| table.layout.clone()).collect()
}

#[test]
fn joins() {
    for seed in 0..40 {
        let tables = tables(seed);
        let (layouts, columns) = (layouts(&tables), key_len(&tables[0]));
        let build = move |builder: &mut Builder| {
            let inputs = inputs(builder, &layouts, columns);
            let output = join(builder, inputs[0], inputs[1], columns);
            builder.output("v", output, false);
        };
        check(seed, tables, 25, [4, 60][seed as usize % 2], build, |tables| {
            let (mut rows, mut failures) = (Contents::new(), 0);
            for (left, left_weight) in &tables[0].contents {
                for (right, right_weight) in &tables[1].contents {
                    if key(&tables[0], left) == key(&tables[1], right) {
                        match verdict(left, right) {
                            Ok(true) => {
                                *rows.entry([&left[..], right].concat()).or_default() += left_weight * right_weight
                            }
                            Ok(false) => (),
                            Err(()) => failures += (left_weight * right_weight) as usize,
                        }
                    }
                }
            }
            (rows, failures)
        });
    }
}

#[test]
fn semi_and_anti_joins() {
    for seed in 0..80 {
        let tables = tables(seed / 2);
        let (layouts, columns, keep_present) = (layouts(&tables), key_len(&tables[0]), seed % 2 == 0);
        let build = move |builder: &mut Builder| {
            let inputs = inputs(builder, &layouts, columns);
            let output = semi(builder, inputs[0], inputs[1], columns, keep_present);
            builder.output("v", output, false);
        };
        check(seed, tables, 25, [3, 40][seed as usize / 2 % 2], build, move |tables| {
            let present =
                |left: &[u8]| tables[1].contents.keys().any(|right| key(&tables[0], left) == key(&tables[1], right));
            let rows = tables[0].contents.iter().filter(|(left, _)| present(left) == keep_present);
            (rows.map(|(row, weight)| (row.clone(), *weight)).collect(), 0)
        });
    }
}

#[test]
fn distinct() {
    for seed in 0..40 {
        let tables = vec![tables(seed).swap_remove(0)];
        let (layouts, columns) = (layouts(&tables), key_len(&tables[0]) + 1);
        let build = move |builder: &mut Builder| {
            let inputs = inputs(builder, &layouts, columns);
            let output = builder.distinct(inputs[0]);
            builder.output("v", output, false);
        };
        check(seed, tables, 25, 50, build, |tables| {
            (tables[0].contents.keys().map(|row| (row.clone(), 1)).collect(), 0)
        });
    }
}

/// The presence delta tells of net changes only: replacing a row by another of the same key is none.
#[test]
fn presence() {
    for seed in 0..40 {
        let tables = vec![tables(seed).swap_remove(0)];
        let (layouts, columns) = (layouts(&tables), key_len(&tables[0]));
        let build = move |builder: &mut Builder| {
            let inputs = inputs(builder, &layouts, columns);
            let index = builder.index(inputs[0], columns);
            let output = builder.update(index);
            builder.output("v", output, false);
        };
        check(seed, tables, 25, 50, build, |tables| {
            (tables[0].contents.keys().map(|row| (key(&tables[0], row).to_vec(), 1)).collect(), 0)
        });
    }
}
