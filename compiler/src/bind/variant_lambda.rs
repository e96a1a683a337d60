//! VARIANT_FILTER, VARIANT_DEEP_FILTER, VARIANT_MAP, VARIANT_DEEP_MAP: the body of a lambda over the list of a VARIANT's items.

use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::SqlType;
use sqlparser::ast::{self, OneOrManyWithParens};

/// How a function goes about it: the library's entries that list the items and that take the results.
struct Way {
    items: &'static str,
    result: &'static str,
    is_filter: bool,
    is_deep: bool,
}

fn way(name: &str) -> Option<Way> {
    let way = |items, result, is_filter, is_deep| Some(Way { items, result, is_filter, is_deep });
    match name {
        "VARIANT_FILTER" => way("VARIANT ITEMS", "VARIANT SELECTED", true, false),
        "VARIANT_DEEP_FILTER" => way("VARIANT DEEP ITEMS", "VARIANT DEEP SELECTED", true, true),
        "VARIANT_MAP" => way("VARIANT ITEMS", "VARIANT REPLACED", false, false),
        "VARIANT_DEEP_MAP" => way("VARIANT LEAVES", "VARIANT DEEP REPLACED", false, true),
        _ => None,
    }
}

pub(super) fn is_variant_lambda(name: &str) -> bool {
    way(name).is_some()
}

impl Binder<'_> {
    pub(super) fn variant_lambda(&mut self, name: &str, arguments: &[&ast::Expr], span: Span) -> Bound<Expr> {
        let (Some(way), [value, ast::Expr::Lambda(lambda)]) = (way(name), arguments) else {
            return self.malformed_lambda(name, span);
        };
        let OneOrManyWithParens::Many(parameters) = &lambda.params else { return self.malformed_lambda(name, span) };
        let [label, item] = parameters.as_slice() else { return self.malformed_lambda(name, span) };
        let parameters = [&label.name, &item.name];
        let value = self.expr(value)?;
        if !matches!(value.ty.ty, SqlType::Variant | SqlType::Null) {
            let headline = format!("{name} takes a VARIANT, not {}", value.ty.ty);
            let error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, value.span);
            return self.fail(error.help("write CAST(x AS VARIANT), or PARSE_JSON(x) for the text of a JSON value"));
        }
        let again = self.fresh_expr(&value)?;
        let items = self.call(way.items, vec![value], span)?;
        let is_filter = way.is_filter;
        let results = self.each_item(items, &parameters, span, |binder| {
            let body = binder.expr(&lambda.body)?;
            if is_filter {
                binder.condition(body, &format!("the condition of {name}"))
            } else {
                binder.as_variant(body)
            }
        })?;
        let results = match way.is_filter && way.is_deep && results.fallible() {
            true => self.where_reached(&again, results, &parameters, &lambda.body, span)?,
            false => results,
        };
        self.call(way.result, vec![again, results], span)
    }

    /// The conditions of a deep filter that may fail: they are not to fail for what lies inside an item that is left out. First
    /// each is tried; the second round has them for the items that are reached, which includes each that failed first.
    fn where_reached(
        &mut self,
        value: &Expr,
        tried: Expr,
        parameters: &[&ast::Ident],
        condition: &ast::Expr,
        span: Span,
    ) -> Bound<Expr> {
        let value = self.fresh_expr(value)?;
        let ExprKind::Each { collection, parameter, body } = tried.kind else { return Ok(tried) };
        let mut body = super::expr::attempt(*body);
        body.ty.nullable = true;
        let kind = ExprKind::Each { collection, parameter, body: Box::new(body) };
        let items = self.call("VARIANT REACHED", vec![value, Expr { kind, ..tried }], span)?;
        let number = self.fresh_id().0;
        self.each_of(items, number, span, |binder, row| {
            let reached = binder.field_at(row.clone(), 2, span)?;
            let scope = binder.item_scope(&row, parameters, span)?;
            let bound = binder.within(scope, |binder| binder.expr(condition)).0?;
            let condition = binder.condition(bound, "the condition")?;
            let not_reached = super::coerce::boolean(false, span);
            binder.case_of(vec![reached], vec![condition, not_reached], span)
        })
    }

    fn as_variant(&mut self, value: Expr) -> Bound<Expr> {
        let place = value.span;
        self.cast(value, SqlType::Variant, place)
    }

    fn malformed_lambda<T>(&mut self, name: &str, span: Span) -> Bound<T> {
        let label = if name.contains("DEEP") { "path" } else { "key" };
        let headline = format!("{name} takes a VARIANT and a lambda of two parameters");
        let error = Diagnostic::error(code::SYNTAX_ERROR, headline, span);
        self.fail(error.help(format!("write {name}(v, ({label}, x) -> expression)")))
    }
}
