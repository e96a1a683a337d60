//! Which types meet without being told to: implicit casts and common types.

use crate::decimal::MAX_PRECISION;
use crate::error::CANNOT_COERCE;
use crate::{ColumnType, RowField, SqlError, SqlType};

/// May an argument of type `from` be cast to a parameter of type `to` unasked? (A literal in quotes may become any
/// type; that is the binder's matter.)
///
/// Integers widen; integers and DECIMALs become DECIMAL (with at least their digits), REAL or DOUBLE; REAL becomes DOUBLE;
/// DATE becomes TIMESTAMP; every type becomes text (for text functions: comparisons go by [`common_type`] and never get
/// there).
pub fn implicit_cast_allowed(from: SqlType, to: SqlType) -> bool {
    use SqlType::*;
    match (from, to) {
        (Null, _) => true,
        _ if from == to => true,
        (_, Char { .. } | Varchar { .. }) => !from.is_binary() && !from.is_nested(),
        _ if from.is_integer() && to.is_integer() => holds_integers(to, from),
        (Decimal { .. }, Decimal { .. }) => true,
        (_, Decimal { .. }) => from.is_integer(),
        (_, Real) => from.is_integer() || from.is_decimal(),
        (_, Double) => from.is_numeric(),
        (Date, Timestamp | TimestampTz) | (Timestamp, TimestampTz) | (TimestampTz, Timestamp) => true,
        (Binary { .. } | Varbinary { .. }, Binary { .. } | Varbinary { .. }) => true,
        (Array(from), Array(to)) => implicit_cast_allowed(*from, *to),
        (Map(from), Map(to)) => implicit_cast_allowed(from.0.0, to.0.0) && implicit_cast_allowed(from.0.1, to.0.1),
        (_, Variant) => true,
        (IntervalShort { .. }, IntervalShort { .. }) | (IntervalLong { .. }, IntervalLong { .. }) => true,
        _ => false,
    }
}

/// The type to which both are cast for CASE, COALESCE, UNION and comparisons; `None` when there is none.
///
/// Integers widen; DECIMALs (and integers with them) keep all digits, capped at 38 with the scale kept; an exact number
/// takes the type of the float it meets; CHAR and VARCHAR meet as VARCHAR; DATE and TIMESTAMP as TIMESTAMP; NULL takes any.
pub fn common_type(a: SqlType, b: SqlType) -> Option<SqlType> {
    use SqlType::*;
    match (a, b) {
        (Null, other) | (other, Null) => Some(other),
        _ if a == b => Some(a),
        (Real, Double) | (Double, Real) => Some(Double),
        (exact, float @ (Real | Double)) | (float @ (Real | Double), exact) if exact.digits().is_some() => Some(float),
        _ if a.is_integer() && b.is_integer() => Some(wider_integer(a, b)),
        (Date, Timestamp) | (Timestamp, Date) => Some(Timestamp),
        (Date | Timestamp, TimestampTz) | (TimestampTz, Date | Timestamp) => Some(TimestampTz),
        (Varbinary { length: Some(a) }, Varbinary { length: Some(b) }) => Some(Varbinary { length: Some(a.max(b)) }),
        _ if a.is_binary() && b.is_binary() => Some(SqlType::VARBINARY),
        (Array(a), Array(b)) => common_type(*a, *b).map(SqlType::array),
        (Map(a), Map(b)) => Some(SqlType::map(common_type(a.0.0, b.0.0)?, common_type(a.0.1, b.0.1)?)),
        (Row(a), Row(b)) if a.len() == b.len() => {
            let field = |(a, b): (&RowField, &RowField)| {
                let ty = common_type(a.columntype.ty, b.columntype.ty)?;
                let nullable = a.columntype.nullable || b.columntype.nullable;
                Some(RowField { name: a.name, columntype: ColumnType::new(ty, nullable) })
            };
            a.iter().zip(b.iter()).map(field).collect::<Option<Vec<_>>>().map(SqlType::row)
        }
        (Variant, _) | (_, Variant) => Some(Variant),
        (Varchar { length: Some(a) }, Varchar { length: Some(b) }) => Some(Varchar { length: Some(a.max(b)) }),
        _ if a.is_text() && b.is_text() => Some(SqlType::VARCHAR),
        (IntervalShort { from: f1, to: t1 }, IntervalShort { from: f2, to: t2 }) => {
            Some(IntervalShort { from: f1.min(f2), to: t1.max(t2) })
        }
        (IntervalLong { from: f1, to: t1 }, IntervalLong { from: f2, to: t2 }) => {
            Some(IntervalLong { from: f1.min(f2), to: t1.max(t2) })
        }
        _ => {
            let ((i1, s1), (i2, s2)) = a.digits().zip(b.digits())?;
            let scale = s1.max(s2);
            Some(Decimal { precision: (i1.max(i2) + scale).clamp(1, MAX_PRECISION), scale })
        }
    }
}

/// Bytes of an integer type.
fn width(ty: SqlType) -> usize {
    ty.fixed_width().unwrap_or(0)
}

/// Does an integer type hold every value of another?
fn holds_integers(ty: SqlType, other: SqlType) -> bool {
    match (ty.is_unsigned(), other.is_unsigned()) {
        (a, b) if a == b => width(ty) >= width(other),
        (false, _) => width(ty) > width(other),
        (true, _) => false,
    }
}

/// The wider of two integer types, the unsigned one of equal width, as the peer has it.
fn wider_integer(a: SqlType, b: SqlType) -> SqlType {
    match width(a).cmp(&width(b)) {
        std::cmp::Ordering::Less => b,
        std::cmp::Ordering::Greater => a,
        std::cmp::Ordering::Equal => a.max(b),
    }
}

/// The common type of all arguments, as a rule for result types.
pub fn common_of(arguments: &[SqlType]) -> Result<SqlType, SqlError> {
    let common = arguments.iter().try_fold(SqlType::Null, |ty, argument| common_type(ty, *argument));
    common.ok_or_else(|| SqlError::new(CANNOT_COERCE, "the arguments have no common type"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntervalUnit::*;

    const fn decimal(precision: u8, scale: u8) -> SqlType {
        SqlType::Decimal { precision, scale }
    }

    #[test]
    fn common_types_are_symmetric() {
        use SqlType::*;
        let cases = [
            (Null, Date, Some(Date)),
            (TinyInt, BigInt, Some(BigInt)),
            (Integer, decimal(5, 2), Some(decimal(12, 2))),
            (decimal(10, 2), decimal(8, 6), Some(decimal(14, 6))),
            (decimal(38, 0), decimal(38, 10), Some(decimal(38, 10))),
            (Integer, Real, Some(Real)),
            (decimal(5, 1), Double, Some(Double)),
            (Real, Double, Some(Double)),
            (Char { length: 3 }, Varchar { length: Some(9) }, Some(SqlType::VARCHAR)),
            (Date, Timestamp, Some(Timestamp)),
            (Integer, SqlType::VARCHAR, None),
            (Boolean, Integer, None),
            (
                IntervalShort { from: Day, to: Hour },
                IntervalShort { from: Minute, to: Second },
                Some(IntervalShort { from: Day, to: Second }),
            ),
            (IntervalShort { from: Day, to: Day }, IntervalLong { from: Year, to: Year }, None),
        ];
        for (a, b, expected) in cases {
            assert_eq!(common_type(a, b), expected, "{a} and {b}");
            assert_eq!(common_type(b, a), expected, "{b} and {a}");
        }
    }

    #[test]
    fn implicit_casts_lose_nothing_but_precision_of_floats() {
        use SqlType::*;
        assert!(implicit_cast_allowed(TinyInt, BigInt));
        assert!(!implicit_cast_allowed(BigInt, Integer));
        assert!(implicit_cast_allowed(decimal(5, 2), Double));
        assert!(!implicit_cast_allowed(Double, decimal(5, 2)));
        assert!(!implicit_cast_allowed(Double, Real));
        assert!(!implicit_cast_allowed(SqlType::VARCHAR, Integer));
        assert!(implicit_cast_allowed(Boolean, SqlType::VARCHAR));
    }
}
