//! Syntax trees to the logical plan: names to ids, a type for every expression, every rule of the dialect.
//!
//! Reports all it can: each statement on its own, and inside a statement each clause. What depends on something that
//! failed stays silent.

mod aggregate;
mod call;
mod coerce;
mod collection;
mod expr;
mod fold;
pub mod forms;
mod from;
mod function;
mod group;
mod grouping;
mod interval;
mod interval_text;
mod lambda;
mod literal;
mod nested;
mod operator;
mod order;
mod period;
mod pivot;
mod place;
mod properties;
mod query;
mod rust_function;
mod scope;
mod select;
mod set_function;
mod special;
mod subquery;
mod table;
mod types;
mod unnest;
mod variant_lambda;
mod view;
mod window;

use crate::diagnostic::{Diagnostic, Severity, Source, closest, code};
use crate::parse::{Name, Set, Statement, StatementKind, with_stack};
use crate::plan::{Column, ColumnId, Expr, Plan, Program, Span, TableId, ViewId};
use feldc_value::{ColumnType, SqlType};
use scope::Scope;
use std::collections::{BTreeMap, HashSet};

/// The error has been reported; what needed the result is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reported;

type Bound<T> = Result<T, Reported>;

/// Operators, plan nodes and copies of them that one statement may give rise to: names that refer to names can double
/// a plan with every step.
const NODES_MAX: u32 = 1_000_000;
/// Depth that an expression may have after AND and OR are flattened.
const DEPTH_MAX: usize = 400;

/// Binds a program. The warnings and notes of a good program come with it.
pub fn bind(statements: &[Statement], text: &str) -> Result<(Program, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut binder = Binder::new(text);
    for statement in statements {
        binder.statement = statement.span;
        with_stack(statement.operators, || binder.bind_statement(statement));
    }
    binder.check_connector_indexes();
    let Binder { program, diagnostics, .. } = binder;
    match diagnostics.iter().any(Diagnostic::is_error) {
        true => Err(diagnostics),
        false => Ok((program, diagnostics)),
    }
}

/// Parses and binds a program and shows what is wrong with it, or its plan: for tests of messages and of plans.
pub fn check(sql: &str) -> String {
    let (statements, mut diagnostics) = crate::parse::parse(sql);
    let mut shown = String::new();
    match bind(&statements, sql) {
        Ok((program, warnings)) => {
            if diagnostics.is_empty() {
                shown = program.to_string();
            }
            diagnostics.extend(warnings);
        }
        Err(errors) => diagnostics.extend(errors),
    }
    crate::diagnostic::render(&diagnostics, "program.sql", sql, crate::diagnostic::Style::Plain) + &shown
}

/// What a name in FROM stands for.
#[derive(Clone, Copy, Debug)]
enum Relation {
    Table(TableId),
    View(ViewId),
    /// Its statement failed: uses of it stay silent.
    Failed,
}

pub(crate) struct Binder<'a> {
    source: Source<'a>,
    program: Program,
    /// Tables and views by name, with the place of their definition.
    relations: BTreeMap<String, (Relation, Span)>,
    /// Every column of a table with the place of its name, for "similar name" labels.
    column_places: Vec<(String, Span)>,
    /// Types with names of their own.
    types: BTreeMap<String, (Option<SqlType>, Span)>,
    /// Functions of the program by name.
    functions: BTreeMap<String, function::UserFunction>,
    /// Declared indexes by name.
    indexes: BTreeMap<String, Span>,
    /// Index names that connectors refer to, with the view and the place of the name.
    wanted_indexes: Vec<(ViewId, String, Span)>,
    /// The queries around the current expression, outermost first.
    scopes: Vec<Scope>,
    /// Common table expressions in sight, latest last.
    ctes: Vec<query::Cte>,
    next_column: u32,
    /// `next_column` at the start of the statement, for `NODES_MAX`.
    first_column: u32,
    /// Expression nodes copied in the statement.
    copied: usize,
    depth: usize,
    /// Subqueries, derived tables and set operations around the current query.
    queries: usize,
    diagnostics: Vec<Diagnostic>,
    /// To report once what is bound twice.
    reported: HashSet<Diagnostic>,
    /// The statement being bound, for what has no place of its own.
    statement: Span,
}

impl<'a> Binder<'a> {
    fn new(text: &'a str) -> Binder<'a> {
        Binder {
            source: Source::new(text),
            program: Program::default(),
            relations: BTreeMap::new(),
            column_places: vec![],
            types: BTreeMap::new(),
            functions: BTreeMap::new(),
            indexes: BTreeMap::new(),
            wanted_indexes: vec![],
            scopes: vec![],
            ctes: vec![],
            next_column: 0,
            first_column: 0,
            copied: 0,
            depth: 0,
            queries: 0,
            diagnostics: vec![],
            reported: HashSet::new(),
            statement: Span::default(),
        }
    }

    fn bind_statement(&mut self, statement: &Statement) {
        self.first_column = self.next_column;
        self.copied = 0;
        match &statement.kind {
            StatementKind::CreateTable(table) => self.create_table(table),
            StatementKind::CreateView(view) => self.create_view(view),
            StatementKind::CreateIndex(index) => self.create_index(index),
            StatementKind::CreateType(ty) => self.create_type(ty),
            StatementKind::CreateFunction(function) => self.create_function(function),
            StatementKind::Set(set) => self.set(set),
        }
        self.scopes.clear();
        self.ctes.clear();
        (self.depth, self.queries) = (0, 0);
    }

    fn set(&mut self, set: &Set) {
        /// Options of the peer's compiler that mean nothing here; accepted so that its programs compile unchanged.
        const WITHOUT_EFFECT: &[&str] = &[
            "feldera_warnings_are_errors",
            "enforce_positive_inputs",
            "feldera_avoid_star_joins",
            "feldera_flat_variant",
        ];
        let name = set.name.text.as_str();
        let value = set.value.to_lowercase();
        match (name, value.as_str()) {
            ("on_error", "fail") => self.program.fail_on_error = true,
            ("on_error", "continue") => self.program.fail_on_error = false,
            ("on_error", _) => {
                let error =
                    Diagnostic::error(code::INVALID_PARAMETER, "on_error takes 'fail' or 'continue'", set.value_span);
                self.report(error);
            }
            _ if WITHOUT_EFFECT.contains(&name) || name.starts_with("feldera_ignore_warning_") => {
                self.report(Diagnostic::note(format!("the option {name} has no effect here"), set.name.span));
            }
            _ => {
                let headline = format!("option \"{name}\" does not exist");
                let warning = Diagnostic::warning(headline, set.name.span);
                let near = closest(name, WITHOUT_EFFECT.iter().copied().chain(["on_error"]));
                self.report(suggest(warning.label("without effect"), near));
            }
        }
    }

    /// Records a diagnostic, once.
    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        if self.reported.insert(diagnostic.clone()) {
            self.diagnostics.push(diagnostic);
        }
        Reported
    }

    fn fail<T>(&mut self, diagnostic: Diagnostic) -> Bound<T> {
        debug_assert!(diagnostic.severity == Severity::Error);
        Err(self.report(diagnostic))
    }

    fn unsupported<T>(&mut self, what: impl std::fmt::Display, span: Span) -> Bound<T> {
        self.fail(Diagnostic::unsupported(what, span))
    }

    fn name(&self, ident: &sqlparser::ast::Ident) -> Name {
        Name::new(ident, self.source.convert(ident.span).unwrap_or(self.statement))
    }

    fn fresh_id(&mut self) -> ColumnId {
        self.next_column += 1;
        ColumnId(self.next_column - 1)
    }

    fn fresh_column(&mut self, name: &str, ty: ColumnType) -> Column {
        Column { id: self.fresh_id(), name: name.to_string(), ty }
    }

    /// A copy of an expression that is used twice. Copies of copies can double at every step, so they are counted.
    fn fresh_expr(&mut self, expr: &Expr) -> Bound<Expr> {
        self.copied = self.copied.saturating_add(expr.size());
        if self.copied > NODES_MAX as usize || expr.depth() > DEPTH_MAX {
            return self.too_complex(expr.span);
        }
        self.check_size(expr.span)?;
        Ok(expr.fresh(&mut self.next_column))
    }

    fn fresh_plan(&mut self, plan: &Plan) -> (Plan, BTreeMap<ColumnId, ColumnId>) {
        plan.fresh(&mut self.next_column)
    }

    /// Refuses a statement whose plan grows out of all proportion.
    fn check_size(&mut self, span: Span) -> Bound<()> {
        if self.next_column - self.first_column <= NODES_MAX {
            return Ok(());
        }
        self.too_complex(span)
    }

    fn too_complex<T>(&mut self, span: Span) -> Bound<T> {
        let error = Diagnostic::error(code::TOO_COMPLEX, "the query is too complex", span);
        self.fail(error.help("name the part that is used many times as a view"))
    }

    /// Refuses a new table, view or index name that is taken or reserved.
    fn check_new_name(&mut self, name: &Name, what: &str) -> Bound<()> {
        if name.text.to_lowercase().starts_with("feldera_") || name.text.to_lowercase() == "error_view" {
            let headline = format!("the name \"{}\" is reserved", name.text);
            let error = Diagnostic::error(code::RESERVED_NAME, headline, name.span);
            return self.fail(error.help("names beginning with \"feldera_\" belong to the system: choose another"));
        }
        let taken = match what {
            "index" => self.indexes.get(&name.text).copied(),
            _ => self.relations.get(&name.text).map(|(_, span)| *span),
        };
        let Some(first) = taken else { return Ok(()) };
        let (code, kind) =
            if what == "index" { (code::DUPLICATE_OBJECT, "index") } else { (code::DUPLICATE_TABLE, "relation") };
        let error = Diagnostic::error(code, format!("{kind} \"{}\" already exists", name.text), name.span);
        self.fail(error.also(first, "first defined here").help(format!("give one {what} another name")))
    }
}

/// Adds "write ..." when a similar name is known.
fn suggest(error: Diagnostic, near: Option<&str>) -> Diagnostic {
    match near {
        Some(near) => error.help(format!("write \"{near}\"")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLES: &str = "CREATE TABLE t (k INT, v BIGINT NOT NULL, d DECIMAL(12, 2), c CHAR(4), s VARCHAR, at DATE);\n\
                          CREATE TABLE u (k INT, w BIGINT);\n";

    /// Binds the program over the tables, checks its plan, and returns what `check` shows for the statements after them.
    fn after_tables(sql: &str) -> String {
        let program = format!("{TABLES}{sql}");
        let (statements, _) = crate::parse::parse(&program);
        if let Ok((bound, _)) = bind(&statements, &program) {
            crate::plan::check::check(&bound, true).unwrap();
        }
        let shown = check(&program);
        shown.lines().filter(|line| !line.starts_with("table @")).map(|line| format!("{line}\n")).collect()
    }

    #[track_caller]
    fn plan(sql: &str, expected: &str) {
        assert_eq!(after_tables(sql), expected);
    }

    #[track_caller]
    fn says(sql: &str, expected: &[&str]) {
        let shown = after_tables(sql);
        for line in expected {
            assert!(shown.contains(line), "{line}\nis not in\n{shown}");
        }
    }

    #[test]
    fn grouping_over_a_computed_key() {
        plan(
            "CREATE VIEW x AS SELECT k + 1 AS k1, SUM(d) AS s FROM t WHERE v > 2 GROUP BY k1 HAVING COUNT(*) > 1",
            "view @0 x output (k1=#10 INTEGER, s=#11 DECIMAL(38, 2))
  project k1#10 := key#8, s#11 := sum#6
    filter (count#7 > 1)
      aggregate by [key#8 := key#9] [sum#6 := SUM(d#2), count#7 := COUNT(*)]
        project k#0 := k#0, v#1 := v#1, d#2 := d#2, c#3 := c#3, s#4 := s#4, at#5 := at#5, key#9 := (k#0 + 1)
          filter (v#1 > 2)
            table @0 (k#0 INTEGER, v#1 BIGINT NOT NULL, d#2 DECIMAL(12, 2), c#3 CHAR(4), s#4 VARCHAR, at#5 DATE)
",
        );
    }

    #[test]
    fn what_only_the_binder_calls_does_not_exist() {
        for (call, name) in [
            ("FIELD(ROW(k, v), 0)", "FIELD"),
            ("AT_MOST_ONE(v)", "AT_MOST_ONE"),
            ("\"FIELD NOT NULL\"(ROW(k, v), 0)", "FIELD NOT NULL"),
            ("\"ANY TRUE\"(ARRAY[TRUE])", "ANY TRUE"),
            ("JSON_AS('1')", "JSON_AS"),
        ] {
            let expected = format!("error[42883]: function {name} does not exist");
            says(&format!("CREATE VIEW x AS SELECT {call} AS a FROM t"), &[&expected]);
        }
    }

    #[test]
    fn grouping_by_a_subquery() {
        for query in [
            "EXISTS (SELECT k FROM u WHERE u.k = t.k) AS g, COUNT(*) AS n FROM t GROUP BY g",
            "(SELECT MAX(w) FROM u WHERE u.k < t.k) AS g, COUNT(*) AS n FROM t GROUP BY g",
            "(SELECT MAX(w) FROM u) + 1 AS g, COUNT(*) AS n FROM t GROUP BY (SELECT MAX(w) FROM u)",
        ] {
            let shown = after_tables(&format!("CREATE VIEW x AS SELECT {query}"));
            assert!(shown.contains("aggregate by [key#") && !shown.contains("error"), "{shown}");
        }
        says(
            "CREATE VIEW x AS SELECT (SELECT MAX(w) FROM u WHERE u.k = t.k) AS g FROM t GROUP BY (SELECT MIN(w) FROM u)",
            &["error[42803]: column \"t.k\" must appear in GROUP BY or in an aggregate"],
        );
    }

    #[test]
    fn rows_are_never_null() {
        says(
            "CREATE VIEW x AS SELECT ROW(k, NULL) IS NULL AS a, (k, v) IS NOT NULL AS b FROM t",
            &["a#6 := FALSE, b#7 := "],
        );
    }

    #[test]
    fn using_merges_columns() {
        says(
            "CREATE VIEW x AS SELECT k, t.k AS l, u.k AS r FROM t FULL JOIN u USING (k)",
            &["k#8 := COALESCE(k#0, k#6), l#9 := k#0, r#10 := k#6", "join full on (k#0 = k#6)"],
        );
        says(
            "CREATE VIEW x AS SELECT * FROM t RIGHT JOIN u USING (k)",
            &["(k=#8 INTEGER, v=#9 BIGINT, d=", "w=#14 BIGINT)"],
        );
        says("CREATE VIEW x AS SELECT k FROM t JOIN u ON t.k = u.k", &["error[42702]: column \"k\" is ambiguous"]);
    }

    #[test]
    fn columns_of_values_are_numbered() {
        let from = "FROM (VALUES (1, 'a'), (2, 'b'))";
        says(&format!("CREATE VIEW x AS SELECT column2, p.column1 + 1 AS n {from} AS p"), &["(column2=#", "n=#"]);
        says(&format!("CREATE VIEW x AS SELECT n, column2 {from} AS p(n)"), &["(n=#2 INTEGER NOT NULL, column2=#"]);
        says(&format!("CREATE VIEW x AS SELECT * {from} AS p WHERE column1 > 1"), &["EXPR$0=#", "EXPR$1=#"]);
        says("CREATE VIEW x AS VALUES (1), (2) ORDER BY column1 LIMIT 1", &["EXPR$0=#"]);
        says(
            &format!("CREATE VIEW x AS SELECT column3 {from} AS p"),
            &["error[42703]: column \"column3\" does not exist"],
        );
        says(
            &format!("CREATE VIEW x AS SELECT column0 {from} AS p"),
            &["error[42703]: column \"column0\" does not exist"],
        );
        // A column that has the name comes first, also one of an outer query.
        let outer =
            "CREATE TABLE c (column1 INT); CREATE VIEW x AS SELECT (SELECT column1 FROM (VALUES (7)) AS p) AS y FROM c";
        says(outer, &["y#", "column1#"]);
    }

    #[test]
    fn subqueries_keep_their_outer_columns() {
        says(
            "CREATE VIEW x AS SELECT v FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k = t.k) AND k NOT IN (SELECT k FROM u)",
            &["EXISTS(SUBQUERY)", "NOT(((k#0) IN SUBQUERY))", "filter (k#6 = k#0)"],
        );
        says(
            "CREATE VIEW x AS SELECT t.v, l.w FROM t LEFT JOIN LATERAL (SELECT w FROM u WHERE u.k = t.k) AS l ON true",
            &["apply left on TRUE"],
        );
        says(
            "CREATE VIEW x AS SELECT (SELECT k, w FROM u) FROM t",
            &["error[42601]: a subquery here has one column, not 2"],
        );
    }

    #[test]
    fn an_aggregate_of_outer_columns_belongs_to_the_outer_query() {
        says(
            "CREATE VIEW x AS SELECT k, (SELECT MAX(w) FROM u WHERE u.w < SUM(t.v)) AS m FROM t GROUP BY k",
            &["SUM(v#1)", "MAX(w#7)", "filter (w#7 < sum#8)"],
        );
    }

    #[test]
    fn types_meet() {
        says(
            "CREATE VIEW x AS SELECT v FROM t WHERE at < '2024-02-01' AND c = 'ab'",
            &["DATE '19754'", "(c#3 = 'ab  ')"],
        );
        says("CREATE VIEW x AS SELECT d * 2 + k AS e FROM t", &["(d#2 * 2)", "CAST(k#0 AS DECIMAL(10, 0))"]);
        says("CREATE VIEW x AS SELECT v FROM t WHERE at > 5", &["error[42804]: DATE and INTEGER cannot be compared"]);
        says(
            "CREATE VIEW x AS SELECT at - at AS d, at + 1 AS e, at - '2024-01-01' AS f, CAST(at AS TIMESTAMP) - at AS g FROM t",
            &["d=#6 INTEGER, e=#7 DATE, f=#8 INTEGER, g=#9 INTERVAL DAY TO SECOND", "(at#5 - DATE '19723')"],
        );
        says(
            "CREATE VIEW x AS SELECT TIME '10:00:00' - at AS d FROM t",
            &["error[42883]: operator - does not exist for TIME and DATE", "= help: cast one of them"],
        );
        says("CREATE VIEW x AS SELECT (at - DATE '2024-01-01') DAY AS d FROM t", &["d=#6 INTERVAL DAY"]);
        says("CREATE VIEW x AS SELECT DATE '1998-12-01' - INTERVAL '90' DAY AS d", &["d#0 := DATE '10471'"]);
    }

    #[test]
    fn set_operations_agree_on_types() {
        says(
            "CREATE VIEW x AS SELECT k FROM t UNION ALL SELECT w FROM u UNION ALL SELECT v FROM t",
            &["union (k#19 BIGINT)", "CAST(k#6 AS BIGINT)"],
        );
        says(
            "CREATE VIEW x AS SELECT k FROM t EXCEPT SELECT k, w FROM u",
            &["error[42601]: the queries of EXCEPT have 1 and 2 columns"],
        );
    }

    #[test]
    fn a_failed_view_silences_its_users() {
        let shown = after_tables(
            "CREATE VIEW a AS SELECT nope FROM t; CREATE VIEW b AS SELECT x FROM a; CREATE INDEX i ON b(x)",
        );
        assert_eq!(shown.matches("error[").count(), 1, "{shown}");
    }

    #[test]
    fn common_table_expressions_are_copied() {
        says(
            "CREATE VIEW x AS WITH a AS (SELECT k, v FROM t) SELECT p.k, q.v FROM a AS p JOIN a AS q ON p.k = q.v",
            &["join inner on (CAST(k#8 AS BIGINT) = v#17)"],
        );
        let mut sql = "CREATE VIEW x AS WITH a0 AS (SELECT k FROM t)".to_string();
        for at in 1..40 {
            sql += &format!(", a{at} AS (SELECT p.k FROM a{} p JOIN a{} q ON p.k = q.k)", at - 1, at - 1);
        }
        says(&(sql + " SELECT * FROM a39"), &["error[54001]: the query is too complex"]);
    }

    #[test]
    fn long_chains_bind_and_deep_ones_are_refused() {
        let long = format!("CREATE VIEW x AS SELECT v FROM t WHERE k = 0{}", " OR k = 1".repeat(20_000));
        assert!(!after_tables(&long).contains("error"));
        let unions = format!("CREATE VIEW x AS SELECT k FROM t{}", " UNION ALL SELECT k FROM u".repeat(2000));
        assert!(!after_tables(&unions).contains("error"));
        let sums = format!("CREATE VIEW x AS SELECT v{} AS s FROM t", " + 1".repeat(2000));
        says(&sums, &["error[54001]: expression nests too deeply"]);
        let nested = format!("CREATE VIEW x AS {}SELECT v FROM t{}", "SELECT * FROM (".repeat(140), ")".repeat(140));
        assert!(after_tables(&nested).contains("54001") || after_tables(&nested).contains("view @0"));
    }

    #[test]
    fn types_nest_to_a_limit() {
        let row =
            |levels| format!("CREATE VIEW x AS SELECT {}v{} AS r FROM t", "ROW(".repeat(levels), ")".repeat(levels));
        assert!(!after_tables(&row(32)).contains("error"));
        for levels in [33, 90] {
            let shown = after_tables(&row(levels));
            assert_eq!(shown.matches("error[54001]: type nests too deeply").count(), 1, "{shown}");
        }
        let array = |levels| format!("CREATE TABLE d (a INT{})", " ARRAY".repeat(levels));
        assert!(!after_tables(&array(32)).contains("error"));
        says(&array(33), &["error[54001]: type nests too deeply"]);
        let mut named = "CREATE TYPE r0 AS (a INT);".to_string();
        for at in 1..40 {
            named += &format!("CREATE TYPE r{at} AS (a r{} ARRAY);", at - 1);
        }
        says(&named, &["error[54001]: type nests too deeply"]);
    }

    #[test]
    fn defaults_are_folded() {
        let sql =
            "CREATE TABLE d (a INT DEFAULT 1 + 1, b DATE DEFAULT '2024-01-31', c VARCHAR DEFAULT UPPER('x') NOT NULL)";
        assert_eq!(defaults(sql), [Some("2"), Some("2024-01-31"), Some("X")].map(|text| text.map(str::to_string)));
        says("CREATE TABLE d (a INT DEFAULT b, b INT)", &["error[42703]"]);
        says("CREATE TABLE d (a INT DEFAULT 1 / 0)", &["DEFAULT is not a constant"]);
    }

    #[test]
    fn large_constants_are_computed_when_they_are_needed() {
        for call in ["REPEAT('x', 70000)", "ARRAY_REPEAT('abc', 5000)", "CAST(ARRAY_REPEAT(1, 5000) AS VARIANT)"] {
            let shown = after_tables(&format!("CREATE VIEW x AS SELECT {call} AS large FROM t"));
            assert!(shown.contains("REPEAT(") && shown.len() < 1000, "{call}: {} bytes", shown.len());
        }
        says("CREATE VIEW x AS SELECT ARRAY_REPEAT(1, 3) AS small FROM t", &["'[1,1,1]'"]);
    }

    fn defaults(sql: &str) -> Vec<Option<String>> {
        let (statements, _) = crate::parse::parse(sql);
        let (program, _) = bind(&statements, sql).unwrap();
        program.tables[0].columns.iter().map(|column| column.default.as_ref().map(ToString::to_string)).collect()
    }

    #[test]
    fn defaults_are_cast_as_values_that_are_assigned() {
        let sql = "CREATE TABLE d (a BINARY(2) DEFAULT x'0a', b VARBINARY(3) DEFAULT x'0aff', c VARBINARY DEFAULT x'',
            d BINARY(1) DEFAULT CAST('é' AS VARBINARY), e VARCHAR DEFAULT 7, f CHAR(3) DEFAULT 'a',
            g TIMESTAMP DEFAULT DATE '2024-01-31', h DECIMAL(4, 1) DEFAULT 1.55, i VARIANT DEFAULT 1)";
        let texts = ["0a00", "0aff", "", "c3", "7", "a  ", "2024-01-31 00:00:00", "1.5", "1"];
        assert_eq!(defaults(sql), texts.map(|text| Some(text.to_string())));
        says("CREATE TABLE d (a DATE DEFAULT 1)", &["error[42804]: DEFAULT is INTEGER, the column DATE", "cast it"]);
        says("CREATE TABLE d (a BOOLEAN DEFAULT 1)", &["error[42804]"]);
    }

    #[test]
    fn columns_of_one_name_are_told_apart() {
        says("CREATE VIEW x AS SELECT * FROM t JOIN u ON t.k = u.k", &["warning[01000]", "k0=#14 INTEGER"]);
        says("CREATE VIEW x (a, a) AS SELECT k, w FROM u", &["error[42701]"]);
    }

    #[test]
    fn connectors_and_their_indexes() {
        let with = |json: &str| format!("CREATE VIEW x WITH ('connectors' = '{json}') AS SELECT k FROM u");
        says(
            &with(r#"[{"index": "i", "transport": {"name": "n"}}]"#),
            &["add after the view: CREATE INDEX i ON x(...)"],
        );
        let indexed = with(r#"[{"index": "i", "transport": {"name": "n"}}]"#) + "; CREATE INDEX i ON x(k)";
        says(&indexed, &["index i (k)"]);
        says(&with(r#"[{"transport" {}}]"#), &["error[22023]: connectors is not valid JSON", "expected `:`"]);
    }
}
