//! A call of a function that others wrote: its error and its panic are errors of the row, as any failed expression is.

use crate::exchange::Answer;
use feldc_value::SqlError;
use feldc_value::error::{NOT_NULL_VIOLATION, SqlState, clipped};
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

/// External routine exception (ISO/IEC 9075-2, clause 24).
pub const EXTERNAL_ROUTINE: SqlState = "38000";

/// What such a function returns.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
    /// Where the latest panic was.
    static PLACE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Calls the body of the function `name`.
///
/// # Errors
/// 38000 when it fails or panics, and what [`Answer::answer`] says of its result.
pub fn call<T: Answer>(name: &str, body: impl FnOnce() -> Outcome<T>) -> Result<T::Native, SqlError> {
    note_places();
    let outer = INSIDE.replace(true);
    let result = catch_unwind(AssertUnwindSafe(body));
    INSIDE.set(outer);
    match result {
        Ok(Ok(value)) => value.answer().map_err(|error| SqlError { message: said(name, &error.message), ..error }),
        Ok(Err(error)) => Err(failed(said(name, &error.to_string()))),
        Err(payload) => Err(failed(panicked(name, &*payload))),
    }
}

/// For an argument that the plan says is there.
pub fn absent(name: &str) -> SqlError {
    SqlError::new(NOT_NULL_VIOLATION, format!("function {name} was given NULL where its declaration says NOT NULL"))
}

fn failed(message: std::borrow::Cow<'static, str>) -> SqlError {
    SqlError { code: EXTERNAL_ROUTINE, message }
}

fn said(name: &str, message: &str) -> std::borrow::Cow<'static, str> {
    format!("function {name}: {}", clipped(message.to_string())).into()
}

fn panicked(name: &str, payload: &(dyn Any + Send)) -> std::borrow::Cow<'static, str> {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
    let place = PLACE.take();
    format!("function {name} panicked{place}: {}", clipped(text.to_string())).into()
}

/// A panic that becomes an error of its row is not printed besides; all others are, as before.
fn note_places() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let others = take_hook();
        set_hook(Box::new(move |panic| match INSIDE.get() {
            false => others(panic),
            true => PLACE.set(panic.location().map_or_else(String::new, |place| {
                format!(" at {}:{}", place.file().trim_start_matches("src/"), place.line())
            })),
        }));
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlString;

    fn message(result: Result<String, SqlError>) -> (SqlState, String) {
        let error = result.expect_err("an error");
        (error.code, error.message.into_owned())
    }

    #[test]
    fn results_errors_and_panics() {
        assert_eq!(call("f", || Ok(SqlString::from("a"))), Ok("a".to_string()));
        assert_eq!(call("f", || Ok(None::<i64>)), Ok(None));
        let failed = call::<SqlString>("f", || Err("no such place".into()));
        assert_eq!(message(failed), ("38000", "function f: no such place".into()));
        let (code, text) = message(call::<SqlString>("f", || panic!("three {}", 3)));
        assert_eq!(code, "38000");
        assert!(text.starts_with("function f panicked at ") && text.ends_with(": three 3"), "{text}");
        let (_, long) = message(call::<SqlString>("f", || Err("x".repeat(100_000).into())));
        assert!(long.len() < 1000);
    }
}
