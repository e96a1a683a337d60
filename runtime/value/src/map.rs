//! Functions over maps. Entries are in the order of their keys.

use crate::array::element_of;
use crate::coerce::common_type;
use crate::error::{CANNOT_COERCE, INVALID_ARGUMENT};
use crate::function::{Shape, Signature};
use crate::nested::order;
use crate::{ColumnType, Part, RowField, SqlError, SqlType, Value, map, nested};

type Outcome = Result<Value, SqlError>;
type Entries = [(Value, Value)];

fn entries(value: &Value) -> &Entries {
    match value {
        Value::Map(entries) => entries,
        _ => &[],
    }
}

fn entry_of(ty: SqlType) -> (SqlType, SqlType) {
    match ty {
        SqlType::Map(entry) => *entry.0,
        _ => (SqlType::Null, SqlType::Null),
    }
}

fn common(types: impl Iterator<Item = SqlType>) -> Result<SqlType, SqlError> {
    let meet = |common, ty| {
        let none = || SqlError::new(CANNOT_COERCE, format!("{common} and {ty} have no common type"));
        common_type(common, ty).ok_or_else(none)
    };
    types.into_iter().try_fold(SqlType::Null, meet)
}

/// Keys and values alternate.
pub fn constructor_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    if !arguments.len().is_multiple_of(2) {
        return Err(SqlError::new(INVALID_ARGUMENT, "MAP[...] needs a value for each key"));
    }
    let key = common(arguments.iter().copied().step_by(2))?;
    let value = common(arguments.iter().copied().skip(1).step_by(2))?;
    let pairs = (0..arguments.len()).map(|at| if at % 2 == 0 { key } else { value });
    Ok(Shape { arguments: pairs.collect(), result: SqlType::map(key, value) })
}

pub fn constructor(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(nested::map(values.chunks(2).map(|pair| (pair[0].clone(), pair[1].clone()))))
}

fn lookup(arguments: &[SqlType], result: SqlType) -> Shape {
    Shape { arguments: vec![arguments[0], entry_of(arguments[0]).0], result }
}

pub fn item_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(lookup(arguments, entry_of(arguments[0]).1))
}

pub fn key_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(lookup(arguments, SqlType::Boolean))
}

fn find(values: &[Value]) -> Option<&Value> {
    let own = entries(&values[0]);
    own.binary_search_by(|(key, _)| order(key, &values[1])).ok().map(|at| &own[at].1)
}

pub fn item(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(find(values).cloned().unwrap_or(Value::Null))
}

pub fn contains_key(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::Boolean(find(values).is_some()))
}

pub fn keys_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(Shape { arguments: arguments.to_vec(), result: SqlType::array(entry_of(arguments[0]).0) })
}

pub fn values_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(Shape { arguments: arguments.to_vec(), result: SqlType::array(entry_of(arguments[0]).1) })
}

pub fn keys(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::array(entries(&values[0]).iter().map(|(key, _)| key.clone())))
}

pub fn values_of(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::array(entries(&values[0]).iter().map(|(_, value)| value.clone())))
}

fn entry_row(entry: (SqlType, SqlType)) -> SqlType {
    let field = |name, ty| RowField { name: Part(name), columntype: ColumnType::new(ty, true) };
    SqlType::row(vec![field("key", entry.0), field("value", entry.1)])
}

pub fn entries_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let row = entry_row(entry_of(arguments[0]));
    Ok(Shape { arguments: arguments.to_vec(), result: SqlType::array(row) })
}

pub fn entries_of(values: &[Value], _: &Signature<'_>) -> Outcome {
    let rows = entries(&values[0]).iter().map(|(key, value)| Value::row([key.clone(), value.clone()]));
    Ok(Value::array(rows))
}

pub fn maps_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let map = common(arguments.iter().copied())?;
    Ok(Shape { arguments: vec![map; arguments.len()], result: map })
}

/// Of equal keys the last map's counts.
pub fn concat(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(nested::map(values.iter().flat_map(entries).cloned()))
}

pub fn arrays_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let result = SqlType::map(element_of(arguments[0]), element_of(arguments[1]));
    Ok(Shape { arguments: arguments.to_vec(), result })
}

pub fn from_arrays(values: &[Value], _: &Signature<'_>) -> Outcome {
    let (Value::Array(keys), Value::Array(values)) = (&values[0], &values[1]) else { return Ok(Value::Null) };
    if keys.len() != values.len() {
        let message = format!("a map of {} keys and {} values", keys.len(), values.len());
        return Err(SqlError::new(INVALID_ARGUMENT, message));
    }
    Ok(nested::map(keys.iter().cloned().zip(values.iter().cloned())))
}

pub fn rows_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    match element_of(arguments[0]) {
        SqlType::Row(fields) if fields.len() == 2 => {
            let result = SqlType::map(fields[0].columntype.ty, fields[1].columntype.ty);
            Ok(Shape { arguments: arguments.to_vec(), result })
        }
        other => {
            Err(SqlError::new(INVALID_ARGUMENT, format!("MAP_FROM_ENTRIES needs rows of two fields, not {other}")))
        }
    }
}

/// NULL among the rows is no entry.
pub fn from_entries(values: &[Value], _: &Signature<'_>) -> Outcome {
    let Value::Array(rows) = &values[0] else { return Ok(Value::Null) };
    let entry = |row: &Value| match row {
        Value::Row(fields) => Some((fields.first()?.clone(), fields.get(1)?.clone())),
        _ => None,
    };
    Ok(nested::map(rows.iter().filter_map(entry)))
}

pub fn texts_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let result = SqlType::map(SqlType::VARCHAR, SqlType::VARCHAR);
    Ok(Shape { arguments: vec![SqlType::VARCHAR; arguments.len()], result })
}

/// `a:1,b:2` by default; an entry without the second separator has the value NULL.
pub fn from_text(values: &[Value], _: &Signature<'_>) -> Outcome {
    let text = |at: usize, otherwise: &'static str| match values.get(at) {
        Some(Value::Text(text)) if !text.is_empty() => text.to_string(),
        _ => otherwise.to_string(),
    };
    let (between, inside) = (text(1, ","), text(2, ":"));
    let whole = text(0, "");
    let entry = |part: &str| match part.split_once(inside.as_str()) {
        Some((key, value)) => (Value::text(key), Value::text(value)),
        None => (Value::text(part), Value::Null),
    };
    Ok(nested::map(whole.split(between.as_str()).map(entry)))
}

boxed_functions! { pub static FUNCTIONS:
    "MAP" (ANY; ANY) -> (shape map::constructor_shape) = map::constructor, Never {}, "A map of keys and values in turn, as MAP[...] writes it.";
    "[]" (MAP, ANY) -> (shape map::item_shape) = map::item, StrictToOption {}, "The value of a key; NULL where there is none.";
    "MAP_CONTAINS_KEY" (MAP, ANY) -> (shape map::key_shape) = map::contains_key, Strict {}, "Has the map the key?";
    "MAP_KEYS" (MAP) -> (shape map::keys_shape) = map::keys, Strict {}, "The keys, in order.";
    "MAP_VALUES" (MAP) -> (shape map::values_shape) = map::values_of, Strict {}, "The values, in the order of their keys.";
    "MAP_ENTRIES" (MAP) -> (shape map::entries_shape) = map::entries_of, Strict {}, "The entries as rows of key and value.";
    "MAP_CONCAT" (; MAP) -> (shape map::maps_shape) = map::concat, Strict {}, "The entries of all maps; of equal keys the last counts.";
    "MAP_FROM_ARRAYS" (ARRAY, ARRAY) -> (shape map::arrays_shape) = map::from_arrays, Strict {fallible}, "A map of an array of keys and one of values.";
    "MAP_FROM_ENTRIES" (ARRAY) -> (shape map::rows_shape) = map::from_entries, Strict {}, "A map of rows of key and value.";
    "STR_TO_MAP" (VARCHAR) -> (shape map::texts_shape) = map::from_text, Strict {}, "A map of a text such as a:1,b:2.";
    "STR_TO_MAP" (VARCHAR, VARCHAR) -> (shape map::texts_shape) = map::from_text, Strict {}, "A map of a text with a separator between entries.";
    "STR_TO_MAP" (VARCHAR, VARCHAR, VARCHAR) -> (shape map::texts_shape) = map::from_text, Strict {}, "A map of a text with separators between entries and between key and value.";
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: Signature<'static> = Signature { arguments: &[], result: SqlType::Null };

    #[test]
    fn maps_of_texts() {
        let text = |text: &str| Value::text(text);
        let map = from_text(&[text("b:2,a:1,c")], &SIGNATURE).unwrap();
        assert_eq!(keys(std::slice::from_ref(&map), &SIGNATURE), Ok(Value::array(["a", "b", "c"].map(Value::text))));
        assert_eq!(item(&[map.clone(), text("b")], &SIGNATURE), Ok(text("2")));
        assert_eq!(item(&[map.clone(), text("c")], &SIGNATURE), Ok(Value::Null));
        assert_eq!(contains_key(&[map, text("d")], &SIGNATURE), Ok(Value::Boolean(false)));
        assert!(constructor_shape(&[SqlType::Integer]).is_err());
    }
}
