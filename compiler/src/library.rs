//! The functions that programs may call: the value crate's, and those of the crates that stand beside it because what
//! they stand on is heavy. One line here makes such a crate known to binder, interpreter and generated code.

use feldc_value::function::Function;
use feldc_value::registry::{self, Family, Library};
use std::sync::LazyLock;

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let mut families = registry::families();
    families.extend(feldc_regex::families());
    families.extend(feldc_hash::families());
    families.extend(feldc_time_format::families());
    families.extend(feldc_time_zone::families());
    Library::new(families)
});

pub fn families() -> &'static [Family] {
    LIBRARY.families()
}

/// Every entry, in order.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    LIBRARY.functions()
}

/// The entries of a name, whatever its case, in order.
pub fn overloads(name: &str) -> impl Iterator<Item = &'static Function> {
    LIBRARY.overloads(name)
}

/// The names of functions, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    LIBRARY.names()
}
