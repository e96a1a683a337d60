//! A row's bytes to text: which column lies where, and each column as JSON or plain text.

use super::datetime;
use crate::schema::{Field, View};
use feldc_engine::{errors, row};
use feldc_value::{ColumnType, SqlType};
use std::io::Write;

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
pub fn write_json(ty: SqlType, row: &[u8], offset: Option<usize>, out: &mut Vec<u8>) {
    let Some(at) = offset else { return out.extend_from_slice(b"null") };
    match ty {
        _ if ty.is_text() => {
            let (text, _) = row::get_text(row, at);
            write_json_text(&text, out);
        }
        SqlType::Real if !row::get_f32(row, at).is_finite() => quoted(ty, row, at, out),
        SqlType::Double if !row::get_f64(row, at).is_finite() => quoted(ty, row, at, out),
        SqlType::Boolean => out.extend_from_slice(if row::get_bool(row, at) { b"true" } else { b"false" }),
        _ if ty.is_numeric() || ty == SqlType::Null => write_plain(ty, row, at, out),
        _ => quoted(ty, row, at, out),
    }
}

/// A JSON string with its quotes.
pub fn write_json_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(place) = rest.iter().position(|&byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
        out.extend_from_slice(&rest[..place]);
        match rest[place] {
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            byte @ (b'"' | b'\\') => out.extend_from_slice(&[b'\\', byte]),
            byte => write(out, format_args!("\\u{byte:04x}")),
        }
        rest = &rest[place + 1..];
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

/// None of the texts written this way holds a character that JSON escapes.
fn quoted(ty: SqlType, row: &[u8], at: usize, out: &mut Vec<u8>) {
    out.push(b'"');
    write_plain(ty, row, at, out);
    out.push(b'"');
}

/// Appends the value as text without quotes.
pub fn write_plain(ty: SqlType, row: &[u8], at: usize, out: &mut Vec<u8>) {
    match ty {
        SqlType::Null => out.extend_from_slice(b"null"),
        SqlType::Boolean => out.extend_from_slice(if row::get_bool(row, at) { b"true" } else { b"false" }),
        SqlType::TinyInt => write_integer(row::get_i8(row, at).into(), out),
        SqlType::SmallInt => write_integer(row::get_i16(row, at).into(), out),
        SqlType::Integer => write_integer(row::get_i32(row, at).into(), out),
        SqlType::BigInt => write_integer(row::get_i64(row, at), out),
        SqlType::Decimal { scale, .. } => match ty.fixed_width() {
            Some(8) => write_decimal(row::get_i64(row, at).into(), scale, out),
            _ => write_decimal(row::get_i128(row, at), scale, out),
        },
        SqlType::Real => write_float(row::get_f32(row, at), row::get_f32(row, at).into(), out),
        SqlType::Double => write_float(row::get_f64(row, at), row::get_f64(row, at), out),
        SqlType::Char { .. } | SqlType::Varchar { .. } => {
            let (text, _) = row::get_text(row, at);
            out.extend_from_slice(text.as_bytes());
        }
        SqlType::Date => datetime::write_date(row::get_i32(row, at), out),
        SqlType::Time => datetime::write_time(row::get_i64(row, at), out),
        SqlType::Timestamp => datetime::write_timestamp(row::get_i64(row, at), out),
        SqlType::IntervalShort { .. } => datetime::write_interval_short(row::get_i64(row, at), out),
        SqlType::IntervalLong { .. } => datetime::write_interval_long(row::get_i32(row, at), out),
    }
}

/// Digits from the right into a small buffer: several times faster than the formatting machinery.
fn write_integer(value: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[at..]);
}

fn write_decimal(units: i128, scale: u8, out: &mut Vec<u8>) {
    let one = 10u128.pow(u32::from(scale.min(38)));
    let (whole, fraction) = (units.unsigned_abs() / one, units.unsigned_abs() % one);
    if units < 0 {
        out.push(b'-');
    }
    write(out, format_args!("{whole}"));
    if fraction != 0 {
        let digits = format!("{fraction:0width$}", width = usize::from(scale));
        write(out, format_args!(".{}", digits.trim_end_matches('0')));
    }
}

/// The debug form of a float is the shortest that reads back, with an exponent where that is shorter.
fn write_float(value: impl std::fmt::Debug, wide: f64, out: &mut Vec<u8>) {
    match wide {
        _ if wide.is_nan() => out.extend_from_slice(b"NaN"),
        f64::INFINITY => out.extend_from_slice(b"Infinity"),
        f64::NEG_INFINITY => out.extend_from_slice(b"-Infinity"),
        _ => write(out, format_args!("{value:?}")),
    }
}

/// Writing to memory does not fail.
fn write(out: &mut Vec<u8>, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}
