//! `unnest`: a row for each element of its arrays (ISO/IEC 9075-2, collection derived table).
//!
//! The first columns of the input are arrays; the result has their elements in their place, then the element's number if
//! asked for, then the other columns as they are. Shorter arrays are filled with NULL. A row without elements has no
//! result, with `outer` one of NULLs. Linear: the delta of the result is the result of the delta. No state. Cost: the
//! elements of the delta. Law: unnest(a + b) = unnest(a) + unnest(b).

use super::{Operator, Step};
use crate::layout::encode_column;
use crate::{Layout, StreamId};
use feldc_value::{ColumnType, SqlType, Value};

pub struct Unnest {
    input: StreamId,
    output: StreamId,
    layout: Layout,
    arrays: usize,
    elements: Vec<ColumnType>,
    form: Form,
}

/// What an `unnest` adds to the elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The element's number from 1, as an INTEGER (nullable when `outer`).
    pub ordinality: bool,
    /// A row without elements stays, with NULLs.
    pub outer: bool,
}

/// The columns that stand in the result before those of the input that are kept.
pub fn element_columns(arrays: &[ColumnType], form: Form) -> Vec<ColumnType> {
    let element = |array: &ColumnType| match array.ty {
        SqlType::Array(element) => ColumnType::new(*element, true),
        _ => ColumnType::new(SqlType::Null, true),
    };
    let number = form.ordinality.then_some(ColumnType::new(SqlType::Integer, form.outer));
    arrays.iter().map(element).chain(number).collect()
}

impl Unnest {
    pub fn new(input: StreamId, output: StreamId, layout: &Layout, arrays: usize, form: Form) -> Unnest {
        let elements = element_columns(&layout.columns()[..arrays], form);
        Unnest { input, output, layout: layout.clone(), arrays, elements, form }
    }
}

impl Operator for Unnest {
    fn eval(&mut self, step: &mut Step) {
        let mut out = step.streams.take(self.output);
        for batch in step.streams.read(self.input) {
            for (row, weight) in batch.iter() {
                let values = self.layout.decode_prefix(row, self.arrays);
                let kept = &row[self.layout.prefix_len(row, self.arrays)..];
                let count = values.iter().map(|value| elements(value).len()).max().unwrap_or(0);
                let missing = self.form.outer && count == 0;
                for at in 0..count.max(usize::from(missing)) {
                    let buffer = out.buffer();
                    for (value, column) in values.iter().zip(&self.elements) {
                        encode_column(*column, elements(value).get(at).unwrap_or(&Value::Null), buffer);
                    }
                    if self.form.ordinality {
                        let number = if missing { Value::Null } else { Value::Integer(at as i32 + 1) };
                        encode_column(self.elements[self.arrays], &number, buffer);
                    }
                    buffer.extend_from_slice(kept);
                    out.commit(weight);
                }
            }
        }
        step.streams.put(self.output, out);
    }
}

fn elements(value: &Value) -> &[Value] {
    match value {
        Value::Array(elements) => elements,
        _ => &[],
    }
}
