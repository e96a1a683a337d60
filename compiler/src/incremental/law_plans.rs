//! Random programs for the law: all operators, join conditions of every shape, shared and renamed subtrees.

// Without the star the type of the list picked from is inferred wrongly.
#![allow(clippy::explicit_auto_deref)]

use super::Random;
use crate::plan::*;
use feldc_engine::{AggregateFunction, Direction, Rank, Window};
use feldc_value::function::{CORE, Function, Nulls, Param, Returns, Signature};
use feldc_value::{ColumnType, SqlError, SqlType, Value};
use std::collections::BTreeMap;

const FUNCTIONS: &[AggregateFunction] = &[
    AggregateFunction::CountStar,
    AggregateFunction::Count,
    AggregateFunction::Sum,
    AggregateFunction::Min,
    AggregateFunction::Max,
];

const INTEGER: SqlType = SqlType::BigInt;
const TEXT: SqlType = SqlType::VARCHAR;
const BOOLEAN: SqlType = SqlType::Boolean;

/// A program of one to three views over three tables: a multiset, a keyed one, a stored one.
pub(super) fn program(random: &mut Random) -> Program {
    let mut plans = Plans { random, next: 0, views: vec![], made: vec![] };
    let tables = vec![
        table("multiset", &[(INTEGER, true), (INTEGER, true), (TEXT, true)], vec![], false),
        table("keyed", &[(TEXT, true), (INTEGER, false), (INTEGER, true)], vec![1], false),
        table("stored", &[(TEXT, false), (INTEGER, true)], vec![], true),
    ];
    let mut views: Vec<View> = vec![];
    for position in 0..1 + plans.random.below(3) {
        let plan = loop {
            let depth = 1 + plans.random.below(3);
            let plan = plans.plan(&tables, depth);
            // The evaluation from scratch is by nested loops.
            if leaves(&plan, &views) <= 5 {
                break plan;
            }
        };
        let mut columns: Vec<ViewColumn> = plan.columns().into_iter().map(view_column).collect();
        if plans.random.chance(20) {
            columns.push(columns[0].clone());
        }
        plans.views.push(columns.iter().map(|column| column.ty).collect());
        let kind = *plans.random.pick(&[ViewKind::Output, ViewKind::Materialized, ViewKind::Local]);
        let (name, connectors) = (format!("v{position}"), serde_json::json!([]));
        let (sql, span, indexes) = (String::new(), Span::default(), vec![]);
        views.push(View { name, case_sensitive: false, kind, columns, plan, connectors, indexes, sql, span });
    }
    views.last_mut().unwrap().kind = ViewKind::Output;
    Program { tables, views, functions: vec![], fail_on_error: false }
}

/// Tables that are read, those of views included.
fn leaves(plan: &Plan, views: &[View]) -> usize {
    match plan {
        Plan::View { view, .. } => leaves(&views[view.0].plan, views),
        Plan::Table { .. } => 1,
        _ => plan.children().into_iter().map(|child| leaves(child, views)).sum(),
    }
}

fn view_column(column: Column) -> ViewColumn {
    ViewColumn { name: column.name, case_sensitive: false, id: column.id, ty: column.ty }
}

fn table(name: &str, columns: &[(SqlType, bool)], primary_key: Vec<usize>, materialized: bool) -> Table {
    let column = |(n, &(ty, nullable)): (usize, &(SqlType, bool))| TableColumn {
        name: format!("c{n}"),
        case_sensitive: false,
        ty: ColumnType::new(ty, nullable),
        default: None,
    };
    Table {
        name: name.to_string(),
        case_sensitive: false,
        columns: columns.iter().enumerate().map(column).collect(),
        primary_key,
        materialized,
        append_only: false,
        expected_size: None,
        connectors: serde_json::json!([]),
        span: Span::default(),
    }
}

struct Plans<'r> {
    random: &'r mut Random,
    next: u32,
    /// Column types of the views so far.
    views: Vec<Vec<ColumnType>>,
    /// Subtrees to be used again.
    made: Vec<Plan>,
}

impl Plans<'_> {
    fn column(&mut self, ty: ColumnType) -> Column {
        self.next += 1;
        Column { id: ColumnId(self.next), name: format!("c{}", self.next), ty }
    }

    fn plan(&mut self, tables: &[Table], depth: usize) -> Plan {
        let plan = match (depth, self.random.below(13)) {
            (0, _) => return self.leaf(tables),
            (_, 0) if !self.made.is_empty() => {
                let made = self.random.pick(&self.made).clone();
                return self.renamed(&made);
            }
            (_, 0 | 1) => {
                let input = self.plan(tables, depth - 1);
                let predicate = self.predicate(&input.columns());
                Plan::Filter { input: Box::new(input), predicate }
            }
            (_, 2) => {
                let input = self.plan(tables, depth - 1);
                self.project(input)
            }
            (_, 3..=7) => self.join(tables, depth),
            (_, 8 | 9) => self.aggregate(tables, depth),
            (_, 10) => Plan::Distinct { input: Box::new(self.plan(tables, depth - 1)) },
            (_, 11) => self.top_k(tables, depth),
            _ => self.set_operation(tables, depth),
        };
        self.made.push(plan.clone());
        plan
    }

    /// By all columns in a random order, so that no tie is left open.
    fn top_k(&mut self, tables: &[Table], depth: usize) -> Plan {
        let input = self.plan(tables, depth - 1);
        let mut ids: Vec<ColumnId> = input.columns().iter().map(|column| column.id).collect();
        let mut order = vec![];
        while !ids.is_empty() {
            let column = ids.swap_remove(self.random.below(ids.len()));
            let direction = Direction { descending: self.random.below(2) == 0, nulls_first: self.random.below(2) == 0 };
            order.push(OrderKey { column, direction });
        }
        let partition = order.iter().filter(|_| self.random.below(3) == 0).map(|key| key.column).collect();
        let limit = [Some(0), Some(1), Some(2), Some(4), None][self.random.below(5)];
        let ties = (self.random.below(3) == 0).then(|| self.random.below(order.len() + 1));
        let rank = [None, None, Some(Rank::RowNumber), Some(Rank::Rank), Some(Rank::DenseRank)][self.random.below(5)];
        let ranked = rank.map(|_| self.column(ColumnType::new(SqlType::BigInt, false)));
        let window = Window { offset: self.random.below(3) as u64, limit, ties, rank };
        Plan::TopK { input: Box::new(input), partition, order, window, ranked }
    }

    fn leaf(&mut self, tables: &[Table]) -> Plan {
        let choice = self.random.below(tables.len() + self.views.len() + 1);
        if choice < tables.len() {
            let types: Vec<ColumnType> = tables[choice].columns.iter().map(|column| column.ty).collect();
            let columns = types.into_iter().map(|ty| self.column(ty)).collect();
            Plan::Table { table: TableId(choice), columns }
        } else if choice < tables.len() + self.views.len() {
            let view = choice - tables.len();
            let columns = self.views[view].clone().into_iter().map(|ty| self.column(ty)).collect();
            Plan::View { view: ViewId(view), columns }
        } else {
            let types = [ColumnType::new(INTEGER, true), ColumnType::new(TEXT, false)];
            let columns: Vec<Column> = types.into_iter().map(|ty| self.column(ty)).collect();
            let row = |plans: &mut Self| types.map(|ty| plans.constant(ty)).to_vec();
            let rows = (0..self.random.below(4)).map(|_| row(self)).collect();
            Plan::Values { rows, columns }
        }
    }

    fn constant(&mut self, ty: ColumnType) -> Expr {
        let value = self.random.value(ty);
        let literal = Expr::literal(value.clone(), ColumnType::new(ty.ty, value.is_null()), Span::default());
        match self.random.chance(10) {
            true => expr(ExprKind::Coalesce(vec![literal.clone(), literal]), ty),
            false => literal,
        }
    }

    fn project(&mut self, input: Plan) -> Plan {
        let inputs = input.columns();
        let mut columns = vec![];
        for _ in 0..1 + self.random.below(inputs.len() + 1) {
            let value = self.value(&inputs, 2);
            columns.push((self.column(value.ty), value));
        }
        Plan::Project { input: Box::new(input), columns }
    }

    fn join(&mut self, tables: &[Table], depth: usize) -> Plan {
        let left = self.plan(tables, depth - 1);
        let right = match self.random.chance(25) {
            true => self.renamed(&left),
            false => {
                let depth = self.random.below(depth);
                self.plan(tables, depth)
            }
        };
        use JoinKind::*;
        let kind = *self.random.pick(&[Inner, Left, Full, Semi, Anti]);
        let (of_left, of_right) = (left.columns(), right.columns());
        let mut conjuncts = vec![];
        for _ in 0..self.random.below(4) {
            conjuncts.push(match self.random.below(8) {
                0 => self.predicate(&of_left),
                1 => self.predicate(&of_right),
                2 => self.predicate(&[of_left.clone(), of_right.clone()].concat()),
                _ => self.equality(&of_left, &of_right),
            });
        }
        let on = match conjuncts.len() {
            0 => expr(ExprKind::Literal(Value::Boolean(true)), ColumnType::new(BOOLEAN, false)),
            1 => conjuncts.remove(0),
            _ => {
                let nullable = conjuncts.iter().any(|conjunct| conjunct.ty.nullable);
                expr(ExprKind::And(conjuncts), ColumnType::new(BOOLEAN, nullable))
            }
        };
        Plan::Join { kind, left: Box::new(left), right: Box::new(right), on }
    }

    fn equality(&mut self, left: &[Column], right: &[Column]) -> Expr {
        let pairs: Vec<(&Column, &Column)> = left
            .iter()
            .flat_map(|l| right.iter().map(move |r| (l, r)))
            .filter(|(l, r)| l.ty.ty == r.ty.ty && l.ty.ty != BOOLEAN)
            .collect();
        if pairs.is_empty() {
            return self.predicate(left);
        }
        let (left, right) = *self.random.pick(&pairs);
        let mut sides = vec![read(left), read(right)];
        if left.ty.ty == INTEGER && self.random.chance(20) {
            let one = Expr::literal(Value::BigInt(1), ColumnType::new(INTEGER, false), Span::default());
            sides[0] = call(&PLUS, vec![sides[0].clone(), one]);
        }
        if self.random.chance(50) {
            sides.reverse();
        }
        call(if self.random.chance(30) { &NOT_DISTINCT } else { &EQUAL }, sides)
    }

    fn aggregate(&mut self, tables: &[Table], depth: usize) -> Plan {
        let input = self.plan(tables, depth - 1);
        let inputs = input.columns();
        let mut keys = vec![];
        for column in &inputs {
            if self.random.chance(40) {
                keys.push((self.column(column.ty), column.id));
            }
        }
        let mut aggregates = vec![];
        for _ in 0..self.random.below(3) + usize::from(keys.is_empty()) {
            let mut function = *self.random.pick(FUNCTIONS);
            let argument = self.value(&inputs, 1);
            if argument.ty.ty != INTEGER && function == AggregateFunction::Sum {
                function = AggregateFunction::Count;
            }
            use AggregateFunction::*;
            let ty = match function {
                CountStar | Count => ColumnType::new(INTEGER, false),
                _ => ColumnType::new(argument.ty.ty, true),
            };
            let distinct = function != CountStar && self.random.chance(20);
            let arguments = (function != CountStar).then_some(argument).into_iter().collect();
            let call = AggregateCall { function, arguments, order: vec![], distinct, span: Span::default() };
            aggregates.push((self.column(ty), call));
        }
        let scalar = keys.is_empty();
        Plan::Aggregate { input: Box::new(input), keys, aggregates, scalar }
    }

    fn set_operation(&mut self, tables: &[Table], depth: usize) -> Plan {
        let left = self.plan(tables, depth - 1);
        let wanted = left.columns();
        let right = match self.random.chance(30) {
            true => self.renamed(&left),
            false => {
                let right = self.plan(tables, depth - 1);
                let available = right.columns();
                let columns = wanted
                    .iter()
                    .map(|column| {
                        let same: Vec<&Column> = available.iter().filter(|c| c.ty.ty == column.ty.ty).collect();
                        let value = match same.is_empty() {
                            true => Expr::literal(Value::Null, ColumnType::new(column.ty.ty, true), Span::default()),
                            false => read(*self.random.pick(&same)),
                        };
                        (self.column(value.ty), value)
                    })
                    .collect();
                Plan::Project { input: Box::new(right), columns }
            }
        };
        let other = right.columns();
        let nullable = |n: usize| wanted[n].ty.nullable || other[n].ty.nullable;
        let types: Vec<ColumnType> = (0..wanted.len()).map(|n| ColumnType::new(wanted[n].ty.ty, nullable(n))).collect();
        let columns: Vec<Column> = types.into_iter().map(|ty| self.column(ty)).collect();
        let (left, right) = (Box::new(left), Box::new(right));
        let all = self.random.below(2) == 0;
        match self.random.below(3) {
            0 => Plan::Union { inputs: vec![*left, *right], columns },
            1 => Plan::SetDifference { left, right, all, columns },
            _ => Plan::SetIntersection { left, right, all, columns },
        }
    }

    fn value(&mut self, columns: &[Column], depth: usize) -> Expr {
        let integers: Vec<&Column> = columns.iter().filter(|column| column.ty.ty == INTEGER).collect();
        match self.random.below(8) {
            0 if depth > 0 && !integers.is_empty() => {
                let (left, right) = (*self.random.pick(&integers), *self.random.pick(&integers));
                call(&PLUS, vec![read(left), read(right)])
            }
            1 if depth > 0 && !integers.is_empty() => {
                let (condition, column) = (self.predicate(columns), read(*self.random.pick(&integers)));
                let branches = vec![(condition, call(&PLUS, vec![column.clone(), column]))];
                expr(ExprKind::Case { branches, otherwise: None }, ColumnType::new(INTEGER, true))
            }
            2 if depth > 0 && !integers.is_empty() => {
                let zero = Expr::literal(Value::BigInt(0), ColumnType::new(INTEGER, false), Span::default());
                let column = read(*self.random.pick(&integers));
                expr(ExprKind::Coalesce(vec![column, zero]), ColumnType::new(INTEGER, false))
            }
            3 => self.constant(ColumnType::new(INTEGER, true)),
            _ => read(self.random.pick(columns)),
        }
    }

    fn predicate(&mut self, columns: &[Column]) -> Expr {
        let integers: Vec<&Column> = columns.iter().filter(|column| column.ty.ty == INTEGER).collect();
        match self.random.below(6) {
            0 => expr(ExprKind::IsNull(Box::new(read(self.random.pick(columns)))), ColumnType::new(BOOLEAN, false)),
            1 if columns.len() > 1 => {
                let operands = vec![self.predicate(&columns[..1]), self.predicate(&columns[1..])];
                let nullable = operands.iter().any(|operand| operand.ty.nullable);
                let kind = if self.random.chance(50) { ExprKind::And(operands) } else { ExprKind::Or(operands) };
                expr(kind, ColumnType::new(BOOLEAN, nullable))
            }
            2 if !integers.is_empty() => {
                let (left, right) = (*self.random.pick(&integers), *self.random.pick(&integers));
                call(&LESS, vec![read(left), read(right)])
            }
            _ if !integers.is_empty() => {
                let bound = self.constant(ColumnType::new(INTEGER, false));
                call(&LESS, vec![read(*self.random.pick(&integers)), bound])
            }
            _ => {
                let operand = expr(ExprKind::IsNull(Box::new(read(&columns[0]))), ColumnType::new(BOOLEAN, false));
                let branches = vec![(operand, expr(ExprKind::Literal(Value::Null), ColumnType::new(BOOLEAN, true)))];
                let truth = expr(ExprKind::Literal(Value::Boolean(true)), ColumnType::new(BOOLEAN, false));
                let otherwise = Some(Box::new(truth));
                expr(ExprKind::Case { branches, otherwise }, ColumnType::new(BOOLEAN, true))
            }
        }
    }

    /// The same subtree with fresh column ids.
    fn renamed(&mut self, plan: &Plan) -> Plan {
        let mut ids = BTreeMap::new();
        let mut plan = plan.clone();
        self.rename(&mut plan, &mut ids);
        plan
    }

    fn fresh(&mut self, column: &mut Column, ids: &mut BTreeMap<ColumnId, ColumnId>) {
        let new = self.column(column.ty);
        ids.insert(column.id, new.id);
        *column = new;
    }

    fn rename(&mut self, plan: &mut Plan, ids: &mut BTreeMap<ColumnId, ColumnId>) {
        match plan {
            Plan::Table { columns, .. } | Plan::View { columns, .. } | Plan::Values { columns, .. } => {
                columns.iter_mut().for_each(|column| self.fresh(column, ids));
            }
            Plan::Filter { input, predicate } => {
                self.rename(input, ids);
                replace(predicate, ids);
            }
            Plan::Project { input, columns } => {
                self.rename(input, ids);
                for (column, value) in columns {
                    replace(value, ids);
                    self.fresh(column, ids);
                }
            }
            Plan::Join { left, right, on, .. } | Plan::Apply { left, right, on, .. } => {
                self.rename(left, ids);
                self.rename(right, ids);
                replace(on, ids);
            }
            Plan::Aggregate { input, keys, aggregates, .. } => {
                self.rename(input, ids);
                for (column, key) in keys {
                    *key = ids[key];
                    self.fresh(column, ids);
                }
                for (column, call) in aggregates {
                    call.arguments.iter_mut().for_each(|argument| replace(argument, ids));
                    self.fresh(column, ids);
                }
            }
            Plan::Distinct { input } => self.rename(input, ids),
            Plan::TopK { input, partition, order, ranked, .. } => {
                self.rename(input, ids);
                ranked.iter_mut().for_each(|ranked| self.fresh(ranked, ids));
                partition.iter_mut().for_each(|id| *id = ids[id]);
                order.iter_mut().for_each(|key| key.column = ids[&key.column]);
            }
            Plan::Unnest { input, arrays, elements, ordinality, .. } => {
                self.rename(input, ids);
                arrays.iter_mut().for_each(|id| *id = ids[id]);
                elements.iter_mut().chain(ordinality).for_each(|column| self.fresh(column, ids));
            }
            Plan::Union { inputs, columns } => {
                inputs.iter_mut().for_each(|input| self.rename(input, ids));
                columns.iter_mut().for_each(|column| self.fresh(column, ids));
            }
            Plan::SetDifference { left, right, columns, .. } | Plan::SetIntersection { left, right, columns, .. } => {
                self.rename(left, ids);
                self.rename(right, ids);
                columns.iter_mut().for_each(|column| self.fresh(column, ids));
            }
        }
    }
}

fn replace(value: &mut Expr, ids: &BTreeMap<ColumnId, ColumnId>) {
    if let ExprKind::Column(id) = &mut value.kind {
        *id = ids[id];
    }
    value.children_mut().into_iter().for_each(|child| replace(child, ids));
}

fn expr(kind: ExprKind, ty: ColumnType) -> Expr {
    Expr { kind, ty, span: Span::default() }
}

fn read(column: &Column) -> Expr {
    Expr::column(column.id, column.ty, Span::default())
}

fn call(function: &'static Function, arguments: Vec<Expr>) -> Expr {
    let result = match function.returns {
        Returns::Is(ty) => ty,
        _ => INTEGER,
    };
    let strict = function.nulls == Nulls::Strict;
    let nullable = strict && arguments.iter().any(|argument| argument.ty.nullable);
    expr(ExprKind::Call { function, arguments }, ColumnType::new(result, nullable))
}

type Call = fn(&[Value], &Signature<'_>) -> Result<Value, SqlError>;

const fn function(name: &'static str, result: SqlType, nulls: Nulls, call: Call) -> Function {
    Function {
        name,
        library: CORE,
        path: name,
        parameters: &[Param::Same, Param::Same],
        variadic: false,
        returns: Returns::Is(result),
        nulls,
        typed: false,
        fallible: false,
        boxed: false,
        deterministic: true,
        monotone: false,
        call,
        doc: "",
    }
}

static EQUAL: Function = function("=", BOOLEAN, Nulls::Strict, |values, _| {
    Ok(if values.contains(&Value::Null) { Value::Null } else { Value::Boolean(values[0] == values[1]) })
});
static NOT_DISTINCT: Function =
    function("IS NOT DISTINCT FROM", BOOLEAN, Nulls::Never, |values, _| Ok(Value::Boolean(values[0] == values[1])));
static LESS: Function = function("<", BOOLEAN, Nulls::Strict, |values, _| match values {
    [Value::BigInt(left), Value::BigInt(right)] => Ok(Value::Boolean(left < right)),
    _ => Ok(Value::Null),
});
static PLUS: Function = function("+", INTEGER, Nulls::Strict, |values, _| match values {
    [Value::BigInt(left), Value::BigInt(right)] => Ok(Value::BigInt(left.wrapping_add(*right))),
    _ => Ok(Value::Null),
});
