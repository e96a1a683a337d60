//! Functions that the program defines: a call is its body over the arguments, or a call of its body in Rust.

use super::rust_function::{check_arity, check_name, rust_call};
use super::scope::{Clause, Scope};
use super::set_function::{Written, none_is_null};
use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, code};
use crate::library::overloads;
use crate::parse::{CreateFunction, TypeField};
use crate::plan::{Expr, FunctionKind, RustFunction, Span};
use feldc_value::ColumnType;
use sqlparser::ast;

/// A function of the program; none of its own when its statement failed.
#[derive(Clone)]
pub(super) struct UserFunction {
    definition: Option<Definition>,
    span: Span,
}

#[derive(Clone)]
struct Definition {
    parameters: Vec<(String, ColumnType)>,
    returns: ColumnType,
    body: Body,
}

#[derive(Clone)]
enum Body {
    Expression(Box<ast::Expr>),
    /// `jsonstring_as_...`: the value that a JSON text denotes.
    Json,
    /// In Rust, under this name.
    Rust(String),
    /// Likewise, of the rows of a group.
    Aggregate(String),
}

impl Binder<'_> {
    pub(super) fn create_function(&mut self, function: &CreateFunction) {
        let name = &function.name;
        let taken = self.functions.get(&name.text).map(|function| function.span);
        if let Some(first) = taken {
            let error = Diagnostic::error(
                code::DUPLICATE_OBJECT,
                format!("function \"{}\" already exists", name.text),
                name.span,
            );
            self.report(
                error.also(first, "first defined here").help("a function has one definition: give one another name"),
            );
            return;
        }
        if overloads(&name.text).next().is_some() || super::set_function::is_aggregate(&name.text.to_uppercase()) {
            let headline = format!("the function {} is built in", name.text.to_uppercase());
            let error = Diagnostic::error(code::DUPLICATE_OBJECT, headline, name.span);
            self.report(error.help("choose another name"));
            return;
        }
        let definition = self.definition(function).ok();
        if let Some(Definition { parameters, returns, body: Body::Rust(name) | Body::Aggregate(name) }) = &definition {
            self.program.functions.push(RustFunction {
                kind: function.kind,
                name: name.clone(),
                parameters: parameters.clone(),
                returns: *returns,
                sql: function.to_string(),
                span: function.name.span,
            });
        }
        let checked = definition.is_some_and(|definition| {
            self.functions
                .insert(name.text.clone(), UserFunction { definition: Some(definition.clone()), span: name.span });
            let call = self.check_body(&definition, name.span);
            call.is_ok()
        });
        if !checked {
            self.functions.insert(name.text.clone(), UserFunction { definition: None, span: name.span });
        }
    }

    fn definition(&mut self, function: &CreateFunction) -> Bound<Definition> {
        let ty = |binder: &mut Self, field: &TypeField| binder.data_type(&field.ty, field.ty_span);
        let mut parameters: Vec<(String, ColumnType)> = vec![];
        for field in &function.parameters {
            if parameters.iter().any(|(name, _)| *name == field.name.text) {
                let headline = format!("parameter \"{}\" is defined twice", field.name.text);
                return self.fail(Diagnostic::error(code::DUPLICATE_COLUMN, headline, field.name.span));
            }
            let ty = ColumnType::new(ty(self, field)?, field.nullable);
            parameters.push((field.name.text.clone(), ty));
        }
        let returns = ColumnType::new(ty(self, &function.returns)?, function.returns.nullable);
        let json = function.name.text.starts_with("jsonstring_as_")
            && matches!(parameters.as_slice(), [(_, ty)] if ty.ty.is_text());
        let body = match &function.body {
            Some(body) => Body::Expression(body.clone()),
            None if json && function.kind == FunctionKind::Scalar => Body::Json,
            None => {
                let types = parameters.iter().map(|(_, ty)| ty.ty).chain([returns.ty]);
                check_name(&function.name, types).map_err(|error| self.report(*error))?;
                match function.kind {
                    FunctionKind::Scalar => Body::Rust(function.name.text.clone()),
                    FunctionKind::Linear | FunctionKind::Aggregate => {
                        check_arity(&function.name, parameters.len()).map_err(|error| self.report(*error))?;
                        Body::Aggregate(function.name.text.clone())
                    }
                }
            }
        };
        Ok(Definition { parameters, returns, body })
    }

    /// Reports what is wrong with a body where it is defined, not only where it is called. It does not see itself.
    fn check_body(&mut self, definition: &Definition, span: Span) -> Bound<()> {
        if matches!(definition.body, Body::Aggregate(_)) {
            return Ok(());
        }
        let arguments = definition.parameters.iter().map(|(_, ty)| super::coerce::null(ty.ty, span)).collect();
        let name = self.functions.keys().find(|name| self.functions[*name].span == span).cloned();
        let own = name.and_then(|name| self.functions.remove_entry(&name));
        let result = self.body(definition, arguments, span);
        self.functions.extend(own);
        result.map(|_| ())
    }

    /// Is it an aggregate of the program?
    pub(super) fn is_user_aggregate(&self, name: &str) -> bool {
        let function = self.functions.get(name).and_then(|function| function.definition.as_ref());
        function.is_some_and(|definition| matches!(definition.body, Body::Aggregate(_)))
    }

    /// Is it a function of the program?
    pub(super) fn is_user_function(&self, name: &str) -> bool {
        self.functions.contains_key(name)
    }

    pub(super) fn user_call(&mut self, name: &str, arguments: Vec<Expr>, span: Span) -> Bound<Expr> {
        let Some(definition) = self.functions.get(name).and_then(|function| function.definition.clone()) else {
            return Err(Reported);
        };
        self.check_arguments(name, &definition, &arguments, span)?;
        self.body(&definition, arguments, span)
    }

    fn check_arguments(&mut self, name: &str, definition: &Definition, arguments: &[Expr], span: Span) -> Bound<()> {
        if arguments.len() != definition.parameters.len() {
            let (wanted, given) = (definition.parameters.len(), arguments.len());
            let plural = if wanted == 1 { "" } else { "s" };
            let headline = format!("function {name} takes {wanted} argument{plural}, not {given}");
            let error = Diagnostic::error(code::UNDEFINED_FUNCTION, headline, span);
            let defined = self.functions[name].span;
            return self.fail(error.also(defined, "defined here"));
        }
        Ok(())
    }

    /// An aggregate of the program: its body over the array of the group's rows, each the ROW of its arguments.
    pub(super) fn user_aggregate(&mut self, name: &str, function: &ast::Function, span: Span) -> Bound<Expr> {
        let written = self.written_aggregate(name, function, Clause::AggregateArgument, span)?;
        let Some(definition) = self.functions.get(name).and_then(|function| function.definition.clone()) else {
            return Err(Reported);
        };
        self.check_arguments(name, &definition, &written.arguments, span)?;
        let mut arguments = vec![];
        // A row with NULL for a NOT NULL parameter is left out.
        let mut present = vec![];
        for (argument, (_, ty)) in written.arguments.into_iter().zip(&definition.parameters) {
            let place = argument.span;
            let argument = self.cast(argument, ty.ty, place)?;
            if argument.ty.nullable && !ty.nullable {
                present.push(self.fresh_expr(&argument)?);
            }
            arguments.push(argument);
        }
        let row = none_is_null(present, self.row(arguments, span)?, span);
        let collected = Written { name: "ARRAY_AGG", arguments: vec![row], nulls: false, ..written };
        let level = self.owner(&collected);
        self.check_aggregate_allowed(level, span)?;
        let call = self.set_function(collected)?;
        let array = self.add_aggregate(level, name, call, span);
        let result = rust_call(name, vec![array], &[true], definition.returns, span);
        self.cast(result, definition.returns.ty, span)
    }

    fn body(&mut self, definition: &Definition, arguments: Vec<Expr>, span: Span) -> Bound<Expr> {
        let mut given = vec![];
        for (argument, (name, ty)) in arguments.into_iter().zip(&definition.parameters) {
            let place = argument.span;
            given.push((name.clone(), Some(self.cast(argument, ty.ty, place)?)));
        }
        let result = match &definition.body {
            Body::Json => {
                let text = given.pop().and_then(|(_, text)| text).ok_or(Reported)?;
                self.json_as(text, definition.returns.ty, span)?
            }
            Body::Aggregate(_) => return Err(Reported),
            Body::Rust(name) => {
                let nullable: Vec<bool> = definition.parameters.iter().map(|(_, ty)| ty.nullable).collect();
                let arguments = given.into_iter().map(|(_, value)| value.ok_or(Reported)).collect::<Bound<_>>()?;
                rust_call(name, arguments, &nullable, definition.returns, span)
            }
            Body::Expression(body) => {
                // The body sees its parameters alone.
                let scope = Scope { aliases: given, ..Scope::new(vec![], Clause::From) };
                let outer = std::mem::replace(&mut self.scopes, vec![scope]);
                let result = self.expr(body);
                self.scopes = outer;
                result?
            }
        };
        let place = result.span;
        self.cast(result, definition.returns.ty, place)
    }
}
