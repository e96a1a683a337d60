//! The circuit as text, one line for each node: what `--emit=circuit` shows and golden tests compare.
//!
//! `n7 = join delta=n3 index=n5 side=left [filter (s1 < s4); s0, s2] : (BIGINT NOT NULL, VARCHAR)`. In kernels `s0`, `s1`, ...
//! are the slots; types of inner expressions are left out.

use super::{Circuit, Kernel, KernelStep, Node, NodeId, Op};
use crate::plan::{self, Expr, ExprKind};
use feldc_engine::{Aggregate, Bound, Bounds, Side};
use feldc_value::{ColumnType, Value};
use std::fmt::{self, Display, Formatter};

impl Display for NodeId {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "n{}", self.0)
    }
}

impl Display for Circuit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (position, node) in self.nodes.iter().enumerate() {
            writeln!(f, "n{position} = {node}")?;
        }
        Ok(())
    }
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} : {}", self.op, types(&self.layout))
    }
}

/// `(BIGINT NOT NULL, VARCHAR)`.
pub fn types(columns: &[ColumnType]) -> String {
    format!("({})", list(columns))
}

fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    items.into_iter().map(|item| item.to_string()).collect::<Vec<_>>().join(", ")
}

impl Display for Op {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Op::Table { table, stored } => write!(f, " t{}{}", table.0, flag(*stored, "stored")),
            Op::KeyedTable { table, key } => write!(f, " t{} key={key}", table.0),
            Op::Constant { rows } => {
                let row = |row: &Vec<Value>| format!("({})", list(row.iter().map(literal)));
                write!(f, " [{}]", list(rows.iter().map(row)))
            }
            Op::Map { input, kernel } => write!(f, " {input} {kernel}"),
            Op::Union { inputs } => write!(f, " {}", list(inputs)),
            Op::Negate { input } | Op::Distinct { input } | Op::Positive { input } => write!(f, " {input}"),
            Op::Exchange { input, key } | Op::Index { input, key } => write!(f, " {input} key={key}"),
            Op::Update { index } => write!(f, " {index}"),
            Op::Join { delta, index, delta_side, kernel } => {
                let side = match delta_side {
                    Side::Left => "left",
                    Side::Right => "right",
                };
                write!(f, " delta={delta} index={index} side={side} {kernel}")
            }
            Op::RangeJoin { left, right, key, left_bounds, right_bounds, kernel } => {
                let (of_left, of_right) = (range(*left_bounds), range(*right_bounds));
                write!(f, " {left} sets {of_left} {right} sets {of_right} key={key} {kernel}")
            }
            Op::Semi { delta, index } | Op::Anti { delta, index } => write!(f, " delta={delta} index={index}"),
            Op::Aggregate { input, key, aggregates, scalar } => {
                let calls = list(aggregates.iter().map(aggregate));
                write!(f, " {input} key={key}{} [{calls}]", flag(*scalar, "scalar"))
            }
            Op::TopK { input, partition, order, window } => {
                let column = |(n, direction)| format!("s{}{}", partition + n, plan::print::direction(direction));
                let order = list(order.iter().copied().enumerate().map(column));
                write!(f, " {input} partition={partition} by [{order}] {}", plan::print::window(window))
            }
            Op::Unnest { input, arrays, ordinality, outer } => {
                write!(f, " {input} arrays={arrays}{}{}", flag(*ordinality, "ordinality"), flag(*outer, "outer"))
            }
            Op::Output { input, view, stored } => write!(f, " {input} v{}{}", view.0, flag(*stored, "stored")),
        }
    }
}

/// The bounds that a side's rows set for the other side: `[>=, <]`.
fn range(bounds: Bounds) -> String {
    let end = |bound: Option<Bound>, sign: &str| match bound {
        Some(Bound::Inclusive) => Some(format!("{sign}=")),
        Some(Bound::Exclusive) => Some(sign.to_string()),
        None => None,
    };
    format!("[{}]", list(end(bounds.lower, ">").into_iter().chain(end(bounds.upper, "<"))))
}

fn flag(set: bool, word: &str) -> String {
    if set { format!(" {word}") } else { String::new() }
}

fn aggregate(aggregate: &Aggregate) -> String {
    if aggregate.arguments.is_empty() {
        return "count(*)".to_string();
    }
    let distinct = if aggregate.distinct { "distinct " } else { "" };
    let (values, keys) = aggregate.arguments.split_at(aggregate.arguments.len() - aggregate.order.len());
    let keys = keys.iter().zip(&aggregate.order).map(|(key, way)| format!("s{key}{}", plan::print::direction(*way)));
    let order = if aggregate.order.is_empty() { String::new() } else { format!(" by {}", list(keys)) };
    let values = list(values.iter().map(|value| format!("s{value}")));
    format!("{}({distinct}{values}{order})", aggregate.function.to_string().to_lowercase())
}

impl Display for Kernel {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for step in &self.steps {
            match step {
                KernelStep::Let(expr) => write!(f, "let {}; ", Shown(expr))?,
                KernelStep::Filter(expr) => write!(f, "filter {}; ", Shown(expr))?,
            }
        }
        write!(f, "{}]", list(self.outputs.iter().map(Shown)))
    }
}

/// An expression as one line.
pub struct Shown<'a>(pub &'a Expr);

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let operands = |operands: &[Expr], word: &str| {
            operands.iter().map(|e| Shown(e).to_string()).collect::<Vec<_>>().join(word)
        };
        match &self.0.kind {
            ExprKind::Slot(slot) => write!(f, "s{slot}"),
            ExprKind::Column(column) => write!(f, "c{}", column.0),
            ExprKind::Literal(value) => f.write_str(&literal(value)),
            ExprKind::Call { function, arguments } => match &arguments[..] {
                [left, right]
                    if !function.name.starts_with(char::is_alphabetic) || function.name.starts_with("IS ") =>
                {
                    write!(f, "({} {} {})", Shown(left), function.name, Shown(right))
                }
                _ if function.name == "CAST" => write!(f, "CAST({} AS {})", operands(arguments, ", "), self.0.ty.ty),
                _ => write!(f, "{}({})", function.name, operands(arguments, ", ")),
            },
            ExprKind::And(items) => write!(f, "({})", operands(items, " AND ")),
            ExprKind::Or(items) => write!(f, "({})", operands(items, " OR ")),
            ExprKind::IsNull(operand) => write!(f, "({} IS NULL)", Shown(operand)),
            ExprKind::Case { branches, otherwise } => {
                f.write_str("CASE")?;
                for (condition, result) in branches {
                    write!(f, " WHEN {} THEN {}", Shown(condition), Shown(result))?;
                }
                if let Some(otherwise) = otherwise {
                    write!(f, " ELSE {}", Shown(otherwise))?;
                }
                f.write_str(" END")
            }
            ExprKind::Coalesce(items) => write!(f, "COALESCE({})", operands(items, ", ")),
            ExprKind::Try(operand) => write!(f, "TRY({})", Shown(operand)),
            ExprKind::Each { collection, parameter, body } => {
                write!(f, "EACH({}, p{parameter} -> {})", Shown(collection), Shown(body))
            }
            ExprKind::Parameter(parameter) => write!(f, "p{parameter}"),
            ExprKind::Subquery { .. } => f.write_str("<subquery>"),
        }
    }
}

/// A value as SQL text; DECIMAL as its unscaled integer with a `d`, since the scale stands in the type.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "NULL".to_string(),
        Value::Boolean(value) => value.to_string().to_uppercase(),
        Value::TinyInt(value) => value.to_string(),
        Value::SmallInt(value) => value.to_string(),
        Value::Integer(value) => value.to_string(),
        Value::BigInt(value) => value.to_string(),
        Value::Decimal(value) => format!("{value}d"),
        Value::Real(value) => format!("{value:?}"),
        Value::Double(value) => format!("{value:?}"),
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        other => format!("{other:?}"),
    }
}
