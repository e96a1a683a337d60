//! Type names to types, and which of them this version has.

use super::{Binder, Bound, Reported};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::Span;
use feldc_value::{IntervalUnit, SqlType};
use sqlparser::ast::{
    ArrayElemTypeDef, BinaryLength, CharacterLength, DataType, ExactNumberInfo, IntervalFields, StructBracketKind,
    TimezoneInfo,
};

const DECIMAL_DIGITS_MAX: u64 = 38;
/// FLOAT(p) with at most so many bits is REAL (ISO/IEC 9075-2 leaves it to the implementation).
const REAL_BITS_MAX: u64 = 24;
const TEXT_LENGTH_MAX: u64 = 10_485_760;
/// So many ARRAYs, MAPs and ROWs may stand inside each other.
const LEVELS_MAX: usize = 32;

impl Binder<'_> {
    pub(super) fn data_type(&mut self, ty: &DataType, span: Span) -> Bound<SqlType> {
        let ty = self.data_type_inner(ty, span)?;
        self.check_levels(ty, span)?;
        Ok(ty)
    }

    pub(super) fn check_levels(&mut self, ty: SqlType, span: Span) -> Bound<()> {
        if levels(ty) <= LEVELS_MAX {
            return Ok(());
        }
        let error = Diagnostic::error(code::TOO_COMPLEX, "type nests too deeply", span);
        let help = format!("at most {LEVELS_MAX} ARRAYs, MAPs and ROWs may nest: use VARIANT for the inner ones");
        self.fail(error.help(help))
    }

    fn data_type_inner(&mut self, ty: &DataType, span: Span) -> Bound<SqlType> {
        Ok(match ty {
            DataType::Boolean | DataType::Bool => SqlType::Boolean,
            DataType::TinyInt(_) => SqlType::TinyInt,
            DataType::SmallInt(_) | DataType::Int2(_) | DataType::Int16 => SqlType::SmallInt,
            DataType::Int(_) | DataType::Integer(_) | DataType::Int4(_) | DataType::Int32 => SqlType::Integer,
            DataType::Signed | DataType::SignedInteger => SqlType::Integer,
            DataType::BigInt(_) | DataType::Int8(_) | DataType::Int64 => SqlType::BigInt,
            DataType::TinyIntUnsigned(_) | DataType::UTinyInt => SqlType::UTinyInt,
            DataType::SmallIntUnsigned(_) | DataType::Int2Unsigned(_) | DataType::USmallInt => SqlType::USmallInt,
            DataType::IntUnsigned(_) | DataType::IntegerUnsigned(_) | DataType::Int4Unsigned(_) => SqlType::UInteger,
            DataType::Unsigned | DataType::UnsignedInteger => SqlType::UInteger,
            DataType::BigIntUnsigned(_) | DataType::Int8Unsigned(_) | DataType::UBigInt => SqlType::UBigInt,
            DataType::Decimal(info) | DataType::Numeric(info) | DataType::Dec(info) => self.decimal(info, span)?,
            DataType::Real | DataType::Float4 | DataType::Float32 => SqlType::Real,
            DataType::DoublePrecision | DataType::Float8 | DataType::Float64 => SqlType::Double,
            DataType::Double(ExactNumberInfo::None) => SqlType::Double,
            DataType::Float(info) => self.float(info, span)?,
            DataType::Char(length) | DataType::Character(length) => {
                SqlType::Char { length: self.length(length, span)?.unwrap_or(1) }
            }
            DataType::Varchar(length)
            | DataType::CharacterVarying(length)
            | DataType::CharVarying(length)
            | DataType::Nvarchar(length) => SqlType::Varchar { length: self.length(length, span)? },
            DataType::Text | DataType::String(None) => SqlType::VARCHAR,
            DataType::String(Some(length)) => {
                SqlType::Varchar { length: self.length(&Some(character_length(*length)), span)? }
            }
            DataType::Binary(length) => SqlType::Binary { length: self.bytes(*length, span)?.unwrap_or(1) },
            DataType::Varbinary(None) | DataType::Bytea | DataType::Bytes(None) | DataType::Blob(None) => {
                SqlType::VARBINARY
            }
            DataType::Varbinary(Some(BinaryLength::Max)) => SqlType::VARBINARY,
            DataType::Varbinary(Some(BinaryLength::IntegerLength { length })) => {
                SqlType::Varbinary { length: self.bytes(Some(*length), span)? }
            }
            DataType::Uuid => SqlType::Uuid,
            DataType::Timestamp(_, TimezoneInfo::WithTimeZone | TimezoneInfo::Tz) => SqlType::TimestampTz,
            DataType::Array(
                ArrayElemTypeDef::AngleBracket(element)
                | ArrayElemTypeDef::SquareBracket(element, _)
                | ArrayElemTypeDef::Qualified(element, _)
                | ArrayElemTypeDef::Parenthesis(element),
            ) => SqlType::array(self.data_type(element, span)?),
            DataType::Map(key, value, _) => {
                let (key, value) = (self.data_type(key, span), self.data_type(value, span));
                SqlType::map(key?, value?)
            }
            DataType::Struct(fields, StructBracketKind::Parentheses) => self.row_type(fields, span)?,
            DataType::Date => SqlType::Date,
            DataType::Time(_, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) => SqlType::Time,
            DataType::Timestamp(_, TimezoneInfo::None | TimezoneInfo::WithoutTimeZone) | DataType::Datetime(_) => {
                SqlType::Timestamp
            }
            DataType::Interval { fields: Some(fields), .. } => interval(fields),
            DataType::Interval { fields: None, .. } => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, "INTERVAL needs its units", span);
                return self.fail(error.help("write for example INTERVAL DAY TO SECOND or INTERVAL MONTH"));
            }
            DataType::Custom(name, modifiers) => self.named_type(&name.to_string(), modifiers, span)?,
            other => return self.unknown_type(&other.to_string(), span),
        })
    }

    /// Types that sqlparser takes for names.
    fn named_type(&mut self, name: &str, modifiers: &[sqlparser::ast::TypeModifier], span: Span) -> Bound<SqlType> {
        let numbers: Vec<Option<u64>> = modifiers.iter().map(|modifier| modifier.to_string().parse().ok()).collect();
        match (name.to_uppercase().as_str(), numbers.as_slice()) {
            ("NUMBER", []) => self.decimal(&ExactNumberInfo::None, span),
            ("NUMBER", [Some(precision)]) => self.decimal(&ExactNumberInfo::Precision(*precision), span),
            ("NUMBER", [Some(precision), Some(scale)]) => {
                let scale = i64::try_from(*scale).unwrap_or(i64::MAX);
                self.decimal(&ExactNumberInfo::PrecisionAndScale(*precision, scale), span)
            }
            ("STRING", []) => Ok(SqlType::VARCHAR),
            ("VARIANT", []) => Ok(SqlType::Variant),
            ("UUID", []) => Ok(SqlType::Uuid),
            ("UNSIGNED", []) => Ok(SqlType::UInteger),
            ("BYTEA" | "BYTES" | "BLOB", []) => Ok(SqlType::VARBINARY),
            ("TIMESTAMPTZ", []) => Ok(SqlType::TimestampTz),
            (_, []) if self.types.contains_key(&folded(name)) => match self.types[&folded(name)].0 {
                Some(ty) => Ok(ty),
                None => Err(Reported),
            },
            ("INT64", []) => Ok(SqlType::BigInt),
            ("FLOAT4" | "FLOAT32", []) => Ok(SqlType::Real),
            ("FLOAT8" | "FLOAT64", []) => Ok(SqlType::Double),
            ("SIGNED", []) => Ok(SqlType::Integer),
            ("DATETIME", []) => Ok(SqlType::Timestamp),
            _ => self.unknown_type(name, span),
        }
    }

    fn unknown_type<T>(&mut self, name: &str, span: Span) -> Bound<T> {
        /// First words of types of the dialect that are still to come.
        const LATER: &[&str] = &["STRUCT", "GEOMETRY", "JSON", "JSONB"];
        let upper = name.to_uppercase();
        let later = LATER.iter().any(|word| upper.starts_with(word) || upper.ends_with(word))
            || upper.contains("WITH TIME ZONE");
        if later || upper.starts_with("TIMESTAMP") || upper.starts_with("TIME") {
            return self.later_type(&upper, span);
        }
        let known = [
            "BOOLEAN",
            "TINYINT",
            "SMALLINT",
            "INTEGER",
            "BIGINT",
            "DECIMAL",
            "REAL",
            "DOUBLE",
            "CHAR",
            "VARCHAR",
            "TEXT",
            "STRING",
            "DATE",
            "TIME",
            "TIMESTAMP",
            "INT",
            "NUMERIC",
        ];
        let error = Diagnostic::error(code::UNDEFINED_OBJECT, format!("type \"{name}\" does not exist"), span);
        match crate::diagnostic::closest(name, known) {
            Some(near) => self.fail(error.help(format!("write {near}"))),
            None => self.fail(error),
        }
    }

    fn later_type<T>(&mut self, name: &str, span: Span) -> Bound<T> {
        let help = match name {
            _ if name.starts_with("TIMESTAMP") => "use TIMESTAMP and store UTC",
            "JSON" | "JSONB" => "use VARIANT",
            "STRUCT" => "use ROW(name type, ...)",
            _ => "keep it as text, or as rows of another table",
        };
        self.fail(Diagnostic::unsupported(format!("the type {name}"), span).help(help))
    }

    fn decimal(&mut self, info: &ExactNumberInfo, span: Span) -> Bound<SqlType> {
        let (precision, scale) = match info {
            ExactNumberInfo::None => (DECIMAL_DIGITS_MAX, 0),
            ExactNumberInfo::Precision(precision) => (*precision, 0),
            ExactNumberInfo::PrecisionAndScale(precision, scale) => (*precision, *scale),
        };
        let fits = (1..=DECIMAL_DIGITS_MAX).contains(&precision) && u64::try_from(scale).is_ok_and(|s| s <= precision);
        if !fits {
            let headline = format!("DECIMAL({precision}, {scale}) is out of range");
            let error = Diagnostic::error(code::INVALID_PARAMETER, headline, span);
            return self.fail(error.help("the precision is 1 to 38 digits, the scale 0 to the precision"));
        }
        Ok(SqlType::Decimal { precision: precision as u8, scale: scale as u8 })
    }

    fn float(&mut self, info: &ExactNumberInfo, span: Span) -> Bound<SqlType> {
        let (ty, written) = match info {
            ExactNumberInfo::None => (SqlType::Double, "FLOAT".to_string()),
            ExactNumberInfo::Precision(bits @ 1..=53) => {
                let ty = if *bits <= REAL_BITS_MAX { SqlType::Real } else { SqlType::Double };
                (ty, format!("FLOAT({bits})"))
            }
            _ => {
                let error = Diagnostic::error(code::INVALID_PARAMETER, "FLOAT takes 1 to 53 bits", span);
                return self.fail(error.help("write REAL or DOUBLE"));
            }
        };
        let warning = Diagnostic::warning(format!("{written} is read as {ty}"), span);
        self.report(warning.help(format!("write {ty}: systems disagree on FLOAT")));
        Ok(ty)
    }

    fn bytes(&mut self, length: Option<u64>, span: Span) -> Bound<Option<u32>> {
        self.length(&length.map(character_length), span)
    }

    fn length(&mut self, length: &Option<CharacterLength>, span: Span) -> Bound<Option<u32>> {
        match length {
            None | Some(CharacterLength::Max) => Ok(None),
            Some(CharacterLength::IntegerLength { length: length @ 1..=TEXT_LENGTH_MAX, .. }) => {
                Ok(Some(*length as u32))
            }
            Some(CharacterLength::IntegerLength { length, .. }) => {
                let headline = format!("length {length} is out of range");
                let error = Diagnostic::error(code::INVALID_PARAMETER, headline, span);
                self.fail(error.help(format!("write a length of 1 to {TEXT_LENGTH_MAX}, or none")))
            }
        }
    }
}

/// How many ARRAYs, MAPs and ROWs stand inside each other.
fn levels(ty: SqlType) -> usize {
    match ty {
        SqlType::Array(element) => 1 + levels(*element),
        SqlType::Map(entry) => 1 + levels(entry.0.0).max(levels(entry.0.1)),
        SqlType::Row(fields) => 1 + fields.iter().map(|field| levels(field.columntype.ty)).max().unwrap_or(0),
        _ => 0,
    }
}

/// A type's name as names are kept.
fn folded(name: &str) -> String {
    match name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        Some(quoted) => quoted.replace("\"\"", "\""),
        None => name.to_lowercase(),
    }
}

fn character_length(length: u64) -> CharacterLength {
    CharacterLength::IntegerLength { length, unit: None }
}

fn interval(fields: &IntervalFields) -> SqlType {
    use IntervalFields as F;
    use IntervalUnit::*;
    let (from, to) = match fields {
        F::Year => (Year, Year),
        F::Month => (Month, Month),
        F::YearToMonth => (Year, Month),
        F::Day => (Day, Day),
        F::Hour => (Hour, Hour),
        F::Minute => (Minute, Minute),
        F::Second => (Second, Second),
        F::DayToHour => (Day, Hour),
        F::DayToMinute => (Day, Minute),
        F::DayToSecond => (Day, Second),
        F::HourToMinute => (Hour, Minute),
        F::HourToSecond => (Hour, Second),
        F::MinuteToSecond => (Minute, Second),
    };
    super::interval::interval_type(from, to)
}
