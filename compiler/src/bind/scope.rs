//! Scopes: which names an expression sees, from the innermost query outwards.

use super::grouping::GroupingMark;
use super::query::unnamed;
use super::window::WindowCall;
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::parse::Name;
use crate::plan::{AggregateCall, Column, ColumnId, Expr, ExprKind, Span};

/// Where in a query an expression stands: decides whether aggregates and aliases may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clause {
    /// ON, LATERAL, VALUES.
    From,
    Where,
    Select,
    GroupBy,
    Having,
    AggregateArgument,
}

impl Clause {
    pub fn name(self) -> &'static str {
        match self {
            Clause::From => "FROM",
            Clause::Where => "WHERE",
            Clause::Select => "SELECT",
            Clause::GroupBy => "GROUP BY",
            Clause::Having => "HAVING",
            Clause::AggregateArgument => "an aggregate's argument",
        }
    }
}

/// A column that FROM offers.
#[derive(Clone, Debug)]
pub struct ScopeColumn {
    /// Correlation name of its relation; none for a column merged by USING.
    pub table: Option<String>,
    pub name: String,
    pub quoted: bool,
    /// A plan column, or COALESCE of two for one merged by FULL JOIN USING.
    pub expr: Expr,
    /// Reached by its bare name and by `*`; false for the two sides of a merged column.
    pub bare: bool,
}

/// The names of one query.
#[derive(Debug)]
pub struct Scope {
    pub columns: Vec<ScopeColumn>,
    /// Select items to the left, by alias, `None` for one that failed; they yield to columns of FROM.
    pub aliases: Vec<(String, Option<Expr>)>,
    pub clause: Clause,
    /// Aggregates found so far in SELECT and HAVING.
    pub aggregates: Vec<(Column, AggregateCall)>,
    /// Calls of GROUPING found so far, likewise.
    pub grouping_marks: Vec<GroupingMark>,
    /// Window functions found so far in SELECT, ORDER BY and QUALIFY.
    pub windows: Vec<(Column, WindowCall)>,
    /// Those of the clause WINDOW.
    pub named_windows: Vec<(String, sqlparser::ast::WindowSpec)>,
    /// No GROUP BY: aggregates range over all rows, be there any or not.
    pub scalar: bool,
    /// The rows are grouped by several sets of keys: each key may be NULL then.
    pub by_sets: bool,
    /// Part of FROM failed: a name not found may have been there.
    pub incomplete: bool,
}

impl Scope {
    /// Does the expression hold a result of an aggregate or of GROUPING?
    pub fn uses_aggregate(&self, expr: &Expr) -> bool {
        let used = expr.free_columns();
        let marks = self.grouping_marks.iter().map(|(column, _)| column);
        self.aggregates.iter().map(|(column, _)| column).chain(marks).any(|column| used.contains(&column.id))
    }

    /// Does the expression hold a result of a window function?
    pub fn uses_window(&self, expr: &Expr) -> bool {
        let used = expr.free_columns();
        self.windows.iter().any(|(column, _)| used.contains(&column.id))
    }

    pub fn new(columns: Vec<ScopeColumn>, clause: Clause) -> Scope {
        Scope {
            columns,
            aliases: vec![],
            clause,
            aggregates: vec![],
            grouping_marks: vec![],
            windows: vec![],
            named_windows: vec![],
            scalar: true,
            by_sets: false,
            incomplete: false,
        }
    }

    /// Does the scope define one of the columns?
    pub fn defines(&self, ids: &std::collections::BTreeSet<ColumnId>) -> bool {
        self.columns.iter().any(|column| column.expr.free_columns().iter().any(|id| ids.contains(id)))
    }
}

impl Binder<'_> {
    /// Binds `f` inside a further scope.
    pub(super) fn within<T>(&mut self, scope: Scope, f: impl FnOnce(&mut Self) -> T) -> (T, Scope) {
        self.scopes.push(scope);
        let result = f(self);
        let scope = self.scopes.pop().unwrap_or_else(|| Scope::new(vec![], Clause::From));
        (result, scope)
    }

    pub(super) fn clause(&mut self, clause: Clause) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.clause = clause;
        }
    }

    /// Finds `name` or `table.name`, innermost query first.
    pub(super) fn resolve(&mut self, table: Option<&Name>, name: &Name) -> Bound<Expr> {
        if let Some(found) = self.find(table, name)? {
            return Ok(found);
        }
        // Columns without a name are called as the peer calls them; PostgreSQL's names of those of VALUES lead to them
        // where nothing else has such a name.
        if let Some(text) = numbered(&name.text)
            && let Some(found) = self.find(table, &Name { text, ..name.clone() })?
        {
            return Ok(found);
        }
        self.unknown_column(table, name)
    }

    fn find(&mut self, table: Option<&Name>, name: &Name) -> Bound<Option<Expr>> {
        for level in (0..self.scopes.len()).rev() {
            let scope = &self.scopes[level];
            let matches: Vec<&ScopeColumn> = scope
                .columns
                .iter()
                .filter(|column| match table {
                    Some(table) => column.table.as_deref() == Some(table.text.as_str()) && column.name == name.text,
                    None => column.bare && column.name == name.text,
                })
                .collect();
            if let [found] = matches[..] {
                let expr = found.expr.clone();
                let span = table.map_or(name.span, |table| Span { end: name.span.end, ..table.span });
                return Ok(Some(place(expr, span)));
            }
            if matches.len() > 1 {
                let tables: Vec<String> =
                    matches.iter().filter_map(|column| column.table.clone()).map(|t| format!("\"{t}\"")).collect();
                let first = matches[0].table.clone();
                return self.ambiguous(name, &tables, first).map(Some);
            }
            if table.is_none()
                && let Some((_, expr)) = scope.aliases.iter().rev().find(|(alias, _)| *alias == name.text)
            {
                let expr = expr.clone().ok_or(Reported)?;
                let inside = scope.clause == Clause::AggregateArgument;
                let (aggregate, window) = (scope.uses_aggregate(&expr), scope.uses_window(&expr));
                if inside && aggregate {
                    self.check_aggregate_allowed(level, name.span)?;
                }
                if inside && window {
                    self.check_window_allowed(name.span)?;
                }
                let copy = self.fresh_expr(&expr)?;
                return Ok(Some(place(copy, name.span)));
            }
            let known_table =
                table.is_some_and(|t| scope.columns.iter().any(|c| c.table.as_deref() == Some(t.text.as_str())));
            if scope.incomplete && !known_table {
                return Err(Reported);
            }
            if known_table {
                break;
            }
        }
        Ok(None)
    }

    fn ambiguous(&mut self, name: &Name, tables: &[String], first: Option<String>) -> Bound<Expr> {
        let headline = format!("column \"{}\" is ambiguous", name.text);
        let mut error = Diagnostic::error(code::AMBIGUOUS_COLUMN, headline, name.span);
        error = match tables {
            [] => error.label("stands for several columns of one name"),
            _ => error.label(format!("found in {}", tables.join(" and "))),
        };
        let help = match first {
            Some(table) => format!("say which: {table}.{}", name.text),
            None => "give the columns different names in the subquery".to_string(),
        };
        self.fail(error.help(help))
    }

    fn unknown_column(&mut self, table: Option<&Name>, name: &Name) -> Bound<Expr> {
        let in_sight: Vec<&ScopeColumn> = self.scopes.iter().rev().flat_map(|scope| &scope.columns).collect();
        if let Some(table) = table {
            let tables: Vec<&str> = in_sight.iter().filter_map(|column| column.table.as_deref()).collect();
            if !tables.contains(&table.text.as_str()) {
                let headline = format!("table \"{}\" is not in FROM", table.text);
                let near = closest(&table.text, tables.iter().copied()).map(str::to_string);
                let error = Diagnostic::error(code::UNDEFINED_TABLE, headline, table.span);
                return self.fail(super::suggest(error, near.as_deref()));
            }
        }
        let candidates: Vec<&ScopeColumn> = in_sight
            .into_iter()
            .filter(|column| table.is_none_or(|t| column.table.as_deref() == Some(t.text.as_str())))
            .collect();
        let near = closest(&name.text, candidates.iter().map(|column| column.name.as_str())).map(str::to_string);
        let mut tables: Vec<String> = vec![];
        for column in &candidates {
            if let Some(table) = column.table.as_ref().map(|table| format!("\"{table}\""))
                && !tables.contains(&table)
            {
                tables.push(table);
            }
        }
        let quoted = table.map_or(name.text.clone(), |table| format!("{}.{}", table.text, name.text));
        let headline = format!("column \"{quoted}\" does not exist");
        let mut error = Diagnostic::error(code::UNDEFINED_COLUMN, headline, name.span);
        error = match tables.len() {
            0 => error
                .label("there is no column in sight")
                .help("write a constant, or name a table in FROM where there can be one"),
            1..=4 => error.label(format!("not found in {}", tables.join(", "))),
            _ => error.label("not found in any table of FROM"),
        };
        if let Some(span) = near.as_deref().and_then(|near| self.definition_of_column(near)) {
            error = error.also(span, "a column with a similar name");
        }
        self.fail(super::suggest(error, near.as_deref()))
    }

    /// Where a table's column of this name was defined, if it is plain which.
    fn definition_of_column(&self, name: &str) -> Option<Span> {
        let mut places = self.column_places.iter().filter(|(column, _)| column == name).map(|(_, span)| *span);
        let first = places.next();
        if places.next().is_none() { first } else { None }
    }

    /// Is an aggregate allowed in the scope at this level? Reports when not.
    pub(super) fn check_aggregate_allowed(&mut self, level: usize, span: Span) -> Bound<()> {
        let clause = self.scopes[level].clause;
        match clause {
            Clause::Select | Clause::Having => Ok(()),
            Clause::AggregateArgument => {
                let error = Diagnostic::error(code::GROUPING_ERROR, "aggregates cannot be nested", span);
                self.fail(error.help("compute the inner aggregate in a subquery in FROM"))
            }
            _ => {
                let headline = format!("aggregates are not allowed in {}", clause.name());
                let error = Diagnostic::error(code::GROUPING_ERROR, headline, span);
                self.fail(error.help(match clause {
                    Clause::Where => "use HAVING, which filters groups",
                    _ => "compute the aggregate in a subquery",
                }))
            }
        }
    }
}

/// For `column1`, the first column's name when it has none.
pub fn numbered(name: &str) -> Option<String> {
    let digits = name.strip_prefix("column").filter(|digits| !digits.starts_with(['0', '+']))?;
    digits.parse::<usize>().ok().map(|position| unnamed(position - 1))
}

/// The same value, used at another place: errors of evaluation name the use of a column, the definition of an alias.
fn place(expr: Expr, span: Span) -> Expr {
    match expr.kind {
        ExprKind::Column(_) => Expr { span, ..expr },
        _ => expr,
    }
}
