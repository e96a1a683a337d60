//! Plans and expressions as text: one node per line, children indented, columns as `name#id`.

use super::{
    AggregateCall, Column, ColumnId, Expr, ExprKind, JoinKind, OrderKey, Plan, Program, Quantifier, SubqueryKind,
};
use feldc_engine::{Direction, Rank, Window};
use feldc_value::text_form::format_value;
use feldc_value::{SqlType, Value};
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter, Write};

type Names = BTreeMap<ColumnId, String>;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.fail_on_error {
            writeln!(f, "set on_error = fail")?;
        }
        for (id, table) in self.tables.iter().enumerate() {
            let columns: Vec<String> = table.columns.iter().map(|c| format!("{} {}", c.name, c.ty)).collect();
            write!(f, "table @{id} {} ({})", table.name, columns.join(", "))?;
            if !table.primary_key.is_empty() {
                let key: Vec<&str> = table.primary_key.iter().map(|at| table.columns[*at].name.as_str()).collect();
                write!(f, " key ({})", key.join(", "))?;
            }
            for (name, set) in [("materialized", table.materialized), ("append_only", table.append_only)] {
                if set {
                    write!(f, " {name}")?;
                }
            }
            writeln!(f)?;
        }
        for (id, view) in self.views.iter().enumerate() {
            let kind = format!("{:?}", view.kind).to_lowercase();
            let columns: Vec<String> =
                view.columns.iter().map(|c| format!("{}=#{} {}", c.name, c.id.0, c.ty)).collect();
            writeln!(f, "view @{id} {} {kind} ({})", view.name, columns.join(", "))?;
            for (name, key) in &view.indexes {
                let key: Vec<&str> = key.iter().map(|at| view.columns[*at].name.as_str()).collect();
                writeln!(f, "  index {name} ({})", key.join(", "))?;
            }
            f.write_str(&indent(&view.plan.to_string(), 1))?;
        }
        Ok(())
    }
}

impl Display for Plan {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut names = Names::new();
        collect_names(self, &mut names);
        f.write_str(&print(self, &names))
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&expression(self, &Names::new()))
    }
}

fn indent(text: &str, levels: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", "  ".repeat(levels))).collect()
}

fn collect_names(plan: &Plan, names: &mut Names) {
    names.extend(plan.columns().into_iter().map(|column| (column.id, column.name)));
    for child in plan.children() {
        collect_names(child, names);
    }
}

/// The node's line and its children below it.
fn print(plan: &Plan, names: &Names) -> String {
    let mut out = line(plan, names);
    out.push('\n');
    for expr in plan.expressions() {
        subqueries(expr, names, &mut out);
    }
    for child in plan.children() {
        out.push_str(&indent(&print(child, names), 1));
    }
    out
}

/// The plans of the subqueries in a node's expression, as children marked `subquery`.
fn subqueries(expr: &Expr, names: &Names, out: &mut String) {
    if let ExprKind::Subquery { plan, .. } = &expr.kind {
        let mut inner = names.clone();
        collect_names(plan, &mut inner);
        out.push_str("  subquery\n");
        out.push_str(&indent(&print(plan, &inner), 2));
    }
    for child in expr.children() {
        subqueries(child, names, out);
    }
}

fn line(plan: &Plan, names: &Names) -> String {
    let expr = |e: &Expr| expression(e, names);
    match plan {
        Plan::Table { table, columns } => format!("table @{} {}", table.0, typed(columns)),
        Plan::View { view, columns } => format!("view @{} {}", view.0, typed(columns)),
        Plan::Values { rows, columns } => {
            let rows: Vec<String> = rows.iter().map(|row| format!("({})", list(row, names))).collect();
            format!("values {} {}", typed(columns), rows.join(", ")).trim_end().to_string()
        }
        Plan::Filter { predicate, .. } => format!("filter {}", expr(predicate)),
        Plan::Project { columns, .. } => {
            let columns: Vec<String> = columns.iter().map(|(c, e)| format!("{} := {}", column(c), expr(e))).collect();
            format!("project {}", columns.join(", "))
        }
        Plan::Join { kind, on, .. } => format!("join {} on {}", join_kind(*kind), expr(on)),
        Plan::Apply { kind, on, .. } => format!("apply {} on {}", join_kind(*kind), expr(on)),
        Plan::Aggregate { keys, aggregates, scalar, .. } => {
            let keys: Vec<String> =
                keys.iter().map(|(c, id)| format!("{} := {}", column(c), name(*id, names))).collect();
            let calls: Vec<String> =
                aggregates.iter().map(|(c, call)| format!("{} := {}", column(c), aggregate(call, names))).collect();
            let scalar = if *scalar { " scalar" } else { "" };
            format!("aggregate{scalar} by [{}] [{}]", keys.join(", "), calls.join(", "))
        }
        Plan::Distinct { .. } => "distinct".to_string(),
        Plan::TopK { partition, order, window, ranked, .. } => {
            let partition: Vec<String> = partition.iter().map(|id| name(*id, names)).collect();
            let key = |key: &OrderKey| format!("{}{}", name(key.column, names), direction(key.direction));
            let order: Vec<String> = order.iter().map(key).collect();
            let ranked = ranked.as_ref().map_or(String::new(), |ranked| format!(" as {}", column(ranked)));
            format!("top {} of [{}] by [{}]{ranked}", self::window(window), partition.join(", "), order.join(", "))
        }
        Plan::Unnest { arrays, elements, ordinality, outer, .. } => {
            let arrays: Vec<String> = arrays.iter().map(|id| name(*id, names)).collect();
            let number = ordinality.as_ref().map_or(String::new(), |number| format!(" number {}", column(number)));
            let outer = if *outer { " outer" } else { "" };
            format!("unnest{outer} [{}] as {}{number}", arrays.join(", "), typed(elements))
        }
        Plan::Union { columns, .. } => format!("union {}", typed(columns)),
        Plan::SetDifference { all, columns, .. } => format!("except{} {}", all_word(*all), typed(columns)),
        Plan::SetIntersection { all, columns, .. } => format!("intersect{} {}", all_word(*all), typed(columns)),
    }
}

/// What a direction adds to a key: nothing when it is the usual one.
pub fn direction(direction: Direction) -> String {
    let nulls = match (direction.descending, direction.nulls_first) {
        (true, true) => " nulls first",
        (false, false) => " nulls last",
        _ => "",
    };
    format!("{}{nulls}", if direction.descending { " desc" } else { "" })
}

/// `limit 3 offset 1 ties 2`: the rows that tie in the first two keys of the order too.
pub fn window(window: &Window) -> String {
    let limit = window.limit.map_or("all".to_string(), |limit| format!("limit {limit}"));
    let offset = if window.offset == 0 { String::new() } else { format!(" offset {}", window.offset) };
    let ties = window.ties.map_or(String::new(), |ties| format!(" ties {ties}"));
    let rank = match window.rank {
        None => "",
        Some(Rank::RowNumber) => " row_number",
        Some(Rank::Rank) => " rank",
        Some(Rank::DenseRank) => " dense_rank",
    };
    format!("{limit}{offset}{ties}{rank}")
}

fn all_word(all: bool) -> &'static str {
    if all { " all" } else { "" }
}

fn join_kind(kind: JoinKind) -> String {
    format!("{kind:?}").to_lowercase()
}

fn column(column: &Column) -> String {
    format!("{}#{}", column.name, column.id.0)
}

fn name(id: ColumnId, names: &Names) -> String {
    format!("{}#{}", names.get(&id).map_or("", String::as_str), id.0)
}

fn typed(columns: &[Column]) -> String {
    let columns: Vec<String> = columns.iter().map(|c| format!("{} {}", column(c), c.ty)).collect();
    format!("({})", columns.join(", "))
}

fn aggregate(call: &AggregateCall, names: &Names) -> String {
    if call.arguments.is_empty() {
        return "COUNT(*)".to_string();
    }
    let (values, keys) = call.arguments.split_at(call.arguments.len() - call.order.len());
    let keys = keys.iter().zip(&call.order).map(|(key, way)| format!("{}{}", expression(key, names), direction(*way)));
    let keys = keys.collect::<Vec<_>>().join(", ");
    let (distinct, order) =
        (if call.distinct { "DISTINCT " } else { "" }, if call.order.is_empty() { "" } else { " ORDER BY " });
    format!("{}({distinct}{}{order}{keys})", call.function, list(values, names))
}

fn list(exprs: &[Expr], names: &Names) -> String {
    exprs.iter().map(|e| expression(e, names)).collect::<Vec<_>>().join(", ")
}

fn expression(expr: &Expr, names: &Names) -> String {
    let joined = |operands: &[Expr], word: &str| {
        let parts: Vec<String> = operands.iter().map(|e| expression(e, names)).collect();
        format!("({})", parts.join(word))
    };
    match &expr.kind {
        ExprKind::Column(id) => name(*id, names),
        ExprKind::Slot(slot) => format!("${slot}"),
        ExprKind::Literal(value) => literal(value, expr.ty.ty),
        ExprKind::Call { function, arguments } => match (function.name, arguments.as_slice()) {
            ("CAST", [operand]) => format!("CAST({} AS {})", expression(operand, names), expr.ty.ty),
            (symbol, [_, _]) if !symbol.starts_with(char::is_alphabetic) => joined(arguments, &format!(" {symbol} ")),
            (name, _) => format!("{name}({})", list(arguments, names)),
        },
        ExprKind::And(operands) => joined(operands, " AND "),
        ExprKind::Or(operands) => joined(operands, " OR "),
        ExprKind::IsNull(operand) => format!("({} IS NULL)", expression(operand, names)),
        ExprKind::Case { branches, otherwise } => {
            let mut out = "CASE".to_string();
            for (condition, result) in branches {
                let _ = write!(out, " WHEN {} THEN {}", expression(condition, names), expression(result, names));
            }
            if let Some(otherwise) = otherwise {
                let _ = write!(out, " ELSE {}", expression(otherwise, names));
            }
            out + " END"
        }
        ExprKind::Coalesce(operands) => format!("COALESCE({})", list(operands, names)),
        ExprKind::Try(operand) => format!("TRY({})", expression(operand, names)),
        ExprKind::Each { collection, parameter, body } => {
            format!("EACH({}, p{parameter} -> {})", expression(collection, names), expression(body, names))
        }
        ExprKind::Parameter(parameter) => format!("p{parameter}"),
        ExprKind::Subquery { kind, .. } => match kind {
            SubqueryKind::Scalar => "SUBQUERY".to_string(),
            SubqueryKind::Exists => "EXISTS(SUBQUERY)".to_string(),
            SubqueryKind::In { operands } => format!("(({}) IN SUBQUERY)", list(operands, names)),
            SubqueryKind::Quantified { operand, comparison, quantifier } => {
                let word = if *quantifier == Quantifier::Any { "ANY" } else { "ALL" };
                format!("({} {} {word} SUBQUERY)", expression(operand, names), comparison.name)
            }
        },
    }
}

/// A literal in SQL form; dates and intervals by their numbers, which is what kernels see.
fn literal(value: &Value, ty: SqlType) -> String {
    let quoted = |text: &dyn Display| format!("{ty} '{text}'");
    match value {
        Value::Null => "NULL".to_string(),
        Value::Boolean(v) => v.to_string().to_uppercase(),
        Value::TinyInt(v) => v.to_string(),
        Value::SmallInt(v) => v.to_string(),
        Value::UTinyInt(v) => v.to_string(),
        Value::USmallInt(v) => v.to_string(),
        Value::UInteger(v) => v.to_string(),
        Value::UBigInt(v) => v.to_string(),
        Value::Integer(v) => v.to_string(),
        Value::BigInt(v) => v.to_string(),
        Value::Decimal(v) => decimal(*v, ty),
        Value::Real(v) => format!("{v:?}"),
        Value::Double(v) => format!("{v:?}"),
        Value::Text(v) => format!("'{}'", v.replace('\'', "''")),
        Value::Date(v) => quoted(v),
        Value::Time(v) | Value::Timestamp(v) | Value::IntervalShort(v) => quoted(v),
        Value::TimestampTz(v) => quoted(v),
        Value::IntervalLong(v) => quoted(v),
        Value::Binary(_) | Value::Uuid(_) | Value::Array(_) | Value::Map(_) | Value::Row(_) | Value::Variant(_) => {
            quoted(&format_value(value, ty))
        }
    }
}

fn decimal(units: i128, ty: SqlType) -> String {
    let SqlType::Decimal { scale, .. } = ty else { return units.to_string() };
    let scale = usize::from(scale);
    let digits = format!("{:0>width$}", units.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if units < 0 { "-" } else { "" };
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}
