//! A row's bytes to text: which column lies where, and each column as JSON or plain text.

use crate::schema::{Field, View};
use feldc_engine::{errors, nested, row};
use feldc_value::decimal_text::write_trimmed_decimal;
use feldc_value::json::{json_string, json_value};
use feldc_value::temporal_text::{
    Fraction, spell_long_interval, spell_short_interval, write_date, write_time, write_timestamp,
};
use feldc_value::text_form::write_float;
use feldc_value::{ColumnType, SqlType, Value, binary, uuid};
use std::fmt::Write;

/// The columns of a view: names in SQL order, types in the order in which they lie in a row.
#[derive(Clone, Debug)]
pub struct Columns {
    pub names: Vec<String>,
    pub types: Vec<ColumnType>,
    /// For each physical column its SQL position.
    physical: Vec<usize>,
}

/// The name of the view of evaluation errors.
pub const ERROR_VIEW: &str = "error_view";

/// The columns of [`ERROR_VIEW`].
pub const ERROR_COLUMNS: [&str; 3] = ["table_or_view_name", "message", "metadata"];

impl Columns {
    pub fn of_view(view: &View) -> Columns {
        Columns::new(&view.fields, &view.physical)
    }

    pub fn new(fields: &[Field], physical: &[usize]) -> Columns {
        Columns {
            names: fields.iter().map(|field| field.name.clone()).collect(),
            types: fields.iter().map(|field| field.columntype).collect(),
            physical: physical.to_vec(),
        }
    }

    pub fn of_errors() -> Columns {
        Columns {
            names: ERROR_COLUMNS.map(str::to_owned).to_vec(),
            types: errors::layout().columns().to_vec(),
            physical: (0..ERROR_COLUMNS.len()).collect(),
        }
    }

    /// Fills `offsets` with the place of each column's value behind its tag, by SQL position; `None` is NULL.
    pub fn locate(&self, row: &[u8], offsets: &mut Vec<Option<usize>>) {
        offsets.clear();
        offsets.resize(self.types.len(), None);
        let mut at = 0;
        for &position in &self.physical {
            let ty = self.types[position];
            let null = ty.nullable && row::is_null(row, at);
            at += usize::from(ty.nullable);
            if !null {
                offsets[position] = Some(at);
            }
            at = match ty.ty.fixed_width() {
                Some(width) => at + width,
                None if null => at,
                None => row::skip_text(row, at),
            };
        }
    }
}

/// Appends the value at `offset` as JSON. Exact: decimals are numbers with all their digits (trailing zeros of the
/// scale are left out), floats the shortest text that reads back; NaN and infinities, which JSON lacks, are texts.
pub fn write_json(ty: SqlType, row: &[u8], offset: Option<usize>, out: &mut String) {
    let Some(at) = offset else { return out.push_str("null") };
    match ty {
        _ if ty.is_text() => json_string(&row::get_text(row, at).0, out),
        SqlType::Real if !row::get_f32(row, at).is_finite() => quoted(ty, row, at, out),
        SqlType::Double if !row::get_f64(row, at).is_finite() => quoted(ty, row, at, out),
        SqlType::Boolean | SqlType::Null => write_plain(ty, row, at, out),
        _ if ty.is_binary() => {
            let bytes = row::get_bytes(row, at).0.into_owned();
            json_value(&Value::binary(bytes), ty, out);
        }
        _ if ty.is_nested() => json_value(&nested::get_column(row, at, ty).0, ty, out),
        _ if ty.is_numeric() => write_plain(ty, row, at, out),
        _ => quoted(ty, row, at, out),
    }
}

/// None of the texts written this way holds a character that JSON escapes.
fn quoted(ty: SqlType, row: &[u8], at: usize, out: &mut String) {
    out.push('"');
    write_plain(ty, row, at, out);
    out.push('"');
}

/// Appends the value as text without quotes.
pub fn write_plain(ty: SqlType, row: &[u8], at: usize, out: &mut String) {
    // Writing to a String cannot fail.
    let _ = match ty {
        SqlType::Null => write!(out, "null"),
        SqlType::Boolean => write!(out, "{}", row::get_bool(row, at)),
        SqlType::TinyInt => write!(out, "{}", row::get_i8(row, at)),
        SqlType::SmallInt => write!(out, "{}", row::get_i16(row, at)),
        SqlType::Integer => write!(out, "{}", row::get_i32(row, at)),
        SqlType::BigInt => write!(out, "{}", row::get_i64(row, at)),
        SqlType::UTinyInt => write!(out, "{}", row::get_u8(row, at)),
        SqlType::USmallInt => write!(out, "{}", row::get_u16(row, at)),
        SqlType::UInteger => write!(out, "{}", row::get_u32(row, at)),
        SqlType::UBigInt => write!(out, "{}", row::get_u64(row, at)),
        SqlType::Real => write_float(row::get_f32(row, at), out),
        SqlType::Double => write_float(row::get_f64(row, at), out),
        _ => {
            write_text(ty, row, at, out);
            Ok(())
        }
    };
}

fn write_text(ty: SqlType, row: &[u8], at: usize, out: &mut String) {
    match ty {
        SqlType::Decimal { scale, .. } => {
            let units = match ty.fixed_width() {
                Some(8) => row::get_i64(row, at).into(),
                _ => row::get_i128(row, at),
            };
            write_trimmed_decimal(units, scale, out);
        }
        SqlType::Date => write_date(row::get_i32(row, at), out),
        SqlType::Time => write_time(row::get_i64(row, at), Fraction::Trimmed, out),
        SqlType::Timestamp => write_timestamp(row::get_i64(row, at), out),
        SqlType::TimestampTz => {
            write_timestamp(row::get_i64(row, at), out);
            out.push_str("+00:00");
        }
        SqlType::Uuid => uuid::write(row::get_u128(row, at), out),
        _ if ty.is_binary() => binary::write_hex(&row::get_bytes(row, at).0, out),
        _ if ty.is_nested() => json_value(&nested::get_column(row, at, ty).0, ty, out),
        SqlType::IntervalShort { .. } => spell_short_interval(row::get_i64(row, at), out),
        SqlType::IntervalLong { .. } => spell_long_interval(row::get_i32(row, at), out),
        _ => out.push_str(&row::get_text(row, at).0),
    }
}
