//! Hash functions. Text is hashed as its bytes in UTF-8; digests are shown in lower case hexadecimal digits.

pub mod digest;

use feldc_value::registry::Family;

pub fn families() -> Vec<Family> {
    vec![Family::new("hashes", &[digest::FUNCTIONS])]
}
