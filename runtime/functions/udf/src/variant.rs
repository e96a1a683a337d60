//! VARIANT: a value with its type.

use crate::data::mismatch;
use crate::nested::by_value;
use crate::{
    Array, ByteArray, Data, Date, F32, F64, LongInterval, Map, ShortInterval, SqlString, Time, Timestamp, TimestampTz,
    Uuid,
};
use feldc_value::function::kind;
use feldc_value::{SqlError, SqlType, Value, decimal, nested};

/// A value of any type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    #[default]
    SqlNull,
    /// The null of JSON.
    VariantNull,
    Boolean(bool),
    TinyInt(i8),
    SmallInt(i16),
    Int(i32),
    BigInt(i64),
    UTinyInt(u8),
    USmallInt(u16),
    UInt(u32),
    UBigInt(u64),
    Real(F32),
    Double(F64),
    /// Units of 10 to the power of minus the scale, and the scale.
    SqlDecimal((i128, u8)),
    String(SqlString),
    Date(Date),
    Time(Time),
    Timestamp(Timestamp),
    TimestampTz(TimestampTz),
    ShortInterval(ShortInterval),
    LongInterval(LongInterval),
    Binary(ByteArray),
    Uuid(Uuid),
    Array(Array<Variant>),
    Map(Map<Variant, Variant>),
}

impl Data for Variant {
    by_value!();

    fn from_value(value: &Value) -> Result<Self, SqlError> {
        let Value::Variant(held) = value else { return Err(mismatch()) };
        let inside = &held.value;
        Ok(match (held.ty, inside) {
            (SqlType::Null, _) => Variant::SqlNull,
            (SqlType::Variant, _) => Variant::VariantNull,
            (SqlType::Decimal { scale, .. }, Value::Decimal(units)) => Variant::SqlDecimal((*units, scale)),
            (_, Value::Boolean(value)) => Variant::Boolean(*value),
            (_, Value::TinyInt(value)) => Variant::TinyInt(*value),
            (_, Value::SmallInt(value)) => Variant::SmallInt(*value),
            (_, Value::Integer(value)) => Variant::Int(*value),
            (_, Value::BigInt(value)) => Variant::BigInt(*value),
            (_, Value::UTinyInt(value)) => Variant::UTinyInt(*value),
            (_, Value::USmallInt(value)) => Variant::USmallInt(*value),
            (_, Value::UInteger(value)) => Variant::UInt(*value),
            (_, Value::UBigInt(value)) => Variant::UBigInt(*value),
            (_, Value::Real(value)) => Variant::Real(F32::new(*value)),
            (_, Value::Double(value)) => Variant::Double(F64::new(*value)),
            (_, Value::Text(_)) => Variant::String(Data::from_value(inside)?),
            (_, Value::Date(_)) => Variant::Date(Data::from_value(inside)?),
            (_, Value::Time(_)) => Variant::Time(Data::from_value(inside)?),
            (_, Value::Timestamp(_)) => Variant::Timestamp(Data::from_value(inside)?),
            (_, Value::TimestampTz(_)) => Variant::TimestampTz(Data::from_value(inside)?),
            (_, Value::IntervalShort(_)) => Variant::ShortInterval(Data::from_value(inside)?),
            (_, Value::IntervalLong(_)) => Variant::LongInterval(Data::from_value(inside)?),
            (_, Value::Binary(_)) => Variant::Binary(Data::from_value(inside)?),
            (_, Value::Uuid(_)) => Variant::Uuid(Data::from_value(inside)?),
            (_, Value::Array(_)) => Variant::Array(Data::from_value(inside)?),
            (_, Value::Map(_)) => Variant::Map(Data::from_value(inside)?),
            _ => return Err(mismatch()),
        })
    }

    fn into_value(self) -> Result<Value, SqlError> {
        let (ty, value) = match self {
            Variant::SqlNull => (SqlType::Null, Value::Null),
            Variant::VariantNull => (SqlType::Variant, Value::Null),
            Variant::Boolean(value) => (SqlType::Boolean, Value::Boolean(value)),
            Variant::TinyInt(value) => (SqlType::TinyInt, Value::TinyInt(value)),
            Variant::SmallInt(value) => (SqlType::SmallInt, Value::SmallInt(value)),
            Variant::Int(value) => (SqlType::Integer, Value::Integer(value)),
            Variant::BigInt(value) => (SqlType::BigInt, Value::BigInt(value)),
            Variant::UTinyInt(value) => (SqlType::UTinyInt, Value::UTinyInt(value)),
            Variant::USmallInt(value) => (SqlType::USmallInt, Value::USmallInt(value)),
            Variant::UInt(value) => (SqlType::UInteger, Value::UInteger(value)),
            Variant::UBigInt(value) => (SqlType::UBigInt, Value::UBigInt(value)),
            Variant::Real(value) => (SqlType::Real, value.into_value()?),
            Variant::Double(value) => (SqlType::Double, value.into_value()?),
            Variant::SqlDecimal((units, scale)) => return decimal_variant(units, scale),
            Variant::String(value) => (SqlType::VARCHAR, value.into_value()?),
            Variant::Date(value) => (SqlType::Date, value.into_value()?),
            Variant::Time(value) => (SqlType::Time, value.into_value()?),
            Variant::Timestamp(value) => (SqlType::Timestamp, value.into_value()?),
            Variant::TimestampTz(value) => (SqlType::TimestampTz, value.into_value()?),
            Variant::ShortInterval(value) => (kind::SHORT, value.into_value()?),
            Variant::LongInterval(value) => (kind::LONG, value.into_value()?),
            Variant::Binary(value) => (SqlType::VARBINARY, value.into_value()?),
            Variant::Uuid(value) => (SqlType::Uuid, value.into_value()?),
            Variant::Array(value) => (nested::array_of_variants(), value.into_value()?),
            Variant::Map(value) => (nested::map_of_variants(), value.into_value()?),
        };
        Ok(Value::variant(ty, value))
    }
}

/// As the cast of such a DECIMAL makes it: with the least scale.
fn decimal_variant(units: i128, scale: u8) -> Result<Value, SqlError> {
    let ty = SqlType::Decimal { precision: decimal::MAX_PRECISION, scale: scale.min(decimal::MAX_PRECISION) };
    let units = match scale > decimal::MAX_PRECISION {
        true => return Err(decimal::too_wide(&format!("a scale of {scale}"), ty)),
        false => decimal::fit(Some(units), ty)?,
    };
    nested::cast_value(&Value::Decimal(units), ty, SqlType::Variant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn variants_go_both_ways() {
        let entries =
            [(Variant::String("a".into()), Variant::SqlDecimal((15, 1))), (Variant::Int(1), Variant::VariantNull)];
        let variant = Variant::Array(Arc::new(vec![Variant::SqlNull, Variant::Map(Arc::new(entries.into()))]));
        let value = variant.clone().into_value().unwrap();
        assert_eq!(Variant::from_value(&value), Ok(variant));
        // One number has one form.
        let same = [Variant::SqlDecimal((1500, 3)), Variant::SqlDecimal((15, 1))].map(Variant::into_value);
        assert_eq!(same[0], same[1]);
        assert_eq!(Variant::SqlDecimal((1, 39)).into_value().unwrap_err().code, "22003");
    }
}
