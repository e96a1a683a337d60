//! Random change streams over a program's tables: inserts, deletes, updates, duplicates, NULLs, empty steps, from a seed.

use super::{Change, Tables};
use feldc_pipeline::schema::Schema;
use feldc_value::{ColumnType, SqlType, Value, nested};

/// A small generator of random numbers (splitmix64), so that a seed replays everywhere.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d)
    }

    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound` (above 0).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.number() % bound
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Of the values so many percent are edge values, in a stream that has them.
const EDGE_PERCENT: u64 = 8;

/// The tables' contents so far and the next step's changes.
pub struct Stream {
    pub random: Random,
    pub tables: Tables,
    /// Tables from which nothing is deleted, by position.
    append_only: Vec<bool>,
    edges: bool,
}

impl Stream {
    /// A stream of values from small domains.
    pub fn new(schema: &Schema, seed: u64) -> Stream {
        let append_only = vec![false; schema.tables.len()];
        Stream { random: Random::new(seed), tables: Tables::new(schema), append_only, edges: false }
    }

    /// With the greatest and least values of the types among the others.
    pub fn with_edges(mut self, edges: bool) -> Stream {
        self.edges = edges;
        self
    }

    pub fn append_only(mut self, tables: Vec<bool>) -> Stream {
        self.append_only = tables;
        self
    }

    /// One step's changes, in event order. Never deletes a row that is not there.
    pub fn step(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        if self.tables.rows.is_empty() {
            return changes;
        }
        let events = match self.random.below(10) {
            0 => 0,
            1 => 24,
            _ => 1 + self.random.below(6),
        };
        if self.random.chance(3) {
            let table = self.random.below(self.tables.rows.len() as u64) as usize;
            self.clear_table(table, &mut changes);
        }
        for _ in 0..events {
            let table = self.random.below(self.tables.rows.len() as u64) as usize;
            match self.random.below(10) {
                0..=4 => self.insert(table, &mut changes),
                5..=6 => drop(self.delete(table, &mut changes)),
                7 => self.update(table, &mut changes),
                8 => {
                    self.delete(table, &mut changes);
                    self.insert(table, &mut changes);
                }
                _ => self.insert_and_delete(table, &mut changes),
            }
        }
        changes
    }

    /// Deletes every row of every table.
    pub fn clear(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        (0..self.tables.rows.len()).for_each(|table| self.clear_table(table, &mut changes));
        changes
    }

    fn clear_table(&mut self, table: usize, changes: &mut Vec<Change>) {
        while self.delete(table, changes).is_some() {}
    }

    fn insert(&mut self, table: usize, changes: &mut Vec<Change>) {
        let definition = &self.tables.definitions()[table];
        let rows = &self.tables.rows[table];
        let copy = definition.primary_key.is_empty() && self.random.chance(25) && !rows.is_empty();
        let row = match copy {
            true => self.random.pick(rows).clone(),
            false => {
                let columns: Vec<ColumnType> = definition.fields.iter().map(|field| field.columntype).collect();
                columns.into_iter().map(|column| self.value(column)).collect()
            }
        };
        self.push(table, row, changes);
    }

    fn push(&mut self, table: usize, row: Vec<Value>, changes: &mut Vec<Change>) {
        let relation = self.tables.definitions()[table].name.clone();
        self.tables.insert(table, row.clone());
        changes.push(Change { relation, row, weight: 1 });
    }

    fn delete(&mut self, table: usize, changes: &mut Vec<Change>) -> Option<Vec<Value>> {
        if self.tables.rows[table].is_empty() || self.append_only[table] {
            return None;
        }
        let at = self.random.below(self.tables.rows[table].len() as u64) as usize;
        let row = self.tables.rows[table].swap_remove(at);
        let relation = self.tables.definitions()[table].name.clone();
        changes.push(Change { relation, row: row.clone(), weight: -1 });
        Some(row)
    }

    /// One column of a row changes, perhaps one of its key; of a row with a key the old values may go unsaid.
    fn update(&mut self, table: usize, changes: &mut Vec<Change>) {
        let said = changes.len();
        let Some(mut row) = self.delete(table, changes) else { return };
        let definition = &self.tables.definitions()[table];
        let column = self.random.below(row.len() as u64) as usize;
        let by_key = !definition.primary_key.is_empty() && !definition.primary_key.contains(&column);
        let ty = definition.fields[column].columntype;
        row[column] = self.value(ty);
        if by_key && self.random.chance(50) {
            changes.truncate(said);
        }
        self.push(table, row, changes);
    }

    /// A row that comes and goes inside the step.
    fn insert_and_delete(&mut self, table: usize, changes: &mut Vec<Change>) {
        self.insert(table, changes);
        if self.append_only[table] {
            return;
        }
        if let Some(row) = self.tables.rows[table].pop() {
            changes.push(Change { relation: self.tables.definitions()[table].name.clone(), row, weight: -1 });
        }
    }

    /// A value from a small domain, so that joins meet and groups collide.
    fn value(&mut self, column: ColumnType) -> Value {
        if column.nullable && self.random.chance(20) {
            return Value::Null;
        }
        if self.edges
            && self.random.chance(EDGE_PERCENT)
            && let Some(value) = self.edge(column.ty)
        {
            return value;
        }
        let small = self.random.below(6) as i64 - 1;
        match column.ty {
            SqlType::Null => Value::Null,
            SqlType::Boolean => Value::Boolean(small > 1),
            SqlType::TinyInt => Value::TinyInt(small as i8),
            SqlType::SmallInt => Value::SmallInt(small as i16),
            SqlType::Integer => Value::Integer(small as i32),
            SqlType::BigInt => Value::BigInt(match self.random.below(12) {
                0 => 1 << 40,
                1 => -1_000,
                _ => small,
            }),
            SqlType::UTinyInt => Value::UTinyInt(small.max(0) as u8),
            SqlType::USmallInt => Value::USmallInt(small.max(0) as u16),
            SqlType::UInteger => Value::UInteger(small.max(0) as u32),
            SqlType::UBigInt => Value::UBigInt(if small < 0 { u64::MAX } else { small as u64 }),
            SqlType::Decimal { precision, .. } => {
                let most = decimal_most(precision);
                Value::Decimal(i128::from(small * 25).clamp(-most, most))
            }
            SqlType::Real => Value::Real(small as f32 / 4.0),
            SqlType::Double => Value::Double(small as f64 / 4.0),
            SqlType::Char { length: 1 } => Value::text(*self.random.pick(&["a", "b", "c"])),
            SqlType::Char { .. } | SqlType::Varchar { .. } => {
                let text = *self.random.pick(&["", "a", "b", "ab", "A", "zz", "é", "o'k"]);
                nested::fit(Value::text(text), column.ty)
            }
            SqlType::Binary { .. } | SqlType::Varbinary { .. } => {
                let bytes: [&[u8]; 4] = [&[], &[0], &[0, 1], &[255, 0]];
                nested::fit(Value::binary(*self.random.pick(&bytes)), column.ty)
            }
            SqlType::Date => Value::Date(19_782 + (small as i32) * 10),
            SqlType::Time => Value::Time(small.max(0) * 3_600_000_000_000),
            SqlType::Timestamp => Value::Timestamp(1_709_164_800_000_000 + small * 43_200_000_000),
            SqlType::TimestampTz => Value::TimestampTz(1_709_164_800_000_000 + small * 43_200_000_000),
            SqlType::IntervalShort { .. } => Value::IntervalShort(small * 86_400_000_000),
            SqlType::IntervalLong { .. } => Value::IntervalLong(small as i32),
            SqlType::Uuid => Value::Uuid(small as u128),
            ty => self.nested_value(ty),
        }
    }

    /// One of the greatest and least values of a type, or one that is odd in another way.
    fn edge(&mut self, ty: SqlType) -> Option<Value> {
        let greatest = self.random.chance(50);
        let extreme = |least: i64, most: i64| if greatest { most } else { least };
        Some(match ty {
            SqlType::TinyInt => Value::TinyInt(extreme(i8::MIN.into(), i8::MAX.into()) as i8),
            SqlType::SmallInt => Value::SmallInt(extreme(i16::MIN.into(), i16::MAX.into()) as i16),
            SqlType::Integer => Value::Integer(extreme(i32::MIN.into(), i32::MAX.into()) as i32),
            SqlType::BigInt => Value::BigInt(extreme(i64::MIN, i64::MAX)),
            SqlType::UTinyInt => Value::UTinyInt(u8::MAX),
            SqlType::USmallInt => Value::USmallInt(u16::MAX),
            SqlType::UInteger => Value::UInteger(u32::MAX),
            SqlType::UBigInt => Value::UBigInt(u64::MAX),
            SqlType::Decimal { precision, .. } => {
                let units = decimal_most(precision);
                Value::Decimal(if greatest { units } else { -units })
            }
            SqlType::Real => {
                Value::Real(*self.random.pick(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-40, 1.1]))
            }
            SqlType::Double => {
                let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324, 0.1, 1e16];
                Value::Double(*self.random.pick(&odd))
            }
            SqlType::Char { .. } | SqlType::Varchar { .. } => {
                let texts = [" a ", "\u{10ffff}", "%_", "2024-01-01", "-7.5", "a\u{301}", "ſtraße"];
                nested::fit(Value::text(*self.random.pick(&texts)), ty)
            }
            // The years 1 and 9999.
            SqlType::Date => Value::Date(extreme(-719_162, 2_932_896) as i32),
            SqlType::Time => Value::Time(extreme(1, 86_399_999_999_999)),
            SqlType::Timestamp => Value::Timestamp(extreme(-62_135_596_800_000_000, 253_402_300_799_999_999)),
            SqlType::TimestampTz => Value::TimestampTz(extreme(-62_135_596_800_000_000, 253_402_300_799_999_999)),
            SqlType::Uuid => Value::Uuid(u128::MAX),
            _ => return None,
        })
    }

    fn nested_value(&mut self, ty: SqlType) -> Value {
        let part = |ty: SqlType| ColumnType::new(ty, true);
        let count = self.random.below(3);
        match ty {
            SqlType::Array(element) => Value::array((0..count).map(|_| self.value(part(*element))).collect::<Vec<_>>()),
            SqlType::Map(entry) => {
                let (key, value) = *entry.0;
                let entries = (0..count).map(|_| (self.value(part(key)), self.value(part(value))));
                nested::map(entries.collect::<Vec<_>>())
            }
            SqlType::Row(fields) => {
                Value::row(fields.iter().map(|field| self.value(field.columntype)).collect::<Vec<_>>())
            }
            _ => {
                let inner = *self.random.pick(&[
                    SqlType::VARCHAR,
                    SqlType::BigInt,
                    SqlType::Boolean,
                    SqlType::array(SqlType::BigInt),
                ]);
                nested::to_variant(&self.value(ColumnType::new(inner, false)), inner)
            }
        }
    }
}

/// The greatest units of a DECIMAL of so many digits.
fn decimal_most(precision: u8) -> i128 {
    10i128.pow(u32::from(precision.min(38))) - 1
}
