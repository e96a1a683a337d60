//! The plan's invariants: every column is made once and before its use, and types agree. Run in tests after each pass.

use super::{Column, ColumnId, Expr, ExprKind, JoinKind, Plan, Program, SubqueryKind};
use feldc_value::{ColumnType, SqlType};
use std::collections::{BTreeMap, BTreeSet};

type Visible = BTreeMap<ColumnId, ColumnType>;

/// Checks every view; `bound_only` says whether subqueries and dependent joins may still be there.
pub fn check(program: &Program, bound_only: bool) -> Result<(), String> {
    let mut made = BTreeSet::new();
    for (index, view) in program.views.iter().enumerate() {
        let fail = |message: String| format!("view {}: {message}", view.name);
        let mut cx = Check { program, view: index, made: &mut made, bound_only };
        let visible = cx.plan(&view.plan, &Visible::new()).map_err(fail)?;
        for column in &view.columns {
            let ty = visible.get(&column.id).ok_or_else(|| fail(format!("no column for {}", column.name)))?;
            if *ty != column.ty || ty.ty == SqlType::Null {
                return Err(fail(format!("column {} is {} in the plan, {} in the view", column.name, ty, column.ty)));
            }
        }
    }
    Ok(())
}

struct Check<'a> {
    program: &'a Program,
    view: usize,
    /// Every column id made so far in the program.
    made: &'a mut BTreeSet<ColumnId>,
    bound_only: bool,
}

impl Check<'_> {
    /// The plan's columns; `outer` are those it may use from around it.
    fn plan(&mut self, plan: &Plan, outer: &Visible) -> Result<Visible, String> {
        match plan {
            Plan::Table { table, columns } => {
                let source = self.program.tables.get(table.0).ok_or("unknown table")?;
                let types: Vec<ColumnType> = source.columns.iter().map(|c| c.ty).collect();
                self.make_typed(columns, &types)
            }
            Plan::View { view, columns } => {
                if view.0 >= self.view {
                    return Err(format!("reads view @{}, which does not stand before it", view.0));
                }
                let types: Vec<ColumnType> = self.program.views[view.0].columns.iter().map(|c| c.ty).collect();
                self.make_typed(columns, &types)
            }
            Plan::Values { rows, columns } => {
                for row in rows {
                    let row: Vec<&Expr> = row.iter().collect();
                    self.fits_all(columns, &row, &Visible::new())?;
                }
                self.make(columns)
            }
            Plan::Filter { input, predicate } => {
                let visible = self.plan(input, outer)?;
                self.predicate(predicate, &both(&visible, outer))?;
                Ok(visible)
            }
            Plan::Project { input, columns } => {
                let visible = self.plan(input, outer)?;
                let inside = both(&visible, outer);
                for (column, expr) in columns {
                    self.fits(column, expr, &inside)?;
                }
                // A column that only passes through keeps its id.
                let passed = |(c, e): &&(Column, Expr)| !matches!(&e.kind, ExprKind::Column(id) if *id == c.id);
                let new: Vec<Column> = columns.iter().filter(passed).map(|(column, _)| column.clone()).collect();
                self.make(&new)?;
                Ok(columns.iter().map(|(column, _)| (column.id, column.ty)).collect())
            }
            Plan::Join { kind, left, right, on } => {
                let (l, r) = (self.plan(left, outer)?, self.plan(right, outer)?);
                self.join(*kind, plan, l, r, on, outer)
            }
            Plan::Apply { kind, left, right, on } => {
                if !self.bound_only || *kind == JoinKind::Full {
                    return Err("a dependent join is left".to_string());
                }
                let l = self.plan(left, outer)?;
                let r = self.plan(right, &both(&l, outer))?;
                self.join(*kind, plan, l, r, on, outer)
            }
            Plan::Aggregate { input, keys, aggregates, scalar } => {
                let visible = self.plan(input, outer)?;
                for (column, source) in keys {
                    if visible.get(source) != Some(&column.ty) {
                        return Err(format!("group key {} has no such source", column.name));
                    }
                }
                if *scalar && !keys.is_empty() {
                    return Err("a scalar aggregate has keys".to_string());
                }
                let inside = both(&visible, outer);
                for (_, call) in aggregates {
                    call.arguments.iter().try_for_each(|argument| self.expr(argument, &inside))?;
                }
                let columns = plan.columns();
                self.make(&columns)
            }
            Plan::Distinct { input } => self.plan(input, outer),
            Plan::TopK { input, partition, order, window, ranked } => {
                let visible = self.plan(input, outer)?;
                let named = partition.iter().chain(order.iter().map(|key| &key.column));
                match named.into_iter().find(|id| !visible.contains_key(id)) {
                    Some(id) => Err(format!("ordered by column #{}, which the input has not", id.0)),
                    None if window.rank.is_some() != ranked.is_some() => Err("a rank without column".to_string()),
                    None => {
                        let ranked: Vec<Column> = ranked.iter().cloned().collect();
                        Ok(both(&self.make(&ranked)?, &visible))
                    }
                }
            }
            Plan::Unnest { input, arrays, elements, ordinality, .. } => {
                let visible = self.plan(input, outer)?;
                let is_array = |id: &ColumnId| visible.get(id).is_some_and(|ty| matches!(ty.ty, SqlType::Array(_)));
                if arrays.len() != elements.len() || !arrays.iter().all(is_array) {
                    return Err("elements of what is no array".to_string());
                }
                let made: Vec<Column> = elements.iter().chain(ordinality).cloned().collect();
                Ok(both(&self.make(&made)?, &visible))
            }
            Plan::Union { inputs, columns } => {
                for input in inputs {
                    self.same_types(input, columns, outer)?;
                }
                self.make(columns)
            }
            Plan::SetDifference { left, right, columns, .. } | Plan::SetIntersection { left, right, columns, .. } => {
                self.same_types(left, columns, outer)?;
                self.same_types(right, columns, outer)?;
                self.make(columns)
            }
        }
    }

    fn join(
        &mut self,
        kind: JoinKind,
        plan: &Plan,
        left: Visible,
        right: Visible,
        on: &Expr,
        outer: &Visible,
    ) -> Result<Visible, String> {
        self.predicate(on, &both(&both(&left, &right), outer))?;
        let _ = kind;
        Ok(plan.columns().into_iter().map(|column| (column.id, column.ty)).collect())
    }

    fn same_types(&mut self, input: &Plan, columns: &[Column], outer: &Visible) -> Result<(), String> {
        self.plan(input, outer)?;
        let types: Vec<ColumnType> = input.columns().iter().map(|c| c.ty).collect();
        match types.len() == columns.len() && types.iter().zip(columns).all(|(ty, column)| *ty == column.ty) {
            true => Ok(()),
            false => Err(format!("an input of a set operation has the types {types:?}")),
        }
    }

    fn make(&mut self, columns: &[Column]) -> Result<Visible, String> {
        for column in columns {
            if !self.made.insert(column.id) {
                return Err(format!("column {}#{} is made twice", column.name, column.id.0));
            }
        }
        Ok(columns.iter().map(|column| (column.id, column.ty)).collect())
    }

    fn make_typed(&mut self, columns: &[Column], types: &[ColumnType]) -> Result<Visible, String> {
        // Pruned scans list fewer columns: then only `make` can be checked.
        if columns.len() == types.len() && columns.iter().zip(types).any(|(column, ty)| column.ty != *ty) {
            return Err("a scan has other types than its source".to_string());
        }
        self.make(columns)
    }

    fn fits_all(&mut self, columns: &[Column], exprs: &[&Expr], visible: &Visible) -> Result<(), String> {
        if columns.len() != exprs.len() {
            return Err("a row has another number of columns".to_string());
        }
        columns.iter().zip(exprs).try_for_each(|(column, expr)| self.fits(column, expr, visible))
    }

    /// A column may be nullable where its expression is not.
    fn fits(&mut self, column: &Column, expr: &Expr, visible: &Visible) -> Result<(), String> {
        self.expr(expr, visible)?;
        match column.ty.ty == expr.ty.ty && (column.ty.nullable || !expr.ty.nullable) {
            true => Ok(()),
            false => Err(format!("column {} is {}, its expression {expr} is {}", column.name, column.ty, expr.ty)),
        }
    }

    fn predicate(&mut self, expr: &Expr, visible: &Visible) -> Result<(), String> {
        self.expr(expr, visible)?;
        match expr.ty.ty {
            SqlType::Boolean => Ok(()),
            ty => Err(format!("predicate {expr} is {ty}")),
        }
    }

    fn expr(&mut self, expr: &Expr, visible: &Visible) -> Result<(), String> {
        for child in expr.children() {
            self.expr(child, visible)?;
        }
        let types: Vec<SqlType> = expr.children().iter().map(|child| child.ty.ty).collect();
        match &expr.kind {
            ExprKind::Column(id) => match visible.get(id) {
                Some(ty) if *ty == expr.ty => Ok(()),
                Some(ty) => Err(format!("column #{} is {ty}, used as {}", id.0, expr.ty)),
                None => Err(format!("column #{} is not visible", id.0)),
            },
            ExprKind::Slot(_) => Err("a slot in a plan".to_string()),
            ExprKind::Call { function, .. } if !function.takes(types.len()) => {
                Err(format!("{} with {} arguments", function.name, types.len()))
            }
            ExprKind::Each { body, .. } if expr.ty.ty != SqlType::array(body.ty.ty) => {
                Err(format!("{expr} is {}", expr.ty))
            }
            ExprKind::And(_) | ExprKind::Or(_) if types.iter().any(|ty| *ty != SqlType::Boolean) => {
                Err(format!("{expr} over {types:?}"))
            }
            // A COALESCE of one only carries a type of the same native value.
            ExprKind::Coalesce(_) if types.len() == 1 && types[0].same_family(expr.ty.ty) => Ok(()),
            ExprKind::Coalesce(_) if types.iter().any(|ty| *ty != expr.ty.ty) => Err(format!("{expr} over {types:?}")),
            ExprKind::Case { branches, otherwise } => {
                let results = branches.iter().map(|(_, result)| result).chain(otherwise.as_deref());
                match results.into_iter().all(|result| result.ty.ty == expr.ty.ty) {
                    true => Ok(()),
                    false => Err(format!("the branches of {expr} have different types")),
                }
            }
            ExprKind::Subquery { .. } if !self.bound_only => Err("a subquery is left".to_string()),
            ExprKind::Subquery { kind, plan } => {
                self.plan(plan, visible)?;
                let columns = plan.columns();
                let operands = match kind {
                    SubqueryKind::Exists => return Ok(()),
                    SubqueryKind::Scalar => vec![expr.ty.ty],
                    SubqueryKind::In { operands } => operands.iter().map(|e| e.ty.ty).collect(),
                    SubqueryKind::Quantified { operand, .. } => vec![operand.ty.ty],
                };
                match operands.len() == columns.len() && operands.iter().zip(&columns).all(|(ty, c)| *ty == c.ty.ty) {
                    true => Ok(()),
                    false => Err(format!("operands {operands:?} against {columns:?}")),
                }
            }
            _ => Ok(()),
        }
    }
}

fn both(inner: &Visible, outer: &Visible) -> Visible {
    outer.iter().chain(inner).map(|(id, ty)| (*id, *ty)).collect()
}
