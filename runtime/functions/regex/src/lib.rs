//! Functions that match regular expressions, and SIMILAR TO.
//!
//! The syntax is the `regex` crate's: no back references and no look-around, hence a match takes time linear in the text,
//! whatever the pattern. Letters, digits and case are those of Unicode.

mod cache;
pub mod parts;
pub mod regexp;
pub mod similar;
pub mod substitute;
mod syntax;

use feldc_value::registry::Family;

pub fn families() -> Vec<Family> {
    vec![Family::new(
        "regular expressions",
        &[regexp::FUNCTIONS, substitute::FUNCTIONS, similar::FUNCTIONS, parts::FUNCTIONS],
    )]
}
