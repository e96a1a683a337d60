//! What the views of a session ought to hold: the program evaluated from scratch over its tables' contents, by
//! [`crate::reference`], which shares no operator with the engine.

use super::{Relation, Session};
use crate::plan::{Plan, Program, ViewKind};
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

/// What each of [`Session::views`] but the last ought to hold, by encoded row.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub views: Vec<BTreeMap<Vec<u8>, i64>>,
    /// SQLSTATE and message of each evaluation that fails. How often and in which view is not told: a circuit computes once
    /// what several views have in common.
    pub errors: BTreeSet<(String, String)>,
}

/// Evaluates `program` when the tables hold these rows (see [`evaluate`]).
pub fn expected(program: &Program, tables: &[Vec<Row>], session: &Session) -> Expected {
    let contents = evaluate(program, tables);
    let views = session.views().split_last().map_or(&[] as &[Relation], |(_, views)| views).iter();
    let rows = |relation: &Relation| {
        let mut rows = BTreeMap::new();
        // Parts of a view stand before it under its name.
        if let Some(at) = program.views.iter().rposition(|view| view.name == relation.name) {
            contents[at].rows.iter().for_each(|row| *rows.entry(relation.encode(row)).or_insert(0) += 1);
        }
        rows
    };
    Expected { views: views.map(rows).collect(), errors: errors(program, &contents) }
}

/// The failures in the views that are outputs or that an output reads.
fn errors(program: &Program, contents: &[Contents]) -> BTreeSet<(String, String)> {
    let mut read: Vec<bool> = program.views.iter().map(|view| view.kind != ViewKind::Local).collect();
    for at in (0..program.views.len()).rev() {
        if read[at] {
            mark_views(&program.views[at].plan, &mut read);
        }
    }
    let contents = contents.iter().zip(&read).filter(|(_, read)| **read);
    let errors = contents.flat_map(|(contents, _)| &contents.errors);
    errors.map(|error| (error.error.code.to_string(), error.error.message.to_string())).collect()
}

fn mark_views(plan: &Plan, read: &mut [bool]) {
    if let Plan::View { view, .. } = plan {
        read[view.0] = true;
    }
    plan.children().into_iter().for_each(|child| mark_views(child, read));
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
    found.push(error_difference(&expected.errors, session));
    found.retain(|difference| !difference.missing.is_empty() || !difference.extra.is_empty());
    found
}

/// Failures by SQLSTATE and message, and rows with a negative weight.
fn error_difference(expected: &BTreeSet<(String, String)>, session: &Session) -> Difference {
    let text = |value: &Value| match value {
        Value::Text(text) => text.to_string(),
        _ => String::new(),
    };
    let mut extra = vec![];
    let mut present = BTreeSet::new();
    for (row, weight) in session.errors() {
        let metadata: serde_json::Value = serde_json::from_str(&text(&row[2])).unwrap_or_default();
        let error = (metadata["sqlstate"].as_str().unwrap_or_default().to_string(), text(&row[1]));
        if weight < 0 {
            extra.push((spell(&error), weight));
        }
        present.insert(error);
    }
    extra.extend(present.difference(expected).map(|error| (spell(error), 1)));
    let missing = expected.difference(&present).map(|error| (spell(error), 1)).collect();
    let view = session.views().last().map_or_else(String::new, |view| view.name.clone());
    Difference { view, missing, extra }
}

fn spell((code, message): &(String, String)) -> String {
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
