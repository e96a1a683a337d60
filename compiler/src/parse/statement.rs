//! The syntax tree of statements.

use crate::plan::{FunctionKind, Span, ViewKind};
use sqlparser::ast::{DataType, Expr, Ident, Query};

#[derive(Clone, Debug)]
pub struct Statement {
    pub kind: StatementKind,
    pub span: Span,
    /// Number of operators: bounds the depth of the trees inside.
    pub operators: usize,
}

impl Drop for Statement {
    fn drop(&mut self) {
        // A long chain of operators is a deep tree, and dropping it recurses.
        const SHALLOW: usize = 1000;
        if self.operators > SHALLOW {
            let none = StatementKind::Set(Set { name: Name::default(), value: String::new(), value_span: self.span });
            let kind = std::mem::replace(&mut self.kind, none);
            super::with_stack(self.operators, || drop(kind));
        }
    }
}

#[derive(Clone, Debug)]
pub enum StatementKind {
    CreateTable(CreateTable),
    CreateView(CreateView),
    CreateIndex(CreateIndex),
    CreateType(CreateType),
    CreateFunction(CreateFunction),
    Set(Set),
}

/// An identifier, folded to lower case unless quoted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub quoted: bool,
    pub span: Span,
}

impl Name {
    pub fn new(ident: &Ident, span: Span) -> Name {
        let (text, quoted) = super::fold(ident);
        Name { text, quoted, span }
    }
}

/// `'key' = 'value'`; keys in lower case.
#[derive(Clone, Debug)]
pub struct Property {
    pub key: String,
    pub key_span: Span,
    pub value: String,
    pub value_span: Span,
}

#[derive(Clone, Debug)]
pub struct CreateTable {
    pub name: Name,
    pub if_not_exists: bool,
    pub columns: Vec<ColumnDefinition>,
    pub constraints: Vec<TableConstraint>,
    pub properties: Vec<Property>,
}

#[derive(Clone, Debug)]
pub struct ColumnDefinition {
    pub name: Name,
    pub ty: DataType,
    pub ty_span: Span,
    pub attributes: Vec<ColumnAttribute>,
}

#[derive(Clone, Debug)]
pub struct ColumnAttribute {
    pub kind: AttributeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum AttributeKind {
    Null,
    NotNull,
    PrimaryKey,
    /// A promise that nothing relies on.
    Unique,
    /// `[FOREIGN KEY] REFERENCES table [(column)]`.
    References {
        table: Name,
        columns: Vec<Name>,
    },
    Default(Expr),
    Lateness(Expr),
    Watermark(Expr),
    Interned,
}

#[derive(Clone, Debug)]
pub enum TableConstraint {
    PrimaryKey { columns: Vec<Name>, span: Span },
    Unique { columns: Vec<Name> },
    ForeignKey { columns: Vec<Name>, table: Name, referred: Vec<Name>, span: Span },
}

#[derive(Clone, Debug)]
pub struct CreateView {
    pub name: Name,
    pub kind: ViewKind,
    pub or_replace: bool,
    pub if_not_exists: bool,
    pub columns: Vec<Name>,
    pub properties: Vec<Property>,
    pub query: Box<Query>,
}

#[derive(Clone, Debug)]
pub struct CreateIndex {
    pub name: Name,
    pub view: Name,
    pub columns: Vec<Name>,
}

#[derive(Clone, Debug)]
pub struct CreateType {
    pub name: Name,
    pub definition: TypeDefinition,
}

#[derive(Clone, Debug)]
pub struct CreateFunction {
    pub kind: FunctionKind,
    pub name: Name,
    pub parameters: Vec<TypeField>,
    pub returns: TypeField,
    /// None for one that is written in Rust.
    pub body: Option<Box<Expr>>,
}

#[derive(Clone, Debug)]
pub enum TypeDefinition {
    Alias(DataType, Span),
    Row(Vec<TypeField>),
}

#[derive(Clone, Debug)]
pub struct TypeField {
    pub name: Name,
    pub ty: DataType,
    pub ty_span: Span,
    pub nullable: bool,
}

#[derive(Clone, Debug)]
pub struct Set {
    pub name: Name,
    pub value: String,
    pub value_span: Span,
}
