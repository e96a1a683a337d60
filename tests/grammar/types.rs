//! Random types, their spellings, and literals of them: plain values, edge values, and now and then what is no value.

use feldc::steps::stream::Random;
use feldc_value::cast::cast_function;
use feldc_value::{ColumnType, IntervalUnit, Part, RowField, SqlType};

/// Types without parts; the common ones stand more than once.
const PLAIN: &[SqlType] = &[
    SqlType::BigInt,
    SqlType::BigInt,
    SqlType::BigInt,
    SqlType::Integer,
    SqlType::Integer,
    SqlType::VARCHAR,
    SqlType::VARCHAR,
    SqlType::VARCHAR,
    SqlType::Boolean,
    SqlType::Boolean,
    SqlType::Double,
    SqlType::Decimal { precision: 10, scale: 2 },
    SqlType::Decimal { precision: 38, scale: 0 },
    SqlType::Decimal { precision: 38, scale: 38 },
    SqlType::Date,
    SqlType::Timestamp,
    SqlType::TinyInt,
    SqlType::SmallInt,
    SqlType::UTinyInt,
    SqlType::USmallInt,
    SqlType::UInteger,
    SqlType::UBigInt,
    SqlType::Real,
    SqlType::Char { length: 3 },
    SqlType::Varchar { length: Some(5) },
    SqlType::Binary { length: 2 },
    SqlType::VARBINARY,
    SqlType::Time,
    SqlType::TimestampTz,
    SqlType::Uuid,
    SqlType::Variant,
];

const INTERVALS: &[SqlType] = &[
    SqlType::IntervalShort { from: IntervalUnit::Day, to: IntervalUnit::Second },
    SqlType::IntervalShort { from: IntervalUnit::Day, to: IntervalUnit::Day },
    SqlType::IntervalLong { from: IntervalUnit::Year, to: IntervalUnit::Month },
    SqlType::IntervalLong { from: IntervalUnit::Month, to: IntervalUnit::Month },
];

/// A type that a column may have.
pub fn column_type(random: &mut Random) -> SqlType {
    match random.chance(85) {
        true => *random.pick(PLAIN),
        false => nested_type(random, 2),
    }
}

/// Any type that an expression may have.
pub fn any_type(random: &mut Random) -> SqlType {
    match random.chance(6) {
        true => *random.pick(INTERVALS),
        false => column_type(random),
    }
}

fn nested_type(random: &mut Random, depth: usize) -> SqlType {
    if depth == 0 {
        return *random.pick(PLAIN);
    }
    match random.below(5) {
        0 | 1 => SqlType::array(nested_type(random, depth - 1)),
        2 => SqlType::map(*random.pick(PLAIN), nested_type(random, depth - 1)),
        3 => row_type(random, depth),
        _ => SqlType::Variant,
    }
}

fn row_type(random: &mut Random, depth: usize) -> SqlType {
    let count = 1 + random.below(3) as usize;
    let field = |name: &str, ty| RowField { name: Part::name(name), columntype: ColumnType::new(ty, true) };
    SqlType::row(["f", "g", "h"][..count].iter().map(|name| field(name, nested_type(random, depth - 1))).collect())
}

/// A type for a parameter that stands for a family: any of the family.
pub fn of_family(random: &mut Random, ty: SqlType) -> SqlType {
    match ty {
        SqlType::Decimal { .. } => *random.pick(&[(10, 2), (38, 0), (38, 38), (5, 5), (1, 0), (20, 10)].map(decimal)),
        SqlType::Array(element) if *element == SqlType::Null => SqlType::array(nested_type(random, 1)),
        SqlType::Map(entry) if entry.0.0 == SqlType::Null => SqlType::map(*random.pick(PLAIN), nested_type(random, 1)),
        SqlType::Row(fields) if fields.is_empty() => row_type(random, 2),
        SqlType::Null => any_type(random),
        ty => ty,
    }
}

fn decimal((precision, scale): (u8, u8)) -> SqlType {
    SqlType::Decimal { precision, scale }
}

/// A type as a program spells it.
pub fn spelling(random: &mut Random, ty: SqlType) -> String {
    let others: &[&str] = match ty {
        SqlType::Boolean => &["BOOL"],
        SqlType::SmallInt => &["INT2"],
        SqlType::Integer => &["INT", "INT4", "SIGNED"],
        SqlType::BigInt => &["INT8", "INT64"],
        SqlType::UInteger => &["INT UNSIGNED", "UNSIGNED"],
        SqlType::Real => &["FLOAT4", "FLOAT32"],
        SqlType::Double => &["FLOAT8", "FLOAT64", "DOUBLE PRECISION", "FLOAT"],
        SqlType::Varchar { length: None } => &["STRING", "TEXT"],
        SqlType::Varbinary { length: None } => &["BYTEA"],
        SqlType::Decimal { precision: 38, scale: 0 } => &["DECIMAL", "NUMERIC", "DEC", "NUMBER"],
        SqlType::Timestamp => &["DATETIME", "TIMESTAMP WITHOUT TIME ZONE", "TIMESTAMP(3)"],
        _ => &[],
    };
    match !others.is_empty() && random.chance(30) {
        true => random.pick(others).to_string(),
        false => ty.to_string(),
    }
}

const TEXTS: &[&str] = &[
    "''",
    "'a'",
    "'abc'",
    "'A b'",
    "'é\u{301}ß'",
    "'it''s'",
    "'1'",
    "'-7.5'",
    "'2024-02-29'",
    "'2024-02-29 12:34:56'",
    "'12:34:56'",
    "'%'",
    "'_a%'",
    "'[a-z]+'",
    "'(a)(b)?'",
    "'{\"a\": [1, null, \"x\"]}'",
    "'true'",
    "'YYYY-MM-DD'",
    "'%Y-%m-%d'",
    "'Europe/Berlin'",
    "'UTC'",
    "','",
    "' '",
    "'\u{1F600}'",
    "'NaN'",
    "'1e400'",
    "'\\'",
    "U&'\\0061'",
    "'6f9619ff-8b86-d011-b42d-00c04fc964ff'",
    "'99999999999999999999999999999999999999999'",
    "'((('",
];

/// May a value of one type be cast to the other?
pub fn castable(from: SqlType, to: SqlType) -> bool {
    cast_function(from, to).is_ok()
}

/// A literal without edges: a constant of the type that computes without failing.
pub fn constant(random: &mut Random, ty: SqlType) -> String {
    match ty {
        SqlType::Decimal { precision, scale } if precision == scale => "0".into(),
        ty if ty.is_numeric() => format!("CAST({} AS {ty})", random.below(2)),
        SqlType::Char { .. } | SqlType::Varchar { .. } => random.pick(TEXTS).to_string(),
        ty if ty.is_nested() => format!("CAST(NULL AS {ty})"),
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => random.pick(&["x''", "x'0aff'", "'a'"]).to_string(),
        ty => format!("CAST({} AS {ty})", typed_literal(random, ty)),
    }
}

/// A literal of a type, NULL now and then.
pub fn literal(random: &mut Random, ty: SqlType) -> String {
    match random.below(100) {
        0..3 if !ty.is_nested() => "NULL".into(),
        0..6 => format!("CAST(NULL AS {ty})"),
        _ => typed_literal(random, ty),
    }
}

fn typed_literal(random: &mut Random, ty: SqlType) -> String {
    match ty {
        SqlType::Null => "NULL".into(),
        SqlType::Boolean => random.pick(&["TRUE", "FALSE"]).to_string(),
        ty if ty.is_numeric() => number(random, ty),
        SqlType::Char { .. } | SqlType::Varchar { .. } => random.pick(TEXTS).to_string(),
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => {
            random.pick(&["x''", "x'00'", "x'0aff'", "X'1f8b08'", "CAST('é' AS VARBINARY)"]).to_string()
        }
        SqlType::Uuid => random
            .pick(&[
                "UUID '6f9619ff-8b86-d011-b42d-00c04fc964ff'",
                "CAST('{6F9619FF8B86D011B42D00C04FC964FF}' AS UUID)",
            ])
            .to_string(),
        SqlType::Variant => variant(random),
        SqlType::Array(element) => {
            let count = 1 + random.below(3);
            let elements: Vec<String> = (0..count).map(|_| literal(random, *element)).collect();
            format!("CAST(ARRAY[{}] AS {ty})", elements.join(", "))
        }
        SqlType::Map(entry) => {
            let (key, value) = (literal(random, entry.0.0), literal(random, entry.0.1));
            format!("CAST(MAP[{key}, {value}] AS {ty})")
        }
        SqlType::Row(fields) => {
            let fields: Vec<String> = fields.iter().map(|field| literal(random, field.columntype.ty)).collect();
            format!("CAST(ROW({}) AS {ty})", fields.join(", "))
        }
        ty => time(random, ty),
    }
}

fn number(random: &mut Random, ty: SqlType) -> String {
    let edges: &[&str] = match ty {
        ty if ty.is_float() => &["1e308", "-0.0", "1e-400", "CAST('NaN' AS DOUBLE)", "CAST('-Infinity' AS DOUBLE)"],
        SqlType::Decimal { .. } => {
            &["0.00000000000000000000000000000000000001", "99999999999999999999999999999999999999", "-1.50"]
        }
        _ => &[
            "127",
            "-128",
            "255",
            "32767",
            "65535",
            "2147483647",
            "-2147483648",
            "9223372036854775807",
            "18446744073709551615",
        ],
    };
    let plain = match ty {
        ty if ty.is_float() => random.pick(&["0e0", "1.5e0", "-2e3", "1e1"]).to_string(),
        SqlType::Decimal { .. } => random.pick(&["0.0", "1.5", "2.25", "-0.7", "10"]).to_string(),
        _ => random.below(6).to_string(),
    };
    match random.below(20) {
        0 | 1 => random.pick(edges).to_string(),
        2..6 => plain,
        6 => format!("- {plain}"),
        _ => format!("CAST({plain} AS {ty})"),
    }
}

fn time(random: &mut Random, ty: SqlType) -> String {
    let texts: &[&str] = match ty {
        SqlType::Date => &["DATE '2024-02-29'", "DATE '0001-01-01'", "DATE '9999-12-31'", "DATE '1969-12-31'"],
        SqlType::Time => &["TIME '00:00:00'", "TIME '23:59:59.999999999'", "TIME '12:30'"],
        SqlType::Timestamp => &[
            "TIMESTAMP '2024-02-29 12:34:56.789'",
            "TIMESTAMP '0001-01-01 00:00:00'",
            "TIMESTAMP '9999-12-31 23:59:59.999999'",
            "TIMESTAMP '1969-12-31T23:59:59'",
        ],
        SqlType::TimestampTz => &[
            "TIMESTAMP WITH TIME ZONE '2024-02-29 12:34:56+02:00'",
            "CAST(TIMESTAMP '2024-01-01 00:00:00' AS TIMESTAMP WITH TIME ZONE)",
            "TIMESTAMP WITH TIME ZONE '2024-02-29 12:34:56Z'",
        ],
        SqlType::IntervalShort { .. } => &[
            "INTERVAL '1' DAY",
            "INTERVAL '1 02:03:04' DAY TO SECOND",
            "INTERVAL 3 HOURS",
            "INTERVAL '-5' MINUTE",
            "INTERVAL '106751990' DAY",
        ],
        _ => &["INTERVAL '1' MONTH", "INTERVAL '1-2' YEAR TO MONTH", "INTERVAL 2 YEARS", "INTERVAL '-178956970' YEAR"],
    };
    random.pick(texts).to_string()
}

fn variant(random: &mut Random) -> String {
    random
        .pick(&[
            "PARSE_JSON('{\"a\": 1, \"b\": [true, null, 2.5, \"x\"]}')",
            "CAST(1 AS VARIANT)",
            "CAST('x' AS VARIANT)",
            "VARIANTNULL()",
            "CAST(DATE '2024-02-29' AS VARIANT)",
            "CAST(ARRAY[1, 2] AS VARIANT)",
        ])
        .to_string()
}
