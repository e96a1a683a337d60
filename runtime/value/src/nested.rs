//! ARRAY, MAP, ROW and VARIANT as trees of values: their order, their casts and what all of them share.

use crate::cast::cast_function;
use crate::compare::{SqlOrd, eq};
use crate::convert::fit_text;
use crate::error::{CANNOT_COERCE, NOT_NULL_VIOLATION};
use crate::function::Signature;
use crate::{SqlError, SqlType, Value, Variant, binary, nested};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;

impl SqlOrd for &Value {
    fn order(self, other: Self) -> Ordering {
        order(self, other)
    }
}

/// The order of SQL of two values of one type, NULL lowest: elements, entries and fields from left to right, what ends first
/// is less. It is the order of the encoding of rows.
pub fn order(a: &Value, b: &Value) -> Ordering {
    use Value as V;
    match (a, b) {
        (V::Null, _) | (_, V::Null) => b.is_null().cmp(&a.is_null()),
        (V::Boolean(a), V::Boolean(b)) => a.cmp(b),
        (V::TinyInt(a), V::TinyInt(b)) => a.cmp(b),
        (V::SmallInt(a), V::SmallInt(b)) => a.cmp(b),
        (V::Integer(a), V::Integer(b)) | (V::Date(a), V::Date(b)) | (V::IntervalLong(a), V::IntervalLong(b)) => {
            a.cmp(b)
        }
        (V::BigInt(a), V::BigInt(b))
        | (V::Time(a), V::Time(b))
        | (V::Timestamp(a), V::Timestamp(b))
        | (V::TimestampTz(a), V::TimestampTz(b))
        | (V::IntervalShort(a), V::IntervalShort(b)) => a.cmp(b),
        (V::UTinyInt(a), V::UTinyInt(b)) => a.cmp(b),
        (V::USmallInt(a), V::USmallInt(b)) => a.cmp(b),
        (V::UInteger(a), V::UInteger(b)) => a.cmp(b),
        (V::UBigInt(a), V::UBigInt(b)) => a.cmp(b),
        (V::Decimal(a), V::Decimal(b)) => a.cmp(b),
        (V::Real(a), V::Real(b)) => a.order(*b),
        (V::Double(a), V::Double(b)) => a.order(*b),
        (V::Text(a), V::Text(b)) => a.cmp(b),
        (V::Binary(a), V::Binary(b)) => a.cmp(b),
        (V::Uuid(a), V::Uuid(b)) => a.cmp(b),
        (V::Array(a), V::Array(b)) | (V::Row(a), V::Row(b)) => lists(a, b),
        (V::Map(a), V::Map(b)) => {
            let entries = a.iter().zip(b.iter()).map(|(a, b)| order(&a.0, &b.0).then_with(|| order(&a.1, &b.1)));
            first_difference(entries).then(a.len().cmp(&b.len()))
        }
        (V::Variant(a), V::Variant(b)) => variants(a, b),
        // Values of two types are not compared.
        _ => Ordering::Equal,
    }
}

fn lists(a: &[Value], b: &[Value]) -> Ordering {
    first_difference(a.iter().zip(b).map(|(a, b)| order(a, b))).then(a.len().cmp(&b.len()))
}

fn first_difference(mut orders: impl Iterator<Item = Ordering>) -> Ordering {
    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// By type, then by value; DECIMALs by scale first.
fn variants(a: &Variant, b: &Variant) -> Ordering {
    let scale = |ty: SqlType| if ty.is_decimal() { crate::decimal::shape(ty).1 } else { 0 };
    variant_rank(a.ty)
        .cmp(&variant_rank(b.ty))
        .then(scale(a.ty).cmp(&scale(b.ty)))
        .then_with(|| order(&a.value, &b.value))
}

/// The place of a type among those of VARIANTs, which is also its mark in encoded rows.
pub fn variant_rank(ty: SqlType) -> u8 {
    match ty {
        SqlType::Null => 0,
        // The null of JSON.
        SqlType::Variant => 1,
        SqlType::Boolean => 2,
        SqlType::TinyInt => 3,
        SqlType::SmallInt => 4,
        SqlType::Integer => 5,
        SqlType::BigInt => 6,
        SqlType::UTinyInt => 7,
        SqlType::USmallInt => 8,
        SqlType::UInteger => 9,
        SqlType::UBigInt => 10,
        SqlType::Decimal { .. } => 11,
        SqlType::Real => 12,
        SqlType::Double => 13,
        SqlType::Char { .. } | SqlType::Varchar { .. } => 14,
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => 15,
        SqlType::Date => 16,
        SqlType::Time => 17,
        SqlType::Timestamp => 18,
        SqlType::TimestampTz => 19,
        SqlType::IntervalShort { .. } => 20,
        SqlType::IntervalLong { .. } => 21,
        SqlType::Uuid => 22,
        SqlType::Array(_) => 23,
        SqlType::Map(_) => 24,
        // A ROW is kept as a MAP.
        SqlType::Row(_) => 25,
    }
}

/// A MAP of entries in any order; of entries with one key the last counts.
pub fn map(entries: impl IntoIterator<Item = (Value, Value)>) -> Value {
    let mut sorted: Vec<(Value, Value)> = entries.into_iter().collect();
    sorted.sort_by(|a, b| order(&a.0, &b.0));
    sorted.reverse();
    sorted.dedup_by(|later, kept| eq(&later.0, &kept.0));
    sorted.reverse();
    Value::Map(sorted.into())
}

/// Is there a cast between types of which one is nested? Asked before any value is there.
pub fn castable(from: SqlType, to: SqlType) -> bool {
    let each = |from, to| from == SqlType::Null || cast_function(from, to).is_ok();
    match (from, to) {
        (SqlType::Variant, _) | (_, SqlType::Variant) => true,
        (SqlType::Array(a), SqlType::Array(b)) => each(*a, *b),
        (SqlType::Map(a), SqlType::Map(b)) => each(a.0.0, b.0.0) && each(a.0.1, b.0.1),
        (SqlType::Row(a), SqlType::Row(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| each(a.columntype.ty, b.columntype.ty))
        }
        (SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_), to) => to.is_text(),
        _ => false,
    }
}

/// One value cast to another type, whatever the types.
pub fn cast_value(value: &Value, from: SqlType, to: SqlType) -> Result<Value, SqlError> {
    match cast_function(from, to)? {
        _ if value.is_null() => Ok(Value::Null),
        None => Ok(value.clone()),
        Some(function) => (function.call)(std::slice::from_ref(value), &Signature { arguments: &[from], result: to }),
    }
}

/// ARRAY to ARRAY, MAP to MAP, ROW to ROW: part by part.
pub fn cast_parts(arguments: &[Value], signature: &Signature<'_>) -> Result<Value, SqlError> {
    match (&arguments[0], signature.arguments[0], signature.result) {
        (Value::Array(elements), SqlType::Array(from), SqlType::Array(to)) => {
            let elements: Result<Arc<[Value]>, _> =
                elements.iter().map(|value| cast_value(value, *from, *to)).collect();
            elements.map(Value::Array)
        }
        (Value::Map(entries), SqlType::Map(from), SqlType::Map(to)) => {
            let mut cast = Vec::with_capacity(entries.len());
            for (key, value) in entries.iter() {
                cast.push((cast_value(key, from.0.0, to.0.0)?, cast_value(value, from.0.1, to.0.1)?));
            }
            Ok(map(cast))
        }
        (Value::Row(fields), SqlType::Row(from), SqlType::Row(to)) => {
            let mut cast = Vec::with_capacity(fields.len());
            for (value, (from, to)) in fields.iter().zip(from.iter().zip(to.iter())) {
                if value.is_null() && !to.columntype.nullable {
                    let message = format!("the field \"{}\" of a ROW must not be NULL", to.name.0);
                    return Err(SqlError::new(NOT_NULL_VIOLATION, message));
                }
                cast.push(cast_value(value, from.columntype.ty, to.columntype.ty)?);
            }
            Ok(Value::row(cast))
        }
        _ => {
            Err(SqlError::new(CANNOT_COERCE, format!("cannot cast {} to {}", signature.arguments[0], signature.result)))
        }
    }
}

/// The text of a nested value, as JSON would show it.
pub fn cast_to_text(arguments: &[Value], signature: &Signature<'_>) -> Result<Value, SqlError> {
    let text = crate::text_form::format_value(&arguments[0], signature.arguments[0]);
    Ok(Value::text(fit_text(Cow::Owned(text), signature.result)))
}

/// The value as a VARIANT, with VARIANTs for its parts; NULL is one too, so that it can be a part.
pub fn to_variant(value: &Value, ty: SqlType) -> Value {
    match (value, ty) {
        (Value::Variant(_), _) => value.clone(),
        (Value::Null, _) => Value::variant(SqlType::Null, Value::Null),
        (Value::Array(elements), SqlType::Array(element)) => {
            let elements = elements.iter().map(|value| to_variant(value, *element));
            Value::variant(array_of_variants(), Value::array(elements))
        }
        (Value::Map(entries), SqlType::Map(entry)) => {
            let (key, value) = *entry.0;
            let entries = entries.iter().map(|(k, v)| (to_variant(k, key), to_variant(v, value)));
            Value::variant(map_of_variants(), map(entries))
        }
        (Value::Row(values), SqlType::Row(fields)) => {
            let entries = values.iter().zip(fields.iter()).map(|(value, field)| {
                let name = Value::variant(SqlType::VARCHAR, Value::text(field.name.0));
                (name, to_variant(value, field.columntype.ty))
            });
            Value::variant(map_of_variants(), map(entries))
        }
        (Value::Decimal(units), SqlType::Decimal { scale, .. }) => {
            let (mut units, mut scale) = (*units, scale);
            while scale > 0 && units % 10 == 0 {
                (units, scale) = (units / 10, scale - 1);
            }
            Value::variant(SqlType::Decimal { precision: 38, scale }, Value::Decimal(units))
        }
        (value, ty) => Value::variant(widest(ty), value.clone()),
    }
}

/// The null of JSON, which is a value, other than NULL.
pub fn json_null() -> Value {
    Value::variant(SqlType::Variant, Value::Null)
}

pub const fn array_of_variants() -> SqlType {
    const VARIANT: &SqlType = &SqlType::Variant;
    SqlType::Array(crate::Part(VARIANT))
}

pub const fn map_of_variants() -> SqlType {
    const ENTRY: &(SqlType, SqlType) = &(SqlType::Variant, SqlType::Variant);
    SqlType::Map(crate::Part(ENTRY))
}

/// The type that stands for its family in a VARIANT.
fn widest(ty: SqlType) -> SqlType {
    use crate::function::kind;
    match ty {
        ty if ty.is_text() => SqlType::VARCHAR,
        ty if ty.is_binary() => SqlType::VARBINARY,
        SqlType::IntervalShort { .. } => kind::SHORT,
        SqlType::IntervalLong { .. } => kind::LONG,
        ty => ty,
    }
}

pub fn cast_to_variant(arguments: &[Value], signature: &Signature<'_>) -> Result<Value, SqlError> {
    Ok(to_variant(&arguments[0], signature.arguments[0]))
}

/// What a VARIANT holds, as a type; NULL when it is not of that type and cannot be cast to it.
pub fn from_variant(arguments: &[Value], signature: &Signature<'_>) -> Result<Value, SqlError> {
    let Value::Variant(variant) = &arguments[0] else { return Ok(Value::Null) };
    Ok(held(variant, signature.result).unwrap_or(Value::Null))
}

fn held(variant: &Variant, to: SqlType) -> Option<Value> {
    match (&variant.value, variant.ty, to) {
        (Value::Null, _, _) => None,
        (_, _, SqlType::Variant) => Some(Value::Variant(Arc::new(variant.clone()))),
        (Value::Array(elements), _, SqlType::Array(element)) => {
            let elements: Option<Arc<[Value]>> = elements.iter().map(|value| part_held(value, *element)).collect();
            elements.map(Value::Array)
        }
        (Value::Map(entries), _, SqlType::Map(entry)) => {
            let entries = entries
                .iter()
                .map(|(key, value)| Some((part_held(key, entry.0.0)?, part_held(value, entry.0.1)?)))
                .collect::<Option<Vec<_>>>();
            entries.map(map)
        }
        (Value::Map(entries), _, SqlType::Row(fields)) => {
            let mut values = Vec::with_capacity(fields.len());
            for field in fields.iter() {
                let entry =
                    entries.iter().find(|(key, _)| matches!(key, Value::Variant(v) if is_name(v, field.name.0)));
                let value = entry.and_then(|(_, value)| part_held(value, field.columntype.ty)).unwrap_or(Value::Null);
                if value.is_null() && !field.columntype.nullable {
                    return None;
                }
                values.push(value);
            }
            Some(Value::row(values))
        }
        (_, SqlType::Array(_) | SqlType::Map(_), _) => None,
        (value, from, to) if from.same_family(to) || (from.is_numeric() && to.is_numeric()) => {
            cast_value(value, from, to).ok()
        }
        (value, SqlType::Varchar { .. }, to) if !to.is_binary() => cast_value(value, SqlType::VARCHAR, to).ok(),
        (value, from, to) if to.is_text() => cast_value(value, from, to).ok(),
        (value, SqlType::Date, SqlType::Timestamp | SqlType::TimestampTz)
        | (
            value,
            SqlType::Timestamp | SqlType::TimestampTz,
            SqlType::Date | SqlType::Timestamp | SqlType::TimestampTz,
        ) => cast_value(value, variant.ty, to).ok(),
        _ => None,
    }
}

fn is_name(key: &Variant, name: &str) -> bool {
    matches!(&key.value, Value::Text(text) if **text == *name)
}

/// A part as a type; `None` when it is neither of the type nor NULL.
fn part_held(value: &Value, to: SqlType) -> Option<Value> {
    match value {
        Value::Variant(variant) if to != SqlType::Variant => match variant.value.is_null() {
            true => Some(Value::Null),
            false => held(variant, to),
        },
        value => Some(value.clone()),
    }
}

/// The value padded or cut to its type where the type says so.
pub fn fit(value: Value, ty: SqlType) -> Value {
    match value {
        Value::Text(text) => Value::text(fit_text(Cow::Owned(text.into_string()), ty)),
        Value::Binary(bytes) => Value::binary(binary::fit(Cow::Owned(bytes.into_vec()), ty).into_owned()),
        value => value,
    }
}

boxed_functions! { pub static CASTS:
    "CAST" (ARRAY) -> (is ARRAY) = nested::cast_parts, Strict {fallible}, "Each element cast.";
    "CAST" (MAP) -> (is MAP) = nested::cast_parts, Strict {fallible}, "Each key and value cast.";
    "CAST" (ROW) -> (is ROW) = nested::cast_parts, Strict {fallible}, "Each field cast.";
    "CAST" (ARRAY) -> (is VARCHAR) = nested::cast_to_text, Strict {}, "The array as JSON would show it.";
    "CAST" (MAP) -> (is VARCHAR) = nested::cast_to_text, Strict {}, "The map as JSON would show it.";
    "CAST" (ROW) -> (is VARCHAR) = nested::cast_to_text, Strict {}, "The row as JSON would show it.";
    "CAST" (ANY) -> (is VARIANT) = nested::cast_to_variant, Never {}, "The value with its type, NULL too.";
    "CAST" (VARIANT) -> (is ANY) = nested::from_variant, StrictToOption {}, "The value inside, NULL when it is of another type; so is an array or map when one of its parts is, while a field of a row is NULL alone.";
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(values: &[i32]) -> Value {
        Value::array(values.iter().map(|value| Value::Integer(*value)))
    }

    #[test]
    fn nested_values_are_ordered() {
        let ascending = [
            Value::Null,
            integers(&[]),
            Value::array([Value::Null]),
            integers(&[-1]),
            integers(&[1]),
            integers(&[1, 2]),
            integers(&[2]),
        ];
        for (a, left) in ascending.iter().enumerate() {
            for (b, right) in ascending.iter().enumerate() {
                assert_eq!(order(left, right), a.cmp(&b), "{left:?} {right:?}");
            }
        }
    }

    #[test]
    fn the_last_of_equal_keys_counts() {
        let entries = [(1, "a"), (0, "b"), (1, "c")].map(|(key, value)| (Value::Integer(key), Value::text(value)));
        let expected = [(0, "b"), (1, "c")].map(|(key, value)| (Value::Integer(key), Value::text(value)));
        assert_eq!(map(entries), Value::Map(expected.into()));
    }

    #[test]
    fn variants_keep_types() {
        let decimal = |scale| SqlType::Decimal { precision: 5, scale };
        assert_eq!(to_variant(&Value::Decimal(150), decimal(2)), to_variant(&Value::Decimal(15), decimal(1)));
        let array = SqlType::array(SqlType::Integer);
        let variant = to_variant(&integers(&[1, 2]), array);
        let call = |to| {
            from_variant(std::slice::from_ref(&variant), &Signature { arguments: &[SqlType::Variant], result: to })
        };
        assert_eq!(call(array), Ok(integers(&[1, 2])));
        assert_eq!(call(SqlType::array(SqlType::VARCHAR)), Ok(Value::array([Value::text("1"), Value::text("2")])));
        assert_eq!(call(SqlType::Integer), Ok(Value::Null));
    }
}
