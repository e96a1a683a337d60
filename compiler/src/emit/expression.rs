//! Expressions as Rust expressions over native values.
//!
//! A value that may be NULL is an `Option`. Each expression evaluates what the interpreter evaluates, in its order: a
//! guard is never crossed, and of two failing operands the first one is reported.

use super::call::{emit_call, emit_call_truth};
use super::literal::emit_literal;
use super::native::{Form, Native, Owner, boxed, common_form, unboxed_type};
use super::rows::held;
use super::scope::{Block, Scope};
use crate::plan::{Expr, ExprKind};
use feldc_value::SqlType;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The value of an expression; statements it needs first go to `block`.
pub fn emit_value(expr: &Expr, scope: &mut Scope, block: &mut Block) -> Native {
    match &expr.kind {
        ExprKind::Slot(slot) => scope.slot(*slot),
        ExprKind::Literal(value) => emit_literal(value, expr.ty.ty, &mut scope.signatures.types),
        ExprKind::Call { function, arguments } => emit_call(expr, function, arguments, scope, block),
        ExprKind::And(operands) => emit_connective(operands, false, scope, block),
        ExprKind::Or(operands) => emit_connective(operands, true, scope, block),
        ExprKind::IsNull(operand) => emit_is_null(operand, scope, block),
        ExprKind::Case { branches, otherwise } => emit_case(expr, branches, otherwise.as_deref(), scope, block),
        ExprKind::Coalesce(operands) => emit_coalesce(operands, scope, block),
        ExprKind::Try(operand) => emit_try(operand, scope),
        ExprKind::Each { collection, parameter, body } => emit_each(collection, *parameter, body, scope, block),
        ExprKind::Parameter(parameter) => held(&parameter_name(*parameter), true, Form::made(expr.ty.ty)),
        // The circuit's check lets neither through; should one come, the row fails and says why.
        ExprKind::Column(_) | ExprKind::Subquery { .. } => {
            let message = "internal error: an unresolved reference reached code generation";
            Native::plain(scope.failure("XX000", message, expr.span), 0)
        }
    }
}

/// Is a BOOLEAN expression true? `false` stands for both FALSE and NULL.
pub fn emit_truth(expr: &Expr, scope: &mut Scope, block: &mut Block) -> TokenStream {
    match &expr.kind {
        // TRUE OR anything is true and NULL is not: stopping at the first true operand is all of it.
        ExprKind::Or(operands) => emit_truths(operands, quote!(||), scope, block),
        ExprKind::And(operands) if stops_early(operands) => emit_truths(operands, quote!(&&), scope, block),
        ExprKind::Call { function, arguments } => emit_call_truth(expr, function, arguments, scope, block),
        ExprKind::Case { branches, otherwise } => {
            let last = otherwise.as_deref().map_or(quote!(false), |otherwise| truth_in_branch(otherwise, scope));
            let results: Vec<TokenStream> = branches.iter().map(|(_, result)| truth_in_branch(result, scope)).collect();
            emit_conditions(branches, results, last, scope, block)
        }
        _ => {
            let value = emit_value(expr, scope, block);
            truth_of(&value)
        }
    }
}

pub fn truth_of(value: &Native) -> TokenStream {
    let tokens = &value.tokens;
    if value.nullable { quote!((#tokens == Some(true))) } else { tokens.clone() }
}

fn truth_in_branch(expr: &Expr, scope: &mut Scope) -> TokenStream {
    let mut block = Block::branch();
    let truth = emit_truth(expr, scope, &mut block);
    block.enclose(truth)
}

/// May an AND that only asks for truth stop at the first operand that is not true? A NULL does not end a three-valued
/// AND, so an operand behind it is evaluated, which shows when it fails.
pub fn stops_early(operands: &[Expr]) -> bool {
    early_stops(operands) == operands.len()
}

/// The number of leading operands after each of which such an AND may stop: all, or those before the first nullable
/// one that stands before a fallible one.
pub fn early_stops(operands: &[Expr]) -> usize {
    let last_fallible = operands.iter().rposition(Expr::fallible).unwrap_or(0);
    operands[..last_fallible].iter().position(|operand| operand.ty.nullable).unwrap_or(operands.len())
}

fn emit_truths(operands: &[Expr], connective: TokenStream, scope: &mut Scope, block: &mut Block) -> TokenStream {
    let Some((first, others)) = operands.split_first() else { return quote!(true) };
    let first = emit_truth(first, scope, block);
    let others = others.iter().map(|operand| truth_in_branch(operand, scope));
    quote!((#first) #(#connective (#others))*)
}

/// AND (`ends` is false) or OR (`ends` is true): the value `ends` in any operand is the result, else NULL in any
/// operand is, else its opposite.
fn emit_connective(operands: &[Expr], ends: bool, scope: &mut Scope, block: &mut Block) -> Native {
    let mut values = Vec::new();
    for (number, operand) in operands.iter().enumerate() {
        let mut branch = Block::branch();
        let place = if number == 0 { &mut *block } else { &mut branch };
        let value = emit_value(operand, scope, place);
        values.push(Native { tokens: branch.enclose(value.tokens), ..value });
    }
    if values.iter().all(|value| !value.nullable) {
        let connective = if ends { quote!(||) } else { quote!(&&) };
        let depth = 1 + values.iter().map(|value| value.depth).max().unwrap_or(0);
        let mut values = values.iter().map(|value| &value.tokens);
        let tokens = match values.next() {
            Some(first) => quote!((#first) #(#connective (#values))*),
            None => quote!(#ends),
        };
        return Native::plain(tokens, depth);
    }
    let label = scope.label(if ends { "or" } else { "and" });
    let depth = 2 + values.iter().map(|value| value.depth).max().unwrap_or(0);
    let tests = values.iter().map(|Native { tokens, nullable, .. }| match (nullable, ends) {
        (false, true) => quote!(if #tokens { break #label Some(true); }),
        (false, false) => quote!(if !(#tokens) { break #label Some(false); }),
        (true, _) => quote! {
            match #tokens {
                Some(#ends) => break #label Some(#ends),
                Some(_) => (),
                None => unknown = true,
            }
        },
    });
    let opposite = !ends;
    let tokens = quote! {
        #label: {
            let mut unknown = false;
            #(#tests)*
            if unknown { None } else { Some(#opposite) }
        }
    };
    Native { tokens, nullable: true, form: Form::Plain, depth }
}

fn emit_is_null(operand: &Expr, scope: &mut Scope, block: &mut Block) -> Native {
    if let ExprKind::Slot(slot) = operand.kind
        && let Some(tokens) = scope.is_null(slot, block)
    {
        return Native::plain(tokens, 0);
    }
    let value = emit_value(operand, scope, block);
    let tokens = &value.tokens;
    Native::plain(
        match value.nullable {
            true => quote!((#tokens).is_none()),
            // Evaluated all the same: it may fail.
            false if operand.fallible() => quote!({ let _ = #tokens; false }),
            false => quote!(false),
        },
        value.depth + 1,
    )
}

fn value_in_branch(expr: &Expr, scope: &mut Scope) -> Native {
    let mut block = Block::branch();
    let value = emit_value(expr, scope, &mut block);
    Native { tokens: block.enclose(value.tokens), ..value }
}

fn emit_case(
    expr: &Expr,
    branches: &[(Expr, Expr)],
    otherwise: Option<&Expr>,
    scope: &mut Scope,
    block: &mut Block,
) -> Native {
    let mut results: Vec<Native> = branches.iter().map(|(_, result)| value_in_branch(result, scope)).collect();
    results.push(match otherwise {
        Some(otherwise) => value_in_branch(otherwise, scope),
        None => emit_literal(&feldc_value::Value::Null, expr.ty.ty, &mut scope.signatures.types),
    });
    let nullable = results.iter().any(|result| result.nullable);
    let form = common_form(&results);
    let depth = 1 + results.iter().map(|result| result.depth).max().unwrap_or(0);
    let mut results: Vec<TokenStream> = results
        .into_iter()
        .map(|result| result.into_form(form))
        .map(|result| if nullable { result.optional() } else { result.tokens })
        .collect();
    let last = results.pop().unwrap_or_default();
    Native { tokens: emit_conditions(branches, results, last, scope, block), nullable, form, depth }
}

/// `if` ... `else if` ... `else`: the first condition's statements go to `block`.
fn emit_conditions(
    branches: &[(Expr, Expr)],
    results: Vec<TokenStream>,
    last: TokenStream,
    scope: &mut Scope,
    block: &mut Block,
) -> TokenStream {
    let mut conditions = Vec::new();
    for (number, (condition, _)) in branches.iter().enumerate() {
        conditions.push(match number {
            0 => emit_truth(condition, scope, block),
            _ => truth_in_branch(condition, scope),
        });
    }
    match conditions.is_empty() {
        true => last,
        false => quote!(#(if #conditions { #results } else)* { #last }),
    }
}

/// COALESCE of more operands is written as a list of tests: each nesting of `match` is indented by one more level.
const NESTED_COALESCE: usize = 6;

fn emit_coalesce(operands: &[Expr], scope: &mut Scope, block: &mut Block) -> Native {
    let mut values = Vec::new();
    for (number, operand) in operands.iter().enumerate() {
        values.push(match number {
            0 => emit_value(operand, scope, block),
            _ => value_in_branch(operand, scope),
        });
        // What stands behind a value that is never NULL is never evaluated.
        if values.last().is_some_and(|value| !value.nullable) {
            break;
        }
    }
    let form = common_form(&values);
    if values.len() > NESTED_COALESCE {
        return emit_long_coalesce(values, form, scope);
    }
    let values = values.into_iter().map(|value| value.into_form(form));
    let chain = values.rev().reduce(|rest, value| {
        let (tokens, rest_tokens) = (&value.tokens, &rest.tokens);
        let tokens = match rest.nullable {
            true => quote!(match #tokens { None => #rest_tokens, known => known }),
            false => quote!(match #tokens { None => #rest_tokens, Some(known) => known }),
        };
        Native { tokens, depth: value.depth.max(rest.depth) + 1, ..rest }
    });
    chain.unwrap_or_else(|| Native { nullable: true, ..Native::plain(quote!(None), 0) })
}

fn emit_long_coalesce(values: Vec<Native>, form: Form, scope: &mut Scope) -> Native {
    let label = scope.label("known");
    let depth = 2 + values.iter().map(|value| value.depth).max().unwrap_or(0);
    let nullable = values.last().is_none_or(|value| value.nullable);
    let values: Vec<TokenStream> = values.into_iter().map(|value| value.into_form(form).tokens).collect();
    let Some((last, others)) = values.split_last() else { return Native::plain(quote!(None), 0) };
    let found = if nullable { quote!(known @ Some(_)) } else { quote!(Some(known)) };
    let tokens = quote! {
        #label: {
            #(if let #found = #others { break #label known; })*
            #last
        }
    };
    Native { tokens, nullable, form, depth }
}

fn parameter_name(parameter: u32) -> Ident {
    format_ident!("p{parameter}")
}

/// A loop over the elements.
fn emit_each(collection: &Expr, parameter: u32, body: &Expr, scope: &mut Scope, block: &mut Block) -> Native {
    let array = emit_value(collection, scope, block);
    let array = scope.settle(array, block);
    // What the body makes lives as long as its element.
    let outside = std::mem::take(&mut scope.declared);
    let mut inner = Block::default();
    let value = emit_value(body, scope, &mut inner);
    let value = scope.settle(value, &mut inner);
    let declared = std::mem::replace(&mut scope.declared, outside);
    let (statements, made) = (inner.statements, boxed(&value, body.ty.ty));
    let element = match collection.ty.ty {
        SqlType::Array(element) => *element,
        other => other,
    };
    let (name, rust) = (parameter_name(parameter), unboxed_type(element));
    let depth = 2 + array.depth.max(value.depth);
    let elements = |tokens: &TokenStream| {
        quote!({
            let elements = value::array::elements(#tokens);
            let mut made = Vec::with_capacity(elements.len());
            for element in elements {
                let #name = value::native::unbox::<#rust>(element.clone());
                #(let #declared;)*
                #(#statements)*
                made.push(#made);
            }
            Nested(Value::array(made))
        })
    };
    let (tokens, form) = (&array.tokens, Form::Owned(Owner::Nested));
    match array.nullable {
        false => Native { tokens: elements(tokens), nullable: false, form, depth },
        true => {
            let some = elements(&quote!(array));
            Native {
                tokens: quote!(match #tokens { Some(array) => Some(#some), None => None }),
                nullable: true,
                form,
                depth,
            }
        }
    }
}

/// NULL where the operand fails: a block that a failure leaves.
fn emit_try(operand: &Expr, scope: &mut Scope) -> Native {
    let label = scope.label("attempt");
    let value = scope.handled(&label, |scope| value_in_branch(operand, scope));
    if !operand.fallible() {
        return value;
    }
    let tokens = value.optional();
    Native { tokens: quote!(#label: { #tokens }), nullable: true, depth: value.depth + 1, ..value }
}

/// A value where NULL must not be: NULL is an error.
pub fn emit_not_null(value: Native, expr: &Expr, scope: &Scope) -> TokenStream {
    let tokens = value.tokens;
    if !value.nullable {
        return tokens;
    }
    let failure = scope.failure(feldc_value::error::NOT_NULL_VIOLATION, "NULL where a value is required", expr.span);
    quote!(match #tokens { Some(value) => value, None => #failure })
}
