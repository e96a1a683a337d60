//! GROUP BY as it is written: keys, and the sets of them by which the rows are grouped.

use super::group::same;
use super::scope::Clause;
use super::select::Output;
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Column, Expr, Span};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr};
use std::collections::BTreeSet;

/// More sets than this are refused: the rows are grouped once for each.
const SETS_MAX: usize = 256;

/// The keys, all different, and sets of their positions; rows are grouped by each of the sets.
pub struct Grouping {
    pub keys: Vec<Expr>,
    pub sets: Vec<BTreeSet<usize>>,
}

/// GROUPING(keys): which of the keys the set of a row leaves out, the first in the highest bit. Without keys GROUP_ID(): how many
/// equal sets stand before it.
pub type GroupingMark = (Column, Vec<Expr>);

/// An element of GROUP BY: any of several lists of expressions.
enum Element<'a> {
    One(Vec<&'a ast::Expr>),
    Rollup(Vec<Vec<&'a ast::Expr>>),
    Cube(Vec<Vec<&'a ast::Expr>>),
    Sets(Vec<Element<'a>>),
}

impl<'a> Element<'a> {
    fn of(expr: &'a ast::Expr) -> Element<'a> {
        let lists = |lists: &'a [Vec<ast::Expr>]| lists.iter().map(|list| list.iter().collect()).collect();
        match expr {
            ast::Expr::Tuple(parts) => Element::One(parts.iter().collect()),
            ast::Expr::Rollup(parts) => Element::Rollup(lists(parts)),
            ast::Expr::Cube(parts) => Element::Cube(lists(parts)),
            ast::Expr::GroupingSets(sets) => Element::Sets(sets.iter().map(|set| Element::of_set(set)).collect()),
            _ => Element::One(vec![expr]),
        }
    }

    /// Inside GROUPING SETS a ROLLUP or CUBE comes as a call.
    fn of_set(set: &'a [ast::Expr]) -> Element<'a> {
        if let [ast::Expr::Function(function)] = set
            && let FunctionArguments::List(list) = &function.args
            && let name = function.name.to_string().to_uppercase()
            && (name == "ROLLUP" || name == "CUBE")
        {
            let part = |argument: &'a FunctionArg| match argument {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(ast::Expr::Tuple(parts))) => parts.iter().collect(),
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => vec![expr],
                _ => vec![],
            };
            let parts = list.args.iter().map(part).collect();
            return if name == "CUBE" { Element::Cube(parts) } else { Element::Rollup(parts) };
        }
        Element::One(set.iter().collect())
    }

    /// Is the empty set among its sets?
    fn may_be_empty(&self) -> bool {
        match self {
            Element::One(exprs) => exprs.is_empty(),
            Element::Rollup(_) | Element::Cube(_) => true,
            Element::Sets(elements) => elements.iter().any(Element::may_be_empty),
        }
    }
}

fn elements(group_by: &GroupByExpr) -> Vec<Element<'_>> {
    match group_by {
        GroupByExpr::Expressions(exprs, _) => exprs.iter().map(Element::of).collect(),
        GroupByExpr::All(_) => vec![],
    }
}

/// Is there a group of all rows, which is there without any row?
pub fn may_be_one(group_by: &GroupByExpr) -> bool {
    // GROUP BY ALL has no key where all items are aggregates.
    elements(group_by).iter().all(Element::may_be_empty)
}

/// May there be several sets?
pub fn has_sets(group_by: &GroupByExpr) -> bool {
    elements(group_by).iter().any(|element| !matches!(element, Element::One(_)))
}

/// Is GROUP BY written at all? (GROUP BY () groups everything.)
pub fn is_written(group_by: &GroupByExpr) -> bool {
    !matches!(group_by, GroupByExpr::Expressions(exprs, modifiers) if exprs.is_empty() && modifiers.is_empty())
}

impl Binder<'_> {
    /// Names are those of columns of FROM first, then aliases; numbers are positions in the select list.
    pub(super) fn grouping(&mut self, group_by: &GroupByExpr, outputs: &[Bound<Output>]) -> Bound<Grouping> {
        self.clause(Clause::GroupBy);
        let grouping = self.grouping_inner(group_by, outputs);
        self.clause(Clause::Select);
        grouping
    }

    fn grouping_inner(&mut self, group_by: &GroupByExpr, outputs: &[Bound<Output>]) -> Bound<Grouping> {
        let mut grouping = Grouping { keys: vec![], sets: vec![BTreeSet::new()] };
        match group_by {
            GroupByExpr::All(modifiers) if modifiers.is_empty() => {
                let plain = outputs.iter().flatten().filter(|output| !self.is_aggregated(&output.expr));
                let exprs: Vec<Expr> = plain.map(|output| output.expr.clone()).collect();
                let set = exprs.into_iter().map(|expr| grouping.key(expr)).collect();
                grouping.sets = vec![set];
                return Ok(grouping);
            }
            GroupByExpr::Expressions(_, modifiers) if modifiers.is_empty() => (),
            _ => return self.unsupported("this form of GROUP BY", self.statement),
        }
        let mut failed = false;
        for element in elements(group_by) {
            match self.element(&element, &mut grouping, outputs) {
                // Each set of this element with each of the others.
                Ok(sets) if grouping.sets.len() * sets.len() <= SETS_MAX => {
                    let with_each = |set: &BTreeSet<usize>| sets.iter().map(|other| set | other).collect::<Vec<_>>();
                    grouping.sets = grouping.sets.iter().flat_map(with_each).collect();
                }
                Ok(_) => return self.too_many_sets(),
                Err(Reported) => failed = true,
            }
        }
        if failed { Err(Reported) } else { Ok(grouping) }
    }

    fn too_many_sets<T>(&mut self) -> Bound<T> {
        let headline = format!("GROUP BY makes more than {SETS_MAX} grouping sets");
        let error = Diagnostic::error(code::TOO_COMPLEX, headline, self.statement);
        self.fail(error.help("list the sets that are needed in GROUPING SETS (...)"))
    }

    /// The sets that an element stands for.
    fn element(
        &mut self,
        element: &Element<'_>,
        grouping: &mut Grouping,
        outputs: &[Bound<Output>],
    ) -> Bound<Vec<BTreeSet<usize>>> {
        match element {
            Element::One(exprs) => Ok(vec![self.key_set(exprs, grouping, outputs)?]),
            Element::Rollup(parts) => {
                let parts = self.key_sets(parts, grouping, outputs)?;
                Ok((0..=parts.len()).rev().map(|count| union(&parts[..count])).collect())
            }
            Element::Cube(parts) => {
                let parts = self.key_sets(parts, grouping, outputs)?;
                if parts.len() > SETS_MAX.ilog2() as usize {
                    return self.too_many_sets();
                }
                let chosen = |bits: usize| {
                    let parts = parts.iter().rev().enumerate().filter(move |(at, _)| bits >> at & 1 == 1);
                    parts.flat_map(|(_, part)| part).copied().collect()
                };
                Ok((0..1 << parts.len()).rev().map(chosen).collect())
            }
            Element::Sets(elements) => {
                let mut sets = vec![];
                for element in elements {
                    sets.extend(self.element(element, grouping, outputs)?);
                }
                Ok(sets)
            }
        }
    }

    fn key_sets(
        &mut self,
        parts: &[Vec<&ast::Expr>],
        grouping: &mut Grouping,
        outputs: &[Bound<Output>],
    ) -> Bound<Vec<BTreeSet<usize>>> {
        parts.iter().map(|part| self.key_set(part, grouping, outputs)).collect()
    }

    /// Several expressions that come and go together.
    fn key_set(
        &mut self,
        exprs: &[&ast::Expr],
        grouping: &mut Grouping,
        outputs: &[Bound<Output>],
    ) -> Bound<BTreeSet<usize>> {
        let (mut set, mut failed) = (BTreeSet::new(), false);
        for expr in exprs {
            match self.key(expr, grouping, outputs) {
                Ok(keys) => set.extend(keys),
                Err(Reported) => failed = true,
            }
        }
        if failed { Err(Reported) } else { Ok(set) }
    }

    fn key(&mut self, expr: &ast::Expr, grouping: &mut Grouping, outputs: &[Bound<Output>]) -> Bound<BTreeSet<usize>> {
        let span = self.span_of(expr);
        let key = match expr {
            ast::Expr::Tuple(parts) => return self.key_set(&parts.iter().collect::<Vec<_>>(), grouping, outputs),
            ast::Expr::Value(value) => match &value.value {
                ast::Value::Number(digits, _) => self.by_position(digits, outputs, span)?,
                _ => self.expr(expr)?,
            },
            _ => self.expr(expr)?,
        };
        if self.is_aggregated(&key) {
            let headline = "GROUP BY cannot hold an aggregate or a window function";
            let error = Diagnostic::error(code::GROUPING_ERROR, headline, span);
            return self.fail(error.help("group by it in a query around this one"));
        }
        // A constant makes no groups, but keeps the query grouped.
        Ok(BTreeSet::from([grouping.key(key)]))
    }

    /// Can the value be computed after grouping only?
    fn is_aggregated(&self, expr: &Expr) -> bool {
        self.scopes.last().is_some_and(|scope| scope.uses_aggregate(expr) || scope.uses_window(expr))
    }

    fn by_position(&mut self, digits: &str, outputs: &[Bound<Output>], span: Span) -> Bound<Expr> {
        let found = digits.parse::<usize>().ok().and_then(|at| outputs.get(at.checked_sub(1)?));
        match found {
            Some(Ok(output)) => Ok(output.expr.clone()),
            Some(Err(reported)) => Err(*reported),
            None => {
                let headline = format!("GROUP BY position {digits} is not in the select list");
                let error = Diagnostic::error(code::INVALID_COLUMN_REFERENCE, headline, span);
                self.fail(error.help(format!("the select list has {} items", outputs.len())))
            }
        }
    }

    /// GROUPING(keys), GROUPING_ID(keys) and GROUP_ID().
    pub(super) fn grouping_mark(&mut self, name: &str, arguments: &[&ast::Expr], span: Span) -> Bound<Expr> {
        let Some(top) = self.scopes.len().checked_sub(1) else {
            let error = Diagnostic::error(code::GROUPING_ERROR, format!("{name} is not allowed here"), span);
            return self.fail(error);
        };
        self.check_aggregate_allowed(top, span)?;
        if name == "GROUP_ID" && !arguments.is_empty() {
            let error = Diagnostic::error(code::UNDEFINED_FUNCTION, "GROUP_ID takes no arguments", span);
            return self.fail(error.help("write GROUP_ID(); GROUPING_ID(key) says whether a key is left out"));
        }
        if name != "GROUP_ID" && (arguments.is_empty() || arguments.len() > 62) {
            let error = Diagnostic::error(code::UNDEFINED_FUNCTION, format!("{name} takes 1 to 62 keys"), span);
            return self.fail(error.help(format!("write {name}(key) with keys of GROUP BY")));
        }
        let keys = self.exprs(arguments)?;
        let column = self.fresh_column(&name.to_lowercase(), ColumnType::new(SqlType::BigInt, false));
        let expr = Expr::column(column.id, column.ty, span);
        self.scopes[top].grouping_marks.push((column, keys));
        Ok(expr)
    }
}

impl Grouping {
    /// The position of a key, which is added if it is new.
    fn key(&mut self, expr: Expr) -> usize {
        let known = self.keys.iter().position(|key| same(key, &expr));
        known.unwrap_or_else(|| {
            self.keys.push(expr);
            self.keys.len() - 1
        })
    }
}

fn union(sets: &[BTreeSet<usize>]) -> BTreeSet<usize> {
    sets.iter().flatten().copied().collect()
}
