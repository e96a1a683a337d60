//! The functions over VARIANTs that take a function, without the function: the binder makes the list of the items that it is
//! called for, evaluates its body for each of them, and hands the list of results back.
//!
//! The items of a deep function are numbered in the order of the walk: a part before the parts inside it.

use crate::function::{Shape, Signature};
use crate::nested::{array_of_variants, map_of_variants, to_variant};
use crate::{ColumnType, Part, RowField, SqlError, SqlType, Value, array, variant_tree};

type Outcome = Result<Value, SqlError>;

/// An object or an array, whose parts are items.
enum Parts<'a> {
    Object(&'a [(Value, Value)]),
    Array(&'a [Value]),
}

fn parts(value: &Value) -> Option<Parts<'_>> {
    match value {
        Value::Variant(variant) => match &variant.value {
            Value::Map(entries) => Some(Parts::Object(entries)),
            Value::Array(elements) => Some(Parts::Array(elements)),
            _ => None,
        },
        _ => None,
    }
}

fn object(value: &Value) -> Option<&[(Value, Value)]> {
    match parts(value)? {
        Parts::Object(entries) => Some(entries),
        Parts::Array(_) => None,
    }
}

/// The name of a field; keys of other types have none.
fn name_of(key: &Value) -> Option<&str> {
    match key {
        Value::Variant(variant) => match &variant.value {
            Value::Text(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// What a function sees of a part: NULL where the part holds NULL.
fn seen(value: &Value) -> Value {
    match value {
        Value::Variant(variant) if variant.ty == SqlType::Null => Value::Null,
        value => value.clone(),
    }
}

/// A result as a part: NULL is kept inside.
fn kept(value: &Value) -> Value {
    to_variant(value, SqlType::Variant)
}

/// The path of a field: names that are no words stand in double quotes, in which a backslash stands before each double quote
/// and backslash.
pub fn field_path(before: &str, name: &str) -> String {
    let is_word = !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let name = match is_word {
        true => name.to_string(),
        false => format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")),
    };
    if before.is_empty() { name } else { format!("{before}.{name}") }
}

/// Calls `visit` with the paths and values of the items inside a value; those inside an item follow where it says so.
fn walk(value: &Value, path: &str, visit: &mut dyn FnMut(&str, &Value) -> bool) {
    let mut item = |path: String, value: &Value| {
        if visit(&path, value) {
            walk(value, &path, visit);
        }
    };
    match parts(value) {
        Some(Parts::Object(entries)) => {
            let named = entries.iter().filter_map(|(key, value)| Some((name_of(key)?, value)));
            named.for_each(|(name, value)| item(field_path(path, name), value));
        }
        Some(Parts::Array(elements)) => {
            elements.iter().enumerate().for_each(|(at, value)| item(format!("{path}[{}]", at + 1), value));
        }
        None => (),
    }
}

/// How many items are inside a value, at any depth.
fn inside(value: &Value) -> usize {
    let mut count = 0;
    walk(value, "", &mut |_, _| {
        count += 1;
        true
    });
    count
}

fn item(label: Value, value: &Value) -> Value {
    Value::row([label, seen(value)])
}

/// The fields of an object as (key, value), anything else as one item without key.
pub fn items(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(match object(&values[0]) {
        Some(entries) => Value::array(entries.iter().map(|(key, value)| item(key.clone(), value))),
        None => Value::array([item(Value::Null, &values[0])]),
    })
}

fn listed(value: &Value, wanted: fn(&Value) -> bool) -> Value {
    if parts(value).is_none() {
        return Value::array([item(Value::Null, value)]);
    }
    let mut items = vec![];
    walk(value, "", &mut |path, value| {
        if wanted(value) {
            items.push(item(Value::text(path), value));
        }
        true
    });
    Value::array(items)
}

/// The parts at any depth as (path, value), a scalar as one item without path.
pub fn deep_items(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(listed(&values[0], |_| true))
}

/// Those of the deep items that have no parts.
pub fn leaves(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(listed(&values[0], |value| parts(value).is_none()))
}

/// The deep items as (path, value, reached): is the item in nothing that the truths, one for each item, leave out?
pub fn reached(values: &[Value], _: &Signature<'_>) -> Outcome {
    let (mut at, mut hidden_until) = (0, 0);
    let mut items = vec![];
    let truths = array::elements(&values[1]);
    let mut visit = |label: Value, value: &Value| {
        items.push(Value::row([label, seen(value), Value::Boolean(at >= hidden_until)]));
        if at >= hidden_until && truths.get(at) != Some(&Value::Boolean(true)) {
            hidden_until = at + 1 + inside(value);
        }
        at += 1;
        true
    };
    match parts(&values[0]) {
        Some(_) => walk(&values[0], "", &mut |path, value| visit(Value::text(path), value)),
        None => {
            visit(Value::Null, &values[0]);
        }
    }
    Ok(Value::array(items))
}

/// The value itself where the only result is TRUE, else NULL.
fn whole(value: &Value, truths: &[Value]) -> Value {
    if truths.first() == Some(&Value::Boolean(true)) { seen(value) } else { Value::Null }
}

/// The fields beside which stands TRUE.
pub fn selected(values: &[Value], _: &Signature<'_>) -> Outcome {
    let truths = array::elements(&values[1]);
    Ok(match object(&values[0]) {
        Some(entries) => {
            let entries = entries.iter().zip(truths).filter(|(_, truth)| **truth == Value::Boolean(true));
            Value::variant(map_of_variants(), Value::Map(entries.map(|(entry, _)| entry.clone()).collect()))
        }
        None => whole(&values[0], truths),
    })
}

/// Results one after the other, as the walk asks for them.
struct Results<'a> {
    all: &'a [Value],
    at: usize,
}

impl Results<'_> {
    fn next(&mut self) -> Value {
        self.at += 1;
        self.all.get(self.at - 1).cloned().unwrap_or(Value::Null)
    }

    /// What remains of a value, its own item left aside.
    fn pruned(&mut self, value: &Value) -> Value {
        let mut keep = |value: &Value| match self.next() {
            Value::Boolean(true) => Some(self.pruned(value)),
            _ => {
                self.at += inside(value);
                None
            }
        };
        match parts(value) {
            Some(Parts::Object(entries)) => {
                let entries = entries.iter().filter_map(|(key, value)| match name_of(key) {
                    Some(_) => Some((key.clone(), keep(value)?)),
                    None => Some((key.clone(), value.clone())),
                });
                Value::variant(map_of_variants(), Value::Map(entries.collect()))
            }
            Some(Parts::Array(elements)) => {
                Value::variant(array_of_variants(), Value::array(elements.iter().filter_map(keep)))
            }
            None => value.clone(),
        }
    }

    fn replaced(&mut self, value: &Value) -> Value {
        match parts(value) {
            Some(Parts::Object(entries)) => {
                let entries = entries.iter().map(|(key, value)| match name_of(key) {
                    Some(_) => (key.clone(), self.replaced(value)),
                    None => (key.clone(), value.clone()),
                });
                Value::variant(map_of_variants(), Value::Map(entries.collect()))
            }
            Some(Parts::Array(elements)) => {
                let elements: Vec<Value> = elements.iter().map(|value| self.replaced(value)).collect();
                Value::variant(array_of_variants(), Value::array(elements))
            }
            None => kept(&self.next()),
        }
    }
}

/// The value without the deep items beside which does not stand TRUE.
pub fn deep_selected(values: &[Value], _: &Signature<'_>) -> Outcome {
    let truths = array::elements(&values[1]);
    Ok(match parts(&values[0]) {
        Some(_) => Results { all: truths, at: 0 }.pruned(&values[0]),
        None => whole(&values[0], truths),
    })
}

/// The object with other values; the only result for anything else.
pub fn replaced(values: &[Value], _: &Signature<'_>) -> Outcome {
    let results = array::elements(&values[1]);
    Ok(match object(&values[0]) {
        Some(entries) => {
            let entries = entries.iter().zip(results).map(|((key, _), value)| (key.clone(), kept(value)));
            Value::variant(map_of_variants(), Value::Map(entries.collect()))
        }
        None => results.first().map_or(Value::Null, seen),
    })
}

/// The value with other leaves.
pub fn deep_replaced(values: &[Value], _: &Signature<'_>) -> Outcome {
    let results = array::elements(&values[1]);
    Ok(match parts(&values[0]) {
        Some(_) => Results { all: results, at: 0 }.replaced(&values[0]),
        None => results.first().map_or(Value::Null, seen),
    })
}

fn list_of(label: SqlType, with_mark: bool, arguments: &[SqlType]) -> Shape {
    let field = |name, ty, nullable| RowField { name: Part::name(name), columntype: ColumnType::new(ty, nullable) };
    let mut fields = vec![field("label", label, true), field("value", SqlType::Variant, true)];
    if with_mark {
        fields.push(field("reached", SqlType::Boolean, false));
    }
    Shape { arguments: arguments.to_vec(), result: SqlType::array(SqlType::row(fields)) }
}

pub fn keyed(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(list_of(SqlType::Variant, false, arguments))
}

pub fn pathed(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(list_of(SqlType::VARCHAR, false, arguments))
}

pub fn marked(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(list_of(SqlType::VARCHAR, true, arguments))
}

boxed_functions! { pub static FUNCTIONS:
    "VARIANT ITEMS" (VARIANT) -> (shape variant_tree::keyed) = variant_tree::items, Strict {}, "The fields of an object as rows of key and value; anything else as one such row without key.";
    "VARIANT DEEP ITEMS" (VARIANT) -> (shape variant_tree::pathed) = variant_tree::deep_items, Strict {}, "The fields and elements at any depth as rows of path and value; a scalar as one such row without path.";
    "VARIANT LEAVES" (VARIANT) -> (shape variant_tree::pathed) = variant_tree::leaves, Strict {}, "The scalars at any depth as rows of path and value.";
    "VARIANT REACHED" (VARIANT, ARRAY) -> (shape variant_tree::marked) = variant_tree::reached, Strict {}, "The deep items, marked where no item around them is left out.";
    "VARIANT SELECTED" (VARIANT, ARRAY) -> (is VARIANT) = variant_tree::selected, StrictToOption {}, "The fields beside TRUE: VARIANT_FILTER with the conditions.";
    "VARIANT DEEP SELECTED" (VARIANT, ARRAY) -> (is VARIANT) = variant_tree::deep_selected, StrictToOption {}, "What stands beside TRUE at every depth: VARIANT_DEEP_FILTER with the conditions.";
    "VARIANT REPLACED" (VARIANT, ARRAY) -> (is VARIANT) = variant_tree::replaced, StrictToOption {}, "The object with other values: VARIANT_MAP with the values.";
    "VARIANT DEEP REPLACED" (VARIANT, ARRAY) -> (is VARIANT) = variant_tree::deep_replaced, StrictToOption {}, "The value with other scalars: VARIANT_DEEP_MAP with the values.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json_value;
    use crate::json_text::parse_variant;

    const SIGNATURE: Signature<'static> = Signature { arguments: &[SqlType::Variant], result: SqlType::Null };
    const NESTED: &str = r#"{"a": {"b": 1, "c": {"d": 2}}, "e": [{"f": 3}, 4], "x.y": {}}"#;

    fn tree(text: &str) -> Value {
        parse_variant(text).expect("JSON")
    }

    fn json(value: &Value) -> String {
        let mut out = String::new();
        json_value(value, SqlType::Variant, &mut out);
        out
    }

    fn labels(list: &Value) -> Vec<String> {
        let label = |row: &Value| match row {
            Value::Row(fields) => match &fields[0] {
                Value::Text(path) => path.to_string(),
                _ => "-".to_string(),
            },
            _ => "?".to_string(),
        };
        array::elements(list).iter().map(label).collect()
    }

    #[test]
    fn paths_stand_in_the_order_of_the_walk() {
        let all = deep_items(&[tree(NESTED)], &SIGNATURE).unwrap();
        assert_eq!(labels(&all), ["a", "a.b", "a.c", "a.c.d", "e", "e[1]", "e[1].f", "e[2]", "\"x.y\""]);
        assert_eq!(labels(&leaves(&[tree(NESTED)], &SIGNATURE).unwrap()), ["a.b", "a.c.d", "e[1].f", "e[2]"]);
        assert_eq!(labels(&leaves(&[tree("7")], &SIGNATURE).unwrap()), ["-"]);
        assert_eq!(field_path("p", "1\"\\"), "p.\"1\\\"\\\\\"");
    }

    #[test]
    fn what_is_left_out_hides_what_is_in_it() {
        let value = tree(NESTED);
        let truths = |without: &[usize]| Value::array((0..9).map(|at| Value::Boolean(!without.contains(&at))));
        let left = |without| json(&deep_selected(&[value.clone(), truths(without)], &SIGNATURE).unwrap());
        assert_eq!(left(&[2]), r#"{"a":{"b":1},"e":[{"f":3},4],"x.y":{}}"#);
        assert_eq!(left(&[0, 6]), r#"{"e":[{},4],"x.y":{}}"#);
        assert_eq!(left(&[5, 8]), r#"{"a":{"b":1,"c":{"d":2}},"e":[4]}"#);
        let marks = reached(&[value.clone(), truths(&[2, 5])], &SIGNATURE).unwrap();
        let marks = array::elements(&marks).iter().map(|row| match row {
            Value::Row(fields) => fields[2].clone(),
            _ => Value::Null,
        });
        assert!(marks.eq((0..9).map(|at| Value::Boolean(at != 3 && at != 6))));
    }

    #[test]
    fn scalars_are_replaced_in_place() {
        let made = Value::array((10..14).map(|number| Value::variant(SqlType::Integer, Value::Integer(number))));
        let value = deep_replaced(&[tree(NESTED), made], &SIGNATURE).unwrap();
        assert_eq!(json(&value), r#"{"a":{"b":10,"c":{"d":11}},"e":[{"f":12},13],"x.y":{}}"#);
    }
}
