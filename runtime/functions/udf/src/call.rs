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
    // What an error says, and what happens when it is dropped, is written by others too.
    let result = catch_unwind(AssertUnwindSafe(|| match body() {
        Ok(value) => value.answer().map_err(|error| SqlError { message: said(name, &error.message), ..error }),
        Err(error) => Err(failed(said(name, &error.to_string()))),
    }));
    let result = result.unwrap_or_else(|payload| {
        let error = failed(panicked(name, &*payload));
        drop_quietly(payload);
        Err(error)
    });
    INSIDE.set(outer);
    result
}

/// Drops what a panic threw; should that panic as well, what it throws is never dropped.
fn drop_quietly(payload: Box<dyn Any + Send>) {
    if let Err(another) = catch_unwind(AssertUnwindSafe(move || drop(payload))) {
        std::mem::forget(another);
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
        // A failure that fails to say what it is, and a throw that throws when it is dropped.
        #[derive(Debug)]
        struct Mute;
        impl std::fmt::Display for Mute {
            fn fmt(&self, _: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                panic!("no words")
            }
        }
        impl Error for Mute {}
        impl Drop for Mute {
            fn drop(&mut self) {
                if !std::thread::panicking() {
                    panic!("not without a word")
                }
            }
        }
        let (code, text) = message(call::<SqlString>("f", || Err(Mute.into())));
        assert!(code == "38000" && text.ends_with(": no words"), "{text}");
        let (code, text) = message(call::<SqlString>("f", || std::panic::panic_any(Mute)));
        assert!(code == "38000" && text.ends_with(": no message"), "{text}");
        let (_, long) = message(call::<SqlString>("f", || Err("x".repeat(100_000).into())));
        assert!(long.len() < 1000);
    }
}
