//! The JSON form of values: the default flavor of the formats and of the HTTP API.

use crate::decimal_text::write_trimmed_decimal;
use crate::temporal_text::{Fraction, write_time};
use crate::text_form::write_value;
use crate::{ColumnType, Value, decimal};

/// Appends the value as JSON: numbers as numbers (DECIMAL with its digits, without the zeros that end its fraction),
/// NaN and the infinities as strings, times and intervals as their text.
pub fn json_value(value: &Value, ty: &ColumnType, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Decimal(value) => write_trimmed_decimal(*value, decimal::shape(ty.ty).1, out),
        Value::TinyInt(_) | Value::SmallInt(_) | Value::Integer(_) | Value::BigInt(_) => write_value(value, ty.ty, out),
        Value::Real(number) if number.is_finite() => write_value(value, ty.ty, out),
        Value::Double(number) if number.is_finite() => write_value(value, ty.ty, out),
        Value::Text(text) => json_string(text, out),
        Value::Time(nanos) => {
            out.push('"');
            write_time(*nanos, Fraction::Trimmed, out);
            out.push('"');
        }
        // Text of digits, letters and signs only.
        Value::Real(_)
        | Value::Double(_)
        | Value::Date(_)
        | Value::Timestamp(_)
        | Value::IntervalShort(_)
        | Value::IntervalLong(_) => {
            out.push('"');
            write_value(value, ty.ty, out);
            out.push('"');
        }
    }
}

/// Appends a text as a JSON string.
pub fn json_string(text: &str, out: &mut String) {
    out.push('"');
    let mut written = 0;
    for (offset, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..0x20 => "",
            _ => continue,
        };
        out.push_str(&text[written..offset]);
        written = offset + 1;
        match escape {
            "" => out.push_str(&format!("\\u{byte:04x}")),
            escape => out.push_str(escape),
        }
    }
    out.push_str(&text[written..]);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{IntervalUnit, SqlType};

    fn check(value: Value, ty: SqlType, expected: &str) {
        let mut out = String::new();
        json_value(&value, &ColumnType::new(ty, true), &mut out);
        assert_eq!(out, expected);
        serde_json::from_str::<serde_json::Value>(&out).expect("valid JSON");
    }

    #[test]
    fn values() {
        check(Value::Null, SqlType::Date, "null");
        check(Value::Decimal(150_000), SqlType::Decimal { precision: 12, scale: 2 }, "1500");
        check(Value::Decimal(-5), SqlType::Decimal { precision: 12, scale: 2 }, "-0.05");
        check(Value::Double(1e300), SqlType::Double, "1e300");
        check(Value::Double(-0.5), SqlType::Double, "-0.5");
        check(Value::Real(f32::NAN), SqlType::Real, "\"NaN\"");
        check(Value::Double(f64::NEG_INFINITY), SqlType::Double, "\"-Infinity\"");
        check(Value::Time(36_000_120_000_000), SqlType::Time, "\"10:00:00.12\"");
        check(Value::Timestamp(-1), SqlType::Timestamp, "\"1969-12-31 23:59:59.999999\"");
        let days = SqlType::IntervalShort { from: IntervalUnit::Day, to: IntervalUnit::Day };
        check(Value::IntervalShort(86_400_000_000), days, "\"+1\"");
        check(Value::text("a\"b\\c\n\u{1}é🐍"), SqlType::VARCHAR, "\"a\\\"b\\\\c\\n\\u0001é🐍\"");
    }

    #[test]
    fn strings_survive_a_round_trip() {
        let text: String = (0..0x250u32).filter_map(char::from_u32).collect();
        let mut out = String::new();
        json_string(&text, &mut out);
        assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
    }
}
