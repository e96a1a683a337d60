//! Small circuits by hand, for the tests of this folder.

use crate::circuit::{Circuit, Kernel, KernelStep, Node, NodeId, Op};
use crate::plan::{Expr, ExprKind, Span, TableId, View, ViewId, ViewKind};
use feldc_value::function::{Function, Nulls, Param, Returns};
use feldc_value::{ColumnType, SqlType, Value};

pub const BIGINT: ColumnType = ColumnType::new(SqlType::BigInt, false);
pub const BIGINT_NULL: ColumnType = ColumnType::new(SqlType::BigInt, true);
pub const BOOLEAN: ColumnType = ColumnType::new(SqlType::Boolean, false);
pub const BOOLEAN_NULL: ColumnType = ColumnType::new(SqlType::Boolean, true);
pub const MONEY: ColumnType = ColumnType::new(SqlType::Decimal { precision: 12, scale: 2 }, false);
pub const TEXT: ColumnType = ColumnType::new(SqlType::VARCHAR, false);
pub const TEXT_NULL: ColumnType = ColumnType::new(SqlType::VARCHAR, true);
pub const DATE: ColumnType = ColumnType::new(SqlType::Date, false);

/// An entry with only what emission reads.
const fn function(name: &'static str, path: &'static str, nulls: Nulls) -> Function {
    Function {
        name,
        library: feldc_value::function::CORE,
        path,
        parameters: &[Param::Any, Param::Any],
        variadic: false,
        returns: Returns::Is(SqlType::BigInt),
        nulls,
        typed: false,
        fallible: false,
        boxed: false,
        deterministic: true,
        monotone: false,
        call: |_, _| Ok(Value::Null),
        doc: "",
    }
}

pub static LESS: Function = function("<", "compare::lt", Nulls::Strict);
pub static DISTINCT: Function = function("IS DISTINCT FROM", "compare::distinct", Nulls::Never);
pub static PLUS: Function = Function { fallible: true, ..function("+", "bigint::add", Nulls::Strict) };
pub static TIMES: Function = Function { fallible: true, typed: true, ..function("*", "decimal::mul", Nulls::Strict) };
pub static UPPER: Function = function("UPPER", "text::upper", Nulls::Strict);
pub static TRIM: Function = function("TRIM", "text::trim", Nulls::Strict);
pub static CONCAT: Function = Function {
    variadic: true,
    parameters: &[Param::Is(SqlType::VARCHAR)],
    ..function("CONCAT", "text::concat", Nulls::Custom)
};

/// Line 3, and the given column.
pub fn at(column: u32) -> Span {
    Span { start: 0, end: 0, line: 3, column }
}

pub fn slot(slot: usize, ty: ColumnType) -> Expr {
    Expr { kind: ExprKind::Slot(slot), ty, span: at(1) }
}

pub fn literal(value: Value, ty: ColumnType) -> Expr {
    Expr::literal(value, ty, at(1))
}

pub fn call(function: &'static Function, ty: ColumnType, arguments: Vec<Expr>) -> Expr {
    Expr { kind: ExprKind::Call { function, arguments }, ty, span: at(9) }
}

pub fn kind(kind: ExprKind, ty: ColumnType) -> Expr {
    Expr { kind, ty, span: at(5) }
}

pub fn map(steps: Vec<KernelStep>, outputs: Vec<Expr>) -> Kernel {
    Kernel { steps, outputs }
}

fn node(op: Op, layout: &[ColumnType], view: Option<usize>) -> Node {
    Node { op, layout: layout.to_vec(), view: view.map(ViewId), span: at(1) }
}

/// Table, map by the kernel, output.
pub fn mapped(input: &[ColumnType], kernel: Kernel) -> Circuit {
    let output: Vec<ColumnType> = kernel.outputs.iter().map(|output| output.ty).collect();
    Circuit {
        nodes: vec![
            node(Op::Table { table: TableId(0), stored: false }, input, None),
            node(Op::Map { input: NodeId(0), kernel }, &output, Some(0)),
            node(Op::Output { input: NodeId(1), view: ViewId(0), stored: true }, &output, Some(0)),
        ],
    }
}

pub fn view(name: &str, sql: &str) -> View {
    View {
        name: name.into(),
        case_sensitive: false,
        kind: ViewKind::Output,
        columns: vec![],
        plan: crate::plan::Plan::Values { rows: vec![], columns: vec![] },
        connectors: serde_json::Value::Null,
        indexes: vec![],
        sql: sql.into(),
        span: at(1),
    }
}
