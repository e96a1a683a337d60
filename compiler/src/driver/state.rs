//! What each operator keeps between steps, and what bounds it.
//!
//! A bound is proven from the circuit alone: a constant has so many rows, an aggregate without GROUP BY has one, a limit so
//! many, and columns of a small type have no more different rows than values. A join is not looked into: its two halves
//! take back each other's rows. What has no proof counts as growing with the tables that it reads.

use super::Compiled;
use crate::circuit::{Circuit, Node, Op};
use crate::plan::Span;
use feldc_engine::{Aggregate, AggregateFunction};
use feldc_value::{ColumnType, SqlType};
use std::collections::BTreeSet;

/// More rows than this are no bound that anyone counts on.
const BOUND_MAX: u64 = 1 << 24;

/// The state of one operator.
pub struct Kept {
    /// Position in the circuit.
    pub node: usize,
    pub what: String,
    /// So many rows or groups at most; `None` when nothing bounds them.
    pub rows_max: Option<u64>,
    /// The tables whose rows come here, by name.
    pub tables: Vec<String>,
    pub view: Option<String>,
    pub span: Span,
}

impl Kept {
    /// What bounds the state, or what it grows with.
    pub fn bound(&self) -> String {
        match (self.rows_max, &self.tables[..]) {
            (Some(1), _) => "at most 1 row".to_string(),
            (Some(rows), _) => format!("at most {rows} rows"),
            (None, tables) => format!("grows with the distinct rows present in {}, no bound", tables.join(", ")),
        }
    }
}

pub fn kept(compiled: &Compiled) -> Vec<Kept> {
    let circuit = &compiled.circuit;
    let bounds = bounds(circuit);
    let tables = tables(circuit);
    let state = |(at, node): (usize, &Node)| {
        let (what, rows_max) = state(node, &bounds, at)?;
        let names = tables[at].iter().map(|&table| compiled.program.tables[table].name.clone());
        let view = node.view.and_then(|view| compiled.program.views.get(view.0));
        Some(Kept {
            node: at,
            what,
            rows_max,
            tables: names.collect(),
            view: view.map(|view| view.name.clone()),
            // A table's own statement is the place to change what it keeps.
            span: match &node.op {
                Op::Table { table, .. } | Op::KeyedTable { table, .. } => compiled.program.tables[table.0].span,
                _ if node.span == Span::default() => view.map_or(node.span, |view| view.span),
                _ => node.span,
            },
        })
    };
    circuit.nodes.iter().enumerate().filter_map(state).collect()
}

/// What a node keeps, and how much of it at most.
fn state(node: &Node, bounds: &[Option<u64>], at: usize) -> Option<(String, Option<u64>)> {
    Some(match &node.op {
        Op::Table { stored: true, .. } => ("the table's rows, with their counts".to_string(), bounds[at]),
        Op::KeyedTable { key, .. } => (format!("the table's rows by primary key {}", key_of(node, *key)), bounds[at]),
        Op::Index { input, key } => (format!("the input's rows by key {}", key_of(node, *key)), bounds[input.0]),
        Op::Distinct { input } | Op::Positive { input } => {
            ("a count for each distinct row".to_string(), bounds[input.0])
        }
        Op::Aggregate { input, key, aggregates, .. } => {
            let arguments = aggregates.iter().any(|aggregate| !linear(aggregate));
            let groups = bounds[at];
            (aggregate_state(node, *key, aggregates), if arguments { bounds[input.0] } else { groups })
        }
        Op::RangeJoin { left, right, .. } => {
            let rows = bounds[left.0].zip(bounds[right.0]).map(|(left, right)| left.saturating_add(right));
            ("the rows of both inputs in order of key and sort value".to_string(), rows)
        }
        Op::TopK { input, partition, .. } => {
            (format!("all rows of the input in order, partitions {}", key_of(node, *partition)), bounds[input.0])
        }
        Op::Output { input, stored: true, .. } => ("the view's rows (materialized)".to_string(), bounds[input.0]),
        _ => return None,
    })
}

fn aggregate_state(node: &Node, key: usize, aggregates: &[Aggregate]) -> String {
    use AggregateFunction::{ArgMax, ArgMin, Max, Min, Mode, PercentileCont, PercentileDisc};
    use AggregateFunction::{ArrayAgg, StringAgg};
    let count = |functions: &[_]| aggregates.iter().filter(|a| functions.contains(&a.function)).count();
    let mut kept = match key {
        0 => "accumulators".to_string(),
        _ => format!("accumulators for each group, key {}", key_of(node, key)),
    };
    let ordered = count(&[Min, Max, ArgMin, ArgMax]);
    if ordered > 0 {
        kept += &format!("; the arguments of {ordered} MIN/MAX in order");
    }
    let modes = count(&[Mode]);
    if modes > 0 {
        kept += &format!("; the distinct arguments of {modes} MODE by count");
    }
    let ranked = |a: &&Aggregate| matches!(a.function, PercentileCont(_) | PercentileDisc(_));
    let percentiles = aggregates.iter().filter(ranked).count();
    if percentiles > 0 {
        kept += &format!("; the arguments of {percentiles} percentile(s) in order");
    }
    let joined = count(&[ArrayAgg, StringAgg]);
    if joined > 0 {
        kept +=
            &format!("; the arguments of {joined} STRING_AGG or ARRAY_AGG in order, joined anew where a group changes");
    }
    let distinct = aggregates.iter().filter(|a| a.distinct).count();
    if distinct > 0 {
        kept += &format!("; a count for each distinct argument of {distinct} aggregate(s)");
    }
    kept
}

/// Does the aggregate keep no more than a few numbers for each group?
fn linear(aggregate: &Aggregate) -> bool {
    use AggregateFunction::{Avg, BitAnd, BitOr, BitXor, Count, CountStar, Every, Some, Statistic, Sum};
    let function = matches!(
        aggregate.function,
        CountStar | Count | Sum | Avg | Every | Some | BitAnd | BitOr | BitXor | Statistic(_)
    );
    function && !aggregate.distinct
}

/// For each node how many distinct rows it can hold at most, when that does not depend on how long the program runs.
fn bounds(circuit: &Circuit) -> Vec<Option<u64>> {
    let mut bounds: Vec<Option<u64>> = vec![];
    for node in &circuit.nodes {
        let rows = match &node.op {
            Op::Constant { rows } => Some(rows.len() as u64),
            Op::Map { input, .. }
            | Op::Negate { input }
            | Op::Exchange { input, .. }
            | Op::Index { input, .. }
            | Op::Update { index: input }
            | Op::Distinct { input }
            | Op::Positive { input }
            | Op::Output { input, .. } => bounds[input.0],
            Op::Union { inputs } => {
                inputs.iter().try_fold(0u64, |sum, input| bounds[input.0].map(|rows| sum.saturating_add(rows)))
            }
            Op::Aggregate { input, key, scalar, .. } => {
                let groups = least(bounds[input.0], domain(&circuit.nodes[input.0].layout[..*key]));
                groups.map(|groups| groups.max(u64::from(*scalar)))
            }
            Op::TopK { input, partition, window, .. } => {
                let partitions = domain(&circuit.nodes[input.0].layout[..*partition]);
                // Of a rank several rows may have the same.
                let each = window.limit.filter(|_| window.ties.is_none() && window.rank.is_none());
                let taken = partitions.zip(each).map(|(partitions, each)| partitions.saturating_mul(each));
                least(bounds[input.0], taken)
            }
            Op::KeyedTable { key, .. } => domain(&node.layout[..*key]),
            Op::Table { .. }
            | Op::Join { .. }
            | Op::RangeJoin { .. }
            | Op::Semi { .. }
            | Op::Anti { .. }
            | Op::Unnest { .. } => None,
        };
        bounds.push(least(rows, domain(&node.layout)).filter(|rows| *rows <= BOUND_MAX));
    }
    bounds
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    a.into_iter().chain(b).min()
}

/// How many different rows columns of these types have; `None` for very many. No column: the empty row.
fn domain(columns: &[ColumnType]) -> Option<u64> {
    let values = |column: &ColumnType| {
        let values: u64 = match column.ty {
            SqlType::Null => 0,
            SqlType::Boolean => 2,
            SqlType::TinyInt | SqlType::UTinyInt => 1 << 8,
            SqlType::SmallInt | SqlType::USmallInt => 1 << 16,
            _ => return None,
        };
        Some(values + u64::from(column.nullable))
    };
    let rows = columns.iter().try_fold(1u64, |rows, column| values(column).map(|values| rows.saturating_mul(values)));
    rows.filter(|rows| *rows <= BOUND_MAX)
}

/// For each node the tables whose rows come to it, by position.
fn tables(circuit: &Circuit) -> Vec<BTreeSet<usize>> {
    let mut tables: Vec<BTreeSet<usize>> = vec![];
    for node in &circuit.nodes {
        let mut read: BTreeSet<usize> = node.op.inputs().iter().flat_map(|input| tables[input.0].clone()).collect();
        if let Op::Table { table, .. } | Op::KeyedTable { table, .. } = &node.op {
            read.insert(table.0);
        }
        tables.push(read);
    }
    tables
}

fn key_of(node: &Node, key: usize) -> String {
    let types: Vec<String> = node.layout.iter().take(key).map(ColumnType::to_string).collect();
    format!("({})", types.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::compile;

    const TABLE: &str =
        "CREATE TABLE t (k BIGINT, b BOOLEAN, n TINYINT NOT NULL, v BIGINT); CREATE TABLE u (k BIGINT);";

    /// The states of a view, each as its first words and its bound.
    fn check(query: &str, expected: &[(&str, Option<u64>)]) {
        let compiled =
            compile("program.sql", &format!("{TABLE} {query};")).unwrap_or_else(|message| panic!("{message}"));
        let kept = kept(&compiled);
        let found: Vec<(&str, Option<u64>)> = kept.iter().map(|kept| (kept.what.as_str(), kept.rows_max)).collect();
        assert_eq!(found.len(), expected.len(), "{query}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.0.starts_with(expected.0) && found.1 == expected.1, "{query}: {found:?}, not {expected:?}");
        }
    }

    #[test]
    fn what_is_bounded_is_proven() {
        check("CREATE VIEW v AS SELECT k + 1 FROM t WHERE b", &[]);
        check("CREATE VIEW v AS SELECT COUNT(*), SUM(v), STDDEV(v) FROM t", &[("accumulators", Some(1))]);
        check("CREATE VIEW v AS SELECT b, COUNT(*) FROM t GROUP BY b", &[("accumulators for each group", Some(3))]);
        check("CREATE VIEW v AS SELECT DISTINCT b, n FROM t", &[("a count for each", Some(768))]);
        check("CREATE MATERIALIZED VIEW v AS VALUES (1), (2)", &[("the view's rows", Some(2))]);
        check(
            "CREATE MATERIALIZED VIEW v AS SELECT COUNT(*) FROM t",
            &[("accumulators", Some(1)), ("the view's rows", Some(1))],
        );
        check(
            "CREATE MATERIALIZED VIEW v AS SELECT k FROM t ORDER BY v LIMIT 5",
            &[("all rows of the input", None), ("the view's rows", Some(5))],
        );
    }

    #[test]
    fn what_grows_is_named() {
        check("CREATE VIEW v AS SELECT k, SUM(v) FROM t GROUP BY k", &[("accumulators for each group", None)]);
        check("CREATE VIEW v AS SELECT MIN(v) FROM t", &[("accumulators; the arguments of 1 MIN/MAX", None)]);
        check("CREATE VIEW v AS SELECT COUNT(DISTINCT v) FROM t", &[("accumulators; a count for each", None)]);
        check("CREATE VIEW v AS SELECT DISTINCT k FROM t", &[("a count for each", None)]);
        let join = "CREATE VIEW v AS SELECT t.v FROM t JOIN u ON t.k = u.k";
        check(join, &[("the input's rows by key", None), ("the input's rows by key", None)]);
        let compiled = compile("program.sql", &format!("{TABLE} {join};")).unwrap();
        assert_eq!(kept(&compiled)[0].bound(), "grows with the distinct rows present in t, no bound");
    }
}
