//! Functions that know time zones, by their names in the IANA database and with its rules for any year.

pub mod convert;

use feldc_value::registry::Family;

pub fn families() -> Vec<Family> {
    vec![Family::new("time zones", &[convert::FUNCTIONS])]
}
