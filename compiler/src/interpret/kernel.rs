//! Kernels over encoded rows: decodes the columns that are read, runs the steps, encodes the outputs.

use super::expr::Code;
use crate::circuit::{Kernel, KernelStep};
use feldc_engine::layout::{decode_column, skip_column};
use feldc_engine::{JoinKernel, Layout, MapKernel, batch};
use feldc_value::{ColumnType, EvalError, Value};
use std::collections::BTreeSet;

/// The kernel of a `map` from rows of `input` to rows of `output`.
pub(super) fn map_kernel(kernel: &Kernel, input: &[ColumnType], output: &[ColumnType]) -> MapKernel {
    let read = kernel.slots();
    let reader = Reader::new(input, 0, &read);
    let mut program = Program::new(kernel, input.len(), output);
    Box::new(move |rows, out, errors| {
        batch::map_rows(rows, out, errors, |row, out| {
            reader.read(row, &mut program.slots);
            program.run(out)
        });
    })
}

/// The kernel of a `join` of rows of `left` and of `right`.
pub(super) fn join_kernel(
    kernel: &Kernel,
    left: &[ColumnType],
    right: &[ColumnType],
    output: &[ColumnType],
) -> JoinKernel {
    let read = kernel.slots();
    let readers = (Reader::new(left, 0, &read), Reader::new(right, left.len(), &read));
    let mut program = Program::new(kernel, left.len() + right.len(), output);
    Box::new(move |left, right, out| {
        readers.0.read(left, &mut program.slots);
        readers.1.read(right, &mut program.slots);
        program.run(out)
    })
}

/// Decodes some columns of a row into slots.
struct Reader {
    /// Slot, type and offset of columns that lie at the same place in every row.
    fixed: Vec<(usize, ColumnType, usize)>,
    /// From where on columns are found by walking, and for each up to the last that is read its type and slot.
    start: usize,
    walked: Vec<(ColumnType, Option<usize>)>,
}

impl Reader {
    fn new(columns: &[ColumnType], first_slot: usize, read: &BTreeSet<usize>) -> Reader {
        let layout = Layout::new(columns.to_vec());
        let is_read = |column: usize| read.contains(&(first_slot + column));
        let known = (0..columns.len()).take_while(|&column| layout.offset(column).is_some()).count();
        let end = (0..columns.len()).rev().find(|&column| is_read(column)).map_or(0, |last| last + 1);
        let place = |column: usize| layout.offset(column).map(|offset| (first_slot + column, columns[column], offset));
        // The first column of varying width still starts at a known place; the walk begins with it.
        let start = known.saturating_sub(1);
        let walk = |column: usize| (columns[column], is_read(column).then_some(first_slot + column));
        Reader {
            fixed: (0..start.min(end)).filter(|&column| is_read(column)).filter_map(place).collect(),
            start: layout.offset(start).unwrap_or(0),
            walked: (start..end).map(walk).collect(),
        }
    }

    fn read(&self, row: &[u8], slots: &mut [Value]) {
        for &(slot, ty, offset) in &self.fixed {
            slots[slot] = decode_column(ty, row, offset);
        }
        let mut offset = self.start;
        for &(ty, slot) in &self.walked {
            if let Some(slot) = slot {
                slots[slot] = decode_column(ty, row, offset);
            }
            offset = skip_column(ty, row, offset);
        }
    }
}

/// Steps and outputs over slots.
struct Program {
    steps: Vec<Step>,
    outputs: Vec<Code>,
    layout: Layout,
    /// Input columns that are not read stay NULL.
    slots: Vec<Value>,
    values: Vec<Value>,
}

enum Step {
    Let(usize, Code),
    Filter(Code),
}

impl Program {
    fn new(kernel: &Kernel, inputs: usize, output: &[ColumnType]) -> Program {
        let mut slots = inputs;
        let mut steps = vec![];
        for step in &kernel.steps {
            steps.push(match step {
                KernelStep::Filter(expr) => Step::Filter(Code::new(expr)),
                KernelStep::Let(expr) => {
                    slots += 1;
                    Step::Let(slots - 1, Code::new(expr))
                }
            });
        }
        Program {
            steps,
            outputs: kernel.outputs.iter().map(Code::new).collect(),
            layout: Layout::new(output.to_vec()),
            slots: vec![Value::Null; slots],
            values: vec![],
        }
    }

    /// Appends the result row, unless a filter drops it or an expression fails.
    fn run(&mut self, out: &mut Vec<u8>) -> Result<bool, EvalError> {
        for step in &self.steps {
            match step {
                Step::Let(slot, code) => self.slots[*slot] = code.evaluate(&self.slots)?,
                Step::Filter(code) if !code.holds(&self.slots)? => return Ok(false),
                Step::Filter(_) => (),
            }
        }
        self.values.clear();
        for output in &self.outputs {
            self.values.push(output.evaluate(&self.slots)?);
        }
        self.layout.encode(&self.values, out);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{Expr, ExprKind};
    use feldc_engine::{Batch, Errors};
    use feldc_value::SqlType;

    #[test]
    fn only_columns_that_are_read_are_decoded_wherever_they_lie() {
        let column = |ty, nullable| ColumnType::new(ty, nullable);
        let types = [
            column(SqlType::BigInt, false),
            column(SqlType::VARCHAR, true),
            column(SqlType::VARCHAR, false),
            column(SqlType::Integer, true),
        ];
        let rows = [
            vec![Value::BigInt(1), Value::Null, Value::text("a\u{0}b"), Value::Integer(5)],
            vec![Value::BigInt(2), Value::text("x"), Value::text(""), Value::Null],
        ];
        let layout = Layout::new(types.to_vec());
        let mut batch = Batch::new(layout.stride());
        for row in &rows {
            layout.encode(row, batch.buffer());
            batch.commit(1);
        }
        for read in [vec![0], vec![1], vec![3], vec![0, 2], vec![3, 0, 1, 2], vec![]] {
            let slot = |&n: &usize| Expr { kind: ExprKind::Slot(n), ty: types[n], span: Default::default() };
            let kernel = Kernel { steps: vec![], outputs: read.iter().map(slot).collect() };
            let output: Vec<ColumnType> = read.iter().map(|&n| types[n]).collect();
            let mut out = Batch::new(Layout::new(output.clone()).stride());
            map_kernel(&kernel, &types, &output)(&batch, &mut out, &mut Errors::default());
            let got: Vec<Vec<Value>> = out.iter().map(|(row, _)| Layout::new(output.clone()).decode(row)).collect();
            let expected: Vec<Vec<Value>> =
                rows.iter().map(|row| read.iter().map(|&n| row[n].clone()).collect()).collect();
            assert_eq!(got, expected);
        }
    }
}
