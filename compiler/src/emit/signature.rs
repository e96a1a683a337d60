//! Constants of a module: nested types, and the `Signature`s that typed functions get as their last argument.

use feldc_value::{ColumnType, IntervalUnit, SqlType};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote};
use std::collections::BTreeMap;

/// The nested types of one module, in order of first use. Each names those inside it, so that a type is as long as its
/// own level.
#[derive(Default)]
pub struct Types {
    known: BTreeMap<SqlType, Ident>,
    constants: Vec<TokenStream>,
}

impl Types {
    /// A type as a constant expression.
    pub fn name(&mut self, ty: SqlType) -> TokenStream {
        let nested = matches!(ty, SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_));
        match self.known.get(&ty) {
            _ if !nested => emit_plain(ty),
            Some(name) => quote!(#name),
            None => {
                let value = self.nested(ty);
                let name = format_ident!("T{}", self.known.len() + 1);
                self.constants.push(quote!(const #name: SqlType = #value;));
                self.known.insert(ty, name.clone());
                quote!(#name)
            }
        }
    }

    fn nested(&mut self, ty: SqlType) -> TokenStream {
        match ty {
            SqlType::Array(element) => {
                let element = self.part(*element);
                quote!(SqlType::Array(Part(&#element)))
            }
            SqlType::Map(entry) => {
                let (key, value) = (self.part(entry.0.0), self.part(entry.0.1));
                quote!(SqlType::Map(Part(&(#key, #value))))
            }
            SqlType::Row(fields) => {
                let fields = fields.iter().map(|field| {
                    let (name, nullable) = (field.name.0, field.columntype.nullable);
                    let ty = self.part(field.columntype.ty);
                    quote!(RowField { name: Part(#name), columntype: ColumnType { ty: #ty, nullable: #nullable } })
                });
                let fields: Vec<TokenStream> = fields.collect();
                quote!(SqlType::Row(Part(&[#(#fields),*])))
            }
            plain => emit_plain(plain),
        }
    }

    /// A type inside another: a reference to it lives for ever, which no call in it may prevent.
    fn part(&mut self, ty: SqlType) -> TokenStream {
        match ty {
            SqlType::Decimal { precision, scale } => {
                let (precision, scale) = (Literal::u8_unsuffixed(precision), Literal::u8_unsuffixed(scale));
                quote!(SqlType::Decimal { precision: #precision, scale: #scale })
            }
            other => self.name(other),
        }
    }

    pub fn column_type(&mut self, column: ColumnType) -> TokenStream {
        let (ty, nullable) = (self.name(column.ty), column.nullable);
        quote!(ColumnType::new(#ty, #nullable))
    }

    pub fn emit(&self) -> TokenStream {
        let constants = &self.constants;
        quote!(#(#constants)*)
    }
}

/// The constants of one module, in order of first use.
#[derive(Default)]
pub struct Signatures {
    pub types: Types,
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

    pub fn emit(mut self) -> TokenStream {
        let mut items = vec![];
        for (number, (arguments, result)) in self.known.iter().enumerate() {
            let name = format_ident!("S{}", number + 1);
            let arguments: Vec<TokenStream> = arguments.iter().map(|ty| self.types.name(*ty)).collect();
            let result = self.types.name(*result);
            items.push(
                quote!(const #name: Signature<'static> = Signature { arguments: &[#(#arguments),*], result: #result };),
            );
        }
        let types = self.types.emit();
        quote!(#types #(#items)*)
    }
}

/// A type without parts; the templates define `decimal`.
fn emit_plain(ty: SqlType) -> TokenStream {
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
        // The others have no fields: their name is all.
        plain => {
            let name = format_ident!("{}", format!("{plain:?}"));
            quote!(SqlType::#name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::{Part, RowField};

    #[test]
    fn a_nested_type_is_as_long_as_its_own_level() {
        let row = |ty| SqlType::row(vec![RowField { name: Part::name("f"), columntype: ColumnType::new(ty, true) }]);
        let inner = SqlType::array(SqlType::Decimal { precision: 4, scale: 1 });
        let mut signatures = Signatures::default();
        signatures.name(vec![inner, SqlType::BigInt], row(inner));
        signatures.name(vec![row(inner)], SqlType::map(SqlType::VARCHAR, row(inner)));
        let text = signatures.emit().to_string().replace(' ', "").replace(';', ";\n");
        assert_eq!(
            text,
            "constT1:SqlType=SqlType::Array(Part(&SqlType::Decimal{precision:4,scale:1}));\n\
             constT2:SqlType=SqlType::Row(Part(&[RowField{name:Part(\"f\"),columntype:ColumnType{ty:T1,nullable:true}}]));\n\
             constT3:SqlType=SqlType::Map(Part(&(SqlType::VARCHAR,T2)));\n\
             constS1:Signature<'static>=Signature{arguments:&[T1,SqlType::BigInt],result:T2};\n\
             constS2:Signature<'static>=Signature{arguments:&[T2],result:T3};\n"
        );
    }
}
