//! Functions that take a function: `TRANSFORM(a, x -> e)`, `ARRAY_EXISTS(a, x -> condition)`, `ARRAY_FILTER(a, x -> condition)`.

use super::scope::Scope;
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, ExprKind, Quantifier, Span};
use feldc_value::{ColumnType, SqlType};
use sqlparser::ast::{self, OneOrManyWithParens};

impl Binder<'_> {
    pub(super) fn higher_order(
        &mut self,
        name: &str,
        collection: &ast::Expr,
        lambda: &ast::LambdaFunction,
        span: Span,
    ) -> Bound<Expr> {
        let collection = self.expr(collection)?;
        let collection = match collection.ty.ty {
            SqlType::Array(_) => collection,
            SqlType::Null => super::coerce::null(SqlType::array(SqlType::VARCHAR), collection.span),
            ty => {
                let error =
                    Diagnostic::error(code::DATATYPE_MISMATCH, format!("{name} takes an ARRAY, not {ty}"), span);
                return self.fail(error);
            }
        };
        let again = self.fresh_expr(&collection)?;
        let body = |binder: &mut Self, collection: Expr| binder.each(collection, lambda, span);
        match name {
            "TRANSFORM" => body(self, collection),
            _ => {
                let conditions = body(self, collection)?;
                let is_condition =
                    matches!(conditions.ty.ty, SqlType::Array(ty) if matches!(*ty, SqlType::Boolean | SqlType::Null));
                if !is_condition {
                    let headline = format!("the condition of {name} must be BOOLEAN");
                    return self.fail(Diagnostic::error(code::DATATYPE_MISMATCH, headline, span));
                }
                match name {
                    "ARRAY_FILTER" => self.call("SELECTED", vec![again, conditions], span),
                    _ => self.call("ANY TRUE", vec![conditions], span),
                }
            }
        }
    }

    /// `x op ANY (array)`, `x op ALL (array)`: the elements compared one by one.
    pub(super) fn quantified_elements(
        &mut self,
        left: &ast::Expr,
        comparison: &str,
        array: &ast::Expr,
        quantifier: Quantifier,
        span: Span,
    ) -> Bound<Expr> {
        let (operand, collection) = self.both(left, array)?;
        let SqlType::Array(element) = collection.ty.ty else {
            let headline = format!("ANY and ALL take a subquery or an ARRAY, not {}", collection.ty.ty);
            return self.fail(Diagnostic::error(code::DATATYPE_MISMATCH, headline, collection.span));
        };
        let number = self.fresh_id().0;
        let element = Expr { kind: ExprKind::Parameter(number), ty: ColumnType::new(*element, true), span };
        let test = self.compare(comparison, operand, element, span)?;
        // All are TRUE when none is not.
        let body = if quantifier == Quantifier::All { self.not(test, span)? } else { test };
        let ty = ColumnType::new(SqlType::array(SqlType::Boolean), collection.ty.nullable);
        let kind = ExprKind::Each { collection: Box::new(collection), parameter: number, body: Box::new(body) };
        let any = self.call("ANY TRUE", vec![Expr { kind, ty, span }], span)?;
        self.negate_if(quantifier == Quantifier::All, any, span)
    }

    /// The values of a lambda for the elements of an array.
    fn each(&mut self, collection: Expr, lambda: &ast::LambdaFunction, span: Span) -> Bound<Expr> {
        let parameter = match &lambda.params {
            OneOrManyWithParens::One(parameter) => parameter,
            OneOrManyWithParens::Many(parameters) if parameters.len() == 1 => &parameters[0],
            OneOrManyWithParens::Many(_) => {
                let headline = "a lambda over the elements of an array has one parameter";
                let error = Diagnostic::error(code::SYNTAX_ERROR, headline, span);
                return self.fail(error.help("write x -> expression"));
            }
        };
        let element = match collection.ty.ty {
            SqlType::Array(element) if *element == SqlType::Null => SqlType::VARCHAR,
            SqlType::Array(element) => *element,
            other => other,
        };
        let place = collection.span;
        let collection = self.cast(collection, SqlType::array(element), place)?;
        let number = self.fresh_id().0;
        self.each_of(collection, number, span, |binder, value| {
            let scope = binder.lambda_scope([(&parameter.name, value)]);
            binder.within(scope, |binder| binder.expr(&lambda.body)).0
        })
    }

    /// The values that a body has for the items of a VARIANT, rows of label and value, under the names of its parameters.
    pub(super) fn each_item(
        &mut self,
        items: Expr,
        parameters: &[&ast::Ident],
        span: Span,
        body: impl FnOnce(&mut Self) -> Bound<Expr>,
    ) -> Bound<Expr> {
        let number = self.fresh_id().0;
        self.each_of(items, number, span, |binder, row| {
            let scope = binder.item_scope(&row, parameters, span)?;
            binder.within(scope, body).0
        })
    }

    /// The fields of a row under the names of a lambda's parameters.
    pub(super) fn item_scope(&mut self, row: &Expr, parameters: &[&ast::Ident], span: Span) -> Bound<Scope> {
        let mut named = vec![];
        for (at, parameter) in parameters.iter().enumerate() {
            named.push((*parameter, self.field_at(row.clone(), at, span)?));
        }
        Ok(self.lambda_scope(named))
    }

    fn lambda_scope<'i>(&self, parameters: impl IntoIterator<Item = (&'i ast::Ident, Expr)>) -> Scope {
        let columns = parameters.into_iter().map(|(parameter, value)| {
            let name = self.name(parameter);
            let expr = Expr { span: name.span, ..value };
            super::scope::ScopeColumn { table: None, name: name.text, quoted: name.quoted, expr, bare: true }
        });
        let clause = self.scopes.last().map_or(super::scope::Clause::From, |scope| scope.clause);
        Scope::new(columns.collect(), clause)
    }

    /// The values of a body for the elements of an array, which it is given as parameter `number`.
    pub(super) fn each_of(
        &mut self,
        collection: Expr,
        number: u32,
        span: Span,
        body: impl FnOnce(&mut Self, Expr) -> Bound<Expr>,
    ) -> Bound<Expr> {
        let SqlType::Array(element) = collection.ty.ty else { return Err(super::Reported) };
        let value = Expr { kind: ExprKind::Parameter(number), ty: ColumnType::new(*element, true), span };
        let body = body(self, value)?;
        if contains_subquery(&body) {
            let error = Diagnostic::error(code::FEATURE_NOT_SUPPORTED, "a lambda has a subquery", body.span);
            return self.fail(error.help("take the elements apart with UNNEST instead"));
        }
        let ty = ColumnType::new(SqlType::array(body.ty.ty), collection.ty.nullable);
        let kind = ExprKind::Each { collection: Box::new(collection), parameter: number, body: Box::new(body) };
        Ok(Expr { kind, ty, span })
    }
}

fn contains_subquery(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Subquery { .. }) || expr.children().into_iter().any(contains_subquery)
}
