//! Literals of generated code.

use super::native::{Form, Native, Owner, boxed, rust_type};
use super::signature::Types;
use feldc_value::{SqlType, Value};
use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

/// A literal of SQL type `ty`.
pub fn emit_literal(value: &Value, ty: SqlType, types: &mut Types) -> Native {
    if let (false, Form::Owned(owner @ Owner::Nested)) = (value.is_null(), Form::made(ty)) {
        let value = emit_value(value, ty, types);
        let owner = owner.name();
        return Native { tokens: quote!(#owner(#value)), nullable: false, form: Form::Owned(Owner::Nested), depth: 1 };
    }
    let form = Owner::of(ty).map_or(Form::Plain, Form::Lent);
    if value.is_null() {
        let rust = rust_type(ty);
        return Native { tokens: quote!(None::<#rust>), nullable: true, form, depth: 0 };
    }
    let tokens = match value {
        Value::Null => quote!(),
        Value::Boolean(value) => quote!(#value),
        Value::TinyInt(value) => integer(i128::from(*value), Literal::i8_suffixed),
        Value::SmallInt(value) => integer(i128::from(*value), Literal::i16_suffixed),
        Value::Integer(value) | Value::Date(value) | Value::IntervalLong(value) => {
            integer(i128::from(*value), Literal::i32_suffixed)
        }
        Value::BigInt(value) | Value::Time(value) | Value::Timestamp(value) | Value::IntervalShort(value) => {
            integer(i128::from(*value), Literal::i64_suffixed)
        }
        Value::Decimal(value) => integer(*value, Literal::i128_suffixed),
        Value::Real(value) => match value.is_finite() && value.is_sign_positive() {
            true => Literal::f32_suffixed(*value).to_token_stream(),
            false => float_bits(quote!(f32), Literal::u32_unsuffixed(value.to_bits())),
        },
        Value::Double(value) => match value.is_finite() && value.is_sign_positive() {
            true => Literal::f64_suffixed(*value).to_token_stream(),
            false => float_bits(quote!(f64), Literal::u64_unsuffixed(value.to_bits())),
        },
        Value::TimestampTz(value) => integer(i128::from(*value), Literal::i64_suffixed),
        Value::UTinyInt(value) => Literal::u8_suffixed(*value).to_token_stream(),
        Value::USmallInt(value) => Literal::u16_suffixed(*value).to_token_stream(),
        Value::UInteger(value) => Literal::u32_suffixed(*value).to_token_stream(),
        Value::UBigInt(value) => Literal::u64_suffixed(*value).to_token_stream(),
        Value::Uuid(value) => Literal::u128_suffixed(*value).to_token_stream(),
        Value::Text(text) => {
            let text: &str = text;
            quote!(#text)
        }
        Value::Binary(bytes) => {
            let bytes = Literal::byte_string(bytes);
            quote!(&#bytes[..])
        }
        Value::Array(_) | Value::Map(_) | Value::Row(_) | Value::Variant(_) => emit_value(value, ty, types),
    };
    Native { tokens, nullable: false, form, depth: 0 }
}

/// A literal as a `Value`.
fn emit_value(value: &Value, ty: SqlType, types: &mut Types) -> TokenStream {
    match (value, ty) {
        (Value::Null, _) => quote!(Value::Null),
        (Value::Array(elements), SqlType::Array(element)) => {
            let elements = elements.iter().map(|value| emit_value(value, *element, types));
            quote!(Value::array([#(#elements),*]))
        }
        (Value::Map(entries), SqlType::Map(entry)) => {
            let entries = entries.iter().map(|(key, value)| {
                let (key, value) = (emit_value(key, entry.0.0, types), emit_value(value, entry.0.1, types));
                quote!((#key, #value))
            });
            quote!(value::nested::map([#(#entries),*]))
        }
        (Value::Row(values), SqlType::Row(fields)) => {
            let fields = values.iter().zip(fields.iter());
            let values = fields.map(|(value, field)| emit_value(value, field.columntype.ty, types));
            quote!(Value::row([#(#values),*]))
        }
        (Value::Variant(variant), _) => {
            let (ty, value) = (types.name(variant.ty), emit_value(&variant.value, variant.ty, types));
            quote!(Value::variant(#ty, #value))
        }
        (scalar, ty) => boxed(&emit_literal(scalar, ty, types), ty),
    }
}

/// A negative number is a `-` and a literal, except the least, whose absolute value no literal has.
fn integer<T: TryFrom<i128>>(value: i128, literal: impl Fn(T) -> Literal) -> TokenStream {
    match (value < 0, value.checked_abs().and_then(|magnitude| T::try_from(magnitude).ok())) {
        (true, Some(magnitude)) => {
            let literal = literal(magnitude);
            quote!(-#literal)
        }
        (false, Some(magnitude)) => literal(magnitude).to_token_stream(),
        (_, None) => {
            let name = quote::format_ident!("i{}", 8 * size_of::<T>());
            quote!(#name::MIN)
        }
    }
}

/// NaN, infinities and negative numbers by their bits.
fn float_bits(ty: TokenStream, bits: Literal) -> TokenStream {
    quote!(#ty::from_bits(#bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(value: Value, ty: SqlType, expected: &str) {
        assert_eq!(emit_literal(&value, ty, &mut Types::default()).tokens.to_string().replace(' ', ""), expected);
    }

    #[test]
    fn literals() {
        check(Value::TinyInt(i8::MIN), SqlType::TinyInt, "i8::MIN");
        check(Value::Integer(-7), SqlType::Integer, "-7i32");
        check(Value::Decimal(1050), SqlType::Decimal { precision: 4, scale: 2 }, "1050i128");
        check(Value::Double(0.1), SqlType::Double, "0.1f64");
        check(Value::Double(-2.0), SqlType::Double, "f64::from_bits(13835058055282163712)");
        check(Value::text("a\u{202e}\"b\0"), SqlType::VARCHAR, r#""a\u{202e}\"b\0""#);
        check(Value::Null, SqlType::Date, "None::<i32>");
    }
}
