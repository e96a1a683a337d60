//! Random change streams over a program's tables: inserts, deletes, updates, duplicates, NULLs, empty steps, from a seed.

use super::Change;
use feldc_pipeline::schema::{Schema, Table};
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

/// The tables' contents so far and the next step's changes.
pub struct Stream {
    pub random: Random,
    schema: Schema,
    /// Rows present in each table, every copy.
    pub contents: Vec<Vec<Vec<Value>>>,
}

impl Stream {
    pub fn new(schema: &Schema, seed: u64) -> Stream {
        Stream { random: Random::new(seed), schema: schema.clone(), contents: vec![vec![]; schema.tables.len()] }
    }

    /// One step's changes, in event order. Never deletes a row that is not there.
    pub fn step(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        let events = match self.random.below(10) {
            0 => 0,
            1 => 24,
            _ => 1 + self.random.below(6),
        };
        if self.random.chance(3) {
            let table = self.random.below(self.schema.tables.len() as u64) as usize;
            while !self.contents[table].is_empty() {
                self.delete(table, &mut changes);
            }
        }
        for _ in 0..events {
            let table = self.random.below(self.schema.tables.len() as u64) as usize;
            match self.random.below(10) {
                0..=5 => self.insert(table, &mut changes),
                6..=7 => self.delete(table, &mut changes),
                8 => {
                    self.delete(table, &mut changes);
                    self.insert(table, &mut changes);
                }
                _ => self.insert_and_delete(table, &mut changes),
            }
        }
        changes
    }

    fn insert(&mut self, table: usize, changes: &mut Vec<Change>) {
        let definition = self.schema.tables[table].clone();
        let copy = definition.primary_key.is_empty() && self.random.chance(25) && !self.contents[table].is_empty();
        let row = match copy {
            true => self.random.pick(&self.contents[table]).clone(),
            false => definition.fields.iter().map(|field| self.value(field.columntype)).collect(),
        };
        self.push(&definition, table, row, changes);
    }

    fn push(&mut self, definition: &Table, table: usize, row: Vec<Value>, changes: &mut Vec<Change>) {
        let key = |row: &[Value]| definition.primary_key.iter().map(|&at| row[at].clone()).collect::<Vec<_>>();
        if !definition.primary_key.is_empty() {
            self.contents[table].retain(|old| key(old) != key(&row));
        }
        self.contents[table].push(row.clone());
        changes.push(Change { relation: definition.name.clone(), row, weight: 1 });
    }

    fn delete(&mut self, table: usize, changes: &mut Vec<Change>) {
        if self.contents[table].is_empty() {
            return;
        }
        let at = self.random.below(self.contents[table].len() as u64) as usize;
        let row = self.contents[table].swap_remove(at);
        changes.push(Change { relation: self.schema.tables[table].name.clone(), row, weight: -1 });
    }

    /// A row that comes and goes inside the step.
    fn insert_and_delete(&mut self, table: usize, changes: &mut Vec<Change>) {
        self.insert(table, changes);
        let row = self.contents[table].pop().expect("just pushed");
        changes.push(Change { relation: self.schema.tables[table].name.clone(), row, weight: -1 });
    }

    /// A value from a small domain, so that joins meet and groups collide.
    fn value(&mut self, column: ColumnType) -> Value {
        if column.nullable && self.random.chance(20) {
            return Value::Null;
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
            SqlType::Decimal { .. } => Value::Decimal(i128::from(small * 25)),
            SqlType::Real => Value::Real(small as f32 / 4.0),
            SqlType::Double => Value::Double(small as f64 / 4.0),
            SqlType::Char { length: 1 } => Value::text(*self.random.pick(&["a", "b", "c"])),
            SqlType::Char { .. } | SqlType::Varchar { .. } => {
                Value::text(*self.random.pick(&["", "a", "b", "ab", "A", "zz", "é", "o'k"]))
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

impl Stream {
    /// Deletes every row of every table.
    pub fn clear(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        for table in 0..self.contents.len() {
            while !self.contents[table].is_empty() {
                self.delete(table, &mut changes);
            }
        }
        changes
    }
}
