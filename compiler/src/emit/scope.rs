//! The state of emitting one kernel: its rows, slots and temporaries.
//!
//! Text that a call borrows from must outlive the call's result, also when it was made inside a branch. So each text
//! that is an argument gets a variable; in a branch only its assignment stands there, its declaration stands at the
//! kernel's start.

use super::native::{Form, Native};
use super::rows::{self, Row};
use super::signature::Signatures;
use crate::plan::{Expr, ExprKind, Span};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use syn::Lifetime;

/// Expressions nested deeper than this are cut in two by a variable: rustc walks them recursively.
const DEPTH_MAX: usize = 24;

enum Slot {
    /// Column of a row: positions in `Scope::rows` and in the row.
    Column(usize, usize),
    Variable {
        name: Ident,
        nullable: bool,
        form: Form,
    },
}

/// Statements in order, and where they stand.
#[derive(Default)]
pub struct Block {
    pub statements: Vec<TokenStream>,
    /// Runs for only some rows.
    pub branch: bool,
}

impl Block {
    pub fn branch() -> Block {
        Block { statements: Vec::new(), branch: true }
    }

    /// The value behind the block's statements, as one expression.
    pub fn enclose(self, value: TokenStream) -> TokenStream {
        let statements = self.statements;
        if statements.is_empty() { value } else { quote!({ #(#statements)* #value }) }
    }
}

pub struct Scope<'a> {
    pub rows: Vec<Row<'a>>,
    slots: Vec<Slot>,
    pub signatures: &'a mut Signatures,
    /// Variables declared at the kernel's start.
    pub declared: Vec<Ident>,
    /// What a failure leaves, innermost last; none: the kernel.
    handlers: Vec<Lifetime>,
    temporaries: usize,
    labels: usize,
}

impl<'a> Scope<'a> {
    pub fn new(rows: Vec<Row<'a>>, signatures: &'a mut Signatures) -> Scope<'a> {
        let columns = rows.iter().enumerate().flat_map(|(r, row)| (0..row.columns.len()).map(move |c| (r, c)));
        let slots = columns.map(|(row, column)| Slot::Column(row, column)).collect();
        let (declared, handlers) = (Vec::new(), Vec::new());
        Scope { rows, slots, signatures, declared, handlers, temporaries: 0, labels: 0 }
    }

    /// Makes the next slot stand for what another one stands for.
    pub fn alias(&mut self, slot: usize) {
        let aliased = match &self.slots[slot] {
            Slot::Column(row, column) => Slot::Column(*row, *column),
            Slot::Variable { name, nullable, form } => {
                Slot::Variable { name: name.clone(), nullable: *nullable, form: *form }
            }
        };
        self.slots.push(aliased);
    }

    /// Makes the next slot a variable with this value.
    pub fn define(&mut self, value: Native, block: &mut Block) {
        let name = format_ident!("v{}", self.slots.len());
        let tokens = value.tokens;
        block.statements.push(quote!(let #name = #tokens;));
        self.slots.push(Slot::Variable { name, nullable: value.nullable, form: value.form });
    }

    /// The row and column behind a slot, if it is one.
    pub fn column(&self, slot: usize) -> Option<(usize, usize)> {
        match self.slots.get(slot) {
            Some(Slot::Column(row, column)) => Some((*row, *column)),
            _ => None,
        }
    }

    /// Decodes what an expression reads; call it where every row passes.
    pub fn prepare(&mut self, expr: &Expr, block: &mut Block) {
        match &expr.kind {
            ExprKind::Slot(slot) => {
                if let Some((row, column)) = self.column(*slot) {
                    self.rows[row].load(column, &mut self.signatures.types, &mut block.statements);
                }
            }
            ExprKind::IsNull(operand) => match operand.kind {
                ExprKind::Slot(slot) if self.column(slot).is_some() => {
                    self.is_null(slot, block);
                }
                _ => self.prepare(operand, block),
            },
            _ => expr.children().into_iter().for_each(|child| self.prepare(child, block)),
        }
    }

    /// The value of a slot that was prepared.
    pub fn slot(&self, slot: usize) -> Native {
        match &self.slots[slot] {
            Slot::Column(row, column) => self.rows[*row].value(*column),
            Slot::Variable { name, nullable, form } => rows::held(name, *nullable, *form),
        }
    }

    /// Is a slot NULL? A column need not be decoded for that.
    pub fn is_null(&mut self, slot: usize, block: &mut Block) -> Option<TokenStream> {
        let (row, column) = self.column(slot)?;
        Some(self.rows[row].is_null(column, &mut block.statements))
    }

    /// Moves a value into a variable when it is nested too deep, or is owned and something will borrow it.
    pub fn settle(&mut self, value: Native, block: &mut Block) -> Native {
        if value.form.is_owned() || value.depth > DEPTH_MAX { self.bind(value, block) } else { value }
    }

    pub fn bind(&mut self, value: Native, block: &mut Block) -> Native {
        self.temporaries += 1;
        let name = format_ident!("t{}", self.temporaries);
        let tokens = value.tokens;
        block.statements.push(if value.form.is_owned() && block.branch {
            self.declared.push(name.clone());
            quote!(#name = #tokens;)
        } else {
            quote!(let #name = #tokens;)
        });
        rows::held(&name, value.nullable, value.form)
    }

    pub fn label(&mut self, text: &str) -> Lifetime {
        self.labels += 1;
        Lifetime::new(&format!("'{text}_{}", self.labels), proc_macro2::Span::call_site())
    }

    /// Runs `emit` such that a failure inside leaves the block named `handler`.
    pub fn handled<T>(&mut self, handler: &Lifetime, emit: impl FnOnce(&mut Scope<'a>) -> T) -> T {
        self.handlers.push(handler.clone());
        let result = emit(self);
        self.handlers.pop();
        result
    }

    /// The value of a `Result<_, SqlError>`, leaving the kernel or the nearest handler when it is an error.
    pub fn check(&self, result: &TokenStream, span: Span) -> TokenStream {
        match self.handlers.last() {
            Some(handler) => quote!(match #result { Ok(value) => value, Err(_) => break #handler None }),
            None => {
                let (line, column) = (Literal::u32_unsuffixed(span.line), Literal::u32_unsuffixed(span.column));
                quote!(at(#result, #line, #column)?)
            }
        }
    }

    /// An expression of any type that always fails.
    pub fn failure(&self, code: &str, message: &str, span: Span) -> TokenStream {
        match self.handlers.last() {
            Some(handler) => quote!(break #handler None),
            None => {
                let (line, column) = (Literal::u32_unsuffixed(span.line), Literal::u32_unsuffixed(span.column));
                quote!(return Err(SqlError::new(#code, #message).at(#line, #column)))
            }
        }
    }
}
