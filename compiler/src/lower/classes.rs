//! Which subtrees of the program's plans are equal, column ids aside, so that each is lowered once.
//!
//! Every subtree gets a class, bottom up: its operator over the classes of its inputs, with column references written
//! as positions in the inputs' columns.

use super::expr::{canonical, substitute};
use crate::plan::{Column, ColumnId, Expr, ExprKind, Plan, Program, ViewId, ViewKind};
use std::collections::{BTreeMap, HashMap};

#[derive(Default)]
pub(super) struct Classes {
    /// By address: the plans are borrowed for as long as the classes are used.
    of: HashMap<*const Plan, usize>,
    interned: HashMap<String, usize>,
    uses: Vec<usize>,
    view_uses: Vec<usize>,
}

impl Classes {
    pub fn new(program: &Program) -> Classes {
        let mut classes = Classes { view_uses: vec![0; program.views.len()], ..Classes::default() };
        program.views.iter().for_each(|view| {
            classes.assign(&view.plan);
        });
        for (position, view) in program.views.iter().enumerate() {
            if view.kind != ViewKind::Local {
                classes.count_view(program, ViewId(position));
            }
        }
        classes
    }

    pub fn of(&self, plan: &Plan) -> usize {
        self.of[&std::ptr::from_ref(plan)]
    }

    /// Is the plan's result read in several places?
    pub fn shared(&self, plan: &Plan) -> bool {
        self.uses[self.of(plan)] > 1
    }

    /// Outputs and views that read the view; 0 for a LOCAL view that nothing reads.
    pub fn view_uses(&self, view: ViewId) -> usize {
        self.view_uses[view.0]
    }

    fn assign(&mut self, plan: &Plan) -> usize {
        let children: Vec<usize> = plan.children().into_iter().map(|child| self.assign(child)).collect();
        let next = self.uses.len();
        let class = *self.interned.entry(format!("{} over {children:?}", operator(plan))).or_insert(next);
        if class == next {
            self.uses.push(0);
        }
        self.of.insert(std::ptr::from_ref(plan), class);
        class
    }

    fn count_view(&mut self, program: &Program, view: ViewId) {
        self.view_uses[view.0] += 1;
        if self.view_uses[view.0] == 1 {
            self.count(program, &program.views[view.0].plan);
        }
    }

    /// Counts a use; the inputs of a shared subtree are used by it once, not by each of its consumers.
    fn count(&mut self, program: &Program, plan: &Plan) {
        if let Plan::View { view, .. } = plan {
            return self.count_view(program, *view);
        }
        let class = self.of(plan);
        self.uses[class] += 1;
        if self.uses[class] == 1 {
            plan.children().into_iter().for_each(|child| self.count(program, child));
        }
    }
}

fn operator(plan: &Plan) -> String {
    let columns: Vec<Column> = plan.children().into_iter().flat_map(Plan::columns).collect();
    let positions: BTreeMap<ColumnId, Expr> = columns
        .iter()
        .enumerate()
        .map(|(position, column)| (column.id, super::expr::slot(position, column.ty, Default::default())))
        .collect();
    // A reference that finds no input column is left as it is: lowering reports it.
    let text = |expr: &Expr| canonical(&substitute(expr, &positions).unwrap_or_else(|_| expr.clone()));
    let types = |columns: &[Column]| columns.iter().map(|c| c.ty.to_string()).collect::<Vec<_>>().join(", ");
    match plan {
        Plan::Table { table, .. } => format!("table {}", table.0),
        Plan::View { view, .. } => format!("view {}", view.0),
        Plan::Values { rows, columns } => {
            let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(text).collect()).collect();
            format!("values {rows:?} as {}", types(columns))
        }
        Plan::Filter { predicate, .. } => format!("filter {}", text(predicate)),
        Plan::Project { columns, .. } => {
            let exprs: Vec<String> = columns.iter().map(|(_, expr)| text(expr)).collect();
            format!("project {exprs:?}")
        }
        Plan::Join { kind, on, .. } => format!("join {kind:?} on {}", text(on)),
        Plan::Apply { kind, on, .. } => format!("apply {kind:?} on {}", text(on)),
        Plan::Aggregate { keys, aggregates, scalar, .. } => {
            let key = |(column, id): &(Column, ColumnId)| {
                text(&Expr { kind: ExprKind::Column(*id), ty: column.ty, span: Default::default() })
            };
            let keys: Vec<String> = keys.iter().map(key).collect();
            let calls: Vec<String> = aggregates
                .iter()
                .map(|(column, call)| {
                    let arguments: Vec<String> = call.arguments.iter().map(text).collect();
                    format!("{:?} {arguments:?} {:?} {} {}", call.function, call.order, call.distinct, column.ty)
                })
                .collect();
            format!("aggregate {keys:?} {calls:?} {scalar}")
        }
        Plan::Distinct { .. } => "distinct".to_string(),
        Plan::TopK { partition, order, window, .. } => {
            let position = |id: &ColumnId| columns.iter().position(|column| column.id == *id);
            let partition: Vec<_> = partition.iter().map(position).collect();
            let order: Vec<_> = order.iter().map(|key| (position(&key.column), key.direction)).collect();
            format!("top {partition:?} {order:?} {window:?}")
        }
        Plan::Unnest { arrays, ordinality, outer, .. } => {
            let position = |id: &ColumnId| columns.iter().position(|column| column.id == *id);
            let arrays: Vec<_> = arrays.iter().map(position).collect();
            format!("unnest {arrays:?} {} {outer}", ordinality.is_some())
        }
        Plan::Union { columns, .. } => format!("union {}", types(columns)),
        Plan::SetDifference { all, columns, .. } => format!("except {all} {}", types(columns)),
        Plan::SetIntersection { all, columns, .. } => format!("intersect {all} {}", types(columns)),
    }
}
