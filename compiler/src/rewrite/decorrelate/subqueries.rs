//! Subqueries become joins of the operator's input, and a value computed from the joined columns takes their place.
//!
//! A subquery under CASE, AND, OR, COALESCE is evaluated only where SQL would: the conditions on the way down to it,
//! its guards, go along to the dependent join.

use super::super::Context;
use super::super::form::*;
use super::super::walk::{Substitution, copy, ids, substitute};
use super::dependent::{dependent_join, join_aggregates};
use super::{marked, run};
use crate::plan::{AggregateCall, Column, Expr, ExprKind, JoinKind, Plan, Quantifier, Span, SubqueryKind};
use feldc_engine::AggregateFunction;
use feldc_value::{ColumnType, SqlType};

/// An operator's input that grows by the columns its expressions' subqueries need.
pub struct Extraction<'a> {
    pub plan: Plan,
    cx: &'a mut Context,
}

impl<'a> Extraction<'a> {
    pub fn new(plan: Plan, cx: &'a mut Context) -> Extraction<'a> {
        Extraction { plan, cx }
    }

    /// Keeps the rows for which a conjunct of a search condition is true.
    pub fn condition(&mut self, mut condition: Expr) {
        let (negative, inner) = match negated(&condition) {
            Some(inner) => (true, inner),
            None => (false, &condition),
        };
        if let ExprKind::Subquery { kind, plan } = &inner.kind {
            let (kind, plan) = (kind.clone(), (**plan).clone());
            match (kind, negative) {
                (SubqueryKind::Exists, _) => {
                    let plan = without_select_list(run(plan, self.cx));
                    return self.match_rows(if negative { JoinKind::Anti } else { JoinKind::Semi }, plan, vec![]);
                }
                (SubqueryKind::In { operands }, _) => return self.members(negative, operands, plan),
                (SubqueryKind::Quantified { operand, comparison, quantifier: Quantifier::Any }, _)
                    if comparison.name == "=" =>
                {
                    return self.members(negative, vec![*operand], plan);
                }
                (SubqueryKind::Quantified { operand, comparison, quantifier: Quantifier::All }, _)
                    if comparison.name == "<>" =>
                {
                    return self.members(!negative, vec![*operand], plan);
                }
                _ => (),
            }
        }
        self.replace(&mut condition, &[]);
        self.plan = filter(self.take(), vec![condition]);
    }

    /// `operands IN (plan)` or its negation as a search condition.
    fn members(&mut self, negative: bool, mut operands: Vec<Expr>, plan: Plan) {
        for operand in &mut operands {
            self.replace(operand, &[]);
        }
        // A row whose operand fails fails here, before anything is compared.
        let operands: Vec<Expr> = operands.into_iter().map(|operand| self.column(operand)).collect();
        let plan = run(plan, self.cx);
        let set = plan.columns();
        let pairs = operands.iter().cloned().zip(set.iter().map(reference));
        let equal: Vec<Expr> = pairs.map(|(operand, member)| compare("=", operand, member)).collect();
        if !negative {
            return self.match_rows(JoinKind::Semi, plan, equal);
        }
        let certain = !equal.iter().any(|equality| equality.ty.nullable);
        if !certain && equal.len() > 1 {
            let member = self.membership(operands, plan, &[]);
            self.plan = filter(self.take(), vec![not(member)]);
            return;
        }
        // NULL NOT IN (...) is true over the empty set only; nothing but NULL is NOT IN a set with NULL.
        if let [operand] = &operands[..]
            && operand.ty.nullable
        {
            let other = self.copied(&plan);
            let some = self.exists(other, &[]);
            self.plan = filter(self.take(), vec![disjunction(vec![is_not_null(operand.clone()), not(some)])]);
        }
        if let [member] = &set[..]
            && member.ty.nullable
        {
            let (nulls, renamed) = copy(&plan, &mut self.cx.fresh);
            let member = Column { id: renamed[&member.id], ..member.clone() };
            self.match_rows(JoinKind::Anti, filter(nulls, vec![is_null(reference(&member))]), vec![]);
        }
        self.match_rows(JoinKind::Anti, plan, equal);
    }

    /// The operand as a column of the input.
    fn column(&mut self, operand: Expr) -> Expr {
        if column_of(&operand).is_some() && self.has(&operand) {
            return operand;
        }
        let column = Column { id: self.cx.fresh.id(), name: "operand".to_string(), ty: operand.ty };
        let span = operand.span;
        self.plan = extend(self.take(), vec![(column.clone(), operand)]);
        Expr::column(column.id, column.ty, span)
    }

    /// Does the input itself (not an enclosing query) make the columns of the expression?
    fn has(&self, expr: &Expr) -> bool {
        expr.free_columns().is_subset(&ids(&self.plan.columns()))
    }

    fn match_rows(&mut self, kind: JoinKind, plan: Plan, on: Vec<Expr>) {
        self.plan = dependent_join(kind, self.take(), plan, conjunction(on), &[], self.cx);
    }

    fn take(&mut self) -> Plan {
        std::mem::replace(&mut self.plan, unit())
    }

    fn copied(&mut self, plan: &Plan) -> Plan {
        copy(plan, &mut self.cx.fresh).0
    }

    /// Replaces every subquery inside an expression that is evaluated where the guards hold.
    pub fn replace(&mut self, expr: &mut Expr, guards: &[Expr]) {
        if !expr.has_subquery() {
            return;
        }
        let mut guards = guards.to_vec();
        match &mut expr.kind {
            ExprKind::Subquery { kind, plan } => {
                let plan = std::mem::replace(&mut **plan, unit());
                let replacement = self.subquery(kind.clone(), plan, expr.span, &guards);
                *expr = replacement;
            }
            // The next operand is evaluated while no earlier one has decided.
            ExprKind::And(operands) => {
                for operand in operands {
                    self.replace(operand, &guards);
                    guards.push(coalesce(vec![operand.clone(), truth(true)]));
                }
            }
            ExprKind::Or(operands) => {
                for operand in operands {
                    self.replace(operand, &guards);
                    guards.push(not(coalesce(vec![operand.clone(), truth(false)])));
                }
            }
            ExprKind::Coalesce(operands) => {
                for operand in operands {
                    self.replace(operand, &guards);
                    guards.push(is_null(operand.clone()));
                }
            }
            ExprKind::Case { branches, otherwise } => {
                for (condition, result) in branches {
                    self.replace(condition, &guards);
                    guards.push(condition.clone());
                    self.replace(result, &guards);
                    guards.pop();
                    guards.push(not(coalesce(vec![condition.clone(), truth(false)])));
                }
                otherwise.iter_mut().for_each(|otherwise| self.replace(otherwise, &guards));
            }
            _ => expr.children_mut().into_iter().for_each(|child| self.replace(child, &guards)),
        }
    }

    fn subquery(&mut self, kind: SubqueryKind, plan: Plan, span: Span, guards: &[Expr]) -> Expr {
        match kind {
            SubqueryKind::Exists => {
                let plan = run(plan, self.cx);
                self.exists(plan, guards)
            }
            SubqueryKind::Scalar => {
                let plan = run(plan, self.cx);
                self.scalar(plan, span, guards)
            }
            SubqueryKind::In { mut operands } => {
                operands.iter_mut().for_each(|operand| self.replace(operand, guards));
                let plan = run(plan, self.cx);
                self.membership(operands, plan, guards)
            }
            SubqueryKind::Quantified { mut operand, comparison, quantifier } => {
                self.replace(&mut operand, guards);
                let plan = run(plan, self.cx);
                self.quantified(*operand, comparison.name, quantifier, plan, guards)
            }
        }
    }

    /// Joins a relation of at most one row per outer row; its columns are NULL where it has none.
    fn join(&mut self, plan: Plan, guards: &[Expr]) {
        self.plan = dependent_join(JoinKind::Left, self.take(), plan, truth(true), guards, self.cx);
    }

    fn exists(&mut self, plan: Plan, guards: &[Expr]) -> Expr {
        let plan = without_select_list(plan);
        if let Plan::Aggregate { scalar: true, .. } = plan {
            return truth(true);
        }
        // Its free columns stay where they are: this projection reads none of the plan's columns.
        let (plan, mark) = marked(Plan::Project { input: Box::new(plan), columns: vec![] }, self.cx);
        self.join(Plan::Distinct { input: Box::new(plan) }, guards);
        is_not_null(reference(&Column { ty: boolean(true), ..mark }))
    }

    fn scalar(&mut self, plan: Plan, span: Span, guards: &[Expr]) -> Expr {
        let columns = plan.columns();
        let value = Column { ty: ColumnType::new(columns[0].ty.ty, true), ..columns[0].clone() };
        if self.always_one_row(&plan) {
            let values = self.one_row(plan, guards);
            return values.get(&value.id).cloned().unwrap_or_else(|| null(value.ty.ty, span));
        }
        if self.cx.facts.max_one_row(&plan) {
            self.join(plan, guards);
            return Expr::column(value.id, value.ty, span);
        }
        self.only_value(plan, value, span, guards)
    }

    /// Counts the rows, and the row that needs the value fails if there are several.
    fn only_value(&mut self, plan: Plan, value: Column, span: Span, guards: &[Expr]) -> Expr {
        let call = |function, arguments| AggregateCall { function, arguments, order: vec![], distinct: false, span };
        let ty = ColumnType::new(SqlType::BigInt, false);
        let count = Column { id: self.cx.fresh.id(), name: "rows".to_string(), ty };
        let least = self.cx.fresh.like(&value);
        let mut aggregates = vec![(count.clone(), call(AggregateFunction::CountStar, vec![]))];
        if value.ty.ty != SqlType::Null {
            let argument = plan.columns().first().map(reference).into_iter().collect();
            aggregates.push((least.clone(), call(AggregateFunction::Min, argument)));
        }
        let (joined, values) = join_aggregates(self.take(), plan, aggregates, guards, self.cx);
        self.plan = joined;
        let result = values.get(&least.id).cloned().unwrap_or_else(|| null(value.ty.ty, span));
        let single = call_at_most_one(values[&count.id].clone(), span);
        Expr { span, ..case(vec![(single, result)], null(value.ty.ty, span)) }
    }

    /// Aggregates without GROUP BY below projections, and joined with what subqueries among those needed.
    fn always_one_row(&self, plan: &Plan) -> bool {
        match plan {
            Plan::Project { input, .. } => self.always_one_row(input),
            Plan::Aggregate { scalar, .. } => *scalar,
            Plan::Join { kind: JoinKind::Left, left, right, on } => {
                self.always_one_row(left) && self.cx.facts.one_partner(left, right, on)
            }
            Plan::Join { kind: JoinKind::Inner, left, right, on } => {
                is_true(on) && self.always_one_row(left) && self.always_one_row(right)
            }
            _ => false,
        }
    }

    /// The columns of a plan that always has one row, as values over the input grown by its aggregates.
    fn one_row(&mut self, plan: Plan, guards: &[Expr]) -> Substitution {
        match plan {
            Plan::Project { input, columns } => {
                let values = self.one_row(*input, guards);
                let inlined = |(column, mut expr): (Column, Expr)| {
                    substitute(&mut expr, &values);
                    (column.id, expr)
                };
                columns.into_iter().map(inlined).collect()
            }
            Plan::Aggregate { input, aggregates, .. } => {
                let (joined, values) = join_aggregates(self.take(), *input, aggregates, guards, self.cx);
                self.plan = joined;
                values
            }
            Plan::Join { kind: JoinKind::Left, left, right, mut on } => {
                let mut values = self.one_row(*left, guards);
                substitute(&mut on, &values);
                let columns = right.columns();
                self.plan = dependent_join(JoinKind::Left, self.take(), *right, on, guards, self.cx);
                let padded = |c: Column| (c.id, Expr::column(c.id, ColumnType::new(c.ty.ty, true), Span::default()));
                values.extend(columns.into_iter().map(padded));
                values
            }
            Plan::Join { left, right, .. } => {
                let mut values = self.one_row(*left, guards);
                values.extend(self.one_row(*right, guards));
                values
            }
            _ => Substitution::new(),
        }
    }

    /// `operands IN (plan)`, three-valued.
    fn membership(&mut self, operands: Vec<Expr>, plan: Plan, guards: &[Expr]) -> Expr {
        if operands.len() == 1 {
            let operand = operands.into_iter().next().unwrap_or_else(|| truth(true));
            return self.quantified(operand, "=", Quantifier::Any, plan, guards);
        }
        let safe: Vec<Expr> = operands.iter().map(|operand| self.compared(operand)).collect();
        let equal = |plan: &Plan| {
            let members = plan.columns();
            let pairs = safe.iter().cloned().zip(members.iter().map(reference));
            conjunction(pairs.map(|(operand, member)| compare("=", operand, member)).collect())
        };
        // Not of the safe operands: where one of them is NULL because it fails, the first branch has failed.
        let types = operands.iter().map(|operand| operand.ty).chain(plan.columns().into_iter().map(|member| member.ty));
        let nullable = types.into_iter().any(|ty| ty.nullable);
        let unknown = self.copied(&plan);
        let equal_here = equal(&plan);
        let mut branches: Vec<_> = operands.iter().filter_map(forcing).collect();
        let hit = self.exists(filter(plan, conjuncts(equal_here)), guards);
        branches.push((hit, truth(true)));
        let condition = equal(&unknown);
        if nullable {
            let open = self.exists(filter(unknown, vec![is_null(condition)]), guards);
            branches.push((open, null(SqlType::Boolean, Span::default())));
        }
        case(branches, truth(false))
    }

    /// `operand comparison ANY|ALL (plan)`: by the outcomes TRUE, then NULL, then FALSE that occur. ALL is decided by
    /// the counter-examples.
    fn quantified(&mut self, operand: Expr, comparison: &str, by: Quantifier, plan: Plan, guards: &[Expr]) -> Expr {
        let (sought, found) = match by {
            Quantifier::Any => (comparison, true),
            Quantifier::All => (opposite(comparison), false),
        };
        let member = plan.columns()[0].clone();
        let unknown = || null(SqlType::Boolean, Span::default());
        let mut branches: Vec<_> = forcing(&operand).into_iter().collect();
        if operand.ty.nullable {
            let other = self.copied(&plan);
            let some = self.exists(other, guards);
            branches.push((is_null(operand.clone()), case(vec![(some, unknown())], truth(!found))));
        }
        let nulls = member.ty.nullable.then(|| {
            let (nulls, renamed) = copy(&plan, &mut self.cx.fresh);
            filter(nulls, vec![is_null(reference(&Column { id: renamed[&member.id], ..member.clone() }))])
        });
        let hit = match sought {
            "=" => {
                let operand = self.compared(&operand);
                let equal = compare("=", reference(&member), operand);
                self.exists(filter(plan, vec![equal]), guards)
            }
            _ => self.extremes(&operand, sought, plan, &member, guards),
        };
        branches.push((hit, truth(found)));
        if let Some(nulls) = nulls {
            let some = self.exists(nulls, guards);
            branches.push((some, unknown()));
        }
        case(branches, truth(!found))
    }

    /// Is `operand comparison member` true for some member? The least or the greatest decides.
    fn extremes(&mut self, operand: &Expr, comparison: &str, plan: Plan, member: &Column, guards: &[Expr]) -> Expr {
        let (mut extreme, ty) = (vec![], ColumnType::new(member.ty.ty, true));
        let mut want = |function| {
            let column = Column { ty, ..self.cx.fresh.like(member) };
            let (arguments, span) = (vec![reference(member)], operand.span);
            extreme.push((column, AggregateCall { function, arguments, order: vec![], distinct: false, span }));
        };
        match comparison {
            "<" | "<=" => want(AggregateFunction::Max),
            ">" | ">=" => want(AggregateFunction::Min),
            _ => {
                want(AggregateFunction::Min);
                want(AggregateFunction::Max);
            }
        }
        let columns: Vec<Column> = extreme.iter().map(|(column, _)| column.clone()).collect();
        let (joined, _) = join_aggregates(self.take(), plan, extreme, guards, self.cx);
        self.plan = joined;
        let tests = columns.iter().map(|column| compare(comparison, operand.clone(), reference(column))).collect();
        coalesce(vec![disjunction(tests), truth(false)])
    }

    /// The operand as something a filter of the set can name; NULL where it fails (which [`forcing`] reports).
    fn compared(&mut self, operand: &Expr) -> Expr {
        match operand.kind {
            ExprKind::Literal(_) => operand.clone(),
            _ => self.column(attempt(operand.clone())),
        }
    }
}

/// A branch of CASE that is never taken, but fails when the operand does.
fn forcing(operand: &Expr) -> Option<(Expr, Expr)> {
    let never = || conjunction(vec![is_null(operand.clone()), truth(false)]);
    operand.fallible().then(|| (never(), truth(false)))
}

fn call_at_most_one(count: Expr, span: Span) -> Expr {
    call("AT_MOST_ONE", vec![count], boolean(false), span)
}

fn opposite(comparison: &str) -> &'static str {
    match comparison {
        "=" => "<>",
        "<>" => "=",
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        _ => "<",
    }
}

/// EXISTS does not look at the rows, only for them.
fn without_select_list(plan: Plan) -> Plan {
    match plan {
        Plan::Project { input, .. } | Plan::Distinct { input } => without_select_list(*input),
        plan => plan,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::check_shape;

    #[test]
    fn an_aggregate_is_joined_by_group() {
        check_shape(
            "SELECT a, (SELECT COUNT(*) + 1 FROM s WHERE s.a = r.a) AS n FROM r",
            "
            project a := a, n := (COALESCE(count, 0) + 1)
              join left on (a = a)
                project a := a
                  table r
                aggregate by [a := a] [count := COUNT(*)]
                  project a := a
                    table s
            ",
        );
    }

    #[test]
    fn a_second_row_fails_where_the_value_is_used() {
        check_shape(
            "SELECT a, (SELECT s.b FROM s WHERE s.a = r.a) AS n FROM r",
            "
            project a := a, n := CASE WHEN AT_MOST_ONE(COALESCE(rows, 0)) THEN b ELSE NULL END
              join left on (a = a)
                project a := a
                  table r
                aggregate by [a := a] [rows := COUNT(*), b := MIN(b)]
                  project b := b, a := a
                    table s
            ",
        );
        check_shape(
            "SELECT a, (SELECT k.b FROM k WHERE k.a = r.a) AS n FROM r",
            "
            project a := a, n := b
              join left on (a = a)
                project a := a
                  table r
                project b := b, a := a
                  table k
            ",
        );
    }

    #[test]
    fn an_operand_that_can_fail_makes_no_unknown() {
        check_shape(
            "SELECT a, CAST('x' AS BIGINT) IN (SELECT 1) AS n FROM r",
            "
            project a := a, n := CASE WHEN ((CAST('x' AS BIGINT) IS NULL) AND FALSE) THEN FALSE WHEN NOT((present IS NULL)) THEN TRUE ELSE FALSE END
              join left on (operand = EXPR$0)
                project a := a, operand := TRY(CAST('x' AS BIGINT))
                  table r
                project present := TRUE, EXPR$0 := EXPR$0
                  project EXPR$0 := CAST(1 AS BIGINT)
                    values () ()
            ",
        );
    }

    #[test]
    fn a_guard_restricts_the_domain() {
        check_shape(
            "SELECT a, CASE WHEN b <> 0 THEN (SELECT MAX(s.b / r.b) FROM s WHERE s.a = r.a) END AS n FROM r",
            "
            project a := a, n := CASE WHEN (b <> 0) THEN max END
              join left on (IS NOT DISTINCT FROM(a, a) AND IS NOT DISTINCT FROM(b, b))
                table r
                aggregate by [a := a, b := b] [max := MAX((b / b))]
                  join inner on (a = a)
                    table s
                    distinct
                      project a := a, b := b
                        filter (b <> 0)
                          table r
            ",
        );
    }
}
