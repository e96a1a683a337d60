//! Functions that write and read DATE, TIME and TIMESTAMP by a format such as `%Y-%m-%d`: a percent sign and a letter
//! stand for a field, all else for itself. The letters are those of C's strftime as the crate `chrono` has them. The TO_
//! functions have templates of words instead, as in PostgreSQL.
//!
//! TO_CHAR writes numbers too, by templates of their own.
//!
//! Names of days and months are English. A TIMESTAMP is in UTC, which is what its offset and zone are written as.

mod moment;
pub mod number;
pub mod read;
mod specification;
mod template;
pub mod to_char;
pub mod to_date;
pub mod write;

use feldc_value::registry::Family;

pub fn families() -> Vec<Family> {
    vec![
        Family::new("formats of times", &[write::FUNCTIONS, read::FUNCTIONS, to_char::FUNCTIONS, to_date::FUNCTIONS]),
        // Behind those of times, which a text in quotes is read as first.
        Family::new("formats of numbers", &[number::FUNCTIONS]),
    ]
}
