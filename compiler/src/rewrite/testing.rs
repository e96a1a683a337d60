//! For tests: plans built by hand or at random, and the law that a rewrite keeps every result.

use super::form::*;
use super::walk::Fresh;
use crate::plan::*;
use crate::reference::{Row, evaluate};
use feldc_engine::{AggregateFunction, Direction, Rank, Window};
use feldc_value::{ColumnType, SqlType, Value};

pub const INT: ColumnType = ColumnType::new(SqlType::BigInt, true);
pub const KEY: ColumnType = ColumnType::new(SqlType::BigInt, false);

/// Tables `r(a, b)` and `s(a, b)` of nullable BIGINTs, and `k(a, b)` with `a` as primary key.
pub fn tables() -> Vec<Table> {
    let table = |name: &str, keyed: bool| Table {
        name: name.to_string(),
        case_sensitive: false,
        columns: [("a", if keyed { KEY } else { INT }), ("b", INT)]
            .into_iter()
            .map(|(name, ty)| TableColumn { name: name.to_string(), case_sensitive: false, ty, default: None })
            .collect(),
        primary_key: if keyed { vec![0] } else { vec![] },
        materialized: false,
        append_only: false,
        expected_size: None,
        connectors: serde_json::Value::Null,
        span: Span::default(),
    };
    vec![table("r", false), table("s", false), table("k", true)]
}

/// A program with one view that shows all columns of the plan.
pub fn program(plan: Plan) -> Program {
    let columns = plan.columns();
    let columns =
        columns.iter().map(|c| ViewColumn { name: c.name.clone(), case_sensitive: false, id: c.id, ty: c.ty });
    let view = View {
        name: "v".to_string(),
        case_sensitive: false,
        kind: ViewKind::Output,
        columns: columns.collect(),
        plan,
        connectors: serde_json::Value::Null,
        indexes: vec![],
        sql: String::new(),
        span: Span::default(),
    };
    Program { tables: tables(), views: vec![view], functions: vec![], fail_on_error: false }
}

/// Small numbers by a fixed seed (xorshift64*).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// From 0 to `sides` - 1.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) % sides
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len() as u64) as usize]
    }
}

/// Rows with NULLs and duplicates for [`tables`].
pub fn contents(dice: &mut Dice) -> Vec<Vec<Row>> {
    let value = |dice: &mut Dice| match dice.roll(5) {
        0 => Value::Null,
        n => Value::BigInt(n as i64 - 1),
    };
    let bag = |dice: &mut Dice| -> Vec<Row> {
        let rows = dice.roll(6);
        (0..rows).map(|_| vec![value(dice), value(dice)]).collect()
    };
    let (r, s) = (bag(dice), bag(dice));
    let keyed = (0..dice.roll(5)).map(|key| vec![Value::BigInt(key as i64), value(dice)]).collect();
    vec![r, s, keyed]
}

/// Random queries over the tables, with subqueries in every place a query can have one.
pub struct Queries {
    pub dice: Dice,
    pub fresh: Fresh,
    /// With expressions that can fail.
    pub fallible: bool,
    span: u32,
}

impl Queries {
    pub fn new(seed: u64, fallible: bool) -> Queries {
        let mut queries = Queries { dice: Dice::new(seed), fresh: Fresh::of(&Program::default()), fallible, span: 0 };
        queries.dice.roll(2);
        queries
    }

    fn column(&mut self, ty: ColumnType) -> Column {
        Column { id: self.fresh.id(), name: "c".to_string(), ty }
    }

    fn span(&mut self) -> Span {
        self.span += 1;
        Span { start: 0, end: 0, line: self.span, column: 1 }
    }

    /// A query of about this many operators that may name the columns of the enclosing ones. All columns are BIGINT.
    pub fn query(&mut self, size: u64, outer: &[Column]) -> Plan {
        if size == 0 {
            let table = self.dice.roll(3) as usize;
            let columns = vec![self.column(if table == 2 { KEY } else { INT }), self.column(INT)];
            return Plan::Table { table: TableId(table), columns };
        }
        match self.dice.roll(if self.fallible { 12 } else { 13 }) {
            0..=3 => {
                let input = self.query(size - 1, outer);
                let predicate = self.condition(size - 1, &[input.columns(), outer.to_vec()].concat());
                Plan::Filter { input: Box::new(input), predicate }
            }
            4 | 5 => {
                let input = self.query(size - 1, outer);
                let scope = [input.columns(), outer.to_vec()].concat();
                let exprs: Vec<Expr> = (0..2).map(|_| self.number(size - 1, &scope)).collect();
                let columns = exprs.into_iter().map(|expr| (self.column(expr.ty), expr)).collect();
                Plan::Project { input: Box::new(input), columns }
            }
            6 | 7 => self.join(size, outer),
            8 => self.lateral(size, outer),
            9 => self.aggregate(size, outer),
            10 => Plan::Distinct { input: Box::new(self.query(size - 1, outer)) },
            11 => self.set_operation(size, outer),
            _ => self.top_k(size, outer),
        }
    }

    /// By all columns, so that no tie is left open.
    fn top_k(&mut self, size: u64, outer: &[Column]) -> Plan {
        let input = self.query(size - 1, outer);
        let mut order = vec![];
        for column in input.columns() {
            let direction = Direction { descending: self.dice.roll(2) == 0, nulls_first: self.dice.roll(2) == 0 };
            order.push(OrderKey { column: column.id, direction });
        }
        if self.dice.roll(2) == 0 {
            order.reverse();
        }
        let limit = *self.dice.pick(&[Some(1), Some(1), Some(2), Some(3), None]);
        let ties = (self.dice.roll(3) == 0).then_some(1);
        let rank = *self.dice.pick(&[None, None, Some(Rank::RowNumber), Some(Rank::Rank), Some(Rank::DenseRank)]);
        let ranked = rank.map(|_| self.column(KEY));
        let partition = if rank.is_some() { vec![order[0].column] } else { vec![] };
        let window = Window { offset: self.dice.roll(2), limit, ties, rank };
        let top = Plan::TopK { input: Box::new(input), partition, order, window, ranked };
        // Two columns, as every query here has.
        let columns = top.columns();
        let columns = columns.iter().rev().take(2).map(|column| (self.column(column.ty), reference(column))).collect();
        Plan::Project { input: Box::new(top), columns }
    }

    fn join(&mut self, size: u64, outer: &[Column]) -> Plan {
        let (left, right) = (self.query((size - 1) / 2, outer), self.query(size / 2, outer));
        let kinds = [JoinKind::Inner, JoinKind::Left, JoinKind::Full, JoinKind::Semi, JoinKind::Anti];
        let kind = *self.dice.pick(&kinds);
        let on = self.condition(size / 2, &[left.columns(), right.columns(), outer.to_vec()].concat());
        Plan::Join { kind, left: Box::new(left), right: Box::new(right), on }
    }

    fn lateral(&mut self, size: u64, outer: &[Column]) -> Plan {
        let left = self.query((size - 1) / 2, outer);
        let right = self.query(size / 2, &[left.columns(), outer.to_vec()].concat());
        let kind = *self.dice.pick(&[JoinKind::Inner, JoinKind::Left]);
        let on = self.condition(size / 2, &[left.columns(), right.columns(), outer.to_vec()].concat());
        Plan::Apply { kind, left: Box::new(left), right: Box::new(right), on }
    }

    fn aggregate(&mut self, size: u64, outer: &[Column]) -> Plan {
        let input = self.query(size - 1, outer);
        let columns = input.columns();
        let scalar = self.dice.roll(2) == 0;
        let mut keys = vec![];
        if !scalar {
            let key = self.dice.pick(&columns).clone();
            keys.push((self.fresh.like(&key), key.id));
        }
        let mut aggregates = vec![];
        for _ in 0..2 {
            let functions = [
                AggregateFunction::CountStar,
                AggregateFunction::Count,
                AggregateFunction::Sum,
                AggregateFunction::Min,
                AggregateFunction::Max,
            ];
            let function = *self.dice.pick(&functions);
            let arguments: Vec<Expr> = (function != AggregateFunction::CountStar)
                .then(|| self.number(size - 1, &[columns.clone(), outer.to_vec()].concat()))
                .into_iter()
                .collect();
            let counts = matches!(function, AggregateFunction::CountStar | AggregateFunction::Count);
            let column = self.column(if counts { KEY } else { INT });
            let (distinct, span) = (!arguments.is_empty() && self.dice.roll(4) == 0, self.span());
            aggregates.push((column, AggregateCall { function, arguments, order: vec![], distinct, span }));
        }
        Plan::Aggregate { input: Box::new(input), keys, aggregates, scalar }
    }

    /// Two columns of the query, with these types.
    fn shaped(&mut self, size: u64, outer: &[Column]) -> Plan {
        let input = self.query(size, outer);
        let own = input.columns();
        let columns = (0..2).map(|_| self.dice.pick(&own).clone()).collect::<Vec<_>>();
        let columns = columns.iter().map(|column| (self.column(INT), reference(column))).collect();
        Plan::Project { input: Box::new(input), columns }
    }

    fn set_operation(&mut self, size: u64, outer: &[Column]) -> Plan {
        let inputs = [self.shaped((size - 1) / 2, outer), self.shaped(size / 2, outer)];
        let columns = vec![self.column(INT), self.column(INT)];
        let all = self.dice.roll(2) == 0;
        match self.dice.roll(3) {
            0 => Plan::Union { inputs: inputs.to_vec(), columns },
            which => {
                let [left, right] = inputs.map(Box::new);
                match which {
                    1 => Plan::SetDifference { left, right, all, columns },
                    _ => Plan::SetIntersection { left, right, all, columns },
                }
            }
        }
    }

    fn number(&mut self, size: u64, scope: &[Column]) -> Expr {
        match self.dice.roll(10) {
            0 => {
                let value = Value::BigInt(self.dice.roll(4) as i64);
                Expr::literal(value, KEY, Span::default())
            }
            1 if size > 0 => {
                let condition = self.condition(size / 2, scope);
                let (yes, no) = (self.number(size / 2, scope), self.number(size / 2, scope));
                case(vec![(condition, yes)], no)
            }
            2 if size > 0 => coalesce(vec![self.number(size / 2, scope), self.number(size / 2, scope)]),
            3 if self.fallible => {
                let (a, b) = (self.number(size / 2, scope), self.number(size / 2, scope));
                let nullable = a.ty.nullable || b.ty.nullable;
                let span = self.span();
                call("/", vec![a, b], ColumnType::new(SqlType::BigInt, nullable), span)
            }
            4..=6 if size > 0 => {
                let plan = Box::new(self.one_column(size - 1, scope));
                let kind = ExprKind::Subquery { kind: SubqueryKind::Scalar, plan };
                Expr { kind, ty: INT, span: self.span() }
            }
            _ => reference(self.dice.pick(scope)),
        }
    }

    /// A subquery of one column; half of the time of one row.
    fn one_column(&mut self, size: u64, scope: &[Column]) -> Plan {
        let input = match self.dice.roll(2) {
            0 => self.query(size, scope),
            _ => {
                let plan = self.query(size, scope);
                let argument = plan.columns()[0].clone();
                let column = self.column(INT);
                let call = AggregateCall {
                    function: AggregateFunction::Max,
                    arguments: vec![reference(&argument)],
                    order: vec![],
                    distinct: false,
                    span: self.span(),
                };
                Plan::Aggregate { input: Box::new(plan), keys: vec![], aggregates: vec![(column, call)], scalar: true }
            }
        };
        let own = input.columns();
        let expr = match self.dice.roll(3) {
            0 => self.number(size / 2, &[own, scope.to_vec()].concat()),
            _ => reference(self.dice.pick(&own)),
        };
        Plan::Project { input: Box::new(input), columns: vec![(self.column(expr.ty), expr)] }
    }

    pub fn condition(&mut self, size: u64, scope: &[Column]) -> Expr {
        let comparison = *self.dice.pick(&["=", "=", "=", "<>", "<", "<=", ">", ">="]);
        if size == 0 {
            return compare(comparison, self.number(0, scope), self.number(0, scope));
        }
        let half = size / 2;
        match self.dice.roll(12) {
            0 | 1 => conjunction(vec![self.condition(half, scope), self.condition(half, scope)]),
            2 => disjunction(vec![self.condition(half, scope), self.condition(half, scope)]),
            3 => not(self.condition(size - 1, scope)),
            4 => is_null(self.number(half, scope)),
            5 => compare(comparison, self.number(half, scope), self.number(half, scope)),
            6..=8 => {
                let plan = Box::new(self.query(size - 1, scope));
                let exists = ExprKind::Subquery { kind: SubqueryKind::Exists, plan };
                let exists = Expr { kind: exists, ty: boolean(false), span: self.span() };
                if self.dice.roll(2) == 0 { exists } else { not(exists) }
            }
            9 | 10 => self.membership(size - 1, scope),
            _ => {
                let operand = self.number(half, scope);
                let function = function(comparison, &[SqlType::BigInt, SqlType::BigInt]);
                let quantifier = *self.dice.pick(&[Quantifier::Any, Quantifier::All]);
                let kind = SubqueryKind::Quantified { operand: Box::new(operand), comparison: function, quantifier };
                let plan = Box::new(self.one_column(size - 1, scope));
                Expr { kind: ExprKind::Subquery { kind, plan }, ty: boolean(true), span: self.span() }
            }
        }
    }

    fn membership(&mut self, size: u64, scope: &[Column]) -> Expr {
        let (operands, plan) = match self.dice.roll(3) {
            0 => {
                let operands = vec![self.number(size / 2, scope), self.number(size / 2, scope)];
                (operands, self.shaped(size, scope))
            }
            _ => (vec![self.number(size / 2, scope)], self.one_column(size, scope)),
        };
        let kind = ExprKind::Subquery { kind: SubqueryKind::In { operands }, plan: Box::new(plan) };
        let member = Expr { kind, ty: boolean(true), span: self.span() };
        if self.dice.roll(2) == 0 { member } else { not(member) }
    }
}

/// Asserts that the rewrites (but the disabled ones) keep the rows of random queries. Of the failures the one with
/// the smallest query is shown.
pub fn check_law(seeds: std::ops::Range<u64>, fallible: bool, disabled: &[&str]) {
    let failures: Vec<(u64, String)> =
        seeds.filter_map(|seed| Some((seed, failure(seed, fallible, disabled)?))).collect();
    if let Some((seed, text)) = failures.iter().min_by_key(|(_, text)| text.len()) {
        panic!("{} failures; seed {seed}\n{text}", failures.len());
    }
}

/// How a rewrite changes the rows of one random query over some random contents.
fn failure(seed: u64, fallible: bool, disabled: &[&str]) -> Option<String> {
    let mut queries = Queries::new(seed, fallible);
    let plan = queries.query(1 + seed % 6, &[]);
    let mut nodes = 0;
    super::walk::visit(&plan, &mut |_| nodes += 1);
    if nodes > 25 {
        return None;
    }
    let program = program(plan);
    let rewritten = super::rewrite_with(program.clone(), disabled);
    difference(&program, &rewritten, &mut queries.dice, disabled.contains(&"prune_columns"))
}

/// Contents of the tables for which two programs have different rows. `strict`: also where evaluation fails.
/// (Pruning drops what fails and is not used.)
fn difference(program: &Program, rewritten: &Program, dice: &mut Dice, strict: bool) -> Option<String> {
    (0..4).find_map(|_| {
        let tables = contents(dice);
        let (before, after) = (evaluate(program, &tables), evaluate(rewritten, &tables));
        let comparable = strict || before.iter().all(|view| view.errors.is_empty());
        let (before, after) = (before.last()?, after.last()?);
        (comparable && before.rows != after.rows).then(|| {
            let plans = [&program, &rewritten].map(|program| program.to_string());
            format!(
                "tables {tables:?}\nexpected {:?}\n     got {:?}\nerrors {:?}\n\n{}\nrewritten\n{}",
                before.rows, after.rows, before.errors, plans[0], plans[1]
            )
        })
    })
}

/// The bound program of a query over [`tables`], as its only view.
pub fn bound(query: &str) -> Program {
    let text = format!(
        "CREATE TABLE r (a BIGINT, b BIGINT);
         CREATE TABLE s (a BIGINT, b BIGINT);
         CREATE TABLE k (a BIGINT NOT NULL PRIMARY KEY, b BIGINT);
         CREATE VIEW v AS {query};"
    );
    let (statements, faults) = crate::parse::parse(&text);
    assert!(faults.is_empty(), "{query}\n{faults:#?}");
    match crate::bind::bind(&statements, &text) {
        Ok((program, _)) => program,
        Err(faults) => panic!("{query}\n{faults:#?}"),
    }
}

/// Asserts that all rewrites keep the rows of a query in SQL, together and without the optional ones.
pub fn check_query(query: &str) {
    let program = bound(query);
    for disabled in [&["simplify", "push_filters", "order_joins", "prune_columns"][..], &["prune_columns"], &[]] {
        let rewritten = super::rewrite_with(program.clone(), disabled);
        let strict = disabled.contains(&"prune_columns");
        for seed in 0..20 {
            if let Some(text) = difference(&program, &rewritten, &mut Dice::new(seed), strict) {
                panic!("{query}\nwithout {disabled:?}, seed {seed}\n{text}");
            }
        }
    }
}

/// The rewritten plan of a query, without the ids and types of columns and the lists of tables' columns.
pub fn shape(query: &str) -> String {
    let program = super::rewrite(bound(query));
    let names = ["r", "s", "k"];
    let lines = program.views[0].plan.to_string();
    let line = |line: &str| {
        let mut text = without_ids(line);
        if let Some((indent, table)) = text.split_once("table @") {
            let table: usize = table[..1].parse().unwrap_or(0);
            text = format!("{indent}table {}", names[table]);
        }
        text
    };
    lines.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn without_ids(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('#') {
        out.push_str(before);
        rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    out + rest
}

/// Asserts the shape of a query's rewritten plan; `expected` is indented as it stands in the test.
pub fn check_shape(query: &str, expected: &str) {
    let indent =
        expected.lines().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let indent = indent.min().unwrap_or(0);
    let expected = expected.lines().filter(|line| !line.trim().is_empty()).map(|line| &line[indent..]);
    let (expected, found) = (expected.collect::<Vec<_>>().join("\n"), shape(query));
    assert!(found == expected, "{query}\nexpected\n{expected}\nfound\n{found}");
}
