//! Functions over VARIANT and JSON text.

use crate::error::INVALID_ARGUMENT;
use crate::function::Signature;
use crate::json::json_value;
use crate::nested::{map_of_variants, order};
use crate::text_form::parse_value;
use crate::variant_tree::field_path;
use crate::{SqlError, SqlType, Value, Variant, json_text, nested, variant};
use std::collections::BTreeSet;

type Outcome = Result<Value, SqlError>;

fn held(value: &Value) -> Option<&Variant> {
    match value {
        Value::Variant(variant) => Some(variant),
        _ => None,
    }
}

/// The null of JSON.
pub fn null(_: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(nested::json_null())
}

/// A part of a VARIANT: that it holds NULL is NULL outside.
fn part(found: Option<&Value>) -> Value {
    match found {
        Some(value) if held(value).is_some_and(|variant| variant.ty == SqlType::Null) => Value::Null,
        Some(value) => value.clone(),
        None => Value::Null,
    }
}

/// The name of the type inside.
pub fn type_of(values: &[Value], _: &Signature<'_>) -> Outcome {
    let name = match held(&values[0]).map(|variant| variant.ty) {
        None => "NULL".to_string(),
        Some(SqlType::Null) => "NULL".to_string(),
        Some(SqlType::Variant) => "VARIANT".to_string(),
        Some(SqlType::Decimal { .. }) => "DECIMAL".to_string(),
        Some(SqlType::Array(_)) => "ARRAY".to_string(),
        Some(SqlType::Map(_)) => "MAP".to_string(),
        Some(ty) => ty.to_string(),
    };
    Ok(Value::text(name))
}

/// NULL for a text that is not JSON.
pub fn parse(values: &[Value], _: &Signature<'_>) -> Outcome {
    let Value::Text(text) = &values[0] else { return Ok(Value::Null) };
    Ok(json_text::parse_variant(text).unwrap_or(Value::Null))
}

/// The value of the result's type; NULL for a text that denotes none.
pub fn json_as(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let Value::Text(text) = &values[0] else { return Ok(Value::Null) };
    Ok(json_text::parse_as(text, signature.result).unwrap_or(Value::Null))
}

pub fn to_json(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let mut out = String::new();
    json_value(&values[0], signature.arguments[0], &mut out);
    Ok(Value::text(out))
}

/// The value of a key; NULL where there is none or it is no map.
pub fn field(values: &[Value], _: &Signature<'_>) -> Outcome {
    let (Some(variant), Value::Text(name)) = (held(&values[0]), &values[1]) else { return Ok(Value::Null) };
    let Value::Map(entries) = &variant.value else { return Ok(Value::Null) };
    let wanted = Value::variant(SqlType::VARCHAR, Value::text(name.clone()));
    let found = entries.binary_search_by(|(key, _)| order(key, &wanted)).ok();
    Ok(part(found.map(|at| &entries[at].1)))
}

/// The element at a position from 1, or the value of an integer key; NULL where there is none.
fn element(values: &[Value]) -> Outcome {
    let (Some(variant), Value::BigInt(index)) = (held(&values[0]), &values[1]) else { return Ok(Value::Null) };
    Ok(match &variant.value {
        Value::Array(elements) => {
            let at = usize::try_from(*index).ok().and_then(|index| index.checked_sub(1));
            part(at.and_then(|at| elements.get(at)))
        }
        Value::Map(entries) => {
            let is_wanted = |key: &Value| {
                held(key).is_some_and(|key| {
                    key.ty.is_integer() && crate::text_form::format_value(&key.value, key.ty) == index.to_string()
                })
            };
            part(entries.iter().find(|(key, _)| is_wanted(key)).map(|(_, value)| value))
        }
        _ => Value::Null,
    })
}

/// The value of a key of any type; an integer is a position from 1 in an array. NULL where there is none.
pub fn item(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let ty = signature.arguments[1];
    if ty.is_integer() {
        let Ok(index) = nested::cast_value(&values[1], ty, SqlType::BigInt) else { return Ok(Value::Null) };
        return element(&[values[0].clone(), index]);
    }
    let wanted = nested::to_variant(&values[1], ty);
    if let (Some(Variant { value: Value::Array(_), .. }), Some(index)) = (held(&values[0]), held(&wanted))
        && index.ty.is_integer()
    {
        let inner = Signature { arguments: &[SqlType::Variant, index.ty], result: SqlType::Variant };
        return item(&[values[0].clone(), index.value.clone()], &inner);
    }
    let found = entries(&values[0]).iter().find(|(key, _)| order(key, &wanted).is_eq());
    Ok(part(found.map(|(_, value)| value)))
}

/// The entries of an object; none of anything else.
fn entries(value: &Value) -> &[(Value, Value)] {
    match held(value) {
        Some(Variant { value: Value::Map(entries), .. }) => entries,
        _ => &[],
    }
}

/// The name of a field; keys of other types have none.
fn name_of(key: &Value) -> Option<&str> {
    match &held(key)?.value {
        Value::Text(name) => Some(name),
        _ => None,
    }
}

/// The keys of an object that are texts, in order.
pub fn keys(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::array(entries(&values[0]).iter().filter_map(|(key, _)| name_of(key)).map(Value::text)))
}

/// `a.b` for the key `b` of the object at `a`, in the order of the paths; what is in arrays has none.
pub fn paths(values: &[Value], _: &Signature<'_>) -> Outcome {
    fn collect(value: &Value, before: &str, out: &mut BTreeSet<String>) {
        for (key, value) in entries(value) {
            let Some(name) = name_of(key) else { continue };
            let path = field_path(before, name);
            collect(value, &path, out);
            out.insert(path);
        }
    }
    let mut out = BTreeSet::new();
    collect(&values[0], "", &mut out);
    Ok(Value::array(out.into_iter().map(Value::text)))
}

/// The fields of an object whose values are of the result's value type.
pub fn each(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let SqlType::Map(entry) = signature.result else { return Ok(Value::Null) };
    let fields = entries(&values[0]).iter().filter_map(|(key, value)| {
        let name = name_of(key)?;
        Some((Value::text(name), read(held(value)?, entry.0.1)?))
    });
    Ok(nested::map(fields))
}

/// A value of JSON as a type, if it is of the type: whole numbers of any type are integers, texts may be dates and times.
fn read(variant: &Variant, ty: SqlType) -> Option<Value> {
    match (&variant.value, variant.ty, ty) {
        (Value::Text(text), _, SqlType::Date | SqlType::Time | SqlType::Timestamp) => parse_value(text, ty).ok(),
        (value, from, to) if from.same_family(to) => Some(value.clone()),
        (value, from, to) if from.is_numeric() && to.is_integer() => {
            let whole = nested::cast_value(value, from, to).ok()?;
            let back = nested::cast_value(&whole, to, from).ok()?;
            order(&back, value).is_eq().then_some(whole)
        }
        _ => None,
    }
}

/// Objects are merged key by key, the second's values replacing the first's; anything else is replaced whole.
pub fn merge(values: &[Value], _: &Signature<'_>) -> Outcome {
    fn merged(left: &Value, right: &Value) -> Value {
        let (Some(Variant { value: Value::Map(a), .. }), Some(Variant { value: Value::Map(b), .. })) =
            (held(left), held(right))
        else {
            return right.clone();
        };
        let mut entries = a.to_vec();
        for (key, value) in b.iter() {
            match entries.iter_mut().find(|(known, _)| order(known, key).is_eq()) {
                Some((_, known)) => *known = merged(known, value),
                None => entries.push((key.clone(), value.clone())),
            }
        }
        Value::variant(map_of_variants(), nested::map(entries))
    }
    Ok(merged(&values[0], &values[1]))
}

/// A step of a JSON path.
enum Step {
    Name(String),
    Index(usize),
}

/// `$`, `.name`, `."name"`, `[0]`, `['name']`, perhaps behind `lax`.
fn parse_path(path: &str) -> Result<Vec<Step>, SqlError> {
    let wrong = || SqlError::new(INVALID_ARGUMENT, format!("'{path}' is not a JSON path such as $.a[0].b"));
    let trimmed = path.trim();
    let mut rest = trimmed.strip_prefix("lax ").unwrap_or(trimmed).trim_start().strip_prefix('$').ok_or_else(wrong)?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (index, behind) = inside.split_once(']').ok_or_else(wrong)?;
            let quoted = index.strip_prefix(['\'', '"']).and_then(|index| index.strip_suffix(['\'', '"']));
            steps.push(match quoted {
                Some(name) => Step::Name(name.to_string()),
                None => Step::Index(index.trim().parse().map_err(|_| wrong())?),
            });
            rest = behind;
        } else if let Some(inside) = rest.strip_prefix(".\"") {
            let (name, behind) = inside.split_once('"').ok_or_else(wrong)?;
            steps.push(Step::Name(name.to_string()));
            rest = behind;
        } else {
            let inside = rest.strip_prefix('.').ok_or_else(wrong)?;
            let end = inside.find(['.', '[']).unwrap_or(inside.len());
            if end == 0 {
                return Err(wrong());
            }
            steps.push(Step::Name(inside[..end].to_string()));
            rest = &inside[end..];
        }
    }
    Ok(steps)
}

/// The value at a path of a JSON text.
fn at_path(values: &[Value]) -> Result<Option<Value>, SqlError> {
    let (Value::Text(text), Value::Text(path)) = (&values[0], &values[1]) else { return Ok(None) };
    let steps = parse_path(path)?;
    let Some(mut value) = json_text::parse_variant(text) else { return Ok(None) };
    for step in steps {
        let next = match (&step, held(&value).map(|variant| &variant.value)) {
            (Step::Name(name), Some(Value::Map(entries))) => {
                let wanted = Value::variant(SqlType::VARCHAR, Value::text(name.as_str()));
                entries.iter().find(|(key, _)| order(key, &wanted).is_eq()).map(|(_, value)| value.clone())
            }
            (Step::Index(index), Some(Value::Array(elements))) => elements.get(*index).cloned(),
            _ => None,
        };
        match next {
            Some(next) => value = next,
            None => return Ok(None),
        }
    }
    Ok(Some(value))
}

/// A scalar as text; NULL for an object, an array, null, a path that leads nowhere, and a text that is not JSON.
pub fn json_scalar(values: &[Value], _: &Signature<'_>) -> Outcome {
    let Some(value) = at_path(values)? else { return Ok(Value::Null) };
    Ok(match held(&value) {
        Some(Variant { value: Value::Text(text), .. }) => Value::text(text.clone()),
        Some(variant) if !variant.ty.is_nested() && !variant.value.is_null() => json_of(&value),
        _ => Value::Null,
    })
}

/// An object or array as JSON; NULL for anything else.
pub fn json_part(values: &[Value], _: &Signature<'_>) -> Outcome {
    let Some(value) = at_path(values)? else { return Ok(Value::Null) };
    Ok(if held(&value).is_some_and(|variant| variant.value != Value::Null && variant.ty.is_nested()) {
        json_of(&value)
    } else {
        Value::Null
    })
}

pub fn json_exists(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::Boolean(at_path(values)?.is_some()))
}

fn json_of(value: &Value) -> Value {
    let mut out = String::new();
    json_value(value, SqlType::Variant, &mut out);
    Value::text(out)
}

macro_rules! shapes {
    ($($name:ident $ty:expr;)*) => {
        $(pub fn $name(arguments: &[SqlType]) -> Result<crate::function::Shape, SqlError> {
            Ok(crate::function::Shape { arguments: arguments.to_vec(), result: $ty })
        })*
    };
}

shapes! {
    texts SqlType::array(SqlType::VARCHAR);
    bigints SqlType::map(SqlType::VARCHAR, SqlType::BigInt);
    strings SqlType::map(SqlType::VARCHAR, SqlType::VARCHAR);
    booleans SqlType::map(SqlType::VARCHAR, SqlType::Boolean);
    dates SqlType::map(SqlType::VARCHAR, SqlType::Date);
    times SqlType::map(SqlType::VARCHAR, SqlType::Time);
    timestamps SqlType::map(SqlType::VARCHAR, SqlType::Timestamp);
}

boxed_functions! { pub static FUNCTIONS:
    "VARIANTNULL" () -> (is VARIANT) = variant::null, Strict {}, "The null of JSON.";
    "TYPEOF" (VARIANT) -> (is VARCHAR) = variant::type_of, Never {}, "The name of the type of the value inside.";
    "PARSE_JSON" (VARCHAR) -> (is VARIANT) = variant::parse, StrictToOption {}, "The value of a JSON text; NULL when it is not JSON.";
    "JSON_AS" (VARCHAR) -> (is ANY) = variant::json_as, StrictToOption {}, "The value of a type that a JSON text denotes, as jsonstring_as_... functions of a program give it.";
    "TO_JSON" (ANY) -> (is VARCHAR) = variant::to_json, Strict {}, "The value as JSON text.";
    "[]" (VARIANT, VARCHAR) -> (is VARIANT) = variant::field, StrictToOption {}, "The value of a key.";
    "[]" (VARIANT, ANY) -> (is VARIANT) = variant::item, StrictToOption {}, "The value of a key of any type; of an array the element at a position.";
    "JSON_KEYS" (VARIANT) -> (shape variant::texts) = variant::paths, Strict {}, "The paths of all keys of an object and of the objects in it, in order; none of anything else.";
    "JSON_OBJECT_KEYS" (VARIANT) -> (shape variant::texts) = variant::keys, Strict {}, "The keys of an object, in order; none of anything else.";
    "JSON_EACH_BIGINT" (VARIANT) -> (shape variant::bigints) = variant::each, Strict {}, "The fields of an object that are whole numbers.";
    "JSON_EACH_STRING" (VARIANT) -> (shape variant::strings) = variant::each, Strict {}, "The fields of an object that are texts.";
    "JSON_EACH_BOOLEAN" (VARIANT) -> (shape variant::booleans) = variant::each, Strict {}, "The fields of an object that are truth values.";
    "JSON_EACH_DATE" (VARIANT) -> (shape variant::dates) = variant::each, Strict {}, "The fields of an object that are dates.";
    "JSON_EACH_TIME" (VARIANT) -> (shape variant::times) = variant::each, Strict {}, "The fields of an object that are times.";
    "JSON_EACH_TIMESTAMP" (VARIANT) -> (shape variant::timestamps) = variant::each, Strict {}, "The fields of an object that are timestamps.";
    "VARIANT_MERGE" (VARIANT, VARIANT) -> (is VARIANT) = variant::merge, Strict {}, "Two objects as one, key by key; the second's values win.";
    "JSON_VALUE" (VARCHAR, VARCHAR) -> (is VARCHAR) = variant::json_scalar, StrictToOption {fallible}, "The scalar at a path of a JSON text.";
    "JSON_QUERY" (VARCHAR, VARCHAR) -> (is VARCHAR) = variant::json_part, StrictToOption {fallible}, "The object or array at a path of a JSON text.";
    "JSON_EXISTS" (VARCHAR, VARCHAR) -> (is BOOLEAN) = variant::json_exists, Strict {fallible}, "Does a path lead to a value of a JSON text?";
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: Signature<'static> = Signature { arguments: &[SqlType::Variant], result: SqlType::Null };

    #[test]
    fn paths() {
        let text = r#"{"a": {"b": [1, {"c": "x"}]}, "n": null}"#;
        let at = |call: fn(&[Value], &Signature<'_>) -> Outcome, path: &str| {
            call(&[Value::text(text), Value::text(path)], &SIGNATURE)
        };
        assert_eq!(at(json_scalar, "$.a.b[1].c"), Ok(Value::text("x")));
        assert_eq!(at(json_scalar, "lax $.a['b'][0]"), Ok(Value::text("1")));
        assert_eq!(at(json_scalar, "$.n"), Ok(Value::Null));
        assert_eq!(at(json_part, "$.a.b"), Ok(Value::text(r#"[1,{"c":"x"}]"#)));
        assert_eq!(
            (at(json_exists, "$.n"), at(json_exists, "$.m")),
            (Ok(Value::Boolean(true)), Ok(Value::Boolean(false)))
        );
        assert!(at(json_scalar, "a.b").is_err() && at(json_scalar, "$.").is_err() && at(json_scalar, "$[").is_err());
    }

    #[test]
    fn objects() {
        let parsed = |text: &str| parse(&[Value::text(text)], &SIGNATURE).unwrap();
        let merged = merge(&[parsed(r#"{"a": {"x": 1}, "b": 2}"#), parsed(r#"{"a": {"y": 3}, "b": [4]}"#)], &SIGNATURE);
        assert_eq!(merged, Ok(parsed(r#"{"a": {"x": 1, "y": 3}, "b": [4]}"#)));
        assert_eq!(keys(&[parsed(r#"{"b": 1, "a": 2}"#)], &SIGNATURE), Ok(Value::array(["a", "b"].map(Value::text))));
        assert_eq!(
            (parse(&[Value::text("{")], &SIGNATURE), keys(&[parsed("[]")], &SIGNATURE)),
            (Ok(Value::Null), Ok(Value::array([])))
        );
        let keyed = |key: Value, ty: SqlType| {
            let map = nested::map([(nested::to_variant(&key, ty), parsed("7"))]);
            let arguments = [Value::variant(map_of_variants(), map), key];
            item(&arguments, &Signature { arguments: &[SqlType::Variant, ty], result: SqlType::Variant })
        };
        for (key, ty) in [(Value::Date(1), SqlType::Date), (parsed("\"a\""), SqlType::Variant)] {
            assert_eq!(keyed(key, ty), Ok(parsed("7")));
        }
        assert_eq!(type_of(&[parsed("1.5")], &SIGNATURE), Ok(Value::text("DECIMAL")));
    }
}
