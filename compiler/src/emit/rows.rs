//! Where the columns of an encoded row lie: constant offsets up to the first column of variable width, and from there
//! offsets from the end of such a column, found once in a kernel and kept in a variable.

use super::native::{self, Form, Native, Owner};
use super::signature::Types;
use feldc_value::ColumnType;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// One row that a kernel reads.
pub struct Row<'a> {
    /// The variable that holds it.
    pub name: Ident,
    pub columns: &'a [ColumnType],
    /// Slot of the first column.
    pub first: usize,
    /// Variables that hold the offset behind a column of variable width.
    ends: BTreeMap<usize, Ident>,
    /// Columns decoded so far.
    loaded: Vec<bool>,
}

impl<'a> Row<'a> {
    pub fn new(name: &str, columns: &'a [ColumnType], first: usize) -> Row<'a> {
        let loaded = vec![false; columns.len()];
        Row { name: format_ident!("{name}"), columns, first, ends: BTreeMap::new(), loaded }
    }

    /// The offset of a column (the row's length for the one behind the last), after the statements that find it.
    pub fn offset(&mut self, column: usize, statements: &mut Vec<TokenStream>) -> TokenStream {
        self.offset_plus(column, 0, statements)
    }

    fn offset_plus(&mut self, column: usize, plus: usize, statements: &mut Vec<TokenStream>) -> TokenStream {
        let fixed: Vec<usize> = self.columns[..column].iter().rev().map_while(|column| column.fixed_width()).collect();
        let distance = Literal::usize_unsuffixed(fixed.iter().sum::<usize>() + plus);
        if fixed.len() == column {
            return quote!(#distance);
        }
        let end = self.end(column - fixed.len() - 1, statements);
        if fixed.is_empty() && plus == 0 { quote!(#end) } else { quote!(#end + #distance) }
    }

    /// The variable with the offset behind a column of variable width.
    fn end(&mut self, column: usize, statements: &mut Vec<TokenStream>) -> Ident {
        if let Some(end) = self.ends.get(&column) {
            return end.clone();
        }
        let row = self.name.clone();
        let end = format_ident!("e{}", self.first + column);
        let tag = self.offset(column, statements);
        let statement = if self.columns[column].nullable {
            let text = self.offset_plus(column, 1, statements);
            quote!(let #end = if row::is_null(#row, #tag) { #text } else { row::skip_text(#row, #text) };)
        } else {
            quote!(let #end = row::skip_text(#row, #tag);)
        };
        statements.push(statement);
        self.ends.insert(column, end.clone());
        end
    }

    /// The bytes of columns `from..to`, as a place expression.
    pub fn bytes(&mut self, from: usize, to: usize, statements: &mut Vec<TokenStream>) -> TokenStream {
        let row = self.name.clone();
        match (from == 0, to == self.columns.len()) {
            (true, true) => quote!(#row),
            (false, true) => {
                let start = self.offset(from, statements);
                quote!(&#row[#start..])
            }
            (true, false) => {
                let end = self.offset(to, statements);
                quote!(&#row[..#end])
            }
            (false, false) => {
                let start = self.offset(from, statements);
                let end = self.offset(to, statements);
                quote!(&#row[#start..#end])
            }
        }
    }

    /// Decodes a column into its variable, unless that was done.
    pub fn load(&mut self, column: usize, types: &mut Types, statements: &mut Vec<TokenStream>) {
        if std::mem::replace(&mut self.loaded[column], true) {
            return;
        }
        let offset = self.offset(column, statements);
        let statement = match self.columns[column].ty.fixed_width() {
            None => self.load_varying(column, &offset, types, statements),
            Some(_) => self.load_fixed(column, &offset, statements),
        };
        statements.push(statement);
    }

    fn load_fixed(&mut self, column: usize, offset: &TokenStream, statements: &mut Vec<TokenStream>) -> TokenStream {
        let ColumnType { ty, nullable } = self.columns[column];
        let (row, variable) = (self.name.clone(), self.variable(column));
        if !nullable {
            let get = native::get(ty, &quote!(#row), offset);
            return quote!(let #variable = #get;);
        }
        let value = self.offset_plus(column, 1, statements);
        let get = native::get(ty, &quote!(#row), &value);
        quote!(let #variable = if row::is_null(#row, #offset) { None } else { Some(#get) };)
    }

    /// Decoding a value of variable width finds its end: keep it, when nothing found it before.
    fn load_varying(
        &mut self,
        column: usize,
        offset: &TokenStream,
        types: &mut Types,
        statements: &mut Vec<TokenStream>,
    ) -> TokenStream {
        let (row, variable) = (self.name.clone(), self.variable(column));
        let known = self.ends.contains_key(&column);
        let end = format_ident!("e{}", self.first + column);
        if !known {
            self.ends.insert(column, end.clone());
        }
        let ty = self.columns[column].ty;
        let owner = match Owner::of(ty) {
            Some(Owner::Nested) => quote!(Nested),
            _ => quote!(),
        };
        if !self.columns[column].nullable {
            let get = native::get_varying(ty, types, &quote!(#row), offset);
            return match (known, owner.is_empty()) {
                (true, true) => quote!(let #variable = #get.0;),
                (true, false) => quote!(let #variable = #owner(#get.0);),
                (false, true) => quote!(let (#variable, #end) = #get;),
                (false, false) => quote! {
                    let (value, #end) = #get;
                    let #variable = #owner(value);
                },
            };
        }
        let place = self.offset_plus(column, 1, statements);
        let get = native::get_varying(ty, types, &quote!(#row), &place);
        if known {
            let value = if owner.is_empty() { quote!(#get.0) } else { quote!(#owner(#get.0)) };
            return quote! {
                let #variable = if row::is_null(#row, #offset) { None } else { Some(#value) };
            };
        }
        let value = if owner.is_empty() { quote!(text) } else { quote!(#owner(text)) };
        quote! {
            let (#variable, #end) = if row::is_null(#row, #offset) {
                (None, #place)
            } else {
                let (text, end) = #get;
                (Some(#value), end)
            };
        }
    }

    fn variable(&self, column: usize) -> Ident {
        format_ident!("c{}", self.first + column)
    }

    /// The value of a decoded column.
    pub fn value(&self, column: usize) -> Native {
        let ColumnType { ty, nullable } = self.columns[column];
        held(&self.variable(column), nullable, Form::made(ty))
    }

    /// Is the column NULL, asked of its tag alone?
    pub fn is_null(&mut self, column: usize, statements: &mut Vec<TokenStream>) -> TokenStream {
        if !self.columns[column].nullable {
            return quote!(false);
        }
        let row = self.name.clone();
        let offset = self.offset(column, statements);
        quote!(row::is_null(#row, #offset))
    }
}

/// The value in a variable: what is owned is lent.
pub fn held(variable: &Ident, nullable: bool, form: Form) -> Native {
    let (tokens, form) = match (form, nullable) {
        (Form::Owned(owner), false) => (quote!(&*#variable), Form::Lent(owner)),
        (Form::Owned(owner), true) => (quote!(#variable.as_deref()), Form::Lent(owner)),
        (form, _) => (quote!(#variable), form),
    };
    Native { tokens, nullable, form, depth: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::SqlType;

    fn text(statements: &[TokenStream]) -> String {
        statements.iter().map(|statement| statement.to_string().replace(' ', "") + "\n").collect()
    }

    #[test]
    fn offsets_chain_behind_texts() {
        let columns = [
            ColumnType::new(SqlType::BigInt, false),
            ColumnType::new(SqlType::VARCHAR, true),
            ColumnType::new(SqlType::Integer, true),
            ColumnType::new(SqlType::VARCHAR, false),
        ];
        let mut row = Row::new("row", &columns, 0);
        let (mut types, mut statements) = (Types::default(), Vec::new());
        let bytes = row.bytes(2, 4, &mut statements);
        row.load(1, &mut types, &mut statements);
        row.load(2, &mut types, &mut statements);
        row.load(3, &mut types, &mut statements);
        assert_eq!(bytes.to_string().replace(' ', ""), "&row[e1..]");
        assert_eq!(
            text(&statements),
            "lete1=ifrow::is_null(row,8){9}else{row::skip_text(row,9)};\n\
             letc1=ifrow::is_null(row,8){None}else{Some(row::get_text(row,9).0)};\n\
             letc2=ifrow::is_null(row,e1){None}else{Some(row::get_i32(row,e1+1))};\n\
             let(c3,e3)=row::get_text(row,e1+5);\n"
        );
    }
}
