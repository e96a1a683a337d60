//! How many rows a plan may give: a rough guess, for comparing orders of joins by the state that they need.
//!
//! A table has the rows that its `expected_size` says, or [`UNKNOWN`]. A column has at most as many distinct values as
//! the table it comes from has rows, and an equality of two columns is taken for that of a key and a reference to it.

use super::{ColumnId, Expr, ExprKind, JoinKind, Plan, Program, View, ViewId};
use std::collections::BTreeMap;

/// Rows of a table that nothing is said about.
const UNKNOWN: f64 = 1e6;

/// The part of the rows that is left by a condition.
const EQUAL: f64 = 0.1;
const OTHER: f64 = 0.4;

#[derive(Clone, Debug)]
pub struct Guess {
    pub rows: f64,
    /// Distinct values of the columns that come from tables, before conditions.
    distinct: BTreeMap<ColumnId, f64>,
}

/// What is guessed of tables and views.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    tables: Vec<f64>,
    /// Rows, and the distinct values of each SQL column.
    views: Vec<(f64, Vec<Option<f64>>)>,
}

impl Sizes {
    pub fn of(program: &Program) -> Sizes {
        let rows = |expected: Option<u64>| expected.map_or(UNKNOWN, |rows| rows.max(1) as f64);
        let tables = program.tables.iter().map(|table| rows(table.expected_size)).collect();
        let mut sizes = Sizes { tables, views: vec![] };
        for (position, view) in program.views.iter().enumerate() {
            sizes.insert_view(ViewId(position), view);
        }
        sizes
    }

    /// Takes in a view that stands before the later ones.
    pub fn insert_view(&mut self, at: ViewId, view: &View) {
        let guess = self.guess(&view.plan);
        let columns = view.columns.iter().map(|column| guess.distinct.get(&column.id).copied()).collect();
        self.views.insert(at.0, (guess.rows, columns));
    }

    pub fn guess(&self, plan: &Plan) -> Guess {
        let of = |rows: f64| Guess { rows: rows.max(1.0), distinct: BTreeMap::new() };
        match plan {
            Plan::Table { table, columns } => {
                let rows = self.tables.get(table.0).copied().unwrap_or(UNKNOWN);
                Guess { rows, distinct: columns.iter().map(|column| (column.id, rows)).collect() }
            }
            Plan::View { view, columns } => {
                let Some((rows, distinct)) = self.views.get(view.0) else { return of(UNKNOWN) };
                let known = columns.iter().zip(distinct).filter_map(|(column, values)| Some((column.id, (*values)?)));
                Guess { rows: *rows, distinct: known.collect() }
            }
            Plan::Values { rows, .. } => of(rows.len() as f64),
            Plan::Filter { input, predicate } => self.guess(input).filtered(predicate),
            Plan::Project { input, columns } => {
                let input = self.guess(input);
                let column = |expr: &Expr| match expr.kind {
                    ExprKind::Column(id) => input.distinct.get(&id).copied(),
                    _ => None,
                };
                let kept = columns.iter().filter_map(|(to, expr)| Some((to.id, column(expr)?)));
                Guess { rows: input.rows, distinct: kept.collect() }
            }
            Plan::Join { kind, left, right, on } | Plan::Apply { kind, left, right, on } => {
                let (left, right) = (self.guess(left), self.guess(right));
                let matched = left.joined(&right, on.conjuncts().into_iter());
                match kind {
                    JoinKind::Inner => matched,
                    JoinKind::Left => Guess { rows: matched.rows.max(left.rows), ..matched },
                    JoinKind::Full => Guess { rows: matched.rows.max(left.rows).max(right.rows), ..matched },
                    JoinKind::Semi | JoinKind::Anti => left.part(0.5),
                }
            }
            Plan::Aggregate { scalar: true, .. } => of(1.0),
            Plan::Aggregate { input, keys, .. } => {
                let input = self.guess(input);
                let values = |id: &ColumnId| input.distinct.get(id).copied().unwrap_or(input.rows);
                let groups = keys.iter().map(|(_, id)| values(id)).fold(1.0, |product: f64, values| product * values);
                let kept = keys.iter().filter_map(|(to, id)| Some((to.id, *input.distinct.get(id)?)));
                Guess { rows: groups.min(input.rows), distinct: kept.collect() }
            }
            Plan::Distinct { input } | Plan::TopK { input, .. } => self.guess(input),
            Plan::Unnest { input, .. } => {
                let input = self.guess(input);
                Guess { rows: input.rows * 10.0, ..input }
            }
            Plan::Union { inputs, .. } => of(inputs.iter().map(|input| self.guess(input).rows).sum()),
            Plan::SetDifference { left, .. } | Plan::SetIntersection { left, .. } => of(self.guess(left).rows),
        }
    }
}

impl Guess {
    /// Distinct values of an expression over this and the other side.
    fn values(&self, other: &Guess, expr: &Expr) -> Option<f64> {
        let read = expr.free_columns();
        let known = read.iter().filter_map(|id| self.distinct.get(id).or(other.distinct.get(id)));
        known.copied().max_by(f64::total_cmp)
    }

    /// A part of the rows, from which a column's distinct values may still be all.
    fn part(self, part: f64) -> Guess {
        Guess { rows: (self.rows * part).max(1.0), ..self }
    }

    fn filtered(self, predicate: &Expr) -> Guess {
        let part = |conjunct: &&Expr| match equality(conjunct) {
            Some(_) => EQUAL,
            None => OTHER,
        };
        let part = predicate.conjuncts().iter().map(part).product();
        self.part(part)
    }

    /// Pairs that satisfy the conditions.
    pub fn joined<'e>(&self, other: &Guess, conditions: impl Iterator<Item = &'e Expr>) -> Guess {
        let mut distinct = self.distinct.clone();
        distinct.extend(&other.distinct);
        Guess { rows: self.pairs(other, conditions), distinct }
    }

    /// How many pairs satisfy the conditions. Of several equalities the sharpest counts: together they are one reference.
    pub fn pairs<'e>(&self, other: &Guess, conditions: impl Iterator<Item = &'e Expr>) -> f64 {
        let (mut values, mut part) = (1.0, 1.0);
        for condition in conditions {
            match equality(condition) {
                Some((a, b)) => {
                    let known = [a, b].into_iter().filter_map(|expr| self.values(other, expr)).min_by(f64::total_cmp);
                    values = f64::max(values, known.unwrap_or(self.rows.min(other.rows)));
                }
                None => part *= OTHER,
            }
        }
        (self.rows * other.rows / values * part).max(1.0)
    }
}

fn equality(condition: &Expr) -> Option<(&Expr, &Expr)> {
    match &condition.kind {
        ExprKind::Call { function, arguments } if matches!(function.name, "=" | "IS NOT DISTINCT FROM") => {
            let [one, other] = &arguments[..] else { return None };
            Some((one, other))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Sizes;
    use crate::{bind, parse};

    fn rows(query: &str) -> f64 {
        let text = format!(
            "CREATE TABLE big (k INT, d INT, x INT) WITH ('expected_size' = '1000');
             CREATE TABLE small (d INT, y INT) WITH ('expected_size' = '50');
             CREATE VIEW v AS {query};"
        );
        let (program, _) = bind::bind(&parse::parse(&text).0, &text).unwrap();
        Sizes::of(&program).guess(&program.views[0].plan).rows
    }

    #[test]
    fn a_reference_has_one_partner_and_conditions_take_a_part() {
        assert_eq!(rows("SELECT * FROM big"), 1000.0);
        assert_eq!(rows("SELECT big.k FROM big JOIN small ON big.d = small.d"), 1000.0);
        assert_eq!(rows("SELECT big.k FROM big JOIN (SELECT d FROM small WHERE y = 3) s ON big.d = s.d"), 100.0);
        assert_eq!(rows("SELECT 1 FROM big CROSS JOIN small"), 50_000.0);
        assert_eq!(rows("SELECT d, COUNT(*) FROM small GROUP BY d"), 50.0);
        assert_eq!(rows("SELECT COUNT(*) FROM big"), 1.0);
    }
}
