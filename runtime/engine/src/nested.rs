//! The encoding of ARRAY, MAP, ROW and VARIANT inside a row.
//!
//! The inner encoding compares by bytes as SQL compares the values: an element is a mark (1 NULL, 2 a value that follows) and
//! the value, 0 ends what has no fixed number of parts, so what ends first is less. A VARIANT begins with a mark for its type,
//! a DECIMAL in it with its scale. In a row the inner encoding is escaped and ended like a text, so that a row's columns are
//! found without knowing what is in them. Sources: the order is that of `feldc_value::nested::order`.

use crate::row;
use feldc_value::nested::{array_of_variants, map_of_variants, variant_rank};
use feldc_value::{SqlType, Value, Variant};
use std::sync::Arc;

const END: u8 = 0;
const NULL: u8 = 1;
const VALUE: u8 = 2;

/// Appends a nested value, or NULL as a part of one, without escapes.
fn put_part(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.push(NULL),
        value => {
            out.push(VALUE);
            put(value, out);
        }
    }
}

/// Appends the inner encoding of a value that is not NULL.
pub fn put(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => (),
        Value::Boolean(value) => row::put_bool(out, *value),
        Value::TinyInt(value) => row::put_i8(out, *value),
        Value::SmallInt(value) => row::put_i16(out, *value),
        Value::Integer(value) | Value::Date(value) | Value::IntervalLong(value) => row::put_i32(out, *value),
        Value::BigInt(value)
        | Value::Time(value)
        | Value::Timestamp(value)
        | Value::TimestampTz(value)
        | Value::IntervalShort(value) => row::put_i64(out, *value),
        Value::UTinyInt(value) => row::put_u8(out, *value),
        Value::USmallInt(value) => row::put_u16(out, *value),
        Value::UInteger(value) => row::put_u32(out, *value),
        Value::UBigInt(value) => row::put_u64(out, *value),
        Value::Decimal(value) => row::put_i128(out, *value),
        Value::Real(value) => row::put_f32(out, *value),
        Value::Double(value) => row::put_f64(out, *value),
        Value::Text(text) => row::put_text(out, text),
        Value::Binary(bytes) => row::put_bytes(out, bytes),
        Value::Uuid(value) => row::put_u128(out, *value),
        Value::Array(elements) => {
            elements.iter().for_each(|element| put_part(element, out));
            out.push(END);
        }
        Value::Map(entries) => {
            for (key, value) in entries.iter() {
                put_part(key, out);
                put_part(value, out);
            }
            out.push(END);
        }
        Value::Row(fields) => fields.iter().for_each(|field| put_part(field, out)),
        Value::Variant(variant) => {
            out.push(variant_rank(variant.ty));
            if let SqlType::Decimal { scale, .. } = variant.ty {
                out.push(scale);
            }
            put(&variant.value, out);
        }
    }
}

/// Reads an inner encoding from its start. Bytes that no encoding has give some value or NULL, never a panic.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    /// The next part and whether there is one.
    fn part(&mut self, ty: SqlType) -> Option<Value> {
        let mark = self.bytes.get(self.at).copied().unwrap_or(END);
        self.at += 1;
        match mark {
            END => None,
            NULL => Some(Value::Null),
            _ => Some(self.value(ty)),
        }
    }

    /// The offset of a value of so many bytes, taken.
    fn take(&mut self, width: usize) -> usize {
        self.at += width;
        self.at - width
    }

    fn value(&mut self, ty: SqlType) -> Value {
        let bytes = self.bytes;
        match ty {
            SqlType::Null => Value::Null,
            SqlType::Decimal { .. } => Value::Decimal(row::get_i128(bytes, self.take(16))),
            SqlType::Char { .. } | SqlType::Varchar { .. } => {
                let (text, end) = row::get_text(bytes, self.at);
                self.at = end;
                Value::text(text)
            }
            SqlType::Binary { .. } | SqlType::Varbinary { .. } => {
                let (bytes, end) = row::get_bytes(bytes, self.at);
                self.at = end;
                Value::binary(bytes.into_owned())
            }
            SqlType::Array(element) => Value::array(std::iter::from_fn(|| self.part(*element))),
            SqlType::Map(entry) => {
                let entries = std::iter::from_fn(|| {
                    let key = self.part(entry.0.0)?;
                    Some((key, self.part(entry.0.1).unwrap_or(Value::Null)))
                });
                Value::Map(entries.collect())
            }
            SqlType::Row(fields) => {
                Value::row(fields.iter().map(|field| self.part(field.columntype.ty).unwrap_or(Value::Null)))
            }
            SqlType::Variant => self.variant(),
            _ => {
                let width = ty.fixed_width().unwrap_or(0);
                let offset = self.take(width);
                crate::layout::decode_column(feldc_value::ColumnType::new(ty, false), bytes, offset)
            }
        }
    }

    fn variant(&mut self) -> Value {
        let mark = self.bytes[self.take(1)];
        let ty = match mark {
            _ if mark == variant_rank(DECIMAL) => SqlType::Decimal { precision: 38, scale: self.bytes[self.take(1)] },
            _ => variant_type(mark),
        };
        // The null of JSON has nothing behind its mark.
        let value = if ty == SqlType::Variant { Value::Null } else { self.value(ty) };
        Value::Variant(Arc::new(Variant { ty, value }))
    }
}

const DECIMAL: SqlType = SqlType::Decimal { precision: 38, scale: 0 };

/// The type with a mark.
fn variant_type(mark: u8) -> SqlType {
    use feldc_value::function::kind;
    const TYPES: [SqlType; 24] = [
        SqlType::Null,
        SqlType::Variant,
        SqlType::Boolean,
        SqlType::TinyInt,
        SqlType::SmallInt,
        SqlType::Integer,
        SqlType::BigInt,
        SqlType::UTinyInt,
        SqlType::USmallInt,
        SqlType::UInteger,
        SqlType::UBigInt,
        SqlType::Real,
        SqlType::Double,
        SqlType::VARCHAR,
        SqlType::VARBINARY,
        SqlType::Date,
        SqlType::Time,
        SqlType::Timestamp,
        SqlType::TimestampTz,
        kind::SHORT,
        kind::LONG,
        SqlType::Uuid,
        array_of_variants(),
        map_of_variants(),
    ];
    TYPES.into_iter().find(|ty| variant_rank(*ty) == mark).unwrap_or(SqlType::Null)
}

/// Appends what ends an ARRAY behind its elements as a column of a row.
pub fn put_end(out: &mut Vec<u8>) {
    row::put_bytes(out, &[END]);
}

/// Appends a nested value as a column of a row, without its tag.
pub fn put_column(out: &mut Vec<u8>, value: &Value) {
    let start = out.len();
    put(value, out);
    let inner = out.split_off(start);
    row::put_bytes(out, &inner);
}

/// The nested value at an offset, past any tag, and the offset behind it.
pub fn get_column(row: &[u8], offset: usize, ty: SqlType) -> (Value, usize) {
    let (inner, end) = row::get_bytes(row, offset);
    (Reader { bytes: &inner, at: 0 }.value(ty), end)
}
