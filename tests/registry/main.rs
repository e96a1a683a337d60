//! The library of functions as a whole: what holds of every entry, of whichever crate.
//!
//! That an entry's path leads to a function that fits its parameters, NULL rule and flags needs no test: the macro that
//! declares entries calls the function by that path.

use feldc::library::{functions, names, overloads};
use feldc_value::function::{Function, Nulls, Param, Signature};
use feldc_value::{ColumnType, IntervalUnit, Part, RowField, SqlType, Value};
use std::collections::HashSet;

/// A value of a parameter's type.
fn sample(parameter: Param) -> (Value, SqlType) {
    let ty = match parameter {
        Param::Is(ty) => ty,
        Param::Same | Param::Any => SqlType::BigInt,
    };
    let value = match ty {
        SqlType::Null => Value::Null,
        SqlType::Boolean => Value::Boolean(true),
        SqlType::TinyInt => Value::TinyInt(1),
        SqlType::SmallInt => Value::SmallInt(1),
        SqlType::Integer => Value::Integer(1),
        SqlType::BigInt => Value::BigInt(1),
        SqlType::Decimal { .. } => Value::Decimal(1),
        SqlType::Real => Value::Real(1.0),
        SqlType::Double => Value::Double(1.0),
        SqlType::Char { .. } | SqlType::Varchar { .. } => Value::text("1"),
        SqlType::Date => Value::Date(1),
        SqlType::Time => Value::Time(1),
        SqlType::Timestamp => Value::Timestamp(1),
        SqlType::IntervalShort { .. } => Value::IntervalShort(1),
        SqlType::IntervalLong { .. } => Value::IntervalLong(1),
        SqlType::UTinyInt => Value::UTinyInt(1),
        SqlType::USmallInt => Value::USmallInt(1),
        SqlType::UInteger => Value::UInteger(1),
        SqlType::UBigInt => Value::UBigInt(1),
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => Value::binary([1]),
        SqlType::TimestampTz => Value::TimestampTz(1),
        SqlType::Uuid => Value::Uuid(1),
        SqlType::Array(_) => Value::array([Value::BigInt(1)]),
        SqlType::Map(_) => Value::Map([(Value::BigInt(1), Value::BigInt(2))].into()),
        SqlType::Row(_) => Value::row([Value::BigInt(1), Value::BigInt(2)]),
        SqlType::Variant => Value::variant(SqlType::BigInt, Value::BigInt(1)),
    };
    let ty = match ty {
        SqlType::Decimal { .. } => SqlType::Decimal { precision: 9, scale: 2 },
        SqlType::IntervalShort { .. } => SqlType::IntervalShort { from: IntervalUnit::Day, to: IntervalUnit::Day },
        SqlType::IntervalLong { .. } => SqlType::IntervalLong { from: IntervalUnit::Month, to: IntervalUnit::Month },
        SqlType::Array(_) => SqlType::array(SqlType::BigInt),
        SqlType::Map(_) => SqlType::map(SqlType::BigInt, SqlType::BigInt),
        SqlType::Row(_) => {
            let field = |name| RowField { name: Part(name), columntype: ColumnType::new(SqlType::BigInt, true) };
            SqlType::row(vec![field("a"), field("b")])
        }
        other => other,
    };
    (value, ty)
}

fn call(function: &Function, arguments: &[(Value, SqlType)]) -> Result<Value, feldc_value::SqlError> {
    let (values, types): (Vec<_>, Vec<_>) = arguments.iter().cloned().unzip();
    // The binder refuses what has no type; a call must bear it all the same.
    let result = function.result_type(&types).unwrap_or(SqlType::Null);
    (function.call)(&values, &Signature { arguments: &types, result })
}

#[test]
fn every_entry_can_be_called() {
    for function in functions() {
        let arguments: Vec<_> = function.parameters.iter().map(|parameter| sample(*parameter)).collect();
        match call(function, &arguments) {
            Ok(value) => assert!(!value.is_null() || function.nulls != Nulls::Strict, "{function:?}"),
            Err(error) => assert!(function.fallible && error.code != "XX000", "{function:?}: {error}"),
        }
    }
}

#[test]
fn nulls_act_as_declared() {
    for function in functions() {
        for at in 0..function.parameters.len() {
            let mut arguments: Vec<_> = function.parameters.iter().map(|parameter| sample(*parameter)).collect();
            arguments[at].0 = Value::Null;
            let result = call(function, &arguments).unwrap_or_else(|error| panic!("{function:?}: {error}"));
            match function.nulls {
                Nulls::Strict | Nulls::StrictToOption => assert!(result.is_null(), "{function:?}"),
                Nulls::Never => assert!(!result.is_null(), "{function:?}"),
                Nulls::Custom | Nulls::CustomToOption => (),
            }
        }
    }
}

#[test]
fn wrong_values_are_errors_not_panics() {
    for function in functions() {
        let arguments: Vec<_> =
            function.parameters.iter().map(|parameter| (Value::Null, sample(*parameter).1)).collect();
        assert!(call(function, &arguments).is_ok(), "{function:?}");
        if !function.parameters.is_empty() && function.nulls != Nulls::Custom && !function.boxed {
            let mut wrong = arguments.clone();
            wrong.iter_mut().for_each(|(value, _)| *value = Value::Boolean(true));
            let takes_booleans = function.parameters.contains(&Param::Is(SqlType::Boolean));
            assert!(takes_booleans || call(function, &wrong).is_err(), "{function:?}");
        }
    }
}

#[test]
fn no_two_overloads_take_the_same_types() {
    let mut seen = HashSet::new();
    for function in functions().filter(|function| function.name != "CAST") {
        let key = (function.name, format!("{:?}", function.parameters), function.variadic);
        assert!(seen.insert(key), "{function:?} twice");
    }
}

#[test]
fn names_are_upper_case_and_paths_are_below_the_crate() {
    for function in functions() {
        assert_eq!(function.name, function.name.to_uppercase());
        assert!(function.path.contains("::") && !function.path.starts_with("crate"), "{}", function.path);
        assert!(!function.path.contains(' '), "{}", function.path);
        assert!(function.doc.ends_with(['.', '?']), "{function:?}: {}", function.doc);
        assert!(overloads(&function.name.to_lowercase()).any(|other| other == function));
    }
    assert_eq!(names().collect::<HashSet<_>>().len(), names().count());
}

#[test]
fn repeated_parameters_take_many_arguments() {
    let concat = overloads("concat").next().unwrap();
    assert!(concat.takes(1) && concat.takes(9) && !concat.takes(0));
    let text = |text: &str| (Value::text(text), SqlType::VARCHAR);
    assert_eq!(call(concat, &[text("a"), text("b"), text("c")]), Ok(Value::text("abc")));
    let greatest = overloads("GREATEST").find(|f| f.parameters == [Param::Is(SqlType::Integer)]).unwrap();
    let integer = |n| (Value::Integer(n), SqlType::Integer);
    assert_eq!(call(greatest, &[integer(1), integer(3), integer(2)]), Ok(Value::Integer(3)));
}

/// `cargo xtask functions` writes the page anew.
#[test]
fn the_page_of_functions_is_fresh() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/functions.md");
    let page = feldc::driver::functions::page();
    if std::env::var_os("FELDC_ACCEPT").is_some() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for the page");
        std::fs::write(&path, &page).expect("a writable page");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == page, "docs/functions.md is stale: run cargo xtask functions");
}

/// Values at the edges of a parameter's native type, also where no table column could hold them.
fn extremes(parameter: Param) -> Vec<Value> {
    const DECIMAL: i128 = 999_999_999;
    let ty = match parameter {
        Param::Is(ty) => ty,
        Param::Same | Param::Any => SqlType::BigInt,
    };
    let integers = |make: fn(i64) -> Value| [i64::MIN, -1, 0, 7, i64::MAX].map(make).to_vec();
    let small = |make: fn(i32) -> Value| [i32::MIN, -1, 0, 7, i32::MAX].map(make).to_vec();
    match ty {
        SqlType::Null | SqlType::Boolean => vec![Value::Boolean(false)],
        SqlType::TinyInt => [i8::MIN, -1, 0, i8::MAX].map(Value::TinyInt).to_vec(),
        SqlType::SmallInt => [i16::MIN, -1, 0, i16::MAX].map(Value::SmallInt).to_vec(),
        SqlType::Integer => small(Value::Integer),
        SqlType::BigInt => integers(Value::BigInt),
        SqlType::Decimal { .. } => [-DECIMAL, -1, 0, DECIMAL].map(Value::Decimal).to_vec(),
        SqlType::Real => [f32::NEG_INFINITY, f32::MIN, -0.0, 1.5, f32::NAN].map(Value::Real).to_vec(),
        SqlType::Double => [f64::INFINITY, f64::MAX, f64::MIN_POSITIVE, -1.5, f64::NAN].map(Value::Double).to_vec(),
        SqlType::Char { .. } | SqlType::Varchar { .. } => {
            // Texts, then times, numbers, patterns, formats and templates that are nearly right.
            let plain = ["", "%_", "ß🐍\u{301}", "-", "9999-12-31T23:59:60+99:99", "1e999999999999"];
            let special = ["(a|[\\", "%Y %-d %", "\"FMDDth Y,YYY\\", "Europe/Paris"];
            plain.into_iter().chain(special).map(Value::text).collect()
        }
        SqlType::Date => small(Value::Date),
        SqlType::Time => integers(Value::Time),
        SqlType::Timestamp => integers(Value::Timestamp),
        SqlType::IntervalShort { .. } => integers(Value::IntervalShort),
        SqlType::IntervalLong { .. } => small(Value::IntervalLong),
        SqlType::UTinyInt => [0, u8::MAX].map(Value::UTinyInt).to_vec(),
        SqlType::USmallInt => [0, u16::MAX].map(Value::USmallInt).to_vec(),
        SqlType::UInteger => [0, u32::MAX].map(Value::UInteger).to_vec(),
        SqlType::UBigInt => [0, u64::MAX].map(Value::UBigInt).to_vec(),
        SqlType::Binary { .. } | SqlType::Varbinary { .. } => {
            [&[][..], &[0], &[255; 9]].map(|bytes: &[u8]| Value::binary(bytes)).to_vec()
        }
        SqlType::TimestampTz => integers(Value::TimestampTz),
        SqlType::Uuid => [0, u128::MAX].map(Value::Uuid).to_vec(),
        SqlType::Array(_) => vec![Value::array([]), Value::array([Value::Null, Value::BigInt(i64::MIN)])],
        SqlType::Map(_) => vec![Value::Map([].into()), Value::Map([(Value::Null, Value::Null)].into())],
        SqlType::Row(_) => vec![Value::row([Value::Null, Value::BigInt(1)])],
        SqlType::Variant => {
            let nested = Value::variant(SqlType::array(SqlType::Variant), Value::array([]));
            vec![Value::variant(SqlType::Null, Value::Null), nested]
        }
    }
}

#[test]
fn no_value_makes_a_function_panic() {
    let mut panicked = Vec::new();
    for function in functions() {
        let choices: Vec<Vec<Value>> = function.parameters.iter().map(|parameter| extremes(*parameter)).collect();
        let combinations: usize = choices.iter().map(Vec::len).product();
        for mut combination in 0..combinations {
            let mut arguments = Vec::new();
            for (choice, parameter) in choices.iter().zip(function.parameters) {
                arguments.push((choice[combination % choice.len()].clone(), sample(*parameter).1));
                combination /= choice.len();
            }
            let result = std::panic::catch_unwind(|| call(function, &arguments));
            if result.is_err() {
                panicked.push(format!("{function:?} {arguments:?}"));
            }
        }
    }
    assert!(panicked.is_empty(), "{panicked:#?}");
}
