//! Values in generated code: which Rust type a SQL type has there, and how a value is written down.

use super::signature::Types;
use feldc_value::SqlType;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// How a value's Rust type relates to its SQL type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A `Copy` type: `bool`, an integer or a float.
    Plain,
    /// A reference (`&str`, `&[u8]`, `&Value`), living at least as long as the row.
    Lent(Owner),
    /// The type that the reference borrows from.
    Owned(Owner),
}

/// The Rust type of values that others borrow from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Text,
    Bytes,
    Nested,
}

impl Owner {
    pub fn of(ty: SqlType) -> Option<Owner> {
        match ty {
            ty if ty.is_text() => Some(Owner::Text),
            ty if ty.is_binary() => Some(Owner::Bytes),
            ty if ty.is_nested() => Some(Owner::Nested),
            _ => None,
        }
    }

    pub fn name(self) -> Ident {
        format_ident!("{}", format!("{self:?}"))
    }
}

impl Form {
    /// The form of a value of a type that an expression makes.
    pub fn made(ty: SqlType) -> Form {
        Owner::of(ty).map_or(Form::Plain, Form::Owned)
    }

    pub fn is_owned(self) -> bool {
        matches!(self, Form::Owned(_))
    }
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

    /// The same value as `form` (what is lent can become owned).
    pub fn into_form(self, form: Form) -> Native {
        let Form::Owned(owner) = form else { return self };
        if self.form == form {
            return self;
        }
        let (value, owner) = (&self.tokens, owner.name());
        let tokens = if self.nullable { quote!(#value.map(#owner::from)) } else { quote!(#owner::from(#value)) };
        Native { tokens, form, ..self }
    }
}

/// The form in which several values meet (branches of a CASE).
pub fn common_form(values: &[Native]) -> Form {
    let owned = values.iter().find(|value| value.form.is_owned());
    owned.or(values.first()).map_or(Form::Plain, |value| value.form)
}

/// The suffix of `row::get_*` and `row::put_*`, also a Rust type's name but for `text`.
fn suffix(ty: SqlType) -> &'static str {
    match ty {
        SqlType::Null | SqlType::Boolean => "bool",
        SqlType::UTinyInt => "u8",
        SqlType::USmallInt => "u16",
        SqlType::UInteger => "u32",
        SqlType::UBigInt => "u64",
        SqlType::Uuid => "u128",
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => "bytes",
        SqlType::Array(_) | SqlType::Map(_) | SqlType::Row(_) | SqlType::Variant => "nested",
        SqlType::TinyInt => "i8",
        SqlType::SmallInt => "i16",
        SqlType::Integer | SqlType::Date | SqlType::IntervalLong { .. } => "i32",
        SqlType::Decimal { precision, .. } if precision > 18 => "i128",
        SqlType::BigInt
        | SqlType::Decimal { .. }
        | SqlType::Time
        | SqlType::Timestamp
        | SqlType::TimestampTz
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

/// The Rust type of a value, text and the like as references.
pub fn rust_type(ty: SqlType) -> TokenStream {
    match ty {
        SqlType::Decimal { .. } => quote!(i128),
        ty if ty.is_text() => quote!(&str),
        ty if ty.is_binary() => quote!(&[u8]),
        ty if ty.is_nested() => quote!(&Value),
        ty => {
            let name = format_ident!("{}", suffix(ty));
            quote!(#name)
        }
    }
}

/// Reads a value of variable width: the value as its owner, and the offset behind it.
pub fn get_varying(ty: SqlType, types: &mut Types, row: &TokenStream, offset: &TokenStream) -> TokenStream {
    let get = format_ident!("get_{}", suffix(ty));
    match Owner::of(ty) {
        Some(Owner::Nested) => {
            let ty = types.name(ty);
            quote!(row::#get(#row, #offset, #ty))
        }
        _ => quote!(row::#get(#row, #offset)),
    }
}

/// A value as a `Value`, for functions that know no types.
pub fn boxed(value: &Native, ty: SqlType) -> TokenStream {
    let variant = match ty {
        ty if ty.is_text() => quote!(Value::text),
        ty if ty.is_binary() => quote!(Value::binary),
        ty if ty.is_nested() => quote!(Value::clone),
        SqlType::Null => return quote!(Value::Null),
        SqlType::Decimal { .. } => quote!(Value::Decimal),
        SqlType::IntervalShort { .. } => quote!(Value::IntervalShort),
        SqlType::IntervalLong { .. } => quote!(Value::IntervalLong),
        plain => {
            let name = format_ident!("{}", format!("{plain:?}"));
            quote!(Value::#name)
        }
    };
    let tokens = &value.tokens;
    match value.nullable {
        true => quote!(#tokens.map_or(Value::Null, #variant)),
        false => quote!(#variant(#tokens)),
    }
}

/// The Rust type that a `Value` of a type is unboxed to.
pub fn unboxed_type(ty: SqlType) -> TokenStream {
    match Owner::of(ty) {
        Some(Owner::Text) => quote!(Text<'_>),
        Some(Owner::Bytes) => quote!(Bytes<'_>),
        Some(Owner::Nested) => quote!(Nested),
        None => rust_type(ty),
    }
}

/// Reads a fixed-width value.
pub fn get(ty: SqlType, row: &TokenStream, offset: &TokenStream) -> TokenStream {
    let get = format_ident!("get_{}", suffix(ty));
    if narrow(ty) { quote!(row::#get(#row, #offset) as i128) } else { quote!(row::#get(#row, #offset)) }
}

/// The statement that writes a value (text and the like as references), without its tag.
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
        _ => a == b || (a.is_text() && b.is_text()) || (a.is_binary() && b.is_binary()),
    }
}
