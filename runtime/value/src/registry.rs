//! The ordered list of this crate's functions, and look-up by name over any lists.

use crate::function::Function;
use crate::{
    arithmetic, array, binary, bits, boolean, byte_bits, cast, compare, day_name, decimal, degrees, extract, float,
    format, guard, interval, like, map, math, months, number, occurrence, pad, record, text, truncate, variant,
    variant_tree, window,
};
use std::collections::BTreeMap;

/// Functions of one kind.
pub struct Family {
    /// What they are about, for people.
    pub title: &'static str,
    pub lists: Vec<&'static [Function]>,
}

impl Family {
    pub fn new(title: &'static str, lists: &[&'static [Function]]) -> Family {
        Family { title, lists: lists.to_vec() }
    }

    pub fn functions(&self) -> impl Iterator<Item = &'static Function> {
        self.lists.iter().copied().flatten()
    }
}

/// This crate's functions. Where a name has several overloads, exact types stand before floats and narrow ones before
/// wide ones: the binder takes the first entry that fits.
pub fn families() -> Vec<Family> {
    vec![
        Family::new("comparison", compare::FAMILIES),
        Family::new("truth", &[boolean::FUNCTIONS]),
        Family::new("integer arithmetic", arithmetic::FAMILIES),
        // After the integers, which become DECIMAL unasked.
        Family::new("decimal arithmetic", &[decimal::FUNCTIONS]),
        // After the exact numbers, which become floats unasked.
        Family::new("float arithmetic", float::FAMILIES),
        Family::new("bits of integers", bits::FAMILIES),
        Family::new("elementary functions", &[math::FUNCTIONS]),
        Family::new("angles in degrees", &[degrees::FUNCTIONS]),
        Family::new("whole numbers", &[number::FUNCTIONS]),
        Family::new("times and intervals", &[interval::FUNCTIONS]),
        Family::new("parts of times", extract::FAMILIES),
        Family::new("times cut to a unit", truncate::FAMILIES),
        Family::new("differences of times", &[window::FUNCTIONS]),
        Family::new("months and names of days", &[months::FUNCTIONS, day_name::FUNCTIONS]),
        Family::new("text", &[text::FUNCTIONS]),
        Family::new("parts in text", &[occurrence::FUNCTIONS]),
        Family::new("repeated text", &[pad::FUNCTIONS]),
        Family::new("text with places", &[format::FUNCTIONS]),
        Family::new("patterns", &[like::FUNCTIONS]),
        Family::new("conditions of rewrites", &[guard::FUNCTIONS]),
        Family::new("bytes", &[binary::FUNCTIONS, byte_bits::FUNCTIONS]),
        Family::new("arrays", &[array::FUNCTIONS]),
        Family::new("maps", &[map::FUNCTIONS]),
        Family::new("rows", &[record::FUNCTIONS]),
        Family::new("variants and JSON", &[variant::FUNCTIONS, variant_tree::FUNCTIONS]),
        Family::new("casts", cast::FAMILIES),
    ]
}

/// Families with their functions by name.
pub struct Library {
    families: Vec<Family>,
    by_name: BTreeMap<&'static str, Vec<&'static Function>>,
}

impl Library {
    pub fn new(families: Vec<Family>) -> Library {
        let mut by_name: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for function in families.iter().flat_map(Family::functions) {
            by_name.entry(function.name).or_default().push(function);
        }
        Library { families, by_name }
    }

    pub fn families(&self) -> &[Family] {
        &self.families
    }

    /// Every entry, in order.
    pub fn functions(&self) -> impl Iterator<Item = &'static Function> {
        self.families.iter().flat_map(Family::functions)
    }

    /// The entries of a name, whatever its case, in order.
    pub fn overloads(&self, name: &str) -> impl Iterator<Item = &'static Function> {
        self.by_name.get(name.to_ascii_uppercase().as_str()).into_iter().flatten().copied()
    }

    /// The names of functions, in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.by_name.keys().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        let library = Library::new(families());
        assert_eq!(library.overloads("Upper").map(|f| f.path).collect::<Vec<_>>(), ["text::upper"]);
        assert_eq!(library.overloads("no such function").count(), 0);
        assert!(library.names().any(|name| name == "GREATEST"));
        assert!(library.functions().all(|function| function.library == crate::function::CORE));
    }

    #[test]
    fn integers_stand_before_decimals_and_floats() {
        let library = Library::new(families());
        let types: Vec<_> = library.overloads("+").map(|f| format!("{:?}", f.parameters[0])).collect();
        let place = |text: &str| types.iter().position(|ty| ty.contains(text)).unwrap();
        assert!(place("TinyInt") < place("BigInt") && place("BigInt") < place("Decimal"));
        assert!(place("Decimal") < place("Real") && place("Real") < place("Double"));
    }
}
