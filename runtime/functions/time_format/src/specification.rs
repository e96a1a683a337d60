//! The text of a format.

use chrono::format::{Item, StrftimeItems};
use feldc_value::SqlError;
use feldc_value::error::{INVALID_ARGUMENT, clipped};

/// Bytes of the longest format: what it writes is at most some thirty times as long.
const LONGEST: usize = 1 << 16;

/// Why the format of a function cannot be used.
#[cold]
pub fn refused(function: &str, format: &str, reason: &str) -> SqlError {
    SqlError::new(INVALID_ARGUMENT, clipped(format!("invalid format in {function}: '{format}' {reason}")))
}

/// The fields and the texts between them.
pub fn items<'a>(function: &str, format: &'a str) -> Result<Vec<Item<'a>>, SqlError> {
    if format.len() > LONGEST {
        return Err(refused(function, format, "is longer than 64 KiB"));
    }
    let items: Vec<Item<'a>> = StrftimeItems::new(format).collect();
    match items.contains(&Item::Error) {
        true => Err(refused(function, format, "has a letter after % that stands for no field")),
        false => Ok(items),
    }
}
