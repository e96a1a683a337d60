//! The `Signature` constants that typed functions get as their last argument.

use feldc_value::{ColumnType, IntervalUnit, SqlType};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};

/// The constants of one module, in order of first use.
#[derive(Default)]
pub struct Signatures {
    known: Vec<(Vec<SqlType>, SqlType)>,
}

impl Signatures {
    pub fn name(&mut self, arguments: Vec<SqlType>, result: SqlType) -> Ident {
        let wanted = (arguments, result);
        let found = self.known.iter().position(|known| *known == wanted);
        let number = found.unwrap_or_else(|| {
            self.known.push(wanted);
            self.known.len() - 1
        });
        format_ident!("S{}", number + 1)
    }

    pub fn emit(&self) -> TokenStream {
        let items = self.known.iter().enumerate().map(|(number, (arguments, result))| {
            let name = format_ident!("S{}", number + 1);
            let arguments = arguments.iter().map(|ty| emit_type(*ty));
            let result = emit_type(*result);
            quote!(const #name: Signature<'static> = Signature { arguments: &[#(#arguments),*], result: #result };)
        });
        quote!(#(#items)*)
    }
}

/// A type as a constant expression; the templates define `decimal`.
pub fn emit_type(ty: SqlType) -> TokenStream {
    let unit = |unit: IntervalUnit| {
        let name = format_ident!("{}", format!("{unit:?}"));
        quote!(IntervalUnit::#name)
    };
    match ty {
        SqlType::Decimal { precision, scale } => {
            let (precision, scale) = (Literal::u8_unsuffixed(precision), Literal::u8_unsuffixed(scale));
            quote!(decimal(#precision, #scale))
        }
        SqlType::Char { length } => {
            let length = Literal::u32_unsuffixed(length);
            quote!(SqlType::Char { length: #length })
        }
        SqlType::Varchar { length: None } => quote!(SqlType::VARCHAR),
        SqlType::Varchar { length: Some(length) } => {
            let length = Literal::u32_unsuffixed(length);
            quote!(SqlType::Varchar { length: Some(#length) })
        }
        SqlType::IntervalShort { from, to } => {
            let (from, to) = (unit(from), unit(to));
            quote!(SqlType::IntervalShort { from: #from, to: #to })
        }
        SqlType::IntervalLong { from, to } => {
            let (from, to) = (unit(from), unit(to));
            quote!(SqlType::IntervalLong { from: #from, to: #to })
        }
        SqlType::Binary { length } => {
            let length = Literal::u32_unsuffixed(length);
            quote!(SqlType::Binary { length: #length })
        }
        SqlType::Varbinary { length: None } => quote!(SqlType::VARBINARY),
        SqlType::Varbinary { length: Some(length) } => {
            let length = Literal::u32_unsuffixed(length);
            quote!(SqlType::Varbinary { length: Some(#length) })
        }
        SqlType::Array(element) => {
            let element = emit_part(*element);
            quote!(SqlType::Array(Part(&#element)))
        }
        SqlType::Map(entry) => {
            let (key, value) = (emit_part(entry.0.0), emit_part(entry.0.1));
            quote!(SqlType::Map(Part(&(#key, #value))))
        }
        SqlType::Row(fields) => {
            let fields = fields.iter().map(|field| {
                let (name, ty, nullable) = (field.name.0, emit_part(field.columntype.ty), field.columntype.nullable);
                quote!(RowField { name: Part(#name), columntype: ColumnType { ty: #ty, nullable: #nullable } })
            });
            quote!(SqlType::Row(Part(&[#(#fields),*])))
        }
        // The others have no fields: their name is all.
        plain => {
            let name = format_ident!("{}", format!("{plain:?}"));
            quote!(SqlType::#name)
        }
    }
}

/// A type inside another: a reference to it lives for ever, which no call in it may prevent.
fn emit_part(ty: SqlType) -> TokenStream {
    match ty {
        SqlType::Decimal { precision, scale } => {
            let (precision, scale) = (Literal::u8_unsuffixed(precision), Literal::u8_unsuffixed(scale));
            quote!(SqlType::Decimal { precision: #precision, scale: #scale })
        }
        other => emit_type(other),
    }
}

pub fn emit_column_type(column: ColumnType) -> TokenStream {
    let (ty, nullable) = (emit_type(column.ty), column.nullable);
    quote!(ColumnType::new(#ty, #nullable))
}
