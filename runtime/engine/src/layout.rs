//! The order-preserving row encoding: how the columns of a row lie in its bytes.
//!
//! A row is the concatenation of its columns' encodings, in physical order. Byte order of rows = SQL order of their
//! columns from left to right, ascending, NULL lowest.
//!
//! * A nullable column starts with a tag byte: 0 NULL, 1 not NULL. A NULL of fixed width keeps its width as zeros;
//!   a NULL of variable width is the tag alone.
//! * BOOLEAN one byte 0/1. Integers, DATE, TIME, TIMESTAMP, intervals: big-endian, sign bit flipped.
//! * DECIMAL: scaled `i64` when precision <= 18, else scaled `i128`, as integers.
//! * REAL, DOUBLE: IEEE bits, all flipped when negative, else the sign bit flipped; one NaN (greatest), no -0.0.
//! * Unsigned integers and UUID: big-endian.
//! * CHAR, VARCHAR: UTF-8 with byte 0x00 written 0x01 0x01 and byte 0x01 written 0x01 0x02, then a terminator 0x00.
//! * BINARY, VARBINARY: their bytes in the same way; ARRAY, MAP, ROW, VARIANT: the bytes of [`crate::nested`] in the same way.

use crate::{nested, row};
use feldc_value::{ColumnType, SqlType, Value};

/// The columns of a stream's rows in physical order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Layout {
    columns: Vec<ColumnType>,
    /// Where each leading column starts, as far as that is the same in every row: `starts[n]` is also the width of
    /// the first `n` columns. One entry more than the columns when all are of fixed width.
    starts: Vec<usize>,
}

impl Layout {
    pub fn new(columns: Vec<ColumnType>) -> Layout {
        let mut starts = vec![0];
        let mut end = 0;
        for width in columns.iter().map_while(|column| column.fixed_width()) {
            end += width;
            starts.push(end);
        }
        Layout { columns, starts }
    }

    pub fn columns(&self) -> &[ColumnType] {
        &self.columns
    }

    /// Bytes of every row when no column varies in width.
    pub fn stride(&self) -> Option<usize> {
        self.prefix_stride(self.columns.len())
    }

    /// Where `column` starts (at its tag if it is nullable), when that is the same in every row.
    pub fn offset(&self, column: usize) -> Option<usize> {
        self.starts.get(column).copied().filter(|_| column < self.columns.len())
    }

    /// Bytes of the first `columns` columns when that is the same in every row.
    pub fn prefix_stride(&self, columns: usize) -> Option<usize> {
        self.starts.get(columns).copied()
    }

    /// Bytes of the first `columns` columns of `row`: also the offset of the column behind them.
    #[inline]
    pub fn prefix_len(&self, row: &[u8], columns: usize) -> usize {
        match self.starts.get(columns) {
            Some(&len) => len,
            None => self.walk(row, columns),
        }
    }

    fn walk(&self, row: &[u8], columns: usize) -> usize {
        let known = self.starts.len() - 1;
        let varying = &self.columns[known..columns];
        varying.iter().fold(self.starts[known], |offset, column| skip_column(*column, row, offset))
    }

    /// Is one of the first `columns` columns of `row` NULL? Such a key equals no other in a join.
    #[inline]
    pub fn has_null_key(&self, row: &[u8], columns: usize) -> bool {
        let mut offset = 0;
        for column in &self.columns[..columns] {
            if column.nullable && row::is_null(row, offset) {
                return true;
            }
            offset = skip_column(*column, row, offset);
        }
        false
    }

    /// Appends the encoding of `values`, one per column; fewer give a row's first columns.
    ///
    /// # Panics
    /// When a value is not of its column's type, or NULL for a column that is NOT NULL.
    pub fn encode(&self, values: &[Value], out: &mut Vec<u8>) {
        for (column, value) in self.columns.iter().zip(values) {
            encode_column(*column, value, out);
        }
    }

    /// The values of all columns of `row`.
    pub fn decode(&self, row: &[u8]) -> Vec<Value> {
        self.decode_prefix(row, self.columns.len())
    }

    /// The values of the first `columns` columns of `row`.
    pub fn decode_prefix(&self, row: &[u8], columns: usize) -> Vec<Value> {
        let mut offset = 0;
        let columns = self.columns[..columns].iter();
        columns
            .map(|column| {
                let value = decode_column(*column, row, offset);
                offset = skip_column(*column, row, offset);
                value
            })
            .collect()
    }

    /// Where `column` of `row` starts, at its tag if it is nullable.
    #[inline]
    pub fn column_offset(&self, row: &[u8], column: usize) -> usize {
        self.prefix_len(row, column)
    }

    /// The value of `column` of `row`.
    pub fn decode_one(&self, row: &[u8], column: usize) -> Value {
        decode_column(self.columns[column], row, self.column_offset(row, column))
    }

    /// The first `columns` columns on their own.
    pub fn prefix(&self, columns: usize) -> Layout {
        Layout::new(self.columns[..columns].to_vec())
    }
}

/// Appends the encoding of one value with its tag (see [`Layout::encode`]).
///
/// # Panics
/// When the value is not of the column's type, or NULL for a column that is NOT NULL.
pub fn encode_column(column: ColumnType, value: &Value, out: &mut Vec<u8>) {
    match (column.nullable, value) {
        (true, Value::Null) => return row::put_null(out, column.ty.fixed_width().unwrap_or(0)),
        (true, _) => row::put_tag(out),
        (false, _) => (),
    }
    match (column.ty, value) {
        (SqlType::Boolean, Value::Boolean(value)) => row::put_bool(out, *value),
        (SqlType::TinyInt, Value::TinyInt(value)) => row::put_i8(out, *value),
        (SqlType::SmallInt, Value::SmallInt(value)) => row::put_i16(out, *value),
        (SqlType::Integer, Value::Integer(value)) => row::put_i32(out, *value),
        (SqlType::BigInt, Value::BigInt(value)) => row::put_i64(out, *value),
        (SqlType::Decimal { .. }, Value::Decimal(value)) => encode_decimal(column.ty, *value, out),
        (SqlType::Real, Value::Real(value)) => row::put_f32(out, *value),
        (SqlType::Double, Value::Double(value)) => row::put_f64(out, *value),
        (SqlType::Char { .. } | SqlType::Varchar { .. }, Value::Text(value)) => row::put_text(out, value),
        (SqlType::Date, Value::Date(value)) => row::put_i32(out, *value),
        (SqlType::Time, Value::Time(value)) => row::put_i64(out, *value),
        (SqlType::Timestamp, Value::Timestamp(value)) => row::put_i64(out, *value),
        (SqlType::TimestampTz, Value::TimestampTz(value)) => row::put_i64(out, *value),
        (SqlType::IntervalShort { .. }, Value::IntervalShort(value)) => row::put_i64(out, *value),
        (SqlType::IntervalLong { .. }, Value::IntervalLong(value)) => row::put_i32(out, *value),
        (SqlType::UTinyInt, Value::UTinyInt(value)) => row::put_u8(out, *value),
        (SqlType::USmallInt, Value::USmallInt(value)) => row::put_u16(out, *value),
        (SqlType::UInteger, Value::UInteger(value)) => row::put_u32(out, *value),
        (SqlType::UBigInt, Value::UBigInt(value)) => row::put_u64(out, *value),
        (SqlType::Uuid, Value::Uuid(value)) => row::put_u128(out, *value),
        (SqlType::Binary { .. } | SqlType::Varbinary { .. }, Value::Binary(bytes)) => row::put_bytes(out, bytes),
        (SqlType::Array(_), Value::Array(_))
        | (SqlType::Map(_), Value::Map(_))
        | (SqlType::Row(_), Value::Row(_))
        | (SqlType::Variant, Value::Variant(_)) => nested::put_column(out, value),
        (ty, value) => panic!("{value:?} is no value of a column of type {ty}, nullable: {}", column.nullable),
    }
}

fn encode_decimal(ty: SqlType, value: i128, out: &mut Vec<u8>) {
    match (ty.fixed_width(), i64::try_from(value)) {
        (Some(8), Ok(narrow)) => row::put_i64(out, narrow),
        (Some(8), Err(_)) => panic!("{value} units do not fit {ty}"),
        _ => row::put_i128(out, value),
    }
}

/// The value of the column that starts at `offset` (at its tag if it is nullable).
pub fn decode_column(column: ColumnType, row: &[u8], offset: usize) -> Value {
    if column.nullable && row::is_null(row, offset) {
        return Value::Null;
    }
    let offset = offset + usize::from(column.nullable);
    match column.ty {
        SqlType::Null => Value::Null,
        SqlType::Boolean => Value::Boolean(row::get_bool(row, offset)),
        SqlType::TinyInt => Value::TinyInt(row::get_i8(row, offset)),
        SqlType::SmallInt => Value::SmallInt(row::get_i16(row, offset)),
        SqlType::Integer => Value::Integer(row::get_i32(row, offset)),
        SqlType::BigInt => Value::BigInt(row::get_i64(row, offset)),
        SqlType::Decimal { .. } => match column.ty.fixed_width() {
            Some(8) => Value::Decimal(row::get_i64(row, offset).into()),
            _ => Value::Decimal(row::get_i128(row, offset)),
        },
        SqlType::Real => Value::Real(row::get_f32(row, offset)),
        SqlType::Double => Value::Double(row::get_f64(row, offset)),
        SqlType::Char { .. } | SqlType::Varchar { .. } => Value::text(row::get_text(row, offset).0),
        SqlType::Date => Value::Date(row::get_i32(row, offset)),
        SqlType::Time => Value::Time(row::get_i64(row, offset)),
        SqlType::Timestamp => Value::Timestamp(row::get_i64(row, offset)),
        SqlType::IntervalShort { .. } => Value::IntervalShort(row::get_i64(row, offset)),
        SqlType::IntervalLong { .. } => Value::IntervalLong(row::get_i32(row, offset)),
        SqlType::TimestampTz => Value::TimestampTz(row::get_i64(row, offset)),
        SqlType::UTinyInt => Value::UTinyInt(row::get_u8(row, offset)),
        SqlType::USmallInt => Value::USmallInt(row::get_u16(row, offset)),
        SqlType::UInteger => Value::UInteger(row::get_u32(row, offset)),
        SqlType::UBigInt => Value::UBigInt(row::get_u64(row, offset)),
        SqlType::Uuid => Value::Uuid(row::get_u128(row, offset)),
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => Value::binary(row::get_bytes(row, offset).0.into_owned()),
        SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_) | SqlType::Variant => {
            nested::get_column(row, offset, column.ty).0
        }
    }
}

/// The offset behind the column that starts at `offset` (at its tag if it is nullable).
#[inline]
pub fn skip_column(column: ColumnType, row: &[u8], offset: usize) -> usize {
    match column.fixed_width() {
        Some(width) => offset + width,
        None if column.nullable && row::is_null(row, offset) => offset + 1,
        None => row::skip_text(row, offset + usize::from(column.nullable)),
    }
}

/// The key of a stream: its rows' first columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    layout: Layout,
    columns: usize,
    stride: Option<usize>,
    nullable: bool,
}

impl Key {
    pub fn new(layout: &Layout, columns: usize) -> Key {
        Key {
            layout: layout.clone(),
            columns,
            stride: layout.prefix_stride(columns),
            nullable: layout.columns()[..columns].iter().any(|column| column.nullable),
        }
    }

    /// The key's part of `row`.
    #[inline]
    pub fn of<'row>(&self, row: &'row [u8]) -> &'row [u8] {
        match self.stride {
            Some(len) => &row[..len],
            None => &row[..self.layout.prefix_len(row, self.columns)],
        }
    }

    /// Is a column of the key of `row` NULL? Such a key equals no other in a join.
    #[inline]
    pub fn has_null(&self, row: &[u8]) -> bool {
        self.nullable && self.layout.has_null_key(row, self.columns)
    }

    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The layout of whole rows.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Bytes of every key when no column of it varies in width.
    pub fn stride(&self) -> Option<usize> {
        self.stride
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Random;
    use feldc_value::IntervalUnit::{Day, Month, Second, Year};
    use feldc_value::nested as nested_values;
    use feldc_value::nested::order as sql_order;
    use feldc_value::{Part, RowField};
    use std::cmp::Ordering;

    const ELEMENT: Part<SqlType> = Part(&SqlType::VARCHAR);
    const ENTRY: Part<(SqlType, SqlType)> = Part(&(SqlType::Integer, SqlType::Array(ELEMENT)));
    const FIELDS: Part<[RowField]> = Part(&[
        RowField { name: Part("a"), columntype: ColumnType::new(SqlType::Double, true) },
        RowField { name: Part("b"), columntype: ColumnType::new(SqlType::Variant, true) },
    ]);

    const TYPES: [SqlType; 29] = [
        SqlType::UTinyInt,
        SqlType::USmallInt,
        SqlType::UInteger,
        SqlType::UBigInt,
        SqlType::TimestampTz,
        SqlType::Uuid,
        SqlType::VARBINARY,
        SqlType::Binary { length: 2 },
        SqlType::Array(ELEMENT),
        SqlType::Map(ENTRY),
        SqlType::Row(FIELDS),
        SqlType::Variant,
        SqlType::Array(Part(&SqlType::Row(FIELDS))),
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        SqlType::Decimal { precision: 18, scale: 2 },
        SqlType::Decimal { precision: 38, scale: 2 },
        SqlType::Real,
        SqlType::Double,
        SqlType::Char { length: 3 },
        SqlType::VARCHAR,
        SqlType::Date,
        SqlType::Time,
        SqlType::Timestamp,
        SqlType::IntervalShort { from: Day, to: Second },
        SqlType::IntervalLong { from: Year, to: Month },
    ];

    /// Mostly small numbers, so that equal values are frequent, and the extremes.
    fn number(random: &mut Random, min: i128, max: i128) -> i128 {
        match random.below(8) {
            0 => min,
            1 => max,
            2 => (i128::from(random.next()) << 64 | i128::from(random.next())).clamp(min, max),
            _ => random.below(5) as i128 - 2,
        }
    }

    fn float(random: &mut Random) -> f64 {
        [f64::NAN, -f64::NAN, 0.0, -0.0, 1.5, -1.5, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, 5e-324]
            [random.below(10)]
    }

    fn value(ty: SqlType, random: &mut Random) -> Value {
        let wide = |random: &mut Random| number(random, i64::MIN.into(), i64::MAX.into()) as i64;
        let narrow = |random: &mut Random| number(random, i32::MIN.into(), i32::MAX.into()) as i32;
        match ty {
            SqlType::Null => Value::Null,
            SqlType::Boolean => Value::Boolean(random.below(2) == 0),
            SqlType::TinyInt => Value::TinyInt(number(random, i8::MIN.into(), i8::MAX.into()) as i8),
            SqlType::SmallInt => Value::SmallInt(number(random, i16::MIN.into(), i16::MAX.into()) as i16),
            SqlType::Integer => Value::Integer(narrow(random)),
            SqlType::BigInt => Value::BigInt(wide(random)),
            SqlType::Decimal { precision, .. } => {
                let greatest = 10i128.pow(precision.into()) - 1;
                Value::Decimal(number(random, -greatest, greatest))
            }
            SqlType::Real => Value::Real(float(random) as f32),
            SqlType::Double => Value::Double(float(random)),
            SqlType::Char { .. } | SqlType::Varchar { .. } => {
                let letters = ["\0", "\u{1}", "\u{2}", "a", "é"];
                let text: String = (0..random.below(4)).map(|_| letters[random.below(5)]).collect();
                Value::text(text)
            }
            SqlType::Date => Value::Date(narrow(random)),
            SqlType::Time => Value::Time(wide(random)),
            SqlType::Timestamp => Value::Timestamp(wide(random)),
            SqlType::IntervalShort { .. } => Value::IntervalShort(wide(random)),
            SqlType::IntervalLong { .. } => Value::IntervalLong(narrow(random)),
            SqlType::TimestampTz => Value::TimestampTz(wide(random)),
            SqlType::UTinyInt => Value::UTinyInt(number(random, 0, u8::MAX.into()) as u8),
            SqlType::USmallInt => Value::USmallInt(number(random, 0, u16::MAX.into()) as u16),
            SqlType::UInteger => Value::UInteger(number(random, 0, u32::MAX.into()) as u32),
            SqlType::UBigInt => Value::UBigInt(number(random, 0, u64::MAX.into()) as u64),
            SqlType::Uuid => Value::Uuid(random.below(3) as u128),
            SqlType::Binary { .. } | SqlType::Varbinary { .. } => {
                Value::binary((0..random.below(4)).map(|_| [0, 1, 2, 255][random.below(4)]).collect::<Vec<u8>>())
            }
            SqlType::Array(element) => Value::array((0..random.below(4)).map(|_| part(*element, random))),
            SqlType::Map(entry) => {
                let entry = *entry.0;
                nested_values::map((0..random.below(3)).map(|_| (part(entry.0, random), part(entry.1, random))))
            }
            SqlType::Row(fields) => Value::row(fields.iter().map(|field| part(field.columntype.ty, random))),
            SqlType::Variant => {
                let of = [SqlType::Integer, SqlType::VARCHAR, TYPES[18], TYPES[9], SqlType::Boolean][random.below(5)];
                nested_values::to_variant(&value(of, random), of)
            }
        }
    }

    fn part(ty: SqlType, random: &mut Random) -> Value {
        if random.below(4) == 0 { Value::Null } else { value(ty, random) }
    }

    fn row_of(columns: &[ColumnType], random: &mut Random) -> Vec<Value> {
        let null = |column: &ColumnType, random: &mut Random| column.nullable && random.below(3) == 0;
        let columns = columns.iter();
        columns.map(|column| if null(column, random) { Value::Null } else { value(column.ty, random) }).collect()
    }

    fn rows_order(left: &[Value], right: &[Value]) -> Ordering {
        let columns = left.iter().zip(right).map(|(left, right)| sql_order(left, right));
        columns.fold(Ordering::Equal, Ordering::then)
    }

    /// Byte order is SQL order, equal rows are equal bytes, and decoding gives back what was encoded.
    fn check(columns: Vec<ColumnType>, random: &mut Random) {
        let layout = Layout::new(columns);
        let encode = |values: &[Value]| {
            let mut row = Vec::new();
            layout.encode(values, &mut row);
            row
        };
        let rows: Vec<_> = (0..12).map(|_| row_of(layout.columns(), random)).collect();
        for left in &rows {
            let bytes = encode(left);
            assert_eq!(rows_order(&layout.decode(&bytes), left), Ordering::Equal, "{left:?}");
            assert_eq!(layout.prefix_len(&bytes, left.len()), bytes.len());
            assert_eq!(layout.stride().unwrap_or(bytes.len()), bytes.len());
            for (column, value) in left.iter().enumerate() {
                assert_eq!(sql_order(&layout.decode_one(&bytes, column), value), Ordering::Equal);
                let start = layout.column_offset(&bytes, column);
                assert_eq!(layout.offset(column).unwrap_or(start), start);
                let null = left[..column].contains(&Value::Null);
                assert_eq!(layout.has_null_key(&bytes, column), null);
            }
            for right in &rows {
                assert_eq!(bytes.cmp(&encode(right)), rows_order(left, right), "{left:?} and {right:?}");
            }
        }
    }

    #[test]
    fn byte_order_is_sql_order() {
        let mut random = Random::new(1);
        for ty in TYPES {
            for nullable in [false, true] {
                for _ in 0..20 {
                    check(vec![ColumnType::new(ty, nullable)], &mut random);
                }
            }
        }
        for _ in 0..500 {
            let mut column = || ColumnType::new(TYPES[random.below(TYPES.len())], random.below(2) == 0);
            let columns = vec![column(), column(), column(), column()];
            check(columns, &mut random);
        }
    }
}
