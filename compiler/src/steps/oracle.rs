//! What the views of a session ought to hold: the program evaluated from scratch over its tables' contents, by
//! [`crate::reference`], which shares no operator with the engine.

use super::{Change, Relation, Session};
use crate::plan::{Expr, ExprKind, Plan, Program, ViewKind};
use crate::reference::{Contents, Row, evaluate};
use feldc_value::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A view that does not hold what it ought to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    pub view: String,
    /// Rows as text, with how often they are missing.
    pub missing: Vec<(String, i64)>,
    pub extra: Vec<(String, i64)>,
}

/// Of the rows of a difference so many are shown.
const SHOWN: usize = 5;

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "view {} differs from its evaluation from scratch", self.view)?;
        for (what, rows) in [("missing", &self.missing), ("extra", &self.extra)] {
            rows.iter().take(SHOWN).try_for_each(|(row, count)| write!(f, "\n  {what} {count} x {row}"))?;
            if rows.len() > SHOWN {
                write!(f, "\n  and {} more", rows.len() - SHOWN)?;
            }
        }
        Ok(())
    }
}

/// What each of [`Session::views`] but the last ought to hold, by encoded row, and what ought to fail.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub views: Vec<BTreeMap<Vec<u8>, i64>>,
    /// Each evaluation that fails, and how often.
    pub errors: BTreeMap<Failure, usize>,
    /// Lines and columns of what may fail for rows without a partner: a key of a join is computed for every row, where the
    /// evaluation from scratch looks at pairs.
    keys: BTreeSet<(u32, u32)>,
}

impl Expected {
    /// Before the first step, when not even a constant is there.
    pub fn nothing(views: usize) -> Expected {
        Expected { views: vec![BTreeMap::new(); views], ..Expected::default() }
    }
}

/// SQLSTATE and message.
pub type Failure = (String, String);

/// Evaluates `program` when the tables hold these rows (see [`evaluate`]).
pub fn expected(program: &Program, tables: &[Vec<Row>], session: &Session) -> Expected {
    let contents = evaluate(program, tables);
    let views = session.views().split_last().map_or(&[] as &[Relation], |(_, views)| views).iter();
    let rows = |relation: &Relation| {
        let mut rows = BTreeMap::new();
        // Parts of a view stand before it under its name.
        if let Some(at) = program.views.iter().rposition(|view| view.name == relation.name) {
            for row in &contents[at].rows {
                *rows.entry(session.as_given(relation, relation.encode(row))).or_insert(0) += 1;
            }
        }
        rows
    };
    let mut keys = BTreeSet::new();
    program.views.iter().for_each(|view| add_keys(&view.plan, &mut keys));
    Expected { views: views.map(rows).collect(), errors: errors(program, &contents), keys }
}

/// The failures in the views that are outputs or that an output reads.
fn errors(program: &Program, contents: &[Contents]) -> BTreeMap<Failure, usize> {
    let mut read: Vec<bool> = program.views.iter().map(|view| view.kind != ViewKind::Local).collect();
    for at in (0..program.views.len()).rev() {
        if read[at] {
            mark_views(&program.views[at].plan, &mut read);
        }
    }
    let contents = contents.iter().zip(&read).filter(|(_, read)| **read);
    let mut errors = BTreeMap::new();
    for error in contents.flat_map(|(contents, _)| &contents.errors) {
        *errors.entry((error.error.code.to_string(), error.error.message.to_string())).or_insert(0) += 1;
    }
    errors
}

fn mark_views(plan: &Plan, read: &mut [bool]) {
    if let Plan::View { view, .. } = plan {
        read[view.0] = true;
    }
    plan.expressions().into_iter().for_each(|expr| mark_views_in(expr, read));
    plan.children().into_iter().for_each(|child| mark_views(child, read));
}

fn mark_views_in(expr: &Expr, read: &mut [bool]) {
    if let ExprKind::Subquery { plan, .. } = &expr.kind {
        mark_views(plan, read);
    }
    expr.children().into_iter().for_each(|child| mark_views_in(child, read));
}

/// The places of all expressions in the conditions of joins.
fn add_keys(plan: &Plan, keys: &mut BTreeSet<(u32, u32)>) {
    if let Plan::Join { on, .. } = plan {
        add_places(on, keys);
    }
    plan.children().into_iter().for_each(|child| add_keys(child, keys));
}

fn add_places(expr: &Expr, places: &mut BTreeSet<(u32, u32)>) {
    places.insert((expr.span.line, expr.span.column));
    expr.children().into_iter().for_each(|child| add_places(child, places));
}

/// The views whose contents are not as expected.
pub fn differences(expected: &Expected, session: &Session) -> Vec<Difference> {
    let mut found = vec![];
    for (at, (rows, relation)) in expected.views.iter().zip(session.views()).enumerate() {
        let mut balance: BTreeMap<Vec<u8>, i64> = rows.iter().map(|(row, weight)| (row.clone(), -weight)).collect();
        for (row, weight) in session.encoded(at) {
            *balance.entry(row.clone()).or_insert(0) += weight;
        }
        let side = |sign: i64| {
            let rows = balance.iter().filter(|(_, weight)| *weight * sign > 0);
            rows.map(|(row, weight)| (relation.print_row(&relation.decode(row)), weight * sign)).collect()
        };
        found.push(Difference { view: relation.name.clone(), missing: side(-1), extra: side(1) });
    }
    found.push(error_difference(expected, session));
    found.retain(|difference| !difference.missing.is_empty() || !difference.extra.is_empty());
    found
}

/// The changes of the views from one expectation to the next.
pub fn changes(before: &Expected, after: &Expected, session: &Session) -> Vec<Change> {
    let mut changes = vec![];
    for ((before, after), relation) in before.views.iter().zip(&after.views).zip(session.views()) {
        let mut balance: BTreeMap<&Vec<u8>, i64> = after.iter().map(|(row, weight)| (row, *weight)).collect();
        before.iter().for_each(|(row, weight)| *balance.entry(row).or_insert(0) -= weight);
        let changed = balance.into_iter().filter(|(_, weight)| *weight != 0);
        let name = &relation.name;
        changes.extend(changed.map(|(row, weight)| Change {
            relation: name.clone(),
            row: relation.decode(row),
            weight,
        }));
    }
    changes
}

/// About how many rows [`evaluate`] visits, at most, when no condition drops any.
pub fn rows_visited(program: &Program, tables: &[Vec<Row>]) -> f64 {
    let mut views: Vec<f64> = vec![];
    let mut visited = 0.0;
    for view in &program.views {
        let (rows, cost) = plan_cost(&view.plan, tables, &views);
        visited += cost;
        views.push(rows);
    }
    visited
}

/// The rows of a plan, and the rows visited to get them.
fn plan_cost(plan: &Plan, tables: &[Vec<Row>], views: &[f64]) -> (f64, f64) {
    let inputs: Vec<(f64, f64)> = plan.children().into_iter().map(|child| plan_cost(child, tables, views)).collect();
    let costs: f64 = inputs.iter().map(|(_, cost)| cost).sum();
    let rows = match plan {
        Plan::Table { table, .. } => tables[table.0].len() as f64,
        Plan::View { view, .. } => views[view.0],
        Plan::Values { rows, .. } => rows.len() as f64,
        Plan::Join { .. } => inputs.iter().map(|(rows, _)| rows.max(1.0)).product(),
        Plan::Apply { .. } => {
            // The right side is evaluated for each row of the left one.
            let [(left, left_cost), (right, right_cost)] = inputs[..] else { return (0.0, 0.0) };
            return (left * right.max(1.0), left_cost + left * right_cost + left * right);
        }
        _ => inputs.iter().map(|(rows, _)| rows).sum(),
    };
    let mut subqueries = 0.0;
    plan.expressions().into_iter().for_each(|expr| subqueries += subquery_cost(expr, tables, views));
    (rows, costs + rows * (1.0 + subqueries))
}

fn subquery_cost(expr: &Expr, tables: &[Vec<Row>], views: &[f64]) -> f64 {
    let own = match &expr.kind {
        ExprKind::Subquery { plan, .. } => plan_cost(plan, tables, views).1,
        _ => 0.0,
    };
    own + expr.children().into_iter().map(|child| subquery_cost(child, tables, views)).sum::<f64>()
}

/// Failures by SQLSTATE and message, and rows with a negative weight. How often and in which view is not compared: a circuit
/// computes once what several views have in common.
fn error_difference(expected: &Expected, session: &Session) -> Difference {
    let text = |value: &Value| match value {
        Value::Text(text) => text.to_string(),
        _ => String::new(),
    };
    let mut negative = vec![];
    let (mut present, mut certain) = (BTreeSet::new(), BTreeSet::new());
    for (row, weight) in session.errors() {
        let metadata: serde_json::Value = serde_json::from_str(&text(&row[2])).unwrap_or_default();
        let number = |key: &str| metadata[key].as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or(0);
        let error: Failure = (metadata["sqlstate"].as_str().unwrap_or_default().to_string(), text(&row[1]));
        if weight < 0 {
            negative.push((spell(&error), weight));
        }
        if !expected.keys.contains(&(number("line"), number("column"))) {
            certain.insert(error.clone());
        }
        present.insert(error);
    }
    let mut missing: Vec<&Failure> = expected.errors.keys().filter(|failure| !present.contains(*failure)).collect();
    let mut extra: Vec<&Failure> = certain.iter().filter(|failure| !expected.errors.contains_key(*failure)).collect();
    // One failure in two wordings: the same SQLSTATE on both sides.
    let codes = |failures: &[&Failure]| failures.iter().map(|(code, _)| code.clone()).collect::<BTreeSet<String>>();
    let unexpected: Vec<&Failure> = present.iter().filter(|failure| !expected.errors.contains_key(*failure)).collect();
    let both: BTreeSet<String> = codes(&missing).intersection(&codes(&unexpected)).cloned().collect();
    missing.retain(|(code, _)| !both.contains(code));
    extra.retain(|(code, _)| !both.contains(code));
    let once = |failures: Vec<&Failure>| failures.iter().map(|failure| (spell(failure), 1)).collect::<Vec<_>>();
    let view = session.views().last().map_or_else(String::new, |view| view.name.clone());
    Difference { view, missing: once(missing), extra: [once(extra), negative].concat() }
}

fn spell((code, message): &Failure) -> String {
    format!("{message} (SQLSTATE {code})")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver;
    use crate::steps::Change;

    #[test]
    fn a_difference_names_view_and_rows() {
        let sql = "CREATE TABLE t (a BIGINT); CREATE VIEW v AS SELECT 6 / a AS b FROM t;";
        let compiled = driver::compile("program.sql", sql).unwrap();
        let mut session = Session::new(&compiled.interpreted(), 1);
        let row = |a| vec![Value::BigInt(a)];
        let change = |a| Change { relation: "t".into(), row: row(a), weight: 1 };
        session.step(&[change(0), change(2), change(2)]).unwrap();
        let check = |rows: &[i64]| {
            let rows: Vec<Row> = rows.iter().map(|a| row(*a)).collect();
            differences(&expected(&compiled.program, &[rows], &session), &session)
        };
        assert_eq!(check(&[0, 2, 2]), []);
        assert_eq!(check(&[0, 0, 2, 2]), [], "an error may occur twice");
        let found = check(&[2, 3]);
        let told: Vec<String> = found.iter().map(Difference::to_string).collect();
        assert_eq!(
            told,
            [
                "view v differs from its evaluation from scratch\n  missing 1 x (2)\n  extra 1 x (3)",
                "view error_view differs from its evaluation from scratch\n  extra 1 x division by zero (SQLSTATE 22012)"
            ]
        );
    }
}
