//! GUNZIP: the text that bytes in the format of gzip hold.

pub mod gunzip;

use feldc_value::registry::Family;

pub fn families() -> Vec<Family> {
    vec![Family::new("compressed text", &[gunzip::FUNCTIONS])]
}
