//! Calls of registry functions: which overload, with which implicit casts.

use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::library::{names, overloads};
use crate::plan::{Expr, ExprKind, Span};
use feldc_value::function::{Function, Param, Returns};
use feldc_value::{ColumnType, SqlType, common_type, implicit_cast_allowed};

/// How freely arguments fit parameters; each is tried over all overloads before the next.
const FITS: [fn(&Expr, Param) -> bool; 4] = [exactly, implicitly, as_literal, narrowed];

impl Binder<'_> {
    /// The call of the first overload that fits: exactly, else with implicit casts, else with literals in quotes read as
    /// the parameter's type, else with integers narrowed (a BIGINT as the length of a SUBSTRING).
    pub(super) fn call(&mut self, name: &str, arguments: Vec<Expr>, span: Span) -> Bound<Expr> {
        let candidates: Vec<&'static Function> = overloads(name).filter(|f| f.takes(arguments.len())).collect();
        let fitting = FITS.iter().find_map(|fits| {
            candidates.iter().copied().find(|function| {
                arguments
                    .iter()
                    .enumerate()
                    .all(|(at, argument)| function.parameter(at).is_some_and(|parameter| fits(argument, parameter)))
            })
        });
        let zoned = arguments.iter().any(|argument| argument.ty.ty == SqlType::TimestampTz);
        match fitting {
            Some(function) => {
                let result = self.apply(function, arguments, span)?;
                // Functions over TIMESTAMP take instants by their time in UTC, and give such.
                let over_instants = function.parameters.contains(&Param::Is(SqlType::TimestampTz));
                match zoned && !over_instants && result.ty.ty == SqlType::Timestamp {
                    true => self.cast(result, SqlType::TimestampTz, span),
                    false => Ok(result),
                }
            }
            None => self.no_overload(name, &arguments, span),
        }
    }

    /// The call of this entry, its arguments cast to the parameters.
    fn apply(&mut self, function: &'static Function, arguments: Vec<Expr>, span: Span) -> Bound<Expr> {
        let same = (0..arguments.len())
            .filter(|at| function.parameter(*at) == Some(Param::Same))
            .try_fold(SqlType::Null, |ty, at| common_type(ty, arguments[at].ty.ty));
        let shape = match function.returns {
            Returns::Shaped(derive) => {
                let types: Vec<SqlType> = arguments.iter().map(|argument| argument.ty.ty).collect();
                match derive(&types) {
                    Ok(shape) => Some(shape),
                    Err(error) => {
                        return self.fail(Diagnostic::error(code::DATATYPE_MISMATCH, error.message.to_string(), span));
                    }
                }
            }
            _ => None,
        };
        let mut cast = vec![];
        for (at, argument) in arguments.into_iter().enumerate() {
            let to = match function.parameter(at) {
                _ if shape.is_some() => shape.as_ref().map_or(SqlType::Null, |shape| shape.arguments[at]),
                Some(Param::Is(parameter)) => argument_type(argument.ty.ty, parameter),
                Some(Param::Same) => same.unwrap_or(argument.ty.ty),
                Some(Param::Any) | None => argument.ty.ty,
            };
            let place = argument.span;
            cast.push(self.cast(argument, to, place)?);
        }
        let types: Vec<SqlType> = cast.iter().map(|argument| argument.ty.ty).collect();
        let result = match function.result_type(&types) {
            Ok(result) => result,
            Err(error) => {
                return self.fail(Diagnostic::error(code::DATATYPE_MISMATCH, error.message.to_string(), span));
            }
        };
        let nullables: Vec<bool> = cast.iter().map(|argument| argument.ty.nullable).collect();
        let ty = ColumnType::new(result, function.nullable(&nullables));
        Ok(self.fold(Expr { kind: ExprKind::Call { function, arguments: cast }, ty, span }))
    }

    fn no_overload<T>(&mut self, name: &str, arguments: &[Expr], span: Span) -> Bound<T> {
        let types: Vec<String> = arguments.iter().map(|argument| argument.ty.ty.to_string()).collect();
        let known: Vec<&'static Function> = overloads(name).collect();
        if known.is_empty() && super::special::is_later(name) {
            return self.unsupported(format!("the function {name}"), span);
        }
        if known.is_empty() {
            let error = Diagnostic::error(code::UNDEFINED_FUNCTION, format!("function {name} does not exist"), span);
            let callable = names().filter(|name| name.starts_with(char::is_alphabetic) && !name.contains(' '));
            let near = closest(name, callable.chain(super::forms::names()));
            return self.fail(super::suggest(error, near));
        }
        if let [left, right] = types.as_slice()
            && !name.starts_with(char::is_alphabetic)
        {
            let headline = format!("operator {name} does not exist for {left} and {right}");
            let error = Diagnostic::error(code::UNDEFINED_FUNCTION, headline, span);
            let times = |ty: &str| matches!(ty, "DATE" | "TIME" | "TIMESTAMP");
            return self.fail(match (name, times(left), times(right)) {
                ("-", true, true) => error.help("cast one of them: a difference is of two times of one kind"),
                ("+" | "-", true, false) => error.help("add an interval, for example INTERVAL '1' DAY"),
                _ => error.help("cast one of the operands"),
            });
        }
        let headline = format!("function {name}({}) does not exist", types.join(", "));
        let error = Diagnostic::error(code::UNDEFINED_FUNCTION, headline, span);
        let forms: Vec<String> = known.iter().take(4).map(|function| form(function)).collect();
        let more = if known.len() > 4 { ", ..." } else { "" };
        self.fail(error.remark(format!("there is {}{more}", forms.join(", "))).help("cast the arguments"))
    }
}

/// A function with its parameters, for messages.
fn form(function: &Function) -> String {
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| match parameter {
            Param::Is(SqlType::Decimal { .. }) => "DECIMAL".to_string(),
            Param::Is(ty) => ty.to_string(),
            Param::Same | Param::Any => "any".to_string(),
        })
        .collect();
    format!("{}({}{})", function.name, parameters.join(", "), if function.variadic { ", ..." } else { "" })
}

fn exactly(argument: &Expr, parameter: Param) -> bool {
    match parameter {
        Param::Is(ty) => argument.ty.ty == SqlType::Null || ty.same_family(argument.ty.ty),
        Param::Same | Param::Any => true,
    }
}

fn implicitly(argument: &Expr, parameter: Param) -> bool {
    match parameter {
        Param::Is(ty) => exactly(argument, parameter) || implicit_cast_allowed(argument.ty.ty, ty),
        Param::Same | Param::Any => true,
    }
}

fn as_literal(argument: &Expr, parameter: Param) -> bool {
    implicitly(argument, parameter) || super::coerce::text_literal(argument).is_some()
}

fn narrowed(argument: &Expr, parameter: Param) -> bool {
    let integers = matches!(parameter, Param::Is(ty) if ty.is_integer() && argument.ty.ty.is_integer());
    as_literal(argument, parameter) || integers
}

/// The type an argument is cast to: a parameter stands for its whole family.
fn argument_type(argument: SqlType, parameter: SqlType) -> SqlType {
    match parameter {
        _ if argument != SqlType::Null && parameter.same_family(argument) => argument,
        // Of no type: any such array will do.
        _ if argument == SqlType::Null && parameter.is_nested() && parameter != SqlType::Variant => SqlType::Null,
        SqlType::Decimal { .. } => SqlType::Decimal { precision: digits(argument), scale: 0 },
        other => other,
    }
}

/// Digits that hold every value of an integer type; 38 for others.
pub fn digits(ty: SqlType) -> u8 {
    match ty {
        SqlType::TinyInt => 3,
        SqlType::SmallInt => 5,
        SqlType::Integer => 10,
        SqlType::BigInt => 19,
        SqlType::UTinyInt => 3,
        SqlType::USmallInt => 5,
        SqlType::UInteger => 10,
        SqlType::UBigInt => 20,
        _ => 38,
    }
}
