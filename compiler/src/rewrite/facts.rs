//! What can be proven of a relation: which sets of columns are unique, and whether it has at most one row.

use super::form::{column_of, conjuncts, equality, null_safe_equality};
use crate::plan::{Column, ColumnId, Expr, ExprKind, JoinKind, Plan, Program, TableId, View, ViewId};
use std::collections::BTreeSet;

/// No two rows agree (NULL equal to NULL) on all of these columns. The empty key: at most one row.
pub type Key = BTreeSet<ColumnId>;

/// Keys proven of tables and views, by positions of their columns.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    tables: Vec<Vec<usize>>,
    views: Vec<Vec<BTreeSet<usize>>>,
}

/// The keys proven for `plan`, smallest first.
pub fn unique_keys(plan: &Plan, program: &Program) -> Vec<Key> {
    Facts::of(program).keys(plan)
}

/// Has the plan at most one row for each row of the enclosing queries?
pub fn max_one_row(plan: &Plan, program: &Program) -> bool {
    Facts::of(program).max_one_row(plan)
}

impl Facts {
    pub fn of(program: &Program) -> Facts {
        let tables = program.tables.iter().map(|table| table.primary_key.clone()).collect();
        let mut facts = Facts { tables, views: vec![] };
        for (position, view) in program.views.iter().enumerate() {
            facts.insert_view(ViewId(position), view);
        }
        facts
    }

    /// Takes in a view that stands before the later ones.
    pub fn insert_view(&mut self, at: ViewId, view: &View) {
        let positions = |key: &Key| -> Option<BTreeSet<usize>> {
            key.iter().map(|id| view.columns.iter().position(|column| column.id == *id)).collect()
        };
        let keys = self.keys(&view.plan).iter().filter_map(positions).collect();
        self.views.insert(at.0, keys);
    }

    pub fn max_one_row(&self, plan: &Plan) -> bool {
        self.keys(plan).first().is_some_and(|key| key.is_empty())
    }

    pub fn keys(&self, plan: &Plan) -> Vec<Key> {
        let all = |columns: &[Column]| columns.iter().map(|column| column.id).collect::<Key>();
        let keys = match plan {
            Plan::Table { table, columns } => self.table_key(*table, columns).into_iter().collect(),
            Plan::View { view, columns } => {
                let keys = self.views.get(view.0).into_iter().flatten();
                keys.map(|key| key.iter().map(|position| columns[*position].id).collect()).collect()
            }
            Plan::Values { rows, .. } if rows.len() <= 1 => vec![Key::new()],
            Plan::Values { .. } => vec![],
            Plan::Filter { input, predicate } => fixed(self.keys(input), predicate, input),
            Plan::Project { input, columns } => {
                self.keys(input).iter().filter_map(|key| passed(key, columns)).collect()
            }
            Plan::Join { kind, left, right, on } => self.join_keys(*kind, left, right, on),
            Plan::Apply { kind: JoinKind::Semi | JoinKind::Anti, left, .. } => self.keys(left),
            Plan::Apply { .. } => vec![],
            Plan::Aggregate { keys, .. } => vec![keys.iter().map(|(column, _)| column.id).collect()],
            Plan::Distinct { input } => [self.keys(input), vec![all(&input.columns())]].concat(),
            Plan::TopK { input, partition, window, .. } => {
                let key = partition.iter().copied().collect();
                if window.at_most_one() { [self.keys(input), vec![key]].concat() } else { self.keys(input) }
            }
            Plan::Unnest { input, ordinality: Some(number), .. } => {
                self.keys(input).into_iter().map(|key| key.into_iter().chain([number.id]).collect()).collect()
            }
            Plan::Union { .. } | Plan::Unnest { .. } => vec![],
            Plan::SetDifference { left, all: bag, columns, .. }
            | Plan::SetIntersection { left, all: bag, columns, .. } => {
                let names = left.columns();
                let position = |id: &ColumnId| names.iter().position(|column| column.id == *id);
                let moved = |key: &Key| key.iter().map(|id| Some(columns[position(id)?].id)).collect::<Option<Key>>();
                let inherited = self.keys(left).iter().filter_map(moved).collect();
                if *bag { inherited } else { [inherited, vec![all(columns)]].concat() }
            }
        };
        minimal(keys)
    }

    /// Does each row of `left` meet at most one row of `right` under the condition?
    pub fn one_partner(&self, left: &Plan, right: &Plan, on: &Expr) -> bool {
        let equated = equated(on, &right.columns(), &left.columns());
        // (At most one row in all: the empty key.)
        self.keys(right).iter().any(|key| key.is_subset(&equated))
    }

    fn table_key(&self, table: TableId, columns: &[Column]) -> Option<Key> {
        let key = self.tables.get(table.0)?;
        (!key.is_empty()).then(|| key.iter().map(|position| columns[*position].id).collect())
    }

    fn join_keys(&self, kind: JoinKind, left: &Plan, right: &Plan, on: &Expr) -> Vec<Key> {
        let (left_keys, right_keys) = (self.keys(left), self.keys(right));
        if let JoinKind::Semi | JoinKind::Anti = kind {
            return left_keys;
        }
        let (left_columns, right_columns) = (left.columns(), right.columns());
        let solid = |key: &Key| {
            let columns = || left_columns.iter().chain(&right_columns);
            !key.is_empty() && key.iter().all(|id| columns().any(|c| c.id == *id && !c.ty.nullable))
        };
        let mut keys = vec![];
        for (l, r) in left_keys.iter().flat_map(|l| right_keys.iter().map(move |r| (l, r))) {
            if kind != JoinKind::Full || (solid(l) && solid(r)) {
                keys.push(l.union(r).copied().collect());
            }
        }
        // A row with at most one partner keeps its own keys.
        if let JoinKind::Inner | JoinKind::Left = kind
            && right_keys.iter().any(|key| key.is_subset(&equated(on, &right_columns, &left_columns)))
        {
            keys.extend(left_keys.iter().cloned());
        }
        if kind == JoinKind::Inner
            && left_keys.iter().any(|key| key.is_subset(&equated(on, &left_columns, &right_columns)))
        {
            keys.extend(right_keys);
        }
        keys
    }
}

/// The columns of `of` that `on` equates with something made only of `with`.
fn equated(on: &Expr, of: &[Column], with: &[Column]) -> Key {
    let (of, with) = (super::walk::ids(of), super::walk::ids(with));
    let mut found = Key::new();
    for conjunct in conjuncts(on.clone()) {
        let Some((a, b)) = equality(&conjunct).or(null_safe_equality(&conjunct)) else { continue };
        for (side, other) in [(a, b), (b, a)] {
            if let Some(id) = column_of(side)
                && of.contains(&id)
                && other.free_columns().is_subset(&with)
            {
                found.insert(id);
            }
        }
    }
    found
}

/// Keys of a filter: a column that can have one value only adds nothing to a key.
fn fixed(keys: Vec<Key>, predicate: &Expr, input: &Plan) -> Vec<Key> {
    let own = super::walk::ids(&input.columns());
    let constant =
        |expr: &Expr| expr.free_columns().is_disjoint(&own) && !matches!(expr.kind, ExprKind::Subquery { .. });
    let mut one_value = Key::new();
    for conjunct in conjuncts(predicate.clone()) {
        let Some((a, b)) = equality(&conjunct) else { continue };
        for (side, other) in [(a, b), (b, a)] {
            if constant(other) {
                one_value.extend(column_of(side));
            }
        }
    }
    keys.into_iter().map(|key| key.difference(&one_value).copied().collect()).collect()
}

/// The key under the names a projection gives its columns, if it keeps them all.
fn passed(key: &Key, columns: &[(Column, Expr)]) -> Option<Key> {
    let renamed = |id: &ColumnId| columns.iter().find(|(_, expr)| column_of(expr) == Some(*id)).map(|(c, _)| c.id);
    key.iter().map(renamed).collect()
}

/// Without duplicates and supersets, smallest first.
fn minimal(mut keys: Vec<Key>) -> Vec<Key> {
    keys.sort_by_key(|key| (key.len(), key.iter().copied().collect::<Vec<_>>()));
    let mut kept: Vec<Key> = vec![];
    for key in keys {
        if kept.len() < 8 && !kept.iter().any(|smaller| smaller.is_subset(&key)) {
            kept.push(key);
        }
    }
    kept
}
