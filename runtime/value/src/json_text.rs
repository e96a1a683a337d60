//! JSON text to values of a type: what nested columns of inputs and PARSE_JSON read.

use crate::json_cursor::{Cursor, Fault, Kind, unescape};
use crate::nested::{array_of_variants, json_null, map, map_of_variants, to_variant};
use crate::text_form::parse_value;
use crate::{ColumnType, RowField, SqlType, Value};

/// Deeper nesting than this is refused, so that no text exhausts the stack.
const DEPTH_MAX: usize = 128;

/// Why a value was not read.
#[derive(Clone, Debug, PartialEq)]
pub enum NotRead {
    /// The text is not JSON, or ends too early.
    Fault(Fault),
    /// The text is JSON, but no value of the type; the cursor stands somewhere inside it.
    Unfit(String),
}

impl From<Fault> for NotRead {
    fn from(fault: Fault) -> NotRead {
        NotRead::Fault(fault)
    }
}

/// The value of a whole text; `None` when it is not JSON.
pub fn parse_variant(text: &str) -> Option<Value> {
    parse_as(text, SqlType::Variant)
}

/// The value of a type that a whole text denotes; `None` when it is not JSON or not of the type.
pub fn parse_as(text: &str, ty: SqlType) -> Option<Value> {
    // Behind the text, so that a number at its end is known to be whole.
    let text = format!("{text}\n");
    let mut cursor = Cursor::new(text.as_bytes(), 0);
    let value = read(&mut cursor, ty, 0).ok()?;
    matches!(cursor.peek(), Err(Fault::Incomplete)).then_some(value)
}

/// Reads one value of a type; `null` is NULL, in a VARIANT the null of JSON.
pub fn read_value(cursor: &mut Cursor<'_>, ty: SqlType) -> Result<Value, NotRead> {
    read(cursor, ty, 0)
}

fn read(cursor: &mut Cursor<'_>, ty: SqlType, depth: usize) -> Result<Value, NotRead> {
    if depth > DEPTH_MAX {
        return Err(NotRead::Fault(Fault::Syntax("JSON is nested too deeply (limit 128)")));
    }
    let kind = cursor.kind()?;
    match (kind, ty) {
        (_, SqlType::Variant) => variant(cursor, kind, depth),
        (Kind::Null, _) => {
            cursor.null()?;
            Ok(Value::Null)
        }
        (Kind::Array, SqlType::Array(element)) => {
            let elements = items(cursor, |cursor| part(cursor, *element, depth + 1))?;
            Ok(Value::array(elements))
        }
        (Kind::Array, SqlType::Binary { .. } | SqlType::Varbinary { .. }) => {
            let bytes = items(cursor, byte)?;
            Ok(Value::binary(bytes))
        }
        (Kind::Array, SqlType::Row(fields)) => row_of_list(cursor, &fields, depth),
        (Kind::Object, SqlType::Row(fields)) => row_of_object(cursor, &fields, depth),
        (Kind::Object, SqlType::Map(entry)) => {
            let mut entries = Vec::new();
            members(cursor, |cursor, name| {
                let key = parse_key(name, entry.0.0)?;
                entries.push((key, part(cursor, entry.0.1, depth + 1)?));
                Ok(())
            })?;
            Ok(map(entries))
        }
        (Kind::Boolean, SqlType::Boolean) => Ok(Value::Boolean(cursor.boolean()?)),
        (Kind::Boolean, ty) if ty.is_text() => Ok(Value::text(if cursor.boolean()? { "true" } else { "false" })),
        (Kind::Number, ty) if ty.is_numeric() || ty.is_text() => scalar(cursor.number()?, ty),
        (Kind::String, ty) if !ty.is_nested() => {
            let mut scratch = String::new();
            let text = unescape(cursor.raw_string()?, &mut scratch).map_err(|reason| NotRead::Unfit(reason.into()))?;
            scalar(text, ty)
        }
        (kind, ty) => Err(NotRead::Unfit(format!("expected {ty}, found a JSON {}", name_of(kind)))),
    }
}

/// A part of an ARRAY, MAP or ROW: `null` is NULL, whatever its type.
fn part(cursor: &mut Cursor<'_>, ty: SqlType, depth: usize) -> Result<Value, NotRead> {
    match cursor.kind()? {
        Kind::Null => {
            cursor.null()?;
            Ok(Value::Null)
        }
        _ => read(cursor, ty, depth),
    }
}

fn name_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Boolean => "boolean",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

fn scalar(text: &str, ty: SqlType) -> Result<Value, NotRead> {
    parse_value(text, ty).map_err(|error| NotRead::Unfit(error.message.into_owned()))
}

fn byte(cursor: &mut Cursor<'_>) -> Result<u8, NotRead> {
    let text = cursor.number()?;
    text.parse().map_err(|_| NotRead::Unfit(format!("{text} is not a byte from 0 to 255")))
}

/// A key of an object as a value; keys of VARIANT are texts.
fn parse_key(text: &str, ty: SqlType) -> Result<Value, NotRead> {
    match ty {
        SqlType::Variant => Ok(Value::variant(SqlType::VARCHAR, Value::text(text))),
        ty => scalar(text, ty),
    }
}

fn items<T>(
    cursor: &mut Cursor<'_>,
    mut item: impl FnMut(&mut Cursor<'_>) -> Result<T, NotRead>,
) -> Result<Vec<T>, NotRead> {
    let mut all = Vec::new();
    let mut more = cursor.enter_array()?;
    while more {
        all.push(item(cursor)?);
        more = cursor.next_in_array()?;
    }
    Ok(all)
}

fn members(
    cursor: &mut Cursor<'_>,
    mut member: impl FnMut(&mut Cursor<'_>, &str) -> Result<(), NotRead>,
) -> Result<(), NotRead> {
    let mut scratch = String::new();
    let mut more = cursor.enter_object()?;
    while more {
        let name = unescape(cursor.key()?, &mut scratch).map_err(|reason| NotRead::Unfit(reason.into()))?;
        member(cursor, name)?;
        more = cursor.next_in_object()?;
    }
    Ok(())
}

fn variant(cursor: &mut Cursor<'_>, kind: Kind, depth: usize) -> Result<Value, NotRead> {
    Ok(match kind {
        Kind::Null => {
            cursor.null()?;
            json_null()
        }
        Kind::Boolean => Value::variant(SqlType::Boolean, Value::Boolean(cursor.boolean()?)),
        Kind::Number => number(cursor.number()?)?,
        Kind::String => {
            let mut scratch = String::new();
            let text = unescape(cursor.raw_string()?, &mut scratch).map_err(|reason| NotRead::Unfit(reason.into()))?;
            Value::variant(SqlType::VARCHAR, Value::text(text))
        }
        Kind::Array => {
            let elements = items(cursor, |cursor| read(cursor, SqlType::Variant, depth + 1))?;
            Value::variant(array_of_variants(), Value::array(elements))
        }
        Kind::Object => {
            let mut entries = Vec::new();
            members(cursor, |cursor, name| {
                let key = parse_key(name, SqlType::Variant)?;
                entries.push((key, read(cursor, SqlType::Variant, depth + 1)?));
                Ok(())
            })?;
            Value::variant(map_of_variants(), map(entries))
        }
    })
}

/// A whole number without point and exponent is a BIGINT UNSIGNED, below zero a BIGINT; any other a DECIMAL when all digits fit
/// one, else a DOUBLE.
fn number(text: &str) -> Result<Value, NotRead> {
    use crate::decimal::Rounding;
    use crate::decimal_text::parse_decimal;
    if let Ok(value) = text.parse() {
        return Ok(Value::variant(SqlType::UBigInt, Value::UBigInt(value)));
    }
    if let Ok(value) = text.parse() {
        return Ok(Value::variant(SqlType::BigInt, Value::BigInt(value)));
    }
    for scale in 0..=38 {
        let [below, above] = [Rounding::Floor, Rounding::Ceiling].map(|way| parse_decimal(text, 38, scale, way));
        match (below, above) {
            (Ok(below), Ok(above)) if below == above => {
                let ty = SqlType::Decimal { precision: 38, scale };
                return Ok(to_variant(&Value::Decimal(below), ty));
            }
            (Ok(_), Ok(_)) => (),
            _ => break,
        }
    }
    let value = scalar(text, SqlType::Double)?;
    Ok(Value::variant(SqlType::Double, value))
}

/// A field that an object lacks is NULL.
fn absent(field: &RowField) -> Result<Value, NotRead> {
    let ColumnType { nullable, .. } = field.columntype;
    let missing = || NotRead::Unfit(format!("the field {:?} is missing; it is NOT NULL", field.name.0));
    nullable.then_some(Value::Null).ok_or_else(missing)
}

fn read_field(cursor: &mut Cursor<'_>, field: &RowField, depth: usize) -> Result<Value, NotRead> {
    // Where NULL cannot be, `null` is the null of JSON in a VARIANT.
    let ColumnType { ty, nullable } = field.columntype;
    let value = if nullable { part(cursor, ty, depth + 1)? } else { read(cursor, ty, depth + 1)? };
    match value.is_null() && !field.columntype.nullable {
        true => Err(NotRead::Unfit(format!("the field {:?} must not be null", field.name.0))),
        false => Ok(value),
    }
}

fn row_of_list(cursor: &mut Cursor<'_>, fields: &[RowField], depth: usize) -> Result<Value, NotRead> {
    let mut values = Vec::new();
    let mut more = cursor.enter_array()?;
    while more {
        let Some(field) = fields.get(values.len()) else {
            return Err(NotRead::Unfit(format!("a row of {} fields has more values", fields.len())));
        };
        values.push(read_field(cursor, field, depth)?);
        more = cursor.next_in_array()?;
    }
    for field in &fields[values.len()..] {
        values.push(absent(field)?);
    }
    Ok(Value::row(values))
}

fn row_of_object(cursor: &mut Cursor<'_>, fields: &[RowField], depth: usize) -> Result<Value, NotRead> {
    let mut values: Vec<Option<Value>> = vec![None; fields.len()];
    members(cursor, |cursor, name| {
        let exact = fields.iter().position(|field| field.name.0 == name);
        let found = exact.or_else(|| fields.iter().position(|field| field.name.0.eq_ignore_ascii_case(name)));
        match found {
            Some(at) => values[at] = Some(read_field(cursor, &fields[at], depth)?),
            None => cursor.skip_value()?,
        }
        Ok(())
    })?;
    let whole = values.into_iter().zip(fields).map(|(value, field)| value.map_or_else(|| absent(field), Ok));
    whole.collect::<Result<Vec<Value>, NotRead>>().map(Value::row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Part;
    use crate::json::json_value;

    fn check(text: &str, ty: SqlType, expected: Result<&str, &str>) {
        let text = format!("{text} ");
        let got = match read_value(&mut Cursor::new(text.as_bytes(), 0), ty) {
            Ok(value) => {
                let mut out = String::new();
                json_value(&value, ty, &mut out);
                Ok(out)
            }
            Err(NotRead::Unfit(reason)) => Err(reason),
            Err(NotRead::Fault(fault)) => Err(format!("{fault:?}")),
        };
        match (&got, expected) {
            (Err(reason), Err(part)) => assert!(reason.contains(part), "{reason}"),
            _ => assert_eq!(got, expected.map(str::to_string).map_err(str::to_string), "{text}"),
        }
    }

    #[test]
    fn nested_values() {
        let integers = SqlType::array(SqlType::Integer);
        check("[1, null, 3]", integers, Ok("[1,null,3]"));
        check("[1, \"x\"]", integers, Err("cannot convert 'x' to INTEGER"));
        check("[1, [2]]", integers, Err("expected INTEGER, found a JSON array"));
        check("[1", integers, Err("Incomplete"));
        check(
            "{\"b\": 1, \"a\": null, \"b\": 2}",
            SqlType::map(SqlType::VARCHAR, SqlType::Integer),
            Ok("{\"a\":null,\"b\":2}"),
        );
        let field = |name, ty, nullable| RowField { name: Part(name), columntype: ColumnType::new(ty, nullable) };
        let row = SqlType::row(vec![field("x", SqlType::Integer, false), field("y", integers, true)]);
        check("{\"Y\": [7], \"x\": 1, \"z\": {}}", row, Ok("{\"x\":1,\"y\":[7]}"));
        check("[5]", row, Ok("{\"x\":5,\"y\":null}"));
        check("{\"y\": []}", row, Err("the field \"x\" is missing"));
        check("[0, 255]", SqlType::VARBINARY, Ok("[0,255]"));
        check("[256]", SqlType::VARBINARY, Err("256 is not a byte"));
    }

    #[test]
    fn variants() {
        check("{\"a\": [1, 1.50, \"x\", null, true]}", SqlType::Variant, Ok("{\"a\":[1,1.5,\"x\",null,true]}"));
        check("1e400", SqlType::Variant, Err("does not fit DOUBLE"));
        check("1e-60", SqlType::Variant, Ok("1e-60"));
        assert_eq!((parse_variant("[1"), parse_variant("1 2"), parse_variant("")), (None, None, None));
        assert!(parse_variant(" {} ").is_some());
        assert!(parse_variant(&"[".repeat(100_000)).is_none());
    }
}
