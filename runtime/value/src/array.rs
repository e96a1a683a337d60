//! Functions over arrays. Positions count from 1; elements are equal when neither IS DISTINCT FROM the other.

use crate::coerce::common_type;
use crate::error::{CANNOT_COERCE, CARDINALITY_VIOLATION, INVALID_ARGUMENT};
use crate::function::{Shape, Signature};
use crate::nested::order;
use crate::pad::{MAX_LENGTH, too_long};
use crate::text_form::write_value;
use crate::{SqlError, SqlType, Value, array};

/// The most elements that a function makes.
const MAX_ELEMENTS: usize = 1 << 24;

type Outcome = Result<Value, SqlError>;

fn too_many() -> SqlError {
    SqlError::new(INVALID_ARGUMENT, format!("an array has at most {MAX_ELEMENTS} elements"))
}

/// The elements of an array; none of anything else.
pub fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Array(elements) => elements,
        _ => &[],
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    order(a, b).is_eq()
}

fn contains(elements: &[Value], wanted: &Value) -> bool {
    elements.iter().any(|element| equal(element, wanted))
}

fn integer(value: &Value) -> i64 {
    match value {
        Value::BigInt(value) => *value,
        Value::Integer(value) => (*value).into(),
        _ => 0,
    }
}

fn no_common(a: SqlType, b: SqlType) -> SqlError {
    SqlError::new(CANNOT_COERCE, format!("{a} and {b} have no common type"))
}

/// The element type of an array argument; a bare NULL is an array of anything.
pub fn element_of(ty: SqlType) -> SqlType {
    match ty {
        SqlType::Array(element) => *element,
        _ => SqlType::Null,
    }
}

fn common(types: &[SqlType]) -> Result<SqlType, SqlError> {
    types.iter().try_fold(SqlType::Null, |common, ty| common_type(common, *ty).ok_or_else(|| no_common(common, *ty)))
}

/// An array of all arguments.
pub fn constructor_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let element = common(arguments)?;
    Ok(Shape { arguments: vec![element; arguments.len()], result: SqlType::array(element) })
}

/// Arrays of one type give such an array.
pub fn arrays_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let element = common(&arguments.iter().map(|ty| element_of(*ty)).collect::<Vec<_>>())?;
    let array = SqlType::array(element);
    Ok(Shape { arguments: vec![array; arguments.len()], result: array })
}

fn arrays_to(arguments: &[SqlType], result: SqlType) -> Result<Shape, SqlError> {
    Ok(Shape { result, ..arrays_shape(arguments)? })
}

pub fn arrays_to_boolean(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    arrays_to(arguments, SqlType::Boolean)
}

pub fn same_array(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    // NULL is an array of anything.
    let array = SqlType::array(element_of(arguments[0]));
    let mut arguments = arguments.to_vec();
    arguments[0] = array;
    Ok(Shape { arguments, result: array })
}

pub fn element_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let mut arguments = arguments.to_vec();
    if let Some(index) = arguments.get_mut(1) {
        *index = SqlType::BigInt;
    }
    Ok(Shape { result: element_of(arguments[0]), arguments })
}

/// The array at one position and an element at another have one element type.
fn with_element(arguments: &[SqlType], array: usize, element: usize) -> Result<(Vec<SqlType>, SqlType), SqlError> {
    let ty = common(&[element_of(arguments[array]), arguments[element]])?;
    let mut cast = arguments.to_vec();
    cast[array] = SqlType::array(ty);
    cast[element] = ty;
    Ok((cast, SqlType::array(ty)))
}

pub fn append_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let (arguments, result) = with_element(arguments, 0, 1)?;
    Ok(Shape { arguments, result })
}

pub fn prepend_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let (arguments, result) = with_element(arguments, 1, 0)?;
    Ok(Shape { arguments, result })
}

pub fn search_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let (arguments, _) = with_element(arguments, 0, 1)?;
    Ok(Shape { arguments, result: SqlType::Boolean })
}

pub fn position_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let (arguments, _) = with_element(arguments, 0, 1)?;
    Ok(Shape { arguments, result: SqlType::Integer })
}

pub fn insert_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    let (mut arguments, result) = with_element(arguments, 0, 2)?;
    arguments[1] = SqlType::BigInt;
    Ok(Shape { arguments, result })
}

pub fn repeat_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(Shape { arguments: vec![arguments[0], SqlType::BigInt], result: SqlType::array(arguments[0]) })
}

pub fn slice_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(Shape { arguments: vec![arguments[0], SqlType::BigInt, SqlType::BigInt], result: arguments[0] })
}

pub fn constructor(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::array(values.iter().cloned()))
}

/// NULL outside the array.
pub fn item(values: &[Value], _: &Signature<'_>) -> Outcome {
    let index = integer(&values[1]).checked_sub(1).and_then(|index| usize::try_from(index).ok());
    Ok(index.and_then(|index| elements(&values[0]).get(index)).cloned().unwrap_or(Value::Null))
}

pub fn item_from_zero(values: &[Value], _: &Signature<'_>) -> Outcome {
    let index = usize::try_from(integer(&values[1])).ok();
    Ok(index.and_then(|index| elements(&values[0]).get(index)).cloned().unwrap_or(Value::Null))
}

pub fn cardinality(values: &[Value], _: &Signature<'_>) -> Outcome {
    let count = match &values[0] {
        Value::Map(entries) => entries.len(),
        array => elements(array).len(),
    };
    Ok(Value::Integer(count as i32))
}

pub fn is_empty(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::Boolean(match &values[0] {
        Value::Map(entries) => entries.is_empty(),
        array => elements(array).is_empty(),
    }))
}

/// The only element; NULL of an empty array.
pub fn element(values: &[Value], _: &Signature<'_>) -> Outcome {
    match elements(&values[0]) {
        [] => Ok(Value::Null),
        [only] => Ok(only.clone()),
        many => {
            let message = format!("ELEMENT of an array of {} elements", many.len());
            Err(SqlError::new(CARDINALITY_VIOLATION, message))
        }
    }
}

pub fn append(values: &[Value], _: &Signature<'_>) -> Outcome {
    match &values[0] {
        Value::Null => Ok(Value::Null),
        array => Ok(Value::array(elements(array).iter().chain([&values[1]]).cloned())),
    }
}

pub fn prepend(values: &[Value], _: &Signature<'_>) -> Outcome {
    match &values[0] {
        Value::Null => Ok(Value::Null),
        array => Ok(Value::array([&values[1]].into_iter().chain(elements(array)).cloned())),
    }
}

pub fn prepend_to(values: &[Value], signature: &Signature<'_>) -> Outcome {
    prepend(&[values[1].clone(), values[0].clone()], signature)
}

pub fn concat(values: &[Value], _: &Signature<'_>) -> Outcome {
    if values.iter().map(|value| elements(value).len()).sum::<usize>() > MAX_ELEMENTS {
        return Err(too_many());
    }
    Ok(Value::array(values.iter().flat_map(elements).cloned()))
}

pub fn compact(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::array(elements(&values[0]).iter().filter(|element| !element.is_null()).cloned()))
}

pub fn reverse(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(Value::array(elements(&values[0]).iter().rev().cloned()))
}

/// The first of equal elements each.
fn distinct_of<'a>(elements: impl Iterator<Item = &'a Value>) -> Value {
    let mut seen = std::collections::BTreeSet::new();
    Value::array(elements.filter(|element| seen.insert(Ordered(element))).cloned())
}

/// A value in the order of SQL.
struct Ordered<'a>(&'a Value);

impl Ord for Ordered<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        order(self.0, other.0)
    }
}

impl PartialOrd for Ordered<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ordered<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ordered<'_> {}

pub fn distinct(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(distinct_of(elements(&values[0]).iter()))
}

pub fn union(values: &[Value], signature: &Signature<'_>) -> Outcome {
    sort(&[distinct_of(elements(&values[0]).iter().chain(elements(&values[1])))], signature)
}

pub fn intersect(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let (left, right) = (elements(&values[0]), elements(&values[1]));
    sort(&[distinct_of(left.iter().filter(|element| contains(right, element)))], signature)
}

pub fn except(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let (left, right) = (elements(&values[0]), elements(&values[1]));
    sort(&[distinct_of(left.iter().filter(|element| !contains(right, element)))], signature)
}

pub fn overlap(values: &[Value], _: &Signature<'_>) -> Outcome {
    let (left, right) = (elements(&values[0]), elements(&values[1]));
    Ok(Value::Boolean(left.iter().any(|element| contains(right, element))))
}

pub fn holds(values: &[Value], _: &Signature<'_>) -> Outcome {
    if values[0].is_null() {
        return Ok(Value::Null);
    }
    Ok(Value::Boolean(contains(elements(&values[0]), &values[1])))
}

/// 0 where the element is not in the array.
pub fn position(values: &[Value], _: &Signature<'_>) -> Outcome {
    if values[0].is_null() {
        return Ok(Value::Null);
    }
    let found = elements(&values[0]).iter().position(|element| equal(element, &values[1]));
    Ok(Value::Integer(found.map_or(0, |at| at as i32 + 1)))
}

pub fn remove(values: &[Value], _: &Signature<'_>) -> Outcome {
    if values[0].is_null() {
        return Ok(Value::Null);
    }
    Ok(Value::array(elements(&values[0]).iter().filter(|element| !equal(element, &values[1])).cloned()))
}

pub fn repeat(values: &[Value], _: &Signature<'_>) -> Outcome {
    match &values[1] {
        Value::Null => Ok(Value::Null),
        count => match usize::try_from(integer(count)).unwrap_or(0) {
            count if count > MAX_ELEMENTS => Err(too_many()),
            count => Ok(Value::array(std::iter::repeat_n(values[0].clone(), count))),
        },
    }
}

/// An element put in at a position; from the end when it is negative; NULLs fill the gap before or behind.
pub fn insert(values: &[Value], _: &Signature<'_>) -> Outcome {
    if values[0].is_null() || values[1].is_null() {
        return Ok(Value::Null);
    }
    let own = elements(&values[0]);
    let wanted = integer(&values[1]);
    let distance = usize::try_from(wanted.unsigned_abs()).ok().filter(|at| *at <= MAX_ELEMENTS).ok_or_else(too_many)?;
    let mut all = own.to_vec();
    match wanted {
        0 => return Err(SqlError::new(INVALID_ARGUMENT, "the position of ARRAY_INSERT must not be 0")),
        1.. => {
            all.resize(all.len().max(distance - 1), Value::Null);
            all.insert(distance - 1, values[2].clone());
        }
        _ => {
            // -1 puts the element at the end.
            let missing = (distance - 1).saturating_sub(own.len());
            all.splice(0..0, std::iter::repeat_n(Value::Null, missing));
            all.insert(all.len() - (distance - 1), values[2].clone());
        }
    }
    Ok(Value::array(all))
}

fn best(values: &[Value], wanted: std::cmp::Ordering) -> Value {
    let present = elements(&values[0]).iter().filter(|element| !element.is_null());
    present
        .reduce(|best, other| if order(other, best) == wanted { other } else { best })
        .cloned()
        .unwrap_or(Value::Null)
}

/// Three-valued: TRUE in any element, else unknown if any is NULL.
pub fn any_true(values: &[Value], _: &Signature<'_>) -> Outcome {
    let truths = elements(&values[0]);
    Ok(match truths.contains(&Value::Boolean(true)) {
        true => Value::Boolean(true),
        false if truths.contains(&Value::Null) => Value::Null,
        false => Value::Boolean(false),
    })
}

/// The elements beside which the other array has TRUE.
pub fn selected(values: &[Value], _: &Signature<'_>) -> Outcome {
    let pairs = elements(&values[0]).iter().zip(elements(&values[1]));
    let chosen = pairs.filter(|(_, truth)| **truth == Value::Boolean(true));
    Ok(Value::array(chosen.map(|(element, _)| element.clone())))
}

pub fn max(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(best(values, std::cmp::Ordering::Greater))
}

pub fn min(values: &[Value], _: &Signature<'_>) -> Outcome {
    Ok(best(values, std::cmp::Ordering::Less))
}

pub fn sort(values: &[Value], _: &Signature<'_>) -> Outcome {
    let mut sorted = elements(&values[0]).to_vec();
    sorted.sort_by(order);
    Ok(Value::array(sorted))
}

pub fn sort_by(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let sorted = sort(&values[..1], signature)?;
    match values[1] {
        Value::Boolean(false) => reverse(&[sorted], signature),
        _ => Ok(sorted),
    }
}

/// Elements from one position to another.
pub fn slice(values: &[Value], _: &Signature<'_>) -> Outcome {
    let own = elements(&values[0]);
    let place = |value: &Value| usize::try_from(integer(value)).unwrap_or(0);
    let from = place(&values[1]).saturating_sub(1).min(own.len());
    let to = place(&values[2]).min(own.len()).max(from);
    Ok(Value::array(own[from..to].iter().cloned()))
}

/// The texts of the elements with a separator between; NULLs are left out, or shown as the last argument.
pub fn join(values: &[Value], signature: &Signature<'_>) -> Outcome {
    let (Value::Text(separator), replacement) = (&values[1], values.get(2)) else { return Ok(Value::Null) };
    let ty = element_of(signature.arguments[0]);
    let mut out = String::new();
    let mut first = true;
    for element in elements(&values[0]) {
        let shown = match (element, replacement) {
            (Value::Null, Some(Value::Text(text))) => Some(&**text),
            (Value::Null, _) => continue,
            _ => None,
        };
        if !std::mem::take(&mut first) {
            out.push_str(separator);
        }
        match shown {
            Some(text) => out.push_str(text),
            None => write_value(element, ty, &mut out),
        }
        if out.len() > MAX_LENGTH {
            return Err(too_long());
        }
    }
    Ok(Value::text(out))
}

/// All integers from the first argument to the second; none when the first is greater.
pub fn sequence(values: &[Value], _: &Signature<'_>) -> Outcome {
    let (from, to) = (integer(&values[0]), integer(&values[1]));
    if i128::from(to) - i128::from(from) >= MAX_ELEMENTS as i128 {
        return Err(too_many());
    }
    Ok(Value::array((from..=to).map(Value::BigInt)))
}

/// The values from the first argument in steps of the third, up to the second, or down if the step is negative.
pub fn sequence_by(values: &[Value], _: &Signature<'_>) -> Outcome {
    let (from, to, step) = (integer(&values[0]), integer(&values[1]), integer(&values[2]));
    if step == 0 {
        return Err(SqlError::new("22023", "the step of a sequence is not zero"));
    }
    let distance = i128::from(to) - i128::from(from);
    let more = distance.checked_div(i128::from(step)).filter(|_| (distance >= 0) == (step > 0) || distance == 0);
    let Some(more) = more else { return Ok(Value::array([])) };
    if more >= MAX_ELEMENTS as i128 {
        return Err(too_many());
    }
    let value = |n: i128| Value::BigInt((i128::from(from) + n * i128::from(step)) as i64);
    Ok(Value::array((0..=more).map(value)))
}

pub fn integers_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(Shape { arguments: vec![SqlType::BigInt; arguments.len()], result: SqlType::array(SqlType::BigInt) })
}

pub fn texts_shape(arguments: &[SqlType]) -> Result<Shape, SqlError> {
    Ok(Shape { arguments: vec![SqlType::VARCHAR; arguments.len()], result: SqlType::array(SqlType::VARCHAR) })
}

pub fn split_at_commas(values: &[Value], signature: &Signature<'_>) -> Outcome {
    split(&[values[0].clone(), Value::text(",")], signature)
}

/// An empty separator leaves the text whole; an empty text has no parts.
pub fn split(values: &[Value], _: &Signature<'_>) -> Outcome {
    let (Value::Text(text), Value::Text(separator)) = (&values[0], &values[1]) else { return Ok(Value::Null) };
    if text.is_empty() {
        return Ok(Value::array([]));
    }
    Ok(match separator.is_empty() {
        true => Value::array([Value::text(text.clone())]),
        false => Value::array(text.split(&**separator).map(Value::text)),
    })
}

boxed_functions! { pub static FUNCTIONS:
    "ARRAY" (; ANY) -> (shape array::constructor_shape) = array::constructor, Never {}, "The arguments as an array, as ARRAY[...] writes it.";
    "[]" (ARRAY, BIGINT) -> (shape array::element_shape) = array::item, StrictToOption {}, "The element at a position; NULL outside.";
    "SAFE_OFFSET" (ARRAY, BIGINT) -> (shape array::element_shape) = array::item_from_zero, StrictToOption {}, "The element at a position counted from 0; NULL outside.";
    "CARDINALITY" (ARRAY) -> (is INTEGER) = array::cardinality, Strict {}, "Number of elements.";
    "ARRAY_LENGTH" (ARRAY) -> (is INTEGER) = array::cardinality, Strict {}, "Number of elements.";
    "ARRAY_SIZE" (ARRAY) -> (is INTEGER) = array::cardinality, Strict {}, "Number of elements.";
    "CARDINALITY" (MAP) -> (is INTEGER) = array::cardinality, Strict {}, "Number of entries.";
    "IS EMPTY" (ARRAY) -> (is BOOLEAN) = array::is_empty, Strict {}, "Has the array no element?";
    "IS EMPTY" (MAP) -> (is BOOLEAN) = array::is_empty, Strict {}, "Has the map no entry?";
    "ELEMENT" (ARRAY) -> (shape array::element_shape) = array::element, StrictToOption {fallible}, "The only element; NULL of an empty array.";
    "ARRAY_APPEND" (ARRAY, ANY) -> (shape array::append_shape) = array::append, Custom {}, "The array with an element behind its last.";
    "ARRAY_PREPEND" (ARRAY, ANY) -> (shape array::append_shape) = array::prepend, Custom {}, "The array with an element before its first.";
    "ARRAY_CONCAT" (; ARRAY) -> (shape array::arrays_shape) = array::concat, Strict {fallible}, "The elements of all arrays.";
    "||" (ARRAY, ARRAY) -> (shape array::arrays_shape) = array::concat, Strict {fallible}, "The elements of both arrays.";
    "ARRAY_COMPACT" (ARRAY) -> (shape array::same_array) = array::compact, Strict {}, "The elements that are not NULL.";
    "ARRAY_REVERSE" (ARRAY) -> (shape array::same_array) = array::reverse, Strict {}, "The elements from the last to the first.";
    "ARRAY_DISTINCT" (ARRAY) -> (shape array::same_array) = array::distinct, Strict {}, "Each element once, where it stands first.";
    "ARRAY_UNION" (ARRAY, ARRAY) -> (shape array::arrays_shape) = array::union, Strict {}, "The elements of either array, each once, in order.";
    "ARRAY_INTERSECT" (ARRAY, ARRAY) -> (shape array::arrays_shape) = array::intersect, Strict {}, "The elements of both arrays, each once, in order.";
    "ARRAY_EXCEPT" (ARRAY, ARRAY) -> (shape array::arrays_shape) = array::except, Strict {}, "The elements of the first array that the second has not, each once, in order.";
    "ARRAYS_OVERLAP" (ARRAY, ARRAY) -> (shape array::arrays_to_boolean) = array::overlap, Strict {}, "Have the arrays an element in common?";
    "||" (ARRAY, ANY) -> (shape array::append_shape) = array::append, Custom {}, "The array with an element behind its last.";
    "||" (ANY, ARRAY) -> (shape array::prepend_shape) = array::prepend_to, Custom {}, "The array with an element before its first.";
    "ARRAY_CONTAINS" (ARRAY, ANY) -> (shape array::search_shape) = array::holds, Custom {}, "Is the element in the array? NULL is one like others.";
    "ARRAY_POSITION" (ARRAY, ANY) -> (shape array::position_shape) = array::position, Custom {}, "Where the element stands first; 0 where it does not.";
    "ARRAY_REMOVE" (ARRAY, ANY) -> (shape array::append_shape) = array::remove, Custom {}, "The array without an element, NULL too.";
    "ARRAY_REPEAT" (ANY, BIGINT) -> (shape array::repeat_shape) = array::repeat, Custom {fallible}, "The element so many times.";
    "ARRAY_INSERT" (ARRAY, BIGINT, ANY) -> (shape array::insert_shape) = array::insert, Custom {fallible}, "The array with an element put in at a position, counted from the end when negative.";
    "ANY TRUE" (ARRAY) -> (is BOOLEAN) = array::any_true, StrictToOption {}, "TRUE in any element, else NULL in any, else FALSE: ARRAY_EXISTS(a, x -> condition) over the conditions.";
    "SELECTED" (ARRAY, ARRAY) -> (shape array::same_array) = array::selected, Strict {}, "The elements beside TRUE: ARRAY_FILTER(a, x -> condition) with the conditions.";
    "ARRAY_MAX" (ARRAY) -> (shape array::element_shape) = array::max, StrictToOption {}, "The greatest element.";
    "ARRAY_MIN" (ARRAY) -> (shape array::element_shape) = array::min, StrictToOption {}, "The least element.";
    "SORT_ARRAY" (ARRAY) -> (shape array::same_array) = array::sort, Strict {}, "The elements in ascending order.";
    "SORT_ARRAY" (ARRAY, BOOLEAN) -> (shape array::same_array) = array::sort_by, Strict {}, "The elements in ascending order, or in descending order when FALSE.";
    "ARRAY_SLICE" (ARRAY, BIGINT, BIGINT) -> (shape array::slice_shape) = array::slice, Strict {}, "The elements from one position to another.";
    "ARRAY_TO_STRING" (ARRAY, VARCHAR) -> (is VARCHAR) = array::join, Strict {fallible}, "The elements that are not NULL as one text with a separator.";
    "ARRAY_TO_STRING" (ARRAY, VARCHAR, VARCHAR) -> (is VARCHAR) = array::join, Strict {fallible}, "The elements as one text with a separator and a text for NULL.";
    "ARRAY_JOIN" (ARRAY, VARCHAR) -> (is VARCHAR) = array::join, Strict {fallible}, "The elements that are not NULL as one text with a separator.";
    "ARRAY_JOIN" (ARRAY, VARCHAR, VARCHAR) -> (is VARCHAR) = array::join, Strict {fallible}, "The elements as one text with a separator and a text for NULL.";
    "SEQUENCE" (BIGINT, BIGINT, BIGINT) -> (shape array::integers_shape) = array::sequence_by, Strict {fallible}, "The integers from the first to the second by steps of the third.";
    "SEQUENCE" (BIGINT, BIGINT) -> (shape array::integers_shape) = array::sequence, Strict {fallible}, "All integers from the first to the second.";
    "SPLIT" (VARCHAR) -> (shape array::texts_shape) = array::split_at_commas, Strict {}, "The parts between commas.";
    "SPLIT" (VARCHAR, VARCHAR) -> (shape array::texts_shape) = array::split, Strict {}, "The parts between separators.";
    "STRING_TO_ARRAY" (VARCHAR, VARCHAR) -> (shape array::texts_shape) = array::split, Strict {}, "The parts between separators.";
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIGNATURE: Signature<'static> = Signature { arguments: &[SqlType::Null; 3], result: SqlType::Null };

    fn integers(values: &[i64]) -> Value {
        Value::array(values.iter().map(|value| Value::BigInt(*value)))
    }

    fn check(call: fn(&[Value], &Signature<'_>) -> Outcome, arguments: &[Value], expected: Value) {
        assert_eq!(call(arguments, &SIGNATURE), Ok(expected));
    }

    #[test]
    fn sets_and_places() {
        let (a, b) = (integers(&[3, 1, 3]), integers(&[1, 2]));
        check(union, &[a.clone(), b.clone()], integers(&[1, 2, 3]));
        check(intersect, &[a.clone(), b.clone()], integers(&[1]));
        check(except, &[a.clone(), b.clone()], integers(&[3]));
        check(distinct, std::slice::from_ref(&a), integers(&[3, 1]));
        check(position, &[a.clone(), Value::BigInt(1)], Value::Integer(2));
        check(item, &[a.clone(), Value::BigInt(i64::MIN)], Value::Null);
        check(slice, &[a, Value::BigInt(2), Value::BigInt(9)], integers(&[1, 3]));
        check(sequence, &[Value::BigInt(2), Value::BigInt(1)], integers(&[]));
        assert!(sequence(&[Value::BigInt(i64::MIN), Value::BigInt(i64::MAX)], &SIGNATURE).is_err());
    }

    #[test]
    fn insertion_fills_gaps() {
        let at = |position| insert(&[integers(&[1, 2]), Value::BigInt(position), Value::BigInt(9)], &SIGNATURE);
        assert_eq!(at(1), Ok(integers(&[9, 1, 2])));
        assert_eq!(at(-1), Ok(integers(&[1, 2, 9])));
        assert_eq!(at(-3), Ok(integers(&[9, 1, 2])));
        let gap = Value::array([Value::BigInt(1), Value::BigInt(2), Value::Null, Value::BigInt(9)]);
        assert_eq!(at(4), Ok(gap));
        let before = Value::array([Value::BigInt(9), Value::Null, Value::BigInt(1), Value::BigInt(2)]);
        assert_eq!(at(-4), Ok(before));
        assert!(at(0).is_err() && at(i64::MIN).is_err());
    }

    #[test]
    fn shapes() {
        let mixed = constructor_shape(&[SqlType::Integer, SqlType::Null, SqlType::BigInt]).unwrap();
        assert_eq!(mixed, Shape { arguments: vec![SqlType::BigInt; 3], result: SqlType::array(SqlType::BigInt) });
        assert!(constructor_shape(&[SqlType::Integer, SqlType::Date]).is_err());
        let found = search_shape(&[SqlType::array(SqlType::Integer), SqlType::BigInt]).unwrap();
        assert_eq!(found.arguments, [SqlType::array(SqlType::BigInt), SqlType::BigInt]);
    }
}
