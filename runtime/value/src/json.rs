//! The JSON form of values: the default flavor of the formats and of the HTTP API.

use crate::decimal_text::write_trimmed_decimal;
use crate::temporal_text::{Fraction, write_time};
use crate::text_form::{format_value, write_value};
use crate::{SqlType, Value, decimal};

/// Appends the value as JSON: numbers as numbers (DECIMAL with its digits, without the zeros that end its fraction),
/// NaN and the infinities as strings, times and intervals as their text, bytes as an array of numbers, maps and rows as
/// objects, variants as what they hold.
pub fn json_value(value: &Value, ty: SqlType, out: &mut String) {
    match (value, ty) {
        (Value::Null, _) => out.push_str("null"),
        (Value::Boolean(value), _) => out.push_str(if *value { "true" } else { "false" }),
        (Value::Decimal(value), _) => write_trimmed_decimal(*value, decimal::shape(ty).1, out),
        (Value::Real(number), _) if number.is_finite() => write_value(value, ty, out),
        (Value::Double(number), _) if number.is_finite() => write_value(value, ty, out),
        (Value::Text(text), _) => json_string(text, out),
        (Value::Time(nanos), _) => {
            out.push('"');
            write_time(*nanos, Fraction::Trimmed, out);
            out.push('"');
        }
        (Value::Binary(bytes), _) => json_list(bytes.iter(), out, |byte, out| out.push_str(&byte.to_string())),
        (Value::Array(elements), SqlType::Array(element)) => {
            json_list(elements.iter(), out, |value, out| json_value(value, *element, out));
        }
        (Value::Map(entries), SqlType::Map(entry)) => {
            json_object(entries.iter().map(|(key, value)| (key_text(key, entry.0.0), value, entry.0.1)), out);
        }
        (Value::Row(values), SqlType::Row(fields)) => {
            let fields = values.iter().zip(fields.iter());
            json_object(fields.map(|(value, field)| (field.name.0.to_string(), value, field.columntype.ty)), out);
        }
        (Value::Variant(variant), _) => json_value(&variant.value, variant.ty, out),
        _ if ty.is_integer() => write_value(value, ty, out),
        // Text of digits, letters and signs only.
        _ => {
            out.push('"');
            write_value(value, ty, out);
            out.push('"');
        }
    }
}

fn json_list<T>(items: impl Iterator<Item = T>, out: &mut String, write: impl Fn(T, &mut String)) {
    out.push('[');
    for (position, item) in items.enumerate() {
        if position > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn json_object<'a>(fields: impl Iterator<Item = (String, &'a Value, SqlType)>, out: &mut String) {
    out.push('{');
    for (position, (name, value, ty)) in fields.enumerate() {
        if position > 0 {
            out.push(',');
        }
        json_string(&name, out);
        out.push(':');
        json_value(value, ty, out);
    }
    out.push('}');
}

/// A key as a name in an object: text as it is, other values as their text.
fn key_text(key: &Value, ty: SqlType) -> String {
    match key {
        Value::Variant(variant) => key_text(&variant.value, variant.ty),
        key => format_value(key, ty),
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
        json_value(&value, ty, &mut out);
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
