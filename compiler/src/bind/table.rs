//! CREATE TABLE.

use super::properties::empty;
use super::scope::{Clause, Scope};
use super::{Binder, Bound, Relation, Reported, suggest};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::parse::{AttributeKind, ColumnAttribute, ColumnDefinition, CreateTable, Name, TableConstraint};
use crate::plan::{ExprKind, Span, Table, TableColumn, TableId};
use feldc_value::cast::cast_function;
use feldc_value::function::Signature;
use feldc_value::json::json_value;
use feldc_value::{ColumnType, SqlType, Value, implicit_cast_allowed};
use sqlparser::ast;

const PROPERTIES: &[&str] = &["connectors", "materialized", "append_only", "skip_unused_columns", "expected_size"];

impl Binder<'_> {
    pub(super) fn create_table(&mut self, definition: &CreateTable) {
        let name = &definition.name;
        if definition.if_not_exists && self.relations.contains_key(&name.text) {
            self.report(Diagnostic::note(
                format!("\"{}\" already exists: this definition is skipped", name.text),
                name.span,
            ));
            return;
        }
        if self.check_new_name(name, "table").is_err() {
            return;
        }
        let table = self.table(definition);
        let relation = match table {
            Ok(table) => {
                self.program.tables.push(table);
                Relation::Table(TableId(self.program.tables.len() - 1))
            }
            Err(Reported) => Relation::Failed,
        };
        self.relations.insert(name.text.clone(), (relation, name.span));
    }

    fn table(&mut self, definition: &CreateTable) -> Bound<Table> {
        let mut failed = false;
        let mut columns = vec![];
        for (at, column) in definition.columns.iter().enumerate() {
            if let Some(first) = definition.columns[..at].iter().find(|other| other.name.text == column.name.text) {
                let headline = format!("column \"{}\" is defined twice", column.name.text);
                let error = Diagnostic::error(code::DUPLICATE_COLUMN, headline, column.name.span);
                self.report(error.also(first.name.span, "first defined here"));
                failed = true;
            }
            match self.column(column) {
                Ok(column) => columns.push(column),
                Err(Reported) => failed = true,
            }
        }
        for column in &definition.columns {
            self.column_places.push((column.name.text.clone(), column.name.span));
        }
        if definition.columns.is_empty() {
            let error =
                Diagnostic::error(code::INVALID_TABLE_DEFINITION, "a table needs a column", definition.name.span);
            return self.fail(error);
        }
        let mut table = Table {
            name: definition.name.text.clone(),
            case_sensitive: definition.name.quoted,
            columns,
            primary_key: vec![],
            materialized: false,
            append_only: false,
            expected_size: None,
            connectors: empty(),
            span: self.statement,
        };
        self.properties(&definition.properties, PROPERTIES, "table", |binder, property| match property.key.as_str() {
            "connectors" => table.connectors = binder.connectors(property),
            "materialized" => table.materialized = binder.flag(property),
            "append_only" => table.append_only = binder.flag(property),
            "skip_unused_columns" => {
                binder.flag(property);
            }
            _ => table.expected_size = binder.whole_number(property),
        });
        if failed {
            return Err(Reported);
        }
        self.primary_key(definition, &mut table)?;
        self.foreign_keys(definition, &table)?;
        Ok(table)
    }

    fn column(&mut self, definition: &ColumnDefinition) -> Bound<TableColumn> {
        let ty = self.data_type(&definition.ty, definition.ty_span);
        let mut nullable = true;
        let mut default = None;
        let mut failed = false;
        for (at, attribute) in definition.attributes.iter().enumerate() {
            failed |= self.check_attribute(definition, at, attribute).is_err();
            match &attribute.kind {
                AttributeKind::NotNull | AttributeKind::PrimaryKey => nullable = false,
                AttributeKind::Default(expr) => default = Some((expr, attribute.span)),
                _ => (),
            }
        }
        let ty = ty?;
        let default = match default {
            Some((expr, span)) => self.default_value(expr, ty, nullable, span)?,
            None => None,
        };
        if failed {
            return Err(Reported);
        }
        Ok(TableColumn {
            name: definition.name.text.clone(),
            case_sensitive: definition.name.quoted,
            ty: ColumnType::new(ty, nullable),
            default,
        })
    }

    fn check_attribute(&mut self, column: &ColumnDefinition, at: usize, attribute: &ColumnAttribute) -> Bound<()> {
        let (unsupported, help) = match &attribute.kind {
            AttributeKind::Lateness(_) => ("LATENESS", "remove it: results are the same, only state is kept longer"),
            AttributeKind::Watermark(_) => ("WATERMARK", "remove it: rows are then used as they arrive"),
            AttributeKind::Null => {
                let contrary = column
                    .attributes
                    .iter()
                    .find(|other| matches!(other.kind, AttributeKind::NotNull | AttributeKind::PrimaryKey));
                return match contrary {
                    None => Ok(()),
                    Some(other) => {
                        let headline = format!("column \"{}\" is both NULL and NOT NULL", column.name.text);
                        let error = Diagnostic::error(code::SYNTAX_ERROR, headline, attribute.span);
                        self.fail(error.also(other.span, "NOT NULL by this").help("remove one of them"))
                    }
                };
            }
            kind => {
                let same =
                    |other: &ColumnAttribute| std::mem::discriminant(&other.kind) == std::mem::discriminant(kind);
                let repeats = !matches!(kind, AttributeKind::References { .. });
                return match column.attributes[..at].iter().find(|other| repeats && same(other)) {
                    None => Ok(()),
                    Some(first) => {
                        let headline = format!("column \"{}\" has an attribute twice", column.name.text);
                        let error = Diagnostic::error(code::SYNTAX_ERROR, headline, attribute.span);
                        self.fail(error.also(first.span, "first given here").help("remove one of them"))
                    }
                };
            }
        };
        self.fail(Diagnostic::unsupported(unsupported, attribute.span).help(help))
    }

    /// DEFAULT as the text of a value of the column's type; `None` for NULL, which is what an absent field is anyway.
    fn default_value(&mut self, expr: &ast::Expr, ty: SqlType, nullable: bool, span: Span) -> Bound<Option<String>> {
        let (bound, _) = self.within(Scope::new(vec![], Clause::From), |binder| {
            let expr = binder.expr(expr)?;
            let place = expr.span;
            binder.assignable(&expr, ty)?;
            binder.cast(expr, ty, place)
        });
        let expr = bound?;
        let ExprKind::Literal(value) = expr.kind else {
            let error = Diagnostic::error(code::INVALID_TABLE_DEFINITION, "DEFAULT is not a constant", span);
            return self
                .fail(error.help("write a literal, or an expression over literals that evaluates without an error"));
        };
        match value {
            Value::Null if !nullable => {
                let error =
                    Diagnostic::error(code::INVALID_TABLE_DEFINITION, "DEFAULT NULL for a NOT NULL column", span);
                self.fail(error.help("remove NOT NULL or give another default"))
            }
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text.into_string())),
            value if ty.is_nested() => {
                let mut text = String::new();
                json_value(&value, ty, &mut text);
                Ok(Some(text))
            }
            value => {
                let signature = Signature { arguments: &[ty], result: SqlType::VARCHAR };
                let function = cast_function(ty, SqlType::VARCHAR).ok().flatten();
                let text = function.map(|function| (function.call)(&[value], &signature));
                match text {
                    Some(Ok(Value::Text(text))) => Ok(Some(text.into_string())),
                    _ => self.unsupported(format!("DEFAULT for {ty}"), span),
                }
            }
        }
    }

    /// May a value of the expression's type be a default of the column's?
    fn assignable(&mut self, expr: &crate::plan::Expr, ty: SqlType) -> Bound<()> {
        let from = expr.ty.ty;
        let converts = implicit_cast_allowed(from, ty) || (from.is_numeric() && ty.is_numeric());
        let fields = matches!((from, ty), (SqlType::Row(a), SqlType::Row(b)) if a.len() == b.len());
        if converts || fields || super::coerce::text_literal(expr).is_some() {
            return Ok(());
        }
        let error =
            Diagnostic::error(code::DATATYPE_MISMATCH, format!("DEFAULT is {from}, the column {ty}"), expr.span);
        self.fail(error.help(format!("cast it: CAST(... AS {ty})")))
    }

    /// The primary key, written with a column or as a constraint.
    fn primary_key(&mut self, definition: &CreateTable, table: &mut Table) -> Bound<()> {
        let mut keys: Vec<(Vec<&Name>, Span)> = vec![];
        for column in &definition.columns {
            if let Some(attribute) = column.attributes.iter().find(|a| matches!(a.kind, AttributeKind::PrimaryKey)) {
                keys.push((vec![&column.name], attribute.span));
            }
        }
        for constraint in &definition.constraints {
            if let TableConstraint::PrimaryKey { columns, span } = constraint {
                keys.push((columns.iter().collect(), *span));
            }
        }
        if let [(_, first), (_, second), ..] = keys[..] {
            let headline = format!("table \"{}\" has two primary keys", table.name);
            let error =
                Diagnostic::error(code::INVALID_TABLE_DEFINITION, headline, second).also(first, "the first one");
            return self.fail(error.help("for a key of several columns write PRIMARY KEY (a, b)"));
        }
        for name in keys.into_iter().flat_map(|(columns, _)| columns) {
            let at = self.column_position(table, name)?;
            if table.primary_key.contains(&at) {
                let headline = format!("column \"{}\" is twice in the primary key", name.text);
                return self.fail(Diagnostic::error(code::DUPLICATE_COLUMN, headline, name.span));
            }
            table.primary_key.push(at);
            table.columns[at].ty.nullable = false;
        }
        Ok(())
    }

    fn column_position(&mut self, table: &Table, name: &Name) -> Bound<usize> {
        if let Some(at) = table.columns.iter().position(|column| column.name == name.text) {
            return Ok(at);
        }
        let headline = format!("column \"{}\" does not exist in \"{}\"", name.text, table.name);
        let error = Diagnostic::error(code::UNDEFINED_COLUMN, headline, name.span);
        let near = closest(&name.text, table.columns.iter().map(|column| column.name.as_str()));
        self.fail(suggest(error, near))
    }

    /// Foreign keys and UNIQUE are documentation, but must name what exists.
    fn foreign_keys(&mut self, definition: &CreateTable, table: &Table) -> Bound<()> {
        let mut result = Ok(());
        for constraint in &definition.constraints {
            if let TableConstraint::Unique { columns } = constraint {
                for column in columns {
                    result = result.and(self.column_position(table, column).map(|_| ()));
                }
            }
        }
        for column in &definition.columns {
            for attribute in &column.attributes {
                if let AttributeKind::References { table: other, columns } = &attribute.kind {
                    result = result.and(self.foreign_key(table, &[&column.name], other, columns, attribute.span));
                }
            }
        }
        for constraint in &definition.constraints {
            if let TableConstraint::ForeignKey { columns, table: other, referred, span } = constraint {
                let columns: Vec<&Name> = columns.iter().collect();
                result = result.and(self.foreign_key(table, &columns, other, referred, *span));
            }
        }
        result
    }

    fn foreign_key(
        &mut self,
        table: &Table,
        columns: &[&Name],
        other: &Name,
        referred: &[Name],
        span: Span,
    ) -> Bound<()> {
        let target = if other.text == table.name {
            table.clone()
        } else {
            match self.relations.get(&other.text).map(|(relation, _)| *relation) {
                Some(Relation::Table(id)) => self.program.tables[id.0].clone(),
                Some(Relation::Failed) => return Ok(()),
                Some(Relation::View(_)) => {
                    let headline = format!("\"{}\" is a view: a foreign key refers to a table", other.text);
                    return self.fail(Diagnostic::error(code::WRONG_OBJECT_TYPE, headline, other.span));
                }
                None => {
                    let headline = format!("table \"{}\" does not exist", other.text);
                    let warning = Diagnostic::warning(headline, other.span);
                    let warning = warning.label("this foreign key is not checked");
                    let near = closest(&other.text, self.relations.keys().map(String::as_str)).map(str::to_string);
                    self.report(match near {
                        Some(_) => suggest(warning, near.as_deref()),
                        None => warning.help("create it before this table"),
                    });
                    return Ok(());
                }
            }
        };
        let mut to = vec![];
        for name in referred {
            to.push(self.column_position(&target, name)?);
        }
        if referred.is_empty() {
            to = target.primary_key.clone();
        }
        if to.len() != columns.len() {
            let headline = format!("a foreign key of {} columns refers to {}", columns.len(), to.len());
            return self.fail(Diagnostic::error(code::INVALID_FOREIGN_KEY, headline, span));
        }
        for (name, to) in columns.iter().zip(to) {
            let from = self.column_position(table, name)?;
            let (from, to) = (&table.columns[from], &target.columns[to]);
            if feldc_value::common_type(from.ty.ty, to.ty.ty).is_none() {
                let headline = format!(
                    "column \"{}\" is {}, but refers to \"{}.{}\", which is {}",
                    from.name, from.ty.ty, target.name, to.name, to.ty.ty
                );
                return self.fail(Diagnostic::error(code::DATATYPE_MISMATCH, headline, name.span));
            }
        }
        Ok(())
    }
}
