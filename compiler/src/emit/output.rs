//! Writing a kernel's result row: neighbouring columns that pass through unchanged are copied as one range of bytes,
//! the others are evaluated and encoded.

use super::expression::{emit_not_null, emit_value};
use super::native::{Form, Native, Owner, put, same_encoding};
use super::scope::{Block, Scope};
use crate::plan::{Expr, ExprKind};
use feldc_value::{ColumnType, Value};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

/// A part of the result row.
enum Piece<'a> {
    /// The tag of a value that follows.
    Tag,
    Null(ColumnType),
    /// Columns `from..to` of a row, as they are.
    Copy {
        row: usize,
        from: usize,
        to: usize,
    },
    Value(&'a Expr, ColumnType),
}

pub fn emit_outputs(outputs: &[Expr], layout: &[ColumnType], scope: &mut Scope, block: &mut Block) {
    for piece in pieces(outputs, layout, scope) {
        let statement = match piece {
            Piece::Tag => quote!(row::put_tag(out);),
            Piece::Null(column) => put_null(column),
            Piece::Copy { row, from, to } => {
                let bytes = scope.rows[row].bytes(from, to, &mut block.statements);
                quote!(out.extend_from_slice(#bytes);)
            }
            Piece::Value(expr, column) => {
                scope.prepare(expr, block);
                let value = emit_value(expr, scope, block);
                put_value(value, expr, column, scope)
            }
        };
        block.statements.push(statement);
    }
}

fn pieces<'a>(outputs: &'a [Expr], layout: &[ColumnType], scope: &Scope) -> Vec<Piece<'a>> {
    let mut pieces = Vec::new();
    for (expr, &wanted) in outputs.iter().zip(layout) {
        let column = match expr.kind {
            ExprKind::Slot(slot) => scope.column(slot),
            _ => None,
        };
        let is_null = matches!(expr.kind, ExprKind::Literal(Value::Null));
        match column.map(|(row, column)| (row, column, scope.rows[row].columns[column])) {
            Some((row, column, has)) if same_encoding(has.ty, wanted.ty) && (!has.nullable || wanted.nullable) => {
                if wanted.nullable && !has.nullable {
                    pieces.push(Piece::Tag);
                }
                match pieces.last_mut() {
                    Some(Piece::Copy { row: open, to, .. }) if *open == row && *to == column => *to += 1,
                    _ => pieces.push(Piece::Copy { row, from: column, to: column + 1 }),
                }
            }
            _ if is_null && wanted.nullable => pieces.push(Piece::Null(wanted)),
            _ => pieces.push(Piece::Value(expr, wanted)),
        }
    }
    pieces
}

fn put_null(column: ColumnType) -> TokenStream {
    let width = Literal::usize_unsuffixed(column.ty.fixed_width().unwrap_or(0));
    quote!(row::put_null(out, #width);)
}

fn put_value(value: Native, expr: &Expr, column: ColumnType, scope: &Scope) -> TokenStream {
    // What nothing else borrows is lent to the writer.
    let lend = |form: Form, tokens: TokenStream| match form {
        Form::Owned(Owner::Text) => quote!(&#tokens),
        // Behind `&` alone the writer's parameter would tell the type of a `match`.
        Form::Owned(_) => quote!(&*#tokens),
        _ => tokens,
    };
    let form = value.form;
    if !column.nullable {
        let tokens = lend(form, emit_not_null(value, expr, scope));
        return put(column.ty, &tokens);
    }
    let tokens = &value.tokens;
    if !value.nullable {
        let put = put(column.ty, &lend(form, value.tokens));
        return quote!(row::put_tag(out); #put);
    }
    let (put, null) = (put(column.ty, &lend(form, quote!(value))), put_null(column));
    quote! {
        match #tokens {
            Some(value) => {
                row::put_tag(out);
                #put
            }
            None => { #null }
        }
    }
}
