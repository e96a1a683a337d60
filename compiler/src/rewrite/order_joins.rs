//! Orders the inputs of inner joins so that each is joined by an equality with those before it, where there is one.
//!
//! Text order decides among the candidates, so the same program always gives the same plan.

use super::Context;
use super::form::{conjunction, conjuncts, equality, keep, null_safe_equality};
use super::walk::ids;
use crate::plan::{ColumnId, Expr, JoinKind, Plan};
use std::collections::BTreeSet;

pub fn run(plan: Plan, cx: &mut Context) -> Plan {
    match plan {
        Plan::Join { kind: JoinKind::Inner, .. } => {
            let columns = plan.columns();
            let mut group = Group::default();
            group.flatten(plan, cx);
            keep(group.joined(), &columns)
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

    fn joined(mut self) -> Plan {
        let mut joined = BTreeSet::from([0]);
        let mut order = vec![];
        while joined.len() < self.inputs.len() {
            let mut rest = (0..self.inputs.len()).filter(|input| !joined.contains(input));
            let linked = rest.clone().find(|input| self.linked(&joined, *input));
            let Some(next) = linked.or_else(|| rest.next()) else { break };
            joined.insert(next);
            order.push(next);
        }
        let mut plans: Vec<Option<Plan>> = self.inputs.drain(..).map(|(plan, _)| Some(plan)).collect();
        let mut present = BTreeSet::from([0]);
        let mut tree = plans[0].take().unwrap_or_else(super::form::unit);
        for next in order {
            present.insert(next);
            let right = plans[next].take().unwrap_or_else(super::form::unit);
            let on = conjunction(self.due(&present));
            tree = Plan::Join { kind: JoinKind::Inner, left: Box::new(tree), right: Box::new(right), on };
        }
        tree
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
