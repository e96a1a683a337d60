//! Rows, fields and elements; CREATE TYPE.

use super::query::unnamed;
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::parse::{CreateType, Name, TypeDefinition};
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::{ColumnType, Part, RowField, SqlType, Value};
use sqlparser::ast::{self, AccessExpr, DataType, StructField, Subscript};

impl Binder<'_> {
    pub(super) fn create_type(&mut self, definition: &CreateType) {
        let name = &definition.name;
        if let Some((_, first)) = self.types.get(&name.text) {
            let headline = format!("type \"{}\" already exists", name.text);
            let error =
                Diagnostic::error(code::DUPLICATE_OBJECT, headline, name.span).also(*first, "first defined here");
            self.report(error.help("give one type another name"));
            return;
        }
        let ty = match &definition.definition {
            TypeDefinition::Alias(ty, span) => self.data_type(ty, *span),
            TypeDefinition::Row(fields) => {
                let bound: Vec<Bound<(Name, ColumnType)>> = fields
                    .iter()
                    .map(|field| {
                        let ty = self.data_type(&field.ty, field.ty_span)?;
                        Ok((field.name.clone(), ColumnType::new(ty, field.nullable)))
                    })
                    .collect();
                bound.into_iter().collect::<Bound<Vec<_>>>().and_then(|fields| self.row_of(fields))
            }
        };
        self.types.insert(name.text.clone(), (ty.ok(), name.span));
    }

    /// ROW(name type, ...).
    pub(super) fn row_type(&mut self, fields: &[StructField], span: Span) -> Bound<SqlType> {
        let mut bound = vec![];
        for field in fields {
            let (ty, nullable) = match &field.field_type {
                DataType::Nullable(ty) => (&**ty, true),
                ty => (ty, false),
            };
            let ty = self.data_type(ty, span)?;
            let name = match &field.field_name {
                Some(ident) => self.name(ident),
                None => Name { text: unnamed(bound.len()), span, ..Name::default() },
            };
            bound.push((name, ColumnType::new(ty, nullable)));
        }
        self.row_of(bound)
    }

    fn row_of(&mut self, fields: Vec<(Name, ColumnType)>) -> Bound<SqlType> {
        for (at, (name, _)) in fields.iter().enumerate() {
            if let Some((first, _)) = fields[..at].iter().find(|(other, _)| other.text == name.text) {
                let headline = format!("field \"{}\" is defined twice", name.text);
                let error = Diagnostic::error(code::DUPLICATE_COLUMN, headline, name.span);
                return self.fail(error.also(first.span, "first defined here"));
            }
        }
        let field = |(name, columntype): (Name, ColumnType)| RowField { name: Part::name(&name.text), columntype };
        Ok(SqlType::row(fields.into_iter().map(field).collect()))
    }

    /// A row of values; a field of a column has its name.
    pub(super) fn row(&mut self, items: Vec<Expr>, span: Span) -> Bound<Expr> {
        let field = |(at, item): (usize, &Expr)| RowField { name: Part::name(&unnamed(at)), columntype: item.ty };
        let ty = SqlType::row(items.iter().enumerate().map(field).collect());
        self.row_as(items, ty, span)
    }

    /// The values as a row of a type that they have.
    pub(super) fn row_as(&mut self, items: Vec<Expr>, ty: SqlType, span: Span) -> Bound<Expr> {
        let Some(function) = crate::library::overloads("ROW").next() else {
            return self.unsupported("ROW", span);
        };
        let kind = ExprKind::Call { function, arguments: items };
        Ok(self.fold(Expr { kind, ty: ColumnType::new(ty, false), span }))
    }

    /// A value of a type with a name, made of its fields: `point(1, 2)`.
    pub(super) fn named_row(&mut self, name: &str, items: Vec<Expr>, span: Span) -> Bound<Expr> {
        let ty = self.types.get(name).and_then(|(ty, _)| *ty).ok_or(Reported)?;
        let SqlType::Row(fields) = ty else {
            let [item] = <[Expr; 1]>::try_from(items).or_else(|_| {
                let headline = format!("the type \"{name}\" is made of one value");
                self.fail(Diagnostic::error(code::UNDEFINED_FUNCTION, headline, span))
            })?;
            return self.cast(item, ty, span);
        };
        if fields.len() != items.len() {
            let headline = format!("the type \"{name}\" has {} fields, not {}", fields.len(), items.len());
            let error = Diagnostic::error(code::UNDEFINED_FUNCTION, headline, span);
            let names: Vec<&str> = fields.iter().map(|field| field.name.0).collect();
            return self.fail(error.help(format!("write {name}({})", names.join(", "))));
        }
        let row = self.row(items, span)?;
        self.cast(row, ty, span)
    }

    /// The value of a type that a JSON text denotes; NULL when it denotes none.
    pub(super) fn json_as(&mut self, text: Expr, ty: SqlType, span: Span) -> Bound<Expr> {
        let Some(function) = crate::library::overloads("JSON_AS").next() else {
            return self.unsupported("JSON_AS", span);
        };
        let kind = ExprKind::Call { function, arguments: vec![text] };
        Ok(self.fold(Expr { kind, ty: ColumnType::new(ty, true), span }))
    }

    /// Does the first part of `a.b` name a column rather than a table?
    pub(super) fn is_field(&self, first: &ast::Ident) -> bool {
        let name = self.name(first);
        let table = |scope: &super::scope::Scope| {
            scope.columns.iter().any(|column| column.table.as_deref() == Some(name.text.as_str()))
        };
        !self.scopes.iter().any(table)
            && self.scopes.iter().flat_map(|scope| &scope.columns).any(|column| {
                column.bare
                    && column.name == name.text
                    && matches!(column.expr.ty.ty, SqlType::Row(_) | SqlType::Variant)
            })
    }

    /// `column.field...` or `table.column.field...`.
    pub(super) fn path(&mut self, parts: &[ast::Ident], span: Span) -> Bound<Expr> {
        let names: Vec<Name> = parts.iter().map(|part| self.name(part)).collect();
        let (mut value, fields) = match self.is_field(&parts[0]) {
            true => (self.resolve(None, &names[0])?, &names[1..]),
            false => (self.resolve(Some(&names[0]), &names[1])?, &names[2..]),
        };
        for field in fields {
            value = self.field(value, field, span)?;
        }
        Ok(value)
    }

    /// `root[index]`, `root.field`, one after another.
    pub(super) fn access(&mut self, root: &ast::Expr, chain: &[AccessExpr], span: Span) -> Bound<Expr> {
        // The name before the first bracket may be a path: `t.c.f[1]`.
        let mut names = match root {
            ast::Expr::Identifier(ident) => vec![ident.clone()],
            _ => vec![],
        };
        let mut rest = chain;
        while let ([AccessExpr::Dot(ast::Expr::Identifier(ident)), behind @ ..], false) = (rest, names.is_empty()) {
            names.push(ident.clone());
            rest = behind;
        }
        let mut value = match names.as_slice() {
            [] | [_] => self.expr(root)?,
            names => self.expr(&ast::Expr::CompoundIdentifier(names.to_vec()))?,
        };
        for access in rest {
            value = match access {
                AccessExpr::Subscript(Subscript::Index { index }) => self.subscript(value, index, span)?,
                AccessExpr::Dot(ast::Expr::Identifier(ident)) => {
                    let name = self.name(ident);
                    self.field(value, &name, span)?
                }
                AccessExpr::Subscript(Subscript::Slice { .. }) => return self.unsupported("a slice of an array", span),
                AccessExpr::Dot(_) => return self.unsupported("this form of access to a field", span),
            };
        }
        Ok(value)
    }

    fn subscript(&mut self, value: Expr, index: &ast::Expr, span: Span) -> Bound<Expr> {
        // `a[SAFE_OFFSET(i)]` counts from 0.
        if let ast::Expr::Function(function) = index
            && function.name.to_string().eq_ignore_ascii_case("safe_offset")
            && let ast::FunctionArguments::List(list) = &function.args
            && let [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(index))] = list.args.as_slice()
        {
            let index = self.expr(index)?;
            return self.call("SAFE_OFFSET", vec![value, index], span);
        }
        let index = self.expr(index)?;
        if let SqlType::Row(fields) = value.ty.ty {
            return match &index.kind {
                ExprKind::Literal(Value::Text(name)) => {
                    let name = Name { text: name.to_string(), quoted: true, span };
                    self.field(value, &name, span)
                }
                ExprKind::Literal(Value::Integer(at)) if (1..=fields.len() as i32).contains(at) => {
                    self.field_at(value, *at as usize - 1, span)
                }
                _ => {
                    let error =
                        Diagnostic::error(code::DATATYPE_MISMATCH, "a field of a ROW is chosen by a constant", span);
                    self.fail(error.help("write the field's name or its number from 1"))
                }
            };
        }
        self.call("[]", vec![value, index], span)
    }

    fn field(&mut self, value: Expr, name: &Name, span: Span) -> Bound<Expr> {
        let fields = match value.ty.ty {
            SqlType::Row(fields) => fields,
            SqlType::Variant => {
                let key = super::literal::text_value(&name.text, name.span);
                return self.call("[]", vec![value, key], span);
            }
            ty => {
                let headline = format!("{ty} has no fields");
                return self.fail(Diagnostic::error(code::DATATYPE_MISMATCH, headline, span));
            }
        };
        let exact = fields.iter().position(|field| field.name.0 == name.text);
        let loose = || match name.quoted {
            true => None,
            false => fields.iter().position(|field| field.name.0.eq_ignore_ascii_case(&name.text)),
        };
        match exact.or_else(loose) {
            Some(at) => self.field_at(value, at, span),
            None => {
                let headline = format!("field \"{}\" does not exist in {}", name.text, value.ty.ty);
                let error = Diagnostic::error(code::UNDEFINED_COLUMN, headline, name.span);
                let near = closest(&name.text, fields.iter().map(|field| field.name.0));
                self.fail(super::suggest(error, near))
            }
        }
    }

    pub(super) fn field_at(&mut self, value: Expr, at: usize, span: Span) -> Bound<Expr> {
        let SqlType::Row(fields) = value.ty.ty else { return Err(Reported) };
        let field = fields[at].columntype;
        let name = if field.nullable || value.ty.nullable { "FIELD" } else { "FIELD NOT NULL" };
        let Some(function) = crate::library::overloads(name).next() else {
            return self.unsupported("a field of a ROW", span);
        };
        let nullable = field.nullable || value.ty.nullable;
        let arguments = vec![value, super::coerce::integer(at as i32, span)];
        let kind = ExprKind::Call { function, arguments };
        Ok(self.fold(Expr { kind, ty: ColumnType::new(field.ty, nullable), span }))
    }
}
