//! One function for each Map, Join and RangeJoin node, in a module for each view.

use super::expression::{early_stops, emit_truth, emit_value};
use super::names::Names;
use super::output::emit_outputs;
use super::print;
use super::rows::Row;
use super::scope::{Block, Scope};
use super::signature::Signatures;
use crate::circuit::{Circuit, Kernel, KernelStep, Node, NodeId, Op};
use crate::plan::{Expr, ExprKind};
use feldc_value::ColumnType;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// What opens `kernels.rs`.
const PRELUDE: &str = include_str!("../../../templates/pipeline/src/kernels.rs");

#[derive(Default)]
struct Module {
    signatures: Signatures,
    functions: Vec<TokenStream>,
}

pub fn emit_kernels(circuit: &Circuit, names: &Names) -> String {
    let mut order = Vec::new();
    let mut modules: BTreeMap<&str, Module> = BTreeMap::new();
    for (number, node) in circuit.nodes.iter().enumerate() {
        let id = NodeId(number);
        if !matches!(node.op, Op::Map { .. } | Op::Join { .. } | Op::RangeJoin { .. }) {
            continue;
        }
        if !names.defines_kernel(id) {
            continue;
        }
        let (module, _) = names.kernel(id);
        if !modules.contains_key(module) {
            order.push(module);
        }
        let module = modules.entry(module).or_default();
        let function = emit_function(circuit, id, node, names, &mut module.signatures);
        module.functions.push(function);
    }
    let mut text = PRELUDE.to_string();
    for name in order {
        let Module { signatures, functions } = modules.remove(name).unwrap_or_default();
        let (name, signatures) = (format_ident!("{name}"), signatures.emit());
        let module = quote!(pub mod #name { use super::*; #signatures #(#functions)* });
        text.push('\n');
        text.push_str(&print::items(module));
    }
    text
}

fn emit_function(
    circuit: &Circuit,
    id: NodeId,
    node: &Node,
    names: &Names,
    signatures: &mut Signatures,
) -> TokenStream {
    let doc = format!(" Node {}, program line {} column {}.", id.0, node.span.line, node.span.column);
    let name = format_ident!("{}", names.kernel(id).1);
    let layout_of = |node: NodeId| circuit.nodes[node.0].layout.as_slice();
    match &node.op {
        Op::Map { input, kernel } => {
            let rows = vec![Row::new("row", layout_of(*input), 0)];
            let body = emit_body(kernel, rows, &node.layout, signatures);
            let row = format_ident!("{name}_row");
            quote! {
                #[doc = #doc]
                pub fn #name(input: &Batch, out: &mut Batch, errors: &mut Errors) {
                    map_rows(input, out, errors, #row);
                }

                #[inline]
                fn #row(row: &[u8], out: &mut Vec<u8>) -> Result<bool, EvalError> { #body }
            }
        }
        Op::Join { delta, index, delta_side, kernel } => {
            let (left, right) = match delta_side {
                feldc_engine::Side::Left => (layout_of(*delta), layout_of(*index)),
                feldc_engine::Side::Right => (layout_of(*index), layout_of(*delta)),
            };
            emit_pair_function(&doc, &name, (left, right), kernel, node, signatures)
        }
        Op::RangeJoin { left, right, kernel, .. } => {
            let sides = (layout_of(*left), layout_of(*right));
            emit_pair_function(&doc, &name, sides, kernel, node, signatures)
        }
        _ => quote!(),
    }
}

fn emit_pair_function(
    doc: &str,
    name: &Ident,
    (left, right): (&[ColumnType], &[ColumnType]),
    kernel: &Kernel,
    node: &Node,
    signatures: &mut Signatures,
) -> TokenStream {
    let rows = vec![Row::new("left", left, 0), Row::new("right", right, left.len())];
    let body = emit_body(kernel, rows, &node.layout, signatures);
    quote! {
        #[doc = #doc]
        pub fn #name(left: &[u8], right: &[u8], out: &mut Vec<u8>) -> Result<bool, EvalError> { #body }
    }
}

/// The statements from the rows to `Ok(true)`.
fn emit_body(kernel: &Kernel, rows: Vec<Row>, layout: &[ColumnType], signatures: &mut Signatures) -> TokenStream {
    let mut scope = Scope::new(rows, signatures);
    let mut block = Block::default();
    for step in &kernel.steps {
        match step {
            KernelStep::Let(expr) => emit_let(expr, &mut scope, &mut block),
            KernelStep::Filter(expr) => emit_filter(expr, &mut scope, &mut block),
        }
    }
    emit_outputs(&kernel.outputs, layout, &mut scope, &mut block);
    let declared = scope.declared;
    let statements = block.statements;
    quote!(#(let #declared;)* #(#statements)* Ok(true))
}

fn emit_let(expr: &Expr, scope: &mut Scope, block: &mut Block) {
    if let ExprKind::Slot(slot) = expr.kind {
        return scope.alias(slot);
    }
    scope.prepare(expr, block);
    let value = emit_value(expr, scope, block);
    scope.define(value, block);
}

/// An AND is tested operand by operand, so that columns are decoded only for rows that passed what stands before, as
/// far as [`early_stops`] allows.
fn emit_filter(expr: &Expr, scope: &mut Scope, block: &mut Block) {
    let ExprKind::And(operands) = &expr.kind else {
        return emit_test(expr, scope, block);
    };
    let split = early_stops(operands);
    for operand in &operands[..split] {
        emit_filter(operand, scope, block);
    }
    match &operands[split..] {
        [] => (),
        [last] => emit_filter(last, scope, block),
        rest => {
            let rest = Expr { kind: ExprKind::And(rest.to_vec()), ..expr.clone() };
            emit_test(&rest, scope, block);
        }
    }
}

fn emit_test(expr: &Expr, scope: &mut Scope, block: &mut Block) {
    scope.prepare(expr, block);
    let truth = emit_truth(expr, scope, block);
    block.statements.push(quote!(if !(#truth) { return Ok(false); }));
}

#[cfg(test)]
mod tests {
    use super::super::testing::*;
    use super::*;
    use crate::plan::ExprKind::*;
    use feldc_pipeline::schema::Schema;
    use feldc_value::{SqlType, Value};

    fn kernels(circuit: &Circuit) -> String {
        let names = Names::new(circuit, &Schema::default(), &[view("Revenue", "CREATE VIEW ...")]);
        emit_kernels(circuit, &names).split_once("\npub mod ").map_or(String::new(), |(_, module)| module.into())
    }

    fn less(a: Expr, b: Expr) -> Expr {
        let nullable = a.ty.nullable || b.ty.nullable;
        call(&LESS, ColumnType::new(SqlType::Boolean, nullable), vec![a, b])
    }

    #[test]
    fn filters_decode_late_and_runs_are_copied() {
        let input = [BIGINT, DATE, MONEY, MONEY, TEXT_NULL, BIGINT_NULL, TEXT];
        let day = literal(Value::Date(9131), DATE);
        let price = call(&TIMES, MONEY, vec![slot(2, MONEY), slot(3, MONEY)]);
        let one = literal(Value::BigInt(1), BIGINT);
        let steps = vec![
            KernelStep::Filter(kind(
                And(vec![less(slot(1, DATE), day), less(slot(5, BIGINT_NULL), one.clone())]),
                BOOLEAN_NULL,
            )),
            KernelStep::Let(price),
            KernelStep::Filter(less(slot(4, TEXT_NULL), literal(Value::text("M"), TEXT))),
        ];
        let outputs = vec![
            slot(0, BIGINT),
            slot(1, DATE),
            slot(7, MONEY),
            slot(4, TEXT_NULL),
            slot(5, BIGINT_NULL),
            slot(6, TEXT),
            literal(Value::Null, BIGINT_NULL),
        ];
        insta::assert_snapshot!(kernels(&mapped(&input, map(steps, outputs))));
    }

    #[test]
    fn nulls_guards_and_failures() {
        let input = [BIGINT_NULL, BIGINT, BIGINT_NULL];
        let sum = |a, b| call(&PLUS, BIGINT_NULL, vec![a, b]);
        let (a, b, c) = (slot(0, BIGINT_NULL), slot(1, BIGINT), slot(2, BIGINT_NULL));
        let outputs = vec![
            // The inner sum fails before the outer one sees a NULL.
            sum(a.clone(), call(&PLUS, BIGINT, vec![b.clone(), b.clone()])),
            kind(Coalesce(vec![a.clone(), sum(c.clone(), b.clone()), b.clone()]), BIGINT),
            kind(Try(Box::new(sum(a.clone(), b.clone()))), BIGINT_NULL),
            kind(Or(vec![less(a.clone(), b.clone()), kind(IsNull(Box::new(c.clone())), BOOLEAN)]), BOOLEAN_NULL),
            kind(
                Case {
                    branches: vec![(less(c.clone(), b.clone()), a.clone()), (less(b.clone(), c), b)],
                    otherwise: None,
                },
                BIGINT_NULL,
            ),
            call(&DISTINCT, BOOLEAN, vec![a, literal(Value::BigInt(i64::MIN), BIGINT)]),
        ];
        insta::assert_snapshot!(kernels(&mapped(&input, map(vec![], outputs))));
    }

    #[test]
    fn texts_outlive_what_borrows_from_them() {
        let input = [TEXT, TEXT_NULL];
        let trimmed = |text: Expr| call(&TRIM, text.ty, vec![call(&UPPER, text.ty, vec![text])]);
        let case = kind(
            Case {
                branches: vec![(less(slot(0, TEXT), slot(1, TEXT_NULL)), trimmed(slot(1, TEXT_NULL)))],
                otherwise: Some(Box::new(literal(Value::text("none"), TEXT))),
            },
            TEXT_NULL,
        );
        let steps = vec![KernelStep::Let(case), KernelStep::Let(trimmed(slot(0, TEXT)))];
        let outputs = vec![slot(2, TEXT_NULL), call(&CONCAT, TEXT_NULL, vec![slot(3, TEXT), slot(1, TEXT_NULL)])];
        insta::assert_snapshot!(kernels(&mapped(&input, map(steps, outputs))));
    }

    #[test]
    fn a_filter_stops_early_only_where_nothing_can_fail_behind_a_null() {
        let input = [BIGINT_NULL, BIGINT];
        let (a, b) = (slot(0, BIGINT_NULL), slot(1, BIGINT));
        let fails = less(call(&PLUS, BIGINT, vec![b.clone(), b.clone()]), b.clone());
        let all = And(vec![less(b.clone(), b.clone()), less(a, b.clone()), fails]);
        let steps = vec![KernelStep::Filter(kind(all, BOOLEAN_NULL))];
        insta::assert_snapshot!(kernels(&mapped(&input, map(steps, vec![b]))));
    }
}
