//! Walks over plans and expressions: children to change, columns defined and used, fresh copies.

use super::{Column, ColumnId, Expr, ExprKind, Plan};
use std::collections::{BTreeMap, BTreeSet};

impl Plan {
    pub fn children_mut(&mut self) -> Vec<&mut Plan> {
        match self {
            Plan::Table { .. } | Plan::View { .. } | Plan::Values { .. } => vec![],
            Plan::Filter { input, .. }
            | Plan::Project { input, .. }
            | Plan::Aggregate { input, .. }
            | Plan::TopK { input, .. }
            | Plan::Unnest { input, .. }
            | Plan::Distinct { input } => vec![input],
            Plan::Join { left, right, .. }
            | Plan::Apply { left, right, .. }
            | Plan::SetDifference { left, right, .. }
            | Plan::SetIntersection { left, right, .. } => vec![left, right],
            Plan::Union { inputs, .. } => inputs.iter_mut().collect(),
        }
    }

    /// The same node over changed children.
    pub fn map_children(mut self, mut f: impl FnMut(Plan) -> Plan) -> Plan {
        for child in self.children_mut() {
            let nothing = Plan::Values { rows: vec![], columns: vec![] };
            *child = f(std::mem::replace(child, nothing));
        }
        self
    }

    /// The node's own expressions, not those of its children.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Plan::Values { rows, .. } => rows.iter().flatten().collect(),
            Plan::Filter { predicate, .. } => vec![predicate],
            Plan::Project { columns, .. } => columns.iter().map(|(_, expr)| expr).collect(),
            Plan::Join { on, .. } | Plan::Apply { on, .. } => vec![on],
            Plan::Aggregate { aggregates, .. } => aggregates.iter().flat_map(|(_, call)| &call.arguments).collect(),
            _ => vec![],
        }
    }

    pub fn expressions_mut(&mut self) -> Vec<&mut Expr> {
        match self {
            Plan::Values { rows, .. } => rows.iter_mut().flatten().collect(),
            Plan::Filter { predicate, .. } => vec![predicate],
            Plan::Project { columns, .. } => columns.iter_mut().map(|(_, expr)| expr).collect(),
            Plan::Join { on, .. } | Plan::Apply { on, .. } => vec![on],
            Plan::Aggregate { aggregates, .. } => {
                aggregates.iter_mut().flat_map(|(_, call)| &mut call.arguments).collect()
            }
            _ => vec![],
        }
    }

    /// The columns that this node itself makes.
    fn own_columns_mut(&mut self) -> Vec<&mut Column> {
        match self {
            Plan::Table { columns, .. }
            | Plan::View { columns, .. }
            | Plan::Values { columns, .. }
            | Plan::Union { columns, .. }
            | Plan::SetDifference { columns, .. }
            | Plan::SetIntersection { columns, .. } => columns.iter_mut().collect(),
            Plan::Project { columns, .. } => columns.iter_mut().map(|(column, _)| column).collect(),
            Plan::TopK { ranked, .. } => ranked.iter_mut().collect(),
            Plan::Unnest { elements, ordinality, .. } => elements.iter_mut().chain(ordinality).collect(),
            Plan::Aggregate { keys, aggregates, .. } => {
                keys.iter_mut().map(|(c, _)| c).chain(aggregates.iter_mut().map(|(c, _)| c)).collect()
            }
            Plan::Filter { .. } | Plan::Join { .. } | Plan::Apply { .. } | Plan::Distinct { .. } => vec![],
        }
    }

    fn own_columns(&self) -> Vec<&Column> {
        match self {
            Plan::Table { columns, .. }
            | Plan::View { columns, .. }
            | Plan::Values { columns, .. }
            | Plan::Union { columns, .. }
            | Plan::SetDifference { columns, .. }
            | Plan::SetIntersection { columns, .. } => columns.iter().collect(),
            Plan::Project { columns, .. } => columns.iter().map(|(column, _)| column).collect(),
            Plan::TopK { ranked, .. } => ranked.iter().collect(),
            Plan::Unnest { elements, ordinality, .. } => elements.iter().chain(ordinality).collect(),
            Plan::Aggregate { keys, aggregates, .. } => {
                keys.iter().map(|(c, _)| c).chain(aggregates.iter().map(|(c, _)| c)).collect()
            }
            Plan::Filter { .. } | Plan::Join { .. } | Plan::Apply { .. } | Plan::Distinct { .. } => vec![],
        }
    }

    /// Columns the plan uses but does not make: its outer references.
    pub fn free_columns(&self) -> BTreeSet<ColumnId> {
        let (mut made, mut used) = (BTreeSet::new(), BTreeSet::new());
        self.collect(&mut made, &mut used);
        &used - &made
    }

    fn collect(&self, made: &mut BTreeSet<ColumnId>, used: &mut BTreeSet<ColumnId>) {
        made.extend(self.own_columns().iter().map(|column| column.id));
        match self {
            Plan::Aggregate { keys, .. } => used.extend(keys.iter().map(|(_, source)| *source)),
            Plan::TopK { partition, order, .. } => {
                used.extend(partition.iter().copied().chain(order.iter().map(|key| key.column)));
            }
            Plan::Unnest { arrays, .. } => used.extend(arrays),
            _ => (),
        }
        for expr in self.expressions() {
            expr.collect(made, used);
        }
        for child in self.children() {
            child.collect(made, used);
        }
    }

    /// Applies `f` to every expression of the plan and of the subqueries inside, outermost first.
    pub fn for_each_expr_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        for expr in self.expressions_mut() {
            expr.for_each_mut(f);
        }
        for child in self.children_mut() {
            child.for_each_expr_mut(f);
        }
    }

    /// A copy whose own columns have new ids (from `next`, which is moved on), so that both may stand in one program.
    pub fn fresh(&self, next: &mut u32) -> (Plan, BTreeMap<ColumnId, ColumnId>) {
        let mut copy = self.clone();
        let mut names = BTreeMap::new();
        copy.rename_own(next, &mut names);
        copy.rename_uses(&names);
        (copy, names)
    }

    fn rename_own(&mut self, next: &mut u32, names: &mut BTreeMap<ColumnId, ColumnId>) {
        for column in self.own_columns_mut() {
            let id = *names.entry(column.id).or_insert_with(|| {
                *next += 1;
                ColumnId(*next - 1)
            });
            column.id = id;
        }
        for expr in self.expressions_mut() {
            expr.rename_own(next, names);
        }
        for child in self.children_mut() {
            child.rename_own(next, names);
        }
    }

    fn rename_uses(&mut self, names: &BTreeMap<ColumnId, ColumnId>) {
        let rename = |id: &mut ColumnId| *id = names.get(id).copied().unwrap_or(*id);
        match self {
            Plan::Aggregate { keys, .. } => keys.iter_mut().for_each(|(_, source)| rename(source)),
            Plan::TopK { partition, order, .. } => {
                partition.iter_mut().for_each(rename);
                order.iter_mut().for_each(|key| rename(&mut key.column));
            }
            Plan::Unnest { arrays, .. } => arrays.iter_mut().for_each(rename),
            _ => (),
        }
        for expr in self.expressions_mut() {
            expr.rename_uses(names);
        }
        for child in self.children_mut() {
            child.rename_uses(names);
        }
    }
}

impl Expr {
    /// Applies `f` to this expression, then to its parts, those of subqueries included.
    pub fn for_each_mut(&mut self, f: &mut impl FnMut(&mut Expr)) {
        f(self);
        if let ExprKind::Subquery { plan, .. } = &mut self.kind {
            plan.for_each_expr_mut(f);
        }
        for child in self.children_mut() {
            child.for_each_mut(f);
        }
    }

    /// Columns the expression uses, the outer references of its subqueries included.
    pub fn free_columns(&self) -> BTreeSet<ColumnId> {
        let (mut made, mut used) = (BTreeSet::new(), BTreeSet::new());
        self.collect(&mut made, &mut used);
        &used - &made
    }

    fn collect(&self, made: &mut BTreeSet<ColumnId>, used: &mut BTreeSet<ColumnId>) {
        match &self.kind {
            ExprKind::Column(id) => {
                used.insert(*id);
            }
            ExprKind::Subquery { plan, .. } => plan.collect(made, used),
            _ => (),
        }
        for child in self.children() {
            child.collect(made, used);
        }
    }

    /// Number of nodes, those of subqueries' plans not counted.
    pub fn size(&self) -> usize {
        1 + self.children().iter().map(|child| child.size()).sum::<usize>()
    }

    /// Nodes on the longest way down, those of subqueries' plans not counted.
    pub fn depth(&self) -> usize {
        1 + self.children().iter().map(|child| child.depth()).max().unwrap_or(0)
    }

    pub fn has_subquery(&self) -> bool {
        matches!(self.kind, ExprKind::Subquery { .. }) || self.children().iter().any(|child| child.has_subquery())
    }

    /// A copy in which the columns made by subqueries have new ids.
    pub fn fresh(&self, next: &mut u32) -> Expr {
        let mut copy = self.clone();
        if copy.has_subquery() {
            let mut names = BTreeMap::new();
            copy.rename_own(next, &mut names);
            copy.rename_uses(&names);
        }
        copy
    }

    fn rename_own(&mut self, next: &mut u32, names: &mut BTreeMap<ColumnId, ColumnId>) {
        if let ExprKind::Subquery { plan, .. } = &mut self.kind {
            plan.rename_own(next, names);
        }
        for child in self.children_mut() {
            child.rename_own(next, names);
        }
    }

    fn rename_uses(&mut self, names: &BTreeMap<ColumnId, ColumnId>) {
        match &mut self.kind {
            ExprKind::Column(id) => *id = names.get(id).copied().unwrap_or(*id),
            ExprKind::Subquery { plan, .. } => plan.rename_uses(names),
            _ => (),
        }
        for child in self.children_mut() {
            child.rename_uses(names);
        }
    }
}
