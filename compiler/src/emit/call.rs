//! Calls of registry functions: arguments by value and text as `&str`, NULLs as the function's entry says.

use super::expression::{emit_value, truth_of};
use super::native::{Form, Native, boxed, unboxed_type};
use super::scope::{Block, Scope};
use crate::plan::{Expr, ExprKind};
use feldc_value::SqlType;
use feldc_value::function::{CORE, Function, Nulls, PROGRAM};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use std::collections::BTreeSet;

/// A function takes NULLs itself, or plain values only.
fn takes_options(function: &Function) -> bool {
    matches!(function.nulls, Nulls::Never | Nulls::Custom | Nulls::CustomToOption)
}

pub fn emit_call(expr: &Expr, function: &Function, arguments: &[Expr], scope: &mut Scope, block: &mut Block) -> Native {
    let call = Call::new(expr, function, arguments, scope, block);
    let form = Form::made(expr.ty.ty);
    let returns_option = matches!(function.nulls, Nulls::StrictToOption | Nulls::Custom | Nulls::CustomToOption);
    let result = &call.call;
    let tokens = match (form, function.boxed) {
        (_, true) => unboxed(result, expr, returns_option),
        (Form::Owned(owner), _) => {
            let owner = owner.name();
            if returns_option { quote!(#result.map(#owner::from)) } else { quote!(#owner::from(#result)) }
        }
        _ => result.clone(),
    };
    if call.tested.is_empty() {
        return Native { tokens, nullable: returns_option, form, depth: call.depth };
    }
    let some = if returns_option { tokens } else { quote!(Some(#tokens)) };
    let tokens = call.guarded(some, quote!(None));
    Native { tokens, nullable: true, form, depth: call.depth + 1 }
}

/// A `Value` as a native value.
fn unboxed(result: &TokenStream, expr: &Expr, optional: bool) -> TokenStream {
    let rust = unboxed_type(expr.ty.ty);
    match optional {
        true => quote!(value::native::unbox::<#rust>(#result)),
        false => quote!(value::native::unbox::<#rust>(#result).unwrap_or_default()),
    }
}

/// Is the call's BOOLEAN result true?
pub fn emit_call_truth(
    expr: &Expr,
    function: &Function,
    arguments: &[Expr],
    scope: &mut Scope,
    block: &mut Block,
) -> TokenStream {
    if function.nulls != Nulls::Strict || function.boxed {
        return truth_of(&emit_call(expr, function, arguments, scope, block));
    }
    let call = Call::new(expr, function, arguments, scope, block);
    match call.tested.is_empty() {
        true => call.call,
        false => call.guarded(call.call.clone(), quote!(false)),
    }
}

/// Adds the functions that an expression calls, each as its crate and its path there.
pub fn collect_functions(expr: &Expr, functions: &mut BTreeSet<(&'static str, &'static str)>) {
    if let ExprKind::Call { function, .. } = &expr.kind {
        functions.insert((function.library, function.path));
    }
    expr.children().into_iter().for_each(|child| collect_functions(child, functions));
}

/// A call and what must be known before it.
struct Call {
    call: TokenStream,
    /// Values evaluated before the call, in order, with their patterns: those that may be NULL, and those that may
    /// fail, whose failure comes before another argument's NULL.
    tested: Vec<(TokenStream, TokenStream)>,
    depth: usize,
}

impl Call {
    fn new(expr: &Expr, function: &Function, arguments: &[Expr], scope: &mut Scope, block: &mut Block) -> Call {
        let values = emit_arguments(arguments, scope, block);
        let depth = 1 + values.iter().map(|value| value.depth).max().unwrap_or(0);
        let any_null = !takes_options(function) && values.iter().any(|value| value.nullable);
        let mut tested = Vec::new();
        let mut passed = Vec::new();
        for (number, (value, argument)) in values.into_iter().zip(arguments).enumerate() {
            let name = format_ident!("x{number}");
            let ty = argument.ty.ty;
            let pass = |value: Native| if function.boxed { boxed(&value, ty) } else { value.tokens };
            if takes_options(function) {
                passed.push(if function.boxed { boxed(&value, ty) } else { value.optional() });
            } else if value.nullable {
                passed.push(pass(Native { tokens: quote!(#name), nullable: false, ..value }));
                tested.push((value.tokens, quote!(Some(#name))));
            } else if any_null && argument.fallible() {
                passed.push(pass(Native { tokens: quote!(#name), ..value }));
                tested.push((value.tokens, quote!(#name)));
            } else {
                passed.push(pass(value));
            }
        }
        let call = emit_application(expr, function, arguments, passed, scope);
        Call { call, tested, depth }
    }

    /// The call where no argument is NULL, else `null`.
    fn guarded(&self, call: TokenStream, null: TokenStream) -> TokenStream {
        let values = self.tested.iter().map(|(value, _)| value);
        let patterns = self.tested.iter().map(|(_, pattern)| pattern);
        match self.tested.len() {
            1 => quote!(match #(#values)* { #(#patterns)* => #call, None => #null }),
            _ => quote!(match (#(#values),*) { (#(#patterns),*) => #call, _ => #null }),
        }
    }
}

/// The arguments' values, each an expression that may stand in the call. An argument that needs statements would have
/// them run before the arguments on its left: those that may fail get statements too.
fn emit_arguments(arguments: &[Expr], scope: &mut Scope, block: &mut Block) -> Vec<Native> {
    let mut emitted = Vec::new();
    for argument in arguments {
        let mut own = Block { statements: Vec::new(), branch: block.branch };
        let value = emit_value(argument, scope, &mut own);
        let value = scope.settle(value, &mut own);
        emitted.push((value, own));
    }
    let last = emitted.iter().rposition(|(_, own)| !own.statements.is_empty()).unwrap_or(0);
    let mut values = Vec::new();
    for (number, ((value, own), argument)) in emitted.into_iter().zip(arguments).enumerate() {
        block.statements.extend(own.statements);
        let early = number < last && argument.fallible();
        values.push(if early { scope.bind(value, block) } else { value });
    }
    values
}

fn emit_application(
    expr: &Expr,
    function: &Function,
    arguments: &[Expr],
    mut passed: Vec<TokenStream>,
    scope: &mut Scope,
) -> TokenStream {
    if function.boxed {
        passed = vec![quote!(&[#(#passed),*])];
    } else if function.variadic {
        let repeated = passed.split_off((function.parameters.len().max(1) - 1).min(passed.len()));
        passed.push(quote!(&[#(#repeated),*]));
    }
    if function.typed {
        let types: Vec<SqlType> = arguments.iter().map(|argument| argument.ty.ty).collect();
        let signature = scope.signatures.name(types, expr.ty.ty);
        passed.push(quote!(&#signature));
    }
    // Paths are constants of the registry, whose own test compiles every one of them.
    let path: TokenStream = function.path.parse().unwrap_or_default();
    let call = match function.library {
        CORE => quote!(value::#path(#(#passed),*)),
        PROGRAM => quote!(crate::functions::#path(#(#passed),*)),
        library => {
            let library = format_ident!("{library}");
            quote!(::#library::#path(#(#passed),*))
        }
    };
    match (function.fallible, function.boxed) {
        (true, _) => scope.check(&call, expr.span),
        // It returns a `Result` all the same.
        (false, true) => quote!(#call.unwrap_or(Value::Null)),
        (false, false) => call,
    }
}
