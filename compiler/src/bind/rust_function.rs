//! Calls of functions whose body is in Rust: which entry of the library stands for one, by where NULL may come from.

use crate::diagnostic::{Diagnostic, code};
use crate::library;
use crate::parse::Name;
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::function::Nulls;
use feldc_value::{ColumnType, Part, RowField, SqlType};

/// A ROW of more fields has no type in Rust.
const FIELDS_MAX: usize = 12;

/// Can there be a Rust function of this name with these types?
///
/// # Errors
/// When the name is none in Rust, or a type has none.
pub(super) fn check_name(name: &Name, mut types: impl Iterator<Item = SqlType>) -> Result<(), Box<Diagnostic>> {
    if !name.text.is_ascii() || syn::parse_str::<syn::Ident>(&name.text).is_err() {
        let headline = format!("\"{}\" cannot be the name of a Rust function", name.text);
        let error = Diagnostic::error(code::RESERVED_NAME, headline, name.span);
        let help = "choose a name of letters, digits and _ that is no word of Rust, or write the body in SQL: \
                    CREATE FUNCTION ... RETURNS type AS expression";
        return Err(Box::new(error.help(help)));
    }
    match types.any(|ty| most_fields(ty) > FIELDS_MAX) {
        true => {
            let what = format!("a ROW of more than {FIELDS_MAX} fields in a function written in Rust");
            Err(Box::new(Diagnostic::unsupported(what, name.span).help("pass the fields that the function needs")))
        }
        false => Ok(()),
    }
}

/// Can an aggregate have so many parameters? Those of a row are a ROW.
///
/// # Errors
/// When they are none or too many.
pub(super) fn check_arity(name: &Name, parameters: usize) -> Result<(), Box<Diagnostic>> {
    match parameters {
        0 => {
            let error = Diagnostic::error(code::SYNTAX_ERROR, "an aggregate needs a parameter", name.span);
            Err(Box::new(error.help("declare what it takes of each row")))
        }
        1..=FIELDS_MAX => Ok(()),
        _ => {
            let what = format!("an aggregate with more than {FIELDS_MAX} parameters");
            Err(Box::new(Diagnostic::unsupported(what, name.span).help("pass the values as a ROW or an ARRAY")))
        }
    }
}

/// Fields of the longest ROW in a type.
fn most_fields(ty: SqlType) -> usize {
    match ty {
        SqlType::Array(element) => most_fields(*element),
        SqlType::Map(entry) => most_fields(entry.0.0).max(most_fields(entry.0.1)),
        SqlType::Row(fields) => {
            let inner = fields.iter().map(|field| most_fields(field.columntype.ty)).max();
            fields.len().max(inner.unwrap_or(0))
        }
        _ => 0,
    }
}

/// The call. `nullable` says which parameters take NULL; NULL for another one makes the result NULL. The result is of the
/// declared type up to lengths of texts and bytes, which Rust does not know: the caller casts it.
pub(super) fn rust_call(name: &str, arguments: Vec<Expr>, nullable: &[bool], returns: ColumnType, span: Span) -> Expr {
    let strict_null = arguments.iter().zip(nullable).any(|(argument, nullable)| argument.ty.nullable && !nullable);
    // The form of the function for NULLs, and where it stands: one that never gives NULL stands apart from the other form.
    let (nulls, path) = match (nullable.contains(&true), returns.nullable) {
        (false, false) => (Nulls::Strict, name.to_string()),
        (false, true) => (Nulls::StrictToOption, name.to_string()),
        (true, false) if !strict_null => (Nulls::Never, format!("known::{name}")),
        (true, _) => (Nulls::CustomToOption, name.to_string()),
    };
    let result = any_length(returns.ty);
    let types = arguments.iter().map(|argument| argument.ty.ty).collect();
    let function = library::declared(name, path, types, result, nulls);
    let flags: Vec<bool> = arguments.iter().map(|argument| argument.ty.nullable).collect();
    let ty = ColumnType::new(result, function.nullable(&flags));
    Expr { kind: ExprKind::Call { function, arguments }, ty, span }
}

/// The type without lengths of texts and bytes.
fn any_length(ty: SqlType) -> SqlType {
    match ty {
        ty if ty.is_text() => SqlType::VARCHAR,
        ty if ty.is_binary() => SqlType::VARBINARY,
        SqlType::Array(element) => SqlType::array(any_length(*element)),
        SqlType::Map(entry) => SqlType::map(any_length(entry.0.0), any_length(entry.0.1)),
        SqlType::Row(fields) => {
            let field = |field: &RowField| RowField {
                name: Part(field.name.0),
                columntype: ColumnType::new(any_length(field.columntype.ty), field.columntype.nullable),
            };
            SqlType::row(fields.iter().map(field).collect())
        }
        ty => ty,
    }
}
