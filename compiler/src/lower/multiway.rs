//! Inner joins of several tables without intermediate state: the changes of each against indexes of all the others.
//!
//! `Δ(R1 ⋈ … ⋈ Rn) = Σi ΔRi ⋈ I_new(Rj) for j < i ⋈ I_old(Rj) for j > i`, one chain of half joins for each input. Where
//! all inputs meet on one key this costs an index for each input and nothing else. Where an input meets others on
//! different keys it needs an index for each, so that is done only if these are expected to hold fewer rows than the
//! intermediate results of joins of two would.
//!
//! The inputs are tables, perhaps filtered and projected, each another one: their changes are all there before any index is
//! updated, which is what the schedule that `incremental` makes takes for granted. Nothing may fail, since each
//! pair would be looked at by several chains.

use super::expr::{and, columns, map_children};
use super::flow::{Feed, FlowOp, Source};
use super::join::{Arranged, Key, KeyColumn, equality, of_right};
use super::relation::Rel;
use super::{Lowering, Unsupported};
use crate::plan::{Column, ColumnId, Expr, ExprKind, JoinKind, Plan, TableId};
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// A chain of n - 1 kernels for each of n inputs is compiled: more inputs than this are joined two by two.
const MAX_INPUTS: usize = 4;

/// A tree of inner joins.
#[derive(Default)]
struct Group<'p> {
    inputs: Vec<&'p Plan>,
    conditions: Vec<Expr>,
    /// Names of columns above, by those below.
    renamed: BTreeMap<ColumnId, ColumnId>,
}

/// An edge of the tree that connects the inputs: the input joined, the one it is joined to, and their equal columns.
struct Edge {
    input: usize,
    to: usize,
    /// Of `to` the left sides, of `input` the right.
    keys: Vec<Key>,
}

/// An input as the chains see it.
struct Input {
    rel: Rel,
    table: TableId,
}

impl Lowering<'_> {
    /// The join as chains of half joins, where that is possible and keeps less.
    pub(super) fn multiway(&mut self, plan: &Plan) -> Result<Option<Rel>, Unsupported> {
        let mut group = Group::default();
        self.collect(plan, true, &mut group);
        let all = group.inputs.len();
        if !(3..=MAX_INPUTS).contains(&all) || group.conditions.iter().any(Expr::fallible) {
            return Ok(None);
        }
        let ids: Vec<BTreeSet<ColumnId>> = group.inputs.iter().map(|input| ids(&input.columns())).collect();
        let Some(edges) = edges(&group.conditions, &ids) else { return Ok(None) };
        if !self.pays(&group, &edges) {
            return Ok(None);
        }
        let Some(inputs) = self.tables(&group)? else { return Ok(None) };
        let chains = Chains { inputs, edges, conditions: group.conditions.clone(), ids };
        let mut parts = vec![];
        let shown = plan.columns();
        for first in 0..all {
            let rel = self.chain(&chains, first)?;
            let columns: Vec<Column> =
                shown.iter().map(|column| Column { id: group.below(column.id), ..column.clone() }).collect();
            let exprs = rel.all(&columns)?;
            parts.push((rel.feed, exprs));
        }
        Ok(Some(self.union(parts, &shown)))
    }

    /// Takes the tree apart down to what is no inner join, what renames columns only between joins, or what others read too.
    fn collect<'p>(&self, plan: &'p Plan, top: bool, group: &mut Group<'p>) {
        match plan {
            Plan::Join { kind: JoinKind::Inner, left, right, on } if top || !self.classes.shared(plan) => {
                self.collect(left, false, group);
                self.collect(right, false, group);
                let conditions = on.conjuncts().into_iter().map(|condition| group.resolved(condition));
                let conditions: Vec<Expr> = conditions.collect();
                group.conditions.extend(conditions);
            }
            Plan::Project { input, columns } if !top && renames(columns) && self.leads_to_join(input) => {
                self.collect(input, false, group);
                for (column, expr) in columns {
                    if let ExprKind::Column(id) = expr.kind
                        && id != column.id
                    {
                        let below = group.below(id);
                        group.renamed.insert(column.id, below);
                    }
                }
            }
            _ => group.inputs.push(plan),
        }
    }

    fn leads_to_join(&self, plan: &Plan) -> bool {
        !self.classes.shared(plan)
            && match plan {
                Plan::Join { kind: JoinKind::Inner, .. } => true,
                Plan::Project { input, columns } => renames(columns) && self.leads_to_join(input),
                _ => false,
            }
    }

    /// Do the further indexes hold fewer rows than intermediate results would?
    fn pays(&self, group: &Group, edges: &[Edge]) -> bool {
        let guesses: Vec<_> = group.inputs.iter().map(|input| self.sizes.guess(input)).collect();
        let mut indexes: Vec<BTreeSet<String>> = vec![BTreeSet::new(); guesses.len()];
        for edge in edges {
            let (to, input) = Key::sides(&edge.keys);
            indexes[edge.to].insert(KeyColumn::text(&to));
            indexes[edge.input].insert(KeyColumn::text(&input));
        }
        let further = guesses.iter().zip(&indexes).map(|(guess, keys)| guess.rows * (keys.len() - 1) as f64);
        let further: f64 = further.sum();
        let mut between = 0.0;
        let mut joined = guesses[0].clone();
        for edge in &edges[..edges.len() - 1] {
            joined = joined.joined(&guesses[edge.input], group.conditions.iter());
            between += joined.rows;
        }
        further < between
    }

    /// The lowered inputs, if each is made of the rows of another table.
    fn tables(&mut self, group: &Group) -> Result<Option<Vec<Input>>, Unsupported> {
        let mut inputs: Vec<Input> = vec![];
        for plan in &group.inputs {
            let rel = self.plan(plan)?;
            let Some(table) = self.table_of(&rel.feed) else { return Ok(None) };
            if inputs.iter().any(|other| other.table == table) {
                return Ok(None);
            }
            let fallible = rel.feed.filters.iter().chain(rel.columns.values()).any(Expr::fallible);
            let rel = if fallible { self.materialize(rel, &plan.columns()) } else { rel };
            inputs.push(Input { rel, table });
        }
        Ok(Some(inputs))
    }

    fn table_of(&self, feed: &Feed) -> Option<TableId> {
        let Source::Node(node) = feed.source else { return None };
        match &self.flow.nodes[node.0].op {
            FlowOp::Table(table) => Some(*table),
            FlowOp::Map(feed) => self.table_of(feed),
            _ => None,
        }
    }

    /// The changes of one input with the rows of all the others.
    fn chain(&mut self, chains: &Chains, first: usize) -> Result<Rel, Unsupported> {
        let mut rel = chains.inputs[first].rel.clone();
        let mut present = BTreeSet::from([first]);
        let mut waiting: Vec<&Expr> = chains.conditions.iter().filter(|condition| !chains.is_key(condition)).collect();
        while let Some((next, keys)) = chains.next(&present) {
            let (known_keys, next_keys) = Key::sides(&keys);
            let delta = self.keyed(&rel, &known_keys)?;
            let index = self.keyed(&chains.inputs[next].rel, &next_keys)?;
            let new = chains.inputs[next].table < chains.inputs[first].table;
            rel = pairs(delta, index, new);
            present.insert(next);
            let (due, later) = waiting.into_iter().partition(|condition| chains.reads_only(condition, &present));
            waiting = later;
            if let Some(condition) = and(due.into_iter().cloned().collect()) {
                rel = self.filter(rel, &condition)?;
            }
        }
        Ok(rel)
    }

    /// The relation's rows by the key, without those in which it is NULL.
    fn keyed(&mut self, rel: &Rel, keys: &[KeyColumn]) -> Result<Arranged, Unsupported> {
        let keys = keys.iter().map(|key| key.resolved(rel)).collect::<Result<Vec<_>, _>>()?;
        let guards = keys.iter().flat_map(KeyColumn::guard).collect();
        self.arrange(rel, guards, &keys)
    }
}

fn pairs(delta: Arranged, index: Arranged, new: bool) -> Rel {
    let mut columns = delta.columns;
    columns.extend(index.columns.iter().map(|(id, expr)| (*id, of_right(expr))));
    let source = Source::Changes { delta: delta.node, index: index.node, new };
    Rel { feed: Feed { source, filters: vec![] }, columns }
}

struct Chains {
    inputs: Vec<Input>,
    edges: Vec<Edge>,
    conditions: Vec<Expr>,
    ids: Vec<BTreeSet<ColumnId>>,
}

impl Chains {
    /// An input that is not there yet and is connected with one that is; the keys, those of the present one first.
    fn next(&self, present: &BTreeSet<usize>) -> Option<(usize, Vec<Key>)> {
        self.edges.iter().find_map(|edge| match (present.contains(&edge.to), present.contains(&edge.input)) {
            (true, false) => Some((edge.input, edge.keys.clone())),
            (false, true) => Some((edge.to, edge.keys.iter().map(Key::swapped).collect())),
            _ => None,
        })
    }

    /// Is the condition one of those that an edge stands for?
    fn is_key(&self, condition: &Expr) -> bool {
        self.edges.iter().any(|edge| equality(condition, &self.ids[edge.to], &self.ids[edge.input]).is_some())
    }

    fn reads_only(&self, condition: &Expr, present: &BTreeSet<usize>) -> bool {
        columns(condition).iter().all(|id| present.iter().any(|input| self.ids[*input].contains(id)))
    }
}

/// A tree of equalities that connects all inputs. Of several inputs to join to, one that has the key already is taken.
fn edges(conditions: &[Expr], ids: &[BTreeSet<ColumnId>]) -> Option<Vec<Edge>> {
    let keys = |to: usize, input: usize| -> Vec<Key> {
        conditions.iter().filter_map(|condition| equality(condition, &ids[to], &ids[input])).collect()
    };
    let mut edges: Vec<Edge> = vec![];
    let mut joined = vec![0];
    while joined.len() < ids.len() {
        let mut candidates = (0..ids.len()).filter(|input| !joined.contains(input));
        let edge = candidates.find_map(|input| {
            let to: Vec<(usize, Vec<Key>)> = joined.iter().map(|to| (*to, keys(*to, input))).collect();
            let connected = || to.iter().filter(|(_, keys)| !keys.is_empty());
            let has_index = |to, keys| edges.iter().any(|edge| edge.has_index(to, &Key::sides(keys).0));
            let known = connected().find(|(to, keys)| has_index(*to, keys));
            known.or_else(|| connected().next()).map(|(to, keys)| Edge { input, to: *to, keys: keys.clone() })
        })?;
        joined.push(edge.input);
        edges.push(edge);
    }
    Some(edges)
}

impl Edge {
    /// Is the input indexed by these columns for this edge?
    fn has_index(&self, input: usize, columns: &[KeyColumn]) -> bool {
        let (to, other) = Key::sides(&self.keys);
        let same = |own: &[KeyColumn]| KeyColumn::text(own) == KeyColumn::text(columns);
        (self.to == input && same(&to)) || (self.input == input && same(&other))
    }
}

impl Group<'_> {
    fn below(&self, id: ColumnId) -> ColumnId {
        self.renamed.get(&id).copied().unwrap_or(id)
    }

    fn resolved(&self, expr: &Expr) -> Expr {
        if let ExprKind::Column(id) = expr.kind {
            return Expr { kind: ExprKind::Column(self.below(id)), ..expr.clone() };
        }
        match map_children(expr, &mut |child| Ok::<_, Infallible>(self.resolved(child))) {
            Ok(expr) => expr,
            Err(never) => match never {},
        }
    }
}

fn ids(columns: &[Column]) -> BTreeSet<ColumnId> {
    columns.iter().map(|column| column.id).collect()
}

fn renames(columns: &[(Column, Expr)]) -> bool {
    columns.iter().all(|(_, expr)| matches!(expr.kind, ExprKind::Column(_)))
}
