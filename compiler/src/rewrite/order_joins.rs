//! Orders the inputs of inner joins so that each is joined by an equality with those before it, where there is one, and
//! so that few rows are kept in between (by the guesses of [`crate::plan::estimate`]).
//!
//! Each input is tried as the first; the next is always the one that leaves the fewest rows. Text order decides among
//! equals, so the same program always gives the same plan.

use super::Context;
use super::form::{conjunction, conjuncts, equality, keep, null_safe_equality};
use super::walk::ids;
use crate::plan::estimate::Guess;
use crate::plan::{ColumnId, Expr, JoinKind, Plan};
use std::collections::BTreeSet;

/// Of more inputs only the first is tried as the first: the search takes cubic time.
const MAX_STARTS: usize = 16;

pub fn run(plan: Plan, cx: &mut Context) -> Plan {
    match plan {
        Plan::Join { kind: JoinKind::Inner, .. } => {
            let columns = plan.columns();
            let mut group = Group::default();
            group.flatten(plan, cx);
            keep(group.joined(cx), &columns)
        }
        plan => plan.map_children(|child| run(child, cx)),
    }
}

/// A condition, and the inputs that must have been joined before it may be evaluated.
struct Condition {
    expr: Expr,
    after: BTreeSet<usize>,
    /// The inputs that each side of an equality reads.
    sides: Option<[BTreeSet<usize>; 2]>,
}

/// The inputs and conditions of a tree of inner joins, in text order.
#[derive(Default)]
struct Group {
    inputs: Vec<(Plan, BTreeSet<ColumnId>)>,
    conditions: Vec<Condition>,
}

impl Group {
    fn flatten(&mut self, plan: Plan, cx: &mut Context) {
        match plan {
            Plan::Join { kind: JoinKind::Inner, left, right, on } => {
                let first = self.inputs.len();
                self.flatten(*left, cx);
                self.flatten(*right, cx);
                for expr in conjuncts(on) {
                    // What can fail waits for the whole join it was written for, which guards it.
                    let after = match expr.fallible() {
                        true => (first..self.inputs.len()).collect(),
                        false => self.read_by(&expr),
                    };
                    let sides = equality(&expr).or(null_safe_equality(&expr));
                    let sides = sides.map(|(a, b)| [self.read_by(a), self.read_by(b)]);
                    self.conditions.push(Condition { expr, after, sides });
                }
            }
            plan => {
                let plan = run(plan, cx);
                let columns = ids(&plan.columns());
                self.inputs.push((plan, columns));
            }
        }
    }

    fn read_by(&self, expr: &Expr) -> BTreeSet<usize> {
        let read = expr.free_columns();
        (0..self.inputs.len()).filter(|input| !self.inputs[*input].1.is_disjoint(&read)).collect()
    }

    fn joined(mut self, cx: &Context) -> Plan {
        let guesses: Vec<Guess> = self.inputs.iter().map(|(plan, _)| cx.sizes.guess(plan)).collect();
        let order = self.order(&guesses);
        let mut plans: Vec<Option<Plan>> = self.inputs.drain(..).map(|(plan, _)| Some(plan)).collect();
        let mut take = |input: usize| plans[input].take().unwrap_or_else(super::form::unit);
        let mut present = BTreeSet::from([order[0]]);
        let mut tree = take(order[0]);
        for next in order.into_iter().skip(1) {
            present.insert(next);
            let on = conjunction(self.due(&present));
            tree = Plan::Join { kind: JoinKind::Inner, left: Box::new(tree), right: Box::new(take(next)), on };
        }
        tree
    }

    /// The order that keeps the fewest rows between the joins.
    fn order(&self, guesses: &[Guess]) -> Vec<usize> {
        let starts = if guesses.len() > MAX_STARTS { 1 } else { guesses.len() };
        let mut best = self.order_from(0, guesses);
        for first in 1..starts {
            let other = self.order_from(first, guesses);
            if is_less(other.0, best.0) {
                best = other;
            }
        }
        best.1
    }

    /// The rows kept in between, and the order.
    fn order_from(&self, first: usize, guesses: &[Guess]) -> (f64, Vec<usize>) {
        let (mut order, mut joined) = (vec![first], BTreeSet::from([first]));
        let (mut guess, mut kept) = (guesses[first].clone(), 0.0);
        while order.len() < guesses.len() {
            let rest = || (0..guesses.len()).filter(|input| !joined.contains(input));
            let linked: Vec<usize> = rest().filter(|input| self.linked(&joined, *input)).collect();
            let candidates = if linked.is_empty() { rest().collect() } else { linked };
            let mut next = (candidates[0], f64::INFINITY);
            for candidate in candidates {
                let pairs = guess.pairs(&guesses[candidate], self.between(&joined, candidate));
                if is_less(pairs, next.1) {
                    next = (candidate, pairs);
                }
            }
            let next = next.0;
            guess = guess.joined(&guesses[next], self.between(&joined, next));
            joined.insert(next);
            order.push(next);
            if order.len() < guesses.len() {
                kept += guess.rows;
            }
        }
        (kept, order)
    }

    /// The conditions that can be evaluated once the input is joined, and not before.
    fn between<'s>(&'s self, joined: &'s BTreeSet<usize>, input: usize) -> impl Iterator<Item = &'s Expr> {
        let due = move |condition: &&Condition| {
            condition.after.contains(&input)
                && condition.after.iter().all(|other| *other == input || joined.contains(other))
        };
        self.conditions.iter().filter(due).map(|condition| &condition.expr)
    }

    /// Does an equality connect the input with those already joined?
    fn linked(&self, joined: &BTreeSet<usize>, input: usize) -> bool {
        let alone = |side: &BTreeSet<usize>| side.len() == 1 && side.contains(&input);
        let known = |side: &BTreeSet<usize>| !side.is_empty() && side.is_subset(joined);
        self.conditions.iter().any(|condition| {
            let Some([a, b]) = &condition.sides else { return false };
            ((alone(a) && known(b)) || (alone(b) && known(a)))
                && condition.after.iter().all(|other| *other == input || joined.contains(other))
        })
    }

    /// Takes the conditions that can be evaluated now. One that can fail also waits for those before it.
    fn due(&mut self, present: &BTreeSet<usize>) -> Vec<Expr> {
        let (mut due, mut later) = (vec![], vec![]);
        for condition in self.conditions.drain(..) {
            let waits = condition.expr.fallible() && !later.is_empty();
            match condition.after.is_subset(present) && !waits {
                true => due.push(condition.expr),
                false => later.push(condition),
            }
        }
        self.conditions = later;
        due
    }
}

/// Guesses that differ less are equal: sums of the same numbers in another order.
fn is_less(a: f64, b: f64) -> bool {
    a < b * 0.999
}

#[cfg(test)]
mod tests {
    use super::super::testing::check_shape;

    #[test]
    fn no_product_where_equalities_connect() {
        check_shape(
            "SELECT r.a, s.b, k.b AS c FROM r, s, k WHERE r.a = k.a AND s.a = k.b",
            "
            project a := a, b := b, c := b
              join inner on (a = b)
                join inner on (a = a)
                  project a := a
                    table r
                  table k
                table s
            ",
        );
    }
}
