//! Conditions that rewrites put into expressions: they hold or they are the query's error.

use crate::error::CARDINALITY_VIOLATION;
use crate::{SqlError, guard};

/// Fails for more than one row.
#[inline]
pub fn at_most_one(rows: i64) -> Result<bool, SqlError> {
    if rows <= 1 {
        return Ok(true);
    }
    Err(SqlError::new(CARDINALITY_VIOLATION, "a scalar subquery returned more than one row"))
}

functions! { pub static FUNCTIONS:
    "AT_MOST_ONE" (BIGINT) -> BOOLEAN = guard::at_most_one, Strict {fallible}, "True for a count of rows up to one, else an error.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_are_an_error() {
        assert_eq!(at_most_one(1), Ok(true));
        assert_eq!(at_most_one(2).unwrap_err().code, CARDINALITY_VIOLATION);
    }
}
