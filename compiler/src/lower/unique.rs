//! Unique keys of plans: sets of columns of which no two rows agree in all (NULLs count as equal).
//!
//! Found from primary keys, grouping and DISTINCT, kept through filters, renamings and joins. What is found is true;
//! not everything true is found.

use crate::plan::{Column, ColumnId, Expr, ExprKind, JoinKind, Plan, Program};
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Key = BTreeSet<ColumnId>;

/// Keys kept for each operator: pairs of a join's keys multiply.
const MAX_KEYS: usize = 8;

/// For each view, in program order, its unique keys as positions of SQL columns, shortest first.
pub fn unique_keys(program: &Program) -> Vec<Vec<Vec<usize>>> {
    let mut views: Vec<Vec<Vec<usize>>> = vec![];
    for view in &program.views {
        let keys = Unique { program, views: &views }.keys(&view.plan);
        let position = |id: &ColumnId| view.columns.iter().position(|column| column.id == *id);
        let mut positions: Vec<Vec<usize>> =
            keys.iter().filter_map(|key| key.iter().map(position).collect::<Option<Vec<usize>>>()).collect();
        positions.iter_mut().for_each(|key| key.sort_unstable());
        positions.sort_by_key(|key| (key.len(), key.clone()));
        views.push(positions);
    }
    views
}

pub(super) struct Unique<'a> {
    pub program: &'a Program,
    /// Keys of the views so far.
    pub views: &'a [Vec<Vec<usize>>],
}

impl Unique<'_> {
    /// Minimal keys; an empty one means at most one row.
    pub fn keys(&self, plan: &Plan) -> Vec<Key> {
        minimal(match plan {
            Plan::Table { table, columns } => match &self.program.tables[table.0].primary_key[..] {
                [] => vec![],
                key => vec![at(columns, key)],
            },
            Plan::View { view, columns } => {
                let keys = self.views.get(view.0).into_iter().flatten();
                keys.map(|key| at(columns, key)).collect()
            }
            Plan::Values { rows, .. } if rows.len() <= 1 => vec![Key::new()],
            Plan::Values { .. } | Plan::Union { .. } | Plan::Apply { .. } => vec![],
            Plan::Filter { input, predicate } => {
                let fixed = fixed(predicate);
                self.keys(input).into_iter().map(|key| key.difference(&fixed).copied().collect()).collect()
            }
            Plan::Project { input, columns } => {
                let mut renamed: BTreeMap<ColumnId, ColumnId> = BTreeMap::new();
                for (column, expr) in columns {
                    if let ExprKind::Column(id) = expr.kind {
                        renamed.entry(id).or_insert(column.id);
                    }
                }
                rename(self.keys(input), &renamed)
            }
            Plan::Join { kind, left, right, on } => self.join(*kind, left, right, on),
            Plan::Aggregate { input, keys, scalar, .. } => {
                let renamed: BTreeMap<ColumnId, ColumnId> = keys.iter().map(|(column, id)| (*id, column.id)).collect();
                let mut found = rename(self.keys(input), &renamed);
                match scalar {
                    true => found.push(Key::new()),
                    false => found.push(keys.iter().map(|(column, _)| column.id).collect()),
                }
                found
            }
            Plan::Distinct { input } => [self.keys(input), vec![all(&input.columns())]].concat(),
            Plan::TopK { input, partition, window, .. } => {
                let key = partition.iter().copied().collect();
                if window.at_most_one() { [self.keys(input), vec![key]].concat() } else { self.keys(input) }
            }
            Plan::Unnest { input, ordinality: Some(number), .. } => {
                self.keys(input).into_iter().map(|key| key.into_iter().chain([number.id]).collect()).collect()
            }
            Plan::Unnest { .. } => vec![],
            Plan::SetDifference { left, all: bag, columns, .. }
            | Plan::SetIntersection { left, all: bag, columns, .. } => {
                let renamed = left.columns().iter().zip(columns).map(|(old, new)| (old.id, new.id)).collect();
                let mut found = rename(self.keys(left), &renamed);
                if !bag {
                    found.push(all(columns));
                }
                found
            }
        })
    }

    fn join(&self, kind: JoinKind, left: &Plan, right: &Plan, on: &Expr) -> Vec<Key> {
        let left_keys = self.keys(left);
        if matches!(kind, JoinKind::Semi | JoinKind::Anti) {
            return left_keys;
        }
        let right_keys = self.keys(right);
        let (of_left, of_right) = (all(&left.columns()), all(&right.columns()));
        let equal = equalities(on);
        let matched = |side: &Key| -> Key {
            equal.iter().flat_map(|(a, b)| [*a, *b]).filter(|column| side.contains(column)).collect()
        };
        let mut found = vec![];
        // A side whose key is equated adds at most one partner to each row of the other side.
        if kind != JoinKind::Full && right_keys.iter().any(|key| key.is_subset(&matched(&of_right))) {
            found.extend(left_keys.iter().cloned());
        }
        if kind == JoinKind::Inner && left_keys.iter().any(|key| key.is_subset(&matched(&of_left))) {
            found.extend(right_keys.iter().cloned());
        }
        // A NULL of the key looks like the padding of an unmatched row.
        let (left_columns, right_columns) = (left.columns(), right.columns());
        let solid = |key: &Key, columns: &[Column]| {
            !key.is_empty() && columns.iter().all(|column| !column.ty.nullable || !key.contains(&column.id))
        };
        let (mut left_keys, mut right_keys) = (left_keys, right_keys);
        if kind == JoinKind::Full {
            left_keys.retain(|key| solid(key, &left_columns));
            right_keys.retain(|key| solid(key, &right_columns));
        }
        for left in &left_keys {
            found.extend(right_keys.iter().map(|right| left.union(right).copied().collect()));
        }
        found
    }
}

fn all(columns: &[Column]) -> Key {
    columns.iter().map(|column| column.id).collect()
}

fn at(columns: &[Column], positions: &[usize]) -> Key {
    positions.iter().filter_map(|&position| columns.get(position)).map(|column| column.id).collect()
}

/// The keys all of whose columns have a new name.
fn rename(keys: Vec<Key>, names: &BTreeMap<ColumnId, ColumnId>) -> Vec<Key> {
    keys.iter().filter_map(|key| key.iter().map(|column| names.get(column).copied()).collect()).collect()
}

/// Without keys that contain another.
fn minimal(mut keys: Vec<Key>) -> Vec<Key> {
    keys.sort_by_key(|key| key.len());
    let mut kept: Vec<Key> = vec![];
    for key in keys {
        if kept.len() < MAX_KEYS && !kept.iter().any(|smaller| smaller.is_subset(&key)) {
            kept.push(key);
        }
    }
    kept
}

/// Pairs of columns that are equal where the condition is true.
fn equalities(on: &Expr) -> Vec<(ColumnId, ColumnId)> {
    let pair = |conjunct: &Expr| match &conjunct.kind {
        ExprKind::Call { function, arguments } if matches!(function.name, "=" | "<=>" | "IS NOT DISTINCT FROM") => {
            match &arguments[..] {
                [Expr { kind: ExprKind::Column(a), .. }, Expr { kind: ExprKind::Column(b), .. }] => Some((*a, *b)),
                _ => None,
            }
        }
        _ => None,
    };
    on.conjuncts().into_iter().filter_map(pair).collect()
}

/// Columns that the predicate sets equal to a constant.
fn fixed(predicate: &Expr) -> Key {
    let column = |conjunct: &Expr| match &conjunct.kind {
        ExprKind::Call { function, arguments } if function.name == "=" => match &arguments[..] {
            [Expr { kind: ExprKind::Column(id), .. }, Expr { kind: ExprKind::Literal(_), .. }]
            | [Expr { kind: ExprKind::Literal(_), .. }, Expr { kind: ExprKind::Column(id), .. }] => Some(*id),
            _ => None,
        },
        ExprKind::IsNull(operand) => match &operand.kind {
            ExprKind::Column(id) => Some(*id),
            _ => None,
        },
        _ => None,
    };
    predicate.conjuncts().into_iter().filter_map(column).collect()
}

#[cfg(test)]
mod tests {
    use super::unique_keys;
    use crate::{bind, parse};

    fn check(views: &str, expected: &[&[usize]]) {
        let tables = "CREATE TABLE p (k BIGINT NOT NULL PRIMARY KEY, a BIGINT); CREATE TABLE t (a BIGINT, b BIGINT);";
        let text = format!("{tables}{views}");
        let (program, _) = bind::bind(&parse::parse(&text).0, &text).unwrap();
        assert_eq!(unique_keys(&program).last().unwrap(), expected);
    }

    #[test]
    fn keys_of_tables_pass_through_filters_and_renamings() {
        check("CREATE VIEW v AS SELECT a, k + 1 AS c, k FROM p WHERE a > 1;", &[&[2]]);
        check("CREATE VIEW v AS SELECT a FROM p;", &[]);
        check("CREATE VIEW v AS SELECT a FROM p WHERE k = 3;", &[&[]]);
    }

    #[test]
    fn grouping_and_distinct_make_keys() {
        check("CREATE VIEW v AS SELECT b, a, COUNT(*) AS n FROM t GROUP BY a, b;", &[&[0, 1]]);
        check("CREATE VIEW v AS SELECT COUNT(*) AS n FROM t;", &[&[]]);
        check("CREATE VIEW v AS SELECT DISTINCT a, b FROM t;", &[&[0, 1]]);
        check("CREATE VIEW v AS SELECT a FROM t EXCEPT SELECT b FROM t;", &[&[0]]);
    }

    #[test]
    fn a_join_on_a_key_keeps_the_other_sides_keys() {
        check("CREATE VIEW v AS SELECT x.k, y.k AS l FROM p x JOIN p y ON x.a = y.k;", &[&[0]]);
        check("CREATE VIEW v AS SELECT x.k, y.k AS l FROM p x LEFT JOIN p y ON x.a = y.k;", &[&[0]]);
        check("CREATE VIEW v AS SELECT x.k, y.k AS l FROM p x FULL JOIN p y ON x.a = y.k;", &[&[0, 1]]);
        let groups = "(SELECT a FROM t GROUP BY a)";
        check(
            &format!("CREATE VIEW v AS SELECT x.a, y.a AS b FROM {groups} x FULL JOIN {groups} y ON x.a = y.a;"),
            &[],
        );
        check("CREATE VIEW v AS SELECT x.k, y.k AS l FROM p x JOIN p y ON x.a < y.k;", &[&[0, 1]]);
    }

    #[test]
    fn keys_pass_through_views() {
        check("CREATE VIEW u AS SELECT a, k FROM p; CREATE VIEW v AS SELECT k AS l, a FROM u;", &[&[0]]);
    }
}
