//! Joins of every kind, from half-open questions (which rows pair, which left rows have no partner) to indexes.
//!
//! The condition splits into equalities between the sides (the key), conditions on one side alone (guards), and the
//! residual, evaluated per pair:
//!
//! Conditions `<`, `<=`, `>`, `>=` between the sides are residual too, but where they bound a value ([`range`]) the pairs are
//! found by seeks in ordered indexes, whose rows lie by key and sort value.
//!
//! * a row with a NULL in an `=` key, or that fails a guard, has no partner: it never enters an index;
//! * a row whose key fails has no partner either. It is an error, and stays where rows without partner do;
//! * matched rows: `I(left) ⋈ I(right)`, residual and projections fused into the pair kernel;
//! * left rows without partner: those that never enter the index (no state needed for them), and without residual
//!   `I(left) ▷ I(right)`. With a residual, whether a left row has a partner depends only on the left columns that the
//!   condition reads, so the rest is `I'(left) ▷ I'(matched)`, both keyed by these columns, null-safe.

use super::expr::{
    and, attempt, canonical, columns, is_not_null, is_null, known_not_null, map_slots, not_true, null, slot,
};
use super::flow::{Feed, FlowColumn, FlowId, FlowOp, RIGHT, Source};
use super::range::{self, Range, RangeSide};
use super::relation::{Rel, is_constant};
use super::unique;
use super::{Lowering, Unsupported};
use crate::circuit::check::encodes_alike;
use crate::plan::{Column, ColumnId, Expr, ExprKind, JoinKind};
use feldc_engine::Bounds;
use feldc_value::cast::cast_function;
use feldc_value::{ColumnType, SqlType, common_type};
use std::collections::{BTreeMap, BTreeSet};

/// One equality of a join key, each side over its input's source.
#[derive(Clone, Debug)]
pub(super) struct Key {
    left: Expr,
    right: Expr,
    /// IS NOT DISTINCT FROM: NULL matches NULL, and both sides use the nullable encoding if either may be NULL.
    null_safe: bool,
}

/// A key column of one side in the encoding that both sides share.
#[derive(Clone, Debug)]
pub(super) struct KeyColumn {
    expr: Expr,
    ty: ColumnType,
}

impl KeyColumn {
    /// Equal for equal columns.
    pub fn text(columns: &[KeyColumn]) -> String {
        columns.iter().map(|column| format!("{} {}; ", canonical(&column.expr), column.ty)).collect()
    }

    /// Over the relation's source instead of plan columns.
    pub fn resolved(&self, rel: &Rel) -> Result<KeyColumn, Unsupported> {
        Ok(KeyColumn { expr: rel.resolve(&self.expr)?, ty: self.ty })
    }

    /// What drops the rows that have NULL where the key can hold none.
    pub fn guard(&self) -> Option<Expr> {
        (self.expr.ty.nullable && !self.ty.nullable).then(|| is_not_null(self.expr.clone()))
    }
}

impl Key {
    pub fn new(left: Expr, right: Expr, null_safe: bool) -> Key {
        Key { left, right, null_safe }
    }

    pub fn swapped(&self) -> Key {
        Key { left: self.right.clone(), right: self.left.clone(), null_safe: self.null_safe }
    }

    fn ty(&self) -> ColumnType {
        ColumnType::new(self.left.ty.ty, self.null_safe && (self.left.ty.nullable || self.right.ty.nullable))
    }

    /// The columns of both sides, those of fixed width first so that their offsets are constants.
    pub fn sides(keys: &[Key]) -> (Vec<KeyColumn>, Vec<KeyColumn>) {
        let mut keys: Vec<&Key> = keys.iter().collect();
        keys.sort_by_key(|key| key.ty().fixed_width().is_none());
        let column = |expr: &Expr, key: &Key| KeyColumn { expr: expr.clone(), ty: key.ty() };
        keys.into_iter().map(|key| (column(&key.left, key), column(&key.right, key))).unzip()
    }
}

/// An index and where the columns of its relation lie in it (slots of the index rows, or literals).
pub(super) struct Arranged {
    pub node: FlowId,
    pub columns: BTreeMap<ColumnId, Expr>,
}

/// A join condition taken apart; expressions over plan columns.
struct Condition {
    keys: Vec<Key>,
    left_guards: Vec<Expr>,
    right_guards: Vec<Expr>,
    residual: Vec<Expr>,
    range: Option<Range>,
}

impl Condition {
    fn split(on: &Expr, left: &BTreeSet<ColumnId>, right: &BTreeSet<ColumnId>) -> Condition {
        let mut condition =
            Condition { keys: vec![], left_guards: vec![], right_guards: vec![], residual: vec![], range: None };
        let mut others = vec![];
        for (position, conjunct) in on.conjuncts().into_iter().enumerate() {
            // As a key, a conjunct is evaluated for every row: one that can fail only if it stands first.
            match equality(conjunct, left, right) {
                Some(key) if position == 0 || !conjunct.fallible() => condition.keys.push(key),
                _ => others.push(conjunct),
            }
        }
        let others = Expr::in_order(others);
        condition.range = range::find(&others, left, right);
        for conjunct in others {
            let used = columns(conjunct);
            let place = match conjunct.fallible() {
                false if used.is_subset(left) => &mut condition.left_guards,
                false if used.is_subset(right) => &mut condition.right_guards,
                _ => &mut condition.residual,
            };
            place.push(conjunct.clone());
        }
        condition
    }

    /// The range conditions, unless the key alone leaves little to look at: rows of either side have one partner at most, or
    /// equal keys are rarely many and nothing is bounded from both ends.
    fn worthwhile_range(&mut self, (left, right): (Vec<unique::Key>, Vec<unique::Key>)) -> Option<Range> {
        let range = self.range.take()?;
        let column = |expr: &Expr| match expr.kind {
            ExprKind::Column(id) => Some(id),
            _ => None,
        };
        let of_left: unique::Key = self.keys.iter().filter_map(|key| column(&key.left)).collect();
        let of_right: unique::Key = self.keys.iter().filter_map(|key| column(&key.right)).collect();
        let one = left.iter().any(|key| key.is_subset(&of_left)) || right.iter().any(|key| key.is_subset(&of_right));
        (!one && (self.keys.is_empty() || range.is_interval())).then_some(range)
    }
}

/// `left expression = right expression`, in either order, where equal values have equal bytes.
pub(super) fn equality(conjunct: &Expr, left: &BTreeSet<ColumnId>, right: &BTreeSet<ColumnId>) -> Option<Key> {
    let ExprKind::Call { function, arguments } = &conjunct.kind else { return None };
    let null_safe = match function.name {
        "=" => false,
        "IS NOT DISTINCT FROM" | "<=>" => true,
        _ => return None,
    };
    let [one, other] = &arguments[..] else { return None };
    let (of_one, of_other) = (columns(one), columns(other));
    if of_one.is_empty() || of_other.is_empty() {
        return None;
    }
    let (one, other) = in_one_encoding(one, other, null_safe)?;
    if of_one.is_subset(left) && of_other.is_subset(right) {
        Some(Key::new(one, other, null_safe))
    } else if of_one.is_subset(right) && of_other.is_subset(left) {
        Some(Key::new(other, one, null_safe))
    } else {
        None
    }
}

/// The operands of an equality such that equal values have equal bytes: DECIMALs meet in their common type.
fn in_one_encoding(one: &Expr, other: &Expr, null_safe: bool) -> Option<(Expr, Expr)> {
    let (left, right) = (one.ty.ty, other.ty.ty);
    if encodes_alike(left, right) {
        return Some((one.clone(), other.clone()));
    }
    let common = common_type(left, right).filter(|_| left.is_decimal() && right.is_decimal())?;
    Some((as_decimal(one, common, null_safe)?, as_decimal(other, common, null_safe)?))
}

/// A value too large for the common type equals no value of the other side: NULL, which `=` matches with nothing, will do.
fn as_decimal(expr: &Expr, common: SqlType, null_safe: bool) -> Option<Expr> {
    let ty = ColumnType::new(common, expr.ty.nullable);
    let of = |kind, ty| Some(Expr { kind, ty, span: expr.span });
    if expr.ty.ty == common {
        return Some(expr.clone());
    }
    let Some(function) = cast_function(expr.ty.ty, common).ok()? else {
        // The same native value; COALESCE of one carries the type.
        return of(ExprKind::Coalesce(vec![expr.clone()]), ty);
    };
    let cast = of(ExprKind::Call { function, arguments: vec![expr.clone()] }, ty)?;
    match function.fallible {
        false => Some(cast),
        true if null_safe => None,
        true => Some(attempt(cast)),
    }
}

/// One input of a join with its key columns.
struct Keyed {
    rel: Rel,
    keys: Vec<Expr>,
    guards: Vec<Expr>,
    /// Relations without rows, each with the failures of one key.
    failing: Vec<Rel>,
}

/// One input of a join with its part of the condition resolved over its source.
struct Side<'a> {
    rel: Rel,
    columns: &'a [Column],
    keys: Vec<KeyColumn>,
    /// All must be TRUE for the row to have a partner; NULL tests of the key included.
    guards: Vec<Expr>,
    /// The columns that the condition reads.
    read: Vec<Column>,
    /// The sort value and the bounds of a range join.
    range: Option<(Bounds, Vec<KeyColumn>)>,
    /// See [`Keyed`].
    failing: Vec<Rel>,
}

/// A join ready to be built.
struct Join<'a> {
    left: Side<'a>,
    right: Side<'a>,
    residual: Option<Expr>,
}

impl Lowering<'_> {
    pub(super) fn join(
        &mut self,
        kind: JoinKind,
        (left, right): (Rel, Rel),
        (left_columns, right_columns): (&[Column], &[Column]),
        on: &Expr,
        unique: (Vec<unique::Key>, Vec<unique::Key>),
    ) -> Result<Rel, Unsupported> {
        let ids = |columns: &[Column]| columns.iter().map(|column| column.id).collect::<BTreeSet<_>>();
        let mut condition = Condition::split(on, &ids(left_columns), &ids(right_columns));
        let reuse = kind != JoinKind::Inner;
        let left = self.reusable(left, left_columns, reuse);
        let right = self.reusable(right, right_columns, kind == JoinKind::Full);
        let range = condition.worthwhile_range(unique);
        let left = self.sound(left, left_columns, range.is_some());
        let right = self.sound(right, right_columns, range.is_some());
        let mut keys = vec![];
        for key in &condition.keys {
            keys.push(Key::new(left.resolve(&key.left)?, right.resolve(&key.right)?, key.null_safe));
        }
        let kept = matches!(kind, JoinKind::Left | JoinKind::Full | JoinKind::Anti);
        let left = self.with_keys(left, left_columns, keys.iter().map(|key| &key.left), kept);
        let right = self.with_keys(right, right_columns, keys.iter().map(|key| &key.right), kind == JoinKind::Full);
        for (key, (left, right)) in keys.iter_mut().zip(left.keys.iter().zip(&right.keys)) {
            (key.left, key.right) = (left.clone(), right.clone());
        }
        let (left_keys, right_keys) = Key::sides(&keys);
        let read = columns(on);
        let mut join = Join {
            left: side(left, left_columns, left_keys, &condition.left_guards, &read)?,
            right: side(right, right_columns, right_keys, &condition.right_guards, &read)?,
            residual: and(condition.residual),
        };
        if let Some(Range { left, right }) = &range {
            join.left.add_range(left)?;
            join.right.add_range(right)?;
        }
        match kind {
            JoinKind::Inner => Ok(self.matched(&join)?.0),
            JoinKind::Semi => self.semi(&join),
            JoinKind::Anti => self.anti(&join),
            JoinKind::Left | JoinKind::Full => self.outer(&join, kind == JoinKind::Full),
        }
    }

    /// What several parts of a join read is computed once.
    fn reusable(&mut self, rel: Rel, columns: &[Column], reuse: bool) -> Rel {
        if reuse { self.materialize(rel, columns) } else { rel }
    }

    /// For range joins: values that may fail are computed before, so that a failing row is one error.
    fn sound(&mut self, rel: Rel, columns: &[Column], range: bool) -> Rel {
        if range && rel.columns.values().any(Expr::fallible) { self.materialize(rel, columns) } else { rel }
    }

    /// Computes keys that may fail in a kernel of their own, so that a failing row is one error. Where rows without partner
    /// are `kept`, such a key is NULL instead of failing, a guard keeps its row from the index, and relations without
    /// rows fail where the keys do.
    fn with_keys<'k>(
        &mut self,
        rel: Rel,
        columns: &[Column],
        keys: impl Iterator<Item = &'k Expr>,
        kept: bool,
    ) -> Keyed {
        let mut keys: Vec<Expr> = keys.cloned().collect();
        if !keys.iter().any(Expr::fallible) {
            return Keyed { rel, keys, guards: vec![], failing: vec![] };
        }
        let (mut guards, mut failing) = (vec![], vec![]);
        for key in keys.iter_mut().filter(|key| kept && key.fallible()) {
            let computed = is_not_null(attempt(is_null(key.clone())));
            let mut fails = rel.clone();
            fails.feed.filters.extend([not_true(computed.clone()), is_not_null(key.clone())]);
            failing.push(fails);
            guards.push(computed);
            *key = attempt(key.clone());
        }
        let further = [&keys[..], &guards].concat();
        let (rel, mut further) = self.materialize_with(rel, columns, &further);
        let guards = further.split_off(keys.len());
        Keyed { rel, keys: further, guards, failing }
    }

    /// Pairs that satisfy the condition, and the two indexes.
    fn matched(&mut self, join: &Join) -> Result<(Rel, Arranged, Arranged), Unsupported> {
        let left = self.arrange_side(&join.left)?;
        let right = self.arrange_side(&join.right)?;
        let mut all = left.columns.clone();
        all.extend(right.columns.iter().map(|(id, expr)| (*id, of_right(expr))));
        let feed = Feed { source: Source::Pair(left.node, right.node), filters: vec![] };
        let mut rel = Rel { feed, columns: all };
        if let Some(residual) = &join.residual {
            rel = self.filter(rel, residual)?;
        }
        Ok((rel, left, right))
    }

    fn semi(&mut self, join: &Join) -> Result<Rel, Unsupported> {
        let (matched, left, right) = self.matched(join)?;
        match join.residual {
            None => Ok(self.presence(left, right.node, false)),
            Some(_) => self.presence_by_condition(&join.left, &matched, false),
        }
    }

    fn anti(&mut self, join: &Join) -> Result<Rel, Unsupported> {
        let (matched, left, right) = self.matched(join)?;
        let kept = match join.residual {
            None => self.presence(left, right.node, true),
            Some(_) => self.presence_by_condition(&join.left, &matched, true)?,
        };
        let rest = partnerless(&join.left);
        if rest.is_empty() {
            return Ok(kept);
        }
        let columns = join.left.columns;
        let mut inputs = vec![];
        for rel in std::iter::once(kept).chain(rest) {
            inputs.push((rel.feed.clone(), rel.all(columns)?));
        }
        Ok(self.union(inputs, columns))
    }

    fn outer(&mut self, join: &Join, full: bool) -> Result<Rel, Unsupported> {
        let (mut matched, left, right) = self.matched(join)?;
        let result = [join.left.columns, join.right.columns].concat();
        if join.residual.is_some() {
            matched = self.materialize(matched, &result);
        }
        let mut inputs = vec![(matched.feed.clone(), matched.all(&result)?)];
        let (left_node, right_node) = (left.node, right.node);
        for padded in self.without_partner(&join.left, left, right_node, join, &matched)? {
            let nulls = join.right.columns.iter().map(|column| null(column.ty.ty, self.flow.span));
            let exprs = padded.all(join.left.columns)?.into_iter().chain(nulls).collect();
            inputs.push((padded.feed, exprs));
        }
        if full {
            for padded in self.without_partner(&join.right, right, left_node, join, &matched)? {
                let nulls = join.left.columns.iter().map(|column| null(column.ty.ty, self.flow.span));
                let exprs = nulls.chain(padded.all(join.right.columns)?).collect();
                inputs.push((padded.feed, exprs));
            }
        }
        Ok(self.union(inputs, &result))
    }

    /// The rows of one side that no pair contains, in one or more relations.
    fn without_partner(
        &mut self,
        side: &Side,
        index: Arranged,
        other: FlowId,
        join: &Join,
        matched: &Rel,
    ) -> Result<Vec<Rel>, Unsupported> {
        let kept = match join.residual {
            None => self.presence(index, other, true),
            Some(_) => self.presence_by_condition(side, matched, true)?,
        };
        Ok(std::iter::once(kept).chain(partnerless(side)).collect())
    }

    fn presence(&mut self, left: Arranged, right: FlowId, anti: bool) -> Rel {
        let node = self.flow.add(FlowOp::Semi { left: left.node, right, anti }, vec![]);
        Rel { feed: Feed::of(node), columns: left.columns }
    }

    /// Rows of the side by whether their columns that the condition reads occur in a matched pair.
    fn presence_by_condition(&mut self, side: &Side, matched: &Rel, anti: bool) -> Result<Rel, Unsupported> {
        let mut keys = vec![];
        for column in &side.read {
            keys.push(Key::new(side.rel.column(column)?, matched.column(column)?, true));
        }
        let (side_keys, matched_keys) = Key::sides(&keys);
        let rows = self.arrange(&side.rel, side.guards.clone(), &side_keys)?;
        let pairs = self.arrange(matched, vec![], &matched_keys)?;
        Ok(self.presence(rows, pairs.node, anti))
    }

    fn arrange_side(&mut self, side: &Side) -> Result<Arranged, Unsupported> {
        let range = side.range.as_ref().map(|(bounds, _)| *bounds);
        let further = side.range.iter().flat_map(|(_, columns)| columns);
        let columns: Vec<KeyColumn> = side.keys.iter().chain(further).cloned().collect();
        self.arrange_by(&side.rel, side.guards.clone(), &columns, side.keys.len(), range)
    }

    /// An index of the relation's rows that pass the guards, by the keys. Which columns its rows hold beside the key is
    /// left to its readers.
    pub(super) fn arrange(
        &mut self,
        rel: &Rel,
        guards: Vec<Expr>,
        keys: &[KeyColumn],
    ) -> Result<Arranged, Unsupported> {
        self.arrange_by(rel, guards, keys, keys.len(), None)
    }

    /// Likewise by the first `key` of the columns, the others being those of a range join.
    fn arrange_by(
        &mut self,
        rel: &Rel,
        guards: Vec<Expr>,
        keys: &[KeyColumn],
        key: usize,
        range: Option<Bounds>,
    ) -> Result<Arranged, Unsupported> {
        let mut rel = rel.clone();
        let mut keys = keys.to_vec();
        rel.feed.filters.extend(guards);
        // The index is shared: a value that may fail must not take rows from readers that do not use it.
        if rel.columns.values().any(Expr::fallible) {
            let exprs: Vec<Expr> = keys.iter().map(|key| key.expr.clone()).collect();
            let (materialized, exprs) = self.materialize_with(rel, &[], &exprs);
            rel = materialized;
            keys.iter_mut().zip(exprs).for_each(|(key, expr)| key.expr = expr);
        }
        let column = |key: &KeyColumn| {
            let expr = if key.ty.nullable { key.expr.clone() } else { known_not_null(key.expr.clone()) };
            FlowColumn { ty: key.ty, expr: Some(expr) }
        };
        let key_columns = keys.iter().map(column).collect();
        let node = self.flow.add(FlowOp::Arrange { feed: rel.feed, key, range }, key_columns);
        for (position, key) in keys.iter().enumerate() {
            if key.ty.ty == key.expr.ty.ty && key.ty.nullable <= key.expr.ty.nullable {
                self.flow.alias_key(node, &key.expr, position);
            }
        }
        let mut columns = BTreeMap::new();
        for (id, definition) in &rel.columns {
            let place = match is_constant(definition) {
                true => definition.clone(),
                false => {
                    let position = self.flow.arrange_column(node, definition);
                    self.flow.slot(node, position)
                }
            };
            columns.insert(*id, place);
        }
        Ok(Arranged { node, columns })
    }
}

fn side<'a>(
    keyed: Keyed,
    columns: &'a [Column],
    keys: Vec<KeyColumn>,
    guards: &[Expr],
    read: &BTreeSet<ColumnId>,
) -> Result<Side<'a>, Unsupported> {
    let Keyed { rel, guards: computed, failing, .. } = keyed;
    let tests: Vec<Expr> = keys.iter().flat_map(KeyColumn::guard).collect();
    let mut resolved = guards.iter().map(|guard| rel.resolve(guard)).collect::<Result<Vec<_>, _>>()?;
    resolved.extend(tests);
    resolved.extend(computed);
    let read = columns.iter().filter(|column| read.contains(&column.id)).cloned().collect();
    Ok(Side { rel, columns, keys, guards: resolved, read, range: None, failing })
}

impl Side<'_> {
    fn add_range(&mut self, range: &RangeSide) -> Result<(), Unsupported> {
        for value in &range.known {
            self.guards.push(is_not_null(self.rel.resolve(value)?));
        }
        let mut columns = vec![];
        for (expr, ty) in range.columns() {
            columns.push(KeyColumn { expr: self.rel.resolve(&expr)?, ty });
        }
        self.range = Some((range.bounds(), columns));
        Ok(())
    }
}

/// The rows that never enter the side's index, and what fails of its keys.
fn partnerless(side: &Side) -> Vec<Rel> {
    let never = and(side.guards.clone()).map(|guards| {
        let mut rel = side.rel.clone();
        rel.feed.filters.push(not_true(guards));
        rel
    });
    never.into_iter().chain(side.failing.iter().cloned()).collect()
}

pub(super) fn of_right(expr: &Expr) -> Expr {
    map_slots(expr, &mut |n, read| slot(RIGHT + n, read.ty, read.span))
}
