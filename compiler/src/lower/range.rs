//! Range conditions of a join, as sort values and bounds: which rows of the other side a row can pair with at all.
//!
//! A condition `A < B`, one operand over each side, bounds B's value for each left row and A's for each right row. Where
//! an operand is another value moved by a constant (`ts + INTERVAL '1' HOUR`), the bound moves instead, so that several
//! conditions can bound one value from both sides. Bounds only narrow down which pairs are looked at: all conditions stay
//! in the residual, so a bound that cannot be computed is NULL and bounds nothing.
//!
//! No error may get lost with a pair: conditions count up to the first that may fail in another way than by its own
//! operands, and a row with an operand that fails (it is *wild*) has neither bounds nor a sort value and meets every row. So
//! does a row with an operand that is NULL, unless nothing can fail before that is seen: then it pairs with nothing.

use super::expr::{canonical, columns, null};
use crate::circuit::check::encodes_alike;
use crate::library;
use crate::plan::{ColumnId, Expr, ExprKind, Span};
use feldc_engine::{Bound, Bounds};
use feldc_value::function::Function;
use feldc_value::{ColumnType, SqlType, Value};
use std::collections::BTreeSet;

/// What a range join needs of both sides; expressions over plan columns.
#[derive(Debug)]
pub(super) struct Range {
    pub left: RangeSide,
    pub right: RangeSide,
}

#[derive(Clone, Debug)]
pub(super) struct RangeSide {
    /// Never NULL for a row that can pair, unless the row is wild.
    sort: Expr,
    /// Bounds for the sort value of the other side.
    pub lower: Option<(Bound, Expr)>,
    pub upper: Option<(Bound, Expr)>,
    /// A row for which one of them fails or is NULL is wild.
    wild: Vec<Expr>,
    /// A row where one of them is NULL pairs with nothing.
    pub known: Vec<Expr>,
}

impl RangeSide {
    fn is_interval(&self) -> bool {
        self.lower.is_some() && self.upper.is_some()
    }

    fn ends(&self) -> usize {
        usize::from(self.lower.is_some()) + usize::from(self.upper.is_some())
    }

    pub fn bounds(&self) -> Bounds {
        let end = |end: &Option<(Bound, Expr)>| end.as_ref().map(|(bound, _)| *bound);
        Bounds { lower: end(&self.lower), upper: end(&self.upper) }
    }

    /// The sort value, then the bounds. The first may be NULL for wild rows only, the others for every row.
    pub fn columns(&self) -> Vec<(Expr, ColumnType)> {
        let bounds = self.lower.iter().chain(&self.upper).map(|(_, bound)| bound);
        let mut columns = vec![];
        for (place, expr) in std::iter::once(&self.sort).chain(bounds).enumerate() {
            let nullable = place > 0 || !self.wild.is_empty();
            columns.push((self.unless_wild(expr), ColumnType::new(expr.ty.ty, nullable)));
        }
        columns
    }

    /// NULL for wild rows.
    fn unless_wild(&self, expr: &Expr) -> Expr {
        let failed = |operand: &Expr| Expr {
            kind: ExprKind::IsNull(Box::new(trying(operand))),
            ty: ColumnType::new(SqlType::Boolean, false),
            span: operand.span,
        };
        if self.wild.is_empty() {
            return expr.clone();
        }
        let branches = self.wild.iter().map(|operand| (failed(operand), null(expr.ty.ty, expr.span))).collect();
        let kind = ExprKind::Case { branches, otherwise: Some(Box::new(expr.clone())) };
        Expr { kind, ty: ColumnType::new(expr.ty.ty, true), span: expr.span }
    }
}

impl Range {
    /// Do some rows bound the other side from both ends?
    pub fn is_interval(&self) -> bool {
        self.left.is_interval() || self.right.is_interval()
    }
}

/// NULL where the expression fails.
fn trying(expr: &Expr) -> Expr {
    if !expr.fallible() {
        return expr.clone();
    }
    let ty = ColumnType::new(expr.ty.ty, true);
    Expr { kind: ExprKind::Try(Box::new(expr.clone())), ty, span: expr.span }
}

/// `left < right` or `left <= right` or the reverse, one operand over each side.
struct Comparison {
    left: Operand,
    right: Operand,
    /// Is the left operand the lesser one?
    left_is_less: bool,
    bound: Bound,
}

struct Operand {
    expr: Expr,
    base: Option<Base>,
}

/// The value that an operand is, moved by a constant.
struct Base {
    expr: Expr,
    /// Undoes the move: applied to a bound of the operand it gives a bound of the base.
    back: Option<(&'static Function, Expr)>,
}

impl Base {
    /// The bound of the operand as a bound of the base, if the two have one encoding.
    fn bound(&self, of_operand: &Expr) -> Option<Expr> {
        let moved = match &self.back {
            None => of_operand.clone(),
            Some((function, by)) => Expr {
                kind: ExprKind::Call { function, arguments: vec![of_operand.clone(), by.clone()] },
                ty: ColumnType::new(self.expr.ty.ty, of_operand.ty.nullable),
                span: of_operand.span,
            },
        };
        let alike = encodes_alike(of_operand.ty.ty, self.expr.ty.ty);
        alike.then(|| trying(&moved))
    }
}

/// The range conditions among the conjuncts, which are evaluated in this order.
pub(super) fn find(conjuncts: &[&Expr], left: &BTreeSet<ColumnId>, right: &BTreeSet<ColumnId>) -> Option<Range> {
    let mut search = Search::default();
    for conjunct in conjuncts {
        match comparison(conjunct, left, right) {
            Some(comparison) => search.add(comparison),
            None if conjunct.fallible() => break,
            None => (),
        }
    }
    search.best()
}

#[derive(Default)]
struct Search {
    found: Vec<Comparison>,
    /// Of the left and the right rows, as in [`RangeSide`].
    known: [Vec<Expr>; 2],
    wild: [Vec<Expr>; 2],
}

fn contains(exprs: &[Expr], wanted: &Expr) -> bool {
    exprs.iter().any(|expr| canonical(expr) == canonical(wanted))
}

impl Search {
    fn add(&mut self, found: Comparison) {
        let sides = [&found.left, &found.right];
        let nothing_failed = self.wild.iter().all(Vec::is_empty);
        for (wild, operand) in self.wild.iter_mut().zip(sides).filter(|(_, operand)| operand.expr.fallible()) {
            wild.push(operand.expr.clone());
        }
        for (side, operand) in sides.iter().enumerate() {
            let Some(base) = &operand.base else { continue };
            if !base.expr.ty.nullable || contains(&self.known[side], &base.expr) {
                continue;
            }
            // A row may be dropped for a NULL only if nothing fails before it is seen.
            match nothing_failed && !sides[1 - side].expr.fallible() {
                true => self.known[side].push(base.expr.clone()),
                false => self.wild[side].push(base.expr.clone()),
            }
        }
        self.found.push(found);
    }

    /// The pair of sort values that most conditions bound.
    fn best(self) -> Option<Range> {
        let Search { found, known: [left_known, right_known], wild: [left_wild, right_wild] } = self;
        let bases = |operand: fn(&Comparison) -> &Operand| {
            let mut bases: Vec<&Expr> = vec![];
            for base in found.iter().filter_map(|comparison| operand(comparison).base.as_ref()) {
                if !bases.iter().any(|other| canonical(other) == canonical(&base.expr)) {
                    bases.push(&base.expr);
                }
            }
            bases
        };
        let (of_left, of_right) = (bases(|comparison| &comparison.left), bases(|comparison| &comparison.right));
        let mut best: Option<Range> = None;
        for left_sort in of_left {
            for &right_sort in &of_right {
                let side = |sort: &Expr, wild: &[Expr], known: &[Expr]| RangeSide {
                    sort: sort.clone(),
                    lower: None,
                    upper: None,
                    wild: wild.to_vec(),
                    known: known.to_vec(),
                };
                let mut range = Range {
                    left: side(left_sort, &left_wild, &left_known),
                    right: side(right_sort, &right_wild, &right_known),
                };
                for comparison in &found {
                    bound(&mut range.left, &range.right.sort, &comparison.left, &comparison.right, comparison, true);
                    bound(&mut range.right, &range.left.sort, &comparison.right, &comparison.left, comparison, false);
                }
                let ends = |range: &Range| range.left.ends() + range.right.ends();
                if ends(&range) > best.as_ref().map_or(0, ends) {
                    best = Some(range);
                }
            }
        }
        best
    }
}

/// Adds the bound that a comparison sets, for the rows of the side of `own`, to the other side's sort value.
fn bound(side: &mut RangeSide, sort: &Expr, own: &Operand, other: &Operand, comparison: &Comparison, is_left: bool) {
    let Some(base) = other.base.as_ref().filter(|base| canonical(&base.expr) == canonical(sort)) else { return };
    let Some(expr) = base.bound(&trying(&own.expr)) else { return };
    let end = if comparison.left_is_less == is_left { &mut side.lower } else { &mut side.upper };
    end.get_or_insert((comparison.bound, expr));
}

fn comparison(conjunct: &Expr, left: &BTreeSet<ColumnId>, right: &BTreeSet<ColumnId>) -> Option<Comparison> {
    let ExprKind::Call { function, arguments } = &conjunct.kind else { return None };
    let (first_is_less, bound) = match function.name {
        "<" => (true, Bound::Exclusive),
        "<=" => (true, Bound::Inclusive),
        ">" => (false, Bound::Exclusive),
        ">=" => (false, Bound::Inclusive),
        _ => return None,
    };
    let [first, second] = &arguments[..] else { return None };
    if function.fallible || !encodes_alike(first.ty.ty, second.ty.ty) || !is_sortable(first.ty.ty) {
        return None;
    }
    let (of_first, of_second) = (columns(first), columns(second));
    if of_first.is_empty() || of_second.is_empty() {
        return None;
    }
    let (first, second) = (operand(first), operand(second));
    if of_first.is_subset(left) && of_second.is_subset(right) {
        Some(Comparison { left: first, right: second, left_is_less: first_is_less, bound })
    } else if of_first.is_subset(right) && of_second.is_subset(left) {
        Some(Comparison { left: second, right: first, left_is_less: !first_is_less, bound })
    } else {
        None
    }
}

/// Values of one type that have one encoding, in SQL's order.
fn is_sortable(ty: SqlType) -> bool {
    !matches!(ty, SqlType::Null | SqlType::Variant | SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_))
}

fn operand(expr: &Expr) -> Operand {
    let base = match moved(expr) {
        Some(base) => Some(base),
        None if !expr.fallible() => Some(Base { expr: expr.clone(), back: None }),
        None => None,
    };
    Operand { expr: expr.clone(), base }
}

/// `value + constant`, `constant + value` or `value - constant`, where all values move alike.
fn moved(expr: &Expr) -> Option<Base> {
    let ExprKind::Call { function, arguments } = &expr.kind else { return None };
    let [first, second] = &arguments[..] else { return None };
    let is_constant = |expr: &Expr| matches!(&expr.kind, ExprKind::Literal(value) if *value != Value::Null);
    let (value, by, back) = match function.name {
        "+" if is_constant(second) => (first, second, "-"),
        "+" if is_constant(first) => (second, first, "-"),
        "-" if is_constant(second) => (first, second, "+"),
        _ => return None,
    };
    let (ty, moved_by) = (value.ty.ty, by.ty.ty);
    let exact = match ty {
        SqlType::Timestamp | SqlType::TimestampTz => matches!(moved_by, SqlType::IntervalShort { .. }),
        SqlType::Date => matches!(moved_by, SqlType::IntervalShort { .. } | SqlType::Integer),
        _ => ty.is_integer() && moved_by == ty,
    };
    if !exact || expr.ty.ty != ty || value.fallible() {
        return None;
    }
    let fits = |function: &&'static Function| match function.parameters {
        [value, by] => value.accepts(ty) && by.accepts(moved_by),
        _ => false,
    };
    let back = library::overloads(back).find(fits)?;
    Some(Base { expr: value.clone(), back: Some((back, Expr { span: Span::default(), ..by.clone() })) })
}
