//! Syntax trees to the logical plan: names to ids, a type for every expression, every rule of the dialect.
//!
//! Reports all it can: each statement on its own, and inside a statement each clause. What depends on something that
//! failed stays silent.

mod aggregate;
mod call;
mod coerce;
mod expr;
mod fold;
mod from;
mod group;
mod interval;
mod literal;
mod operator;
mod properties;
mod query;
mod scope;
mod select;
mod special;
mod subquery;
mod table;
mod types;
mod view;

use crate::diagnostic::{Diagnostic, Severity, Source, closest, code};
use crate::parse::{Name, Set, Statement, StatementKind, with_stack};
use crate::plan::{Column, ColumnId, Expr, Plan, Program, Span, TableId, ViewId};
use feldc_value::ColumnType;
use scope::Scope;
use sqlparser::ast::Spanned;
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
        with_stack(statement.tokens, || binder.bind_statement(statement));
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
            indexes: BTreeMap::new(),
            wanted_indexes: vec![],
            scopes: vec![],
            ctes: vec![],
            next_column: 0,
            first_column: 0,
            depth: 0,
            queries: 0,
            diagnostics: vec![],
            reported: HashSet::new(),
            statement: Span::default(),
        }
    }

    fn bind_statement(&mut self, statement: &Statement) {
        self.first_column = self.next_column;
        match &statement.kind {
            StatementKind::CreateTable(table) => self.create_table(table),
            StatementKind::CreateView(view) => self.create_view(view),
            StatementKind::CreateIndex(index) => self.create_index(index),
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
                let error = Diagnostic::error(code::UNDEFINED_OBJECT, headline, set.name.span);
                let near = closest(name, WITHOUT_EFFECT.iter().copied().chain(["on_error"]));
                self.report(suggest(error, near));
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

    /// The place of a syntax node; the statement's where sqlparser kept none.
    fn span(&self, node: &impl Spanned) -> Span {
        self.source.convert(node.span()).unwrap_or(self.statement)
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

    fn fresh_expr(&mut self, expr: &Expr) -> Expr {
        expr.fresh(&mut self.next_column)
    }

    fn fresh_plan(&mut self, plan: &Plan) -> (Plan, BTreeMap<ColumnId, ColumnId>) {
        plan.fresh(&mut self.next_column)
    }

    /// Refuses a statement whose plan grows out of all proportion.
    fn check_size(&mut self, span: Span) -> Bound<()> {
        if self.next_column - self.first_column <= NODES_MAX {
            return Ok(());
        }
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
