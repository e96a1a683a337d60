//! Values in generated code: which Rust type a SQL type has there, and how a value is written down.

use feldc_value::SqlType;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

/// How a value's Rust type relates to its SQL type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A `Copy` type: `bool`, an integer or a float.
    Plain,
    /// `&str`, living at least as long as the row.
    Str,
    /// `Text`, perhaps owned.
    Text,
}

/// An expression of generated code.
#[derive(Clone, Debug)]
pub struct Native {
    pub tokens: TokenStream,
    /// The Rust type is an `Option`.
    pub nullable: bool,
    pub form: Form,
    /// Levels of nesting inside `tokens`.
    pub depth: usize,
}

impl Native {
    pub fn plain(tokens: TokenStream, depth: usize) -> Native {
        Native { tokens, nullable: false, form: Form::Plain, depth }
    }

    /// As an `Option`.
    pub fn optional(&self) -> TokenStream {
        let tokens = &self.tokens;
        if self.nullable { tokens.clone() } else { quote!(Some(#tokens)) }
    }

    /// The same value as `form` (`Str` can become `Text`).
    pub fn into_form(self, form: Form) -> Native {
        if self.form == form {
            return self;
        }
        let value = &self.tokens;
        let tokens = if self.nullable { quote!(#value.map(Text::Borrowed)) } else { quote!(Text::Borrowed(#value)) };
        Native { tokens, form, ..self }
    }
}

/// The form in which several values meet (branches of a CASE).
pub fn common_form(values: &[Native]) -> Form {
    match values.iter().any(|value| value.form == Form::Text) {
        true => Form::Text,
        false => values.first().map_or(Form::Plain, |value| value.form),
    }
}

/// The suffix of `row::get_*` and `row::put_*`, also a Rust type's name but for `text`.
fn suffix(ty: SqlType) -> &'static str {
    match ty {
        SqlType::Null | SqlType::Boolean => "bool",
        SqlType::TinyInt => "i8",
        SqlType::SmallInt => "i16",
        SqlType::Integer | SqlType::Date | SqlType::IntervalLong { .. } => "i32",
        SqlType::Decimal { precision, .. } if precision > 18 => "i128",
        SqlType::BigInt
        | SqlType::Decimal { .. }
        | SqlType::Time
        | SqlType::Timestamp
        | SqlType::IntervalShort { .. } => "i64",
        SqlType::Real => "f32",
        SqlType::Double => "f64",
        SqlType::Char { .. } | SqlType::Varchar { .. } => "text",
    }
}

/// A DECIMAL that is stored narrower than it is computed.
fn narrow(ty: SqlType) -> bool {
    matches!(ty, SqlType::Decimal { precision, .. } if precision <= 18)
}

/// The Rust type of a value, text as `&str`.
pub fn rust_type(ty: SqlType) -> TokenStream {
    match ty {
        SqlType::Decimal { .. } => quote!(i128),
        ty if ty.is_text() => quote!(&str),
        ty => {
            let name = format_ident!("{}", suffix(ty));
            quote!(#name)
        }
    }
}

/// Reads a fixed-width value.
pub fn get(ty: SqlType, row: &TokenStream, offset: &TokenStream) -> TokenStream {
    let get = format_ident!("get_{}", suffix(ty));
    if narrow(ty) { quote!(row::#get(#row, #offset) as i128) } else { quote!(row::#get(#row, #offset)) }
}

/// The statement that writes a value (text as `&str`), without its tag.
pub fn put(ty: SqlType, value: &TokenStream) -> TokenStream {
    let put = format_ident!("put_{}", suffix(ty));
    if narrow(ty) {
        // The type's precision bounds the value: the cast loses nothing.
        quote!(row::#put(out, #value as i64);)
    } else {
        quote!(row::#put(out, #value);)
    }
}

/// Have all values of the two types the same bytes?
pub fn same_encoding(a: SqlType, b: SqlType) -> bool {
    match (a, b) {
        (SqlType::Decimal { scale: s, .. }, SqlType::Decimal { scale: t, .. }) => {
            s == t && a.fixed_width() == b.fixed_width()
        }
        (SqlType::IntervalShort { .. }, SqlType::IntervalShort { .. })
        | (SqlType::IntervalLong { .. }, SqlType::IntervalLong { .. }) => true,
        _ => a == b || (a.is_text() && b.is_text()),
    }
}
