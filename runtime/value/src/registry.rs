//! The ordered list of all functions, and look-up by name.

use crate::function::Function;
use crate::{
    arithmetic, boolean, cast, compare, decimal, extract, float, guard, interval, like, math, pad, text, truncate,
    window,
};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Where a name has several overloads, exact types stand before floats and narrow ones before wide ones: the binder takes the
/// first entry that fits.
fn families() -> Vec<&'static [Function]> {
    let mut families: Vec<&'static [Function]> = Vec::new();
    families.extend(compare::FAMILIES);
    families.push(boolean::FUNCTIONS);
    families.extend(arithmetic::FAMILIES);
    families.push(decimal::FUNCTIONS); // After the integers, which become DECIMAL unasked.
    families.extend(float::FAMILIES); // After the exact numbers, which become floats unasked.
    families.push(math::FUNCTIONS);
    families.push(interval::FUNCTIONS);
    families.extend(extract::FAMILIES);
    families.extend(truncate::FAMILIES);
    families.push(window::FUNCTIONS);
    families.push(text::FUNCTIONS);
    families.push(pad::FUNCTIONS);
    families.push(like::FUNCTIONS);
    families.push(guard::FUNCTIONS);
    families.extend(cast::FAMILIES);
    families
}

static FUNCTIONS: LazyLock<Vec<&'static Function>> = LazyLock::new(|| families().into_iter().flatten().collect());

static BY_NAME: LazyLock<BTreeMap<&'static str, Vec<&'static Function>>> = LazyLock::new(|| {
    let mut map: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for function in functions() {
        map.entry(function.name).or_default().push(*function);
    }
    map
});

/// Every entry, in registry order.
pub fn functions() -> &'static [&'static Function] {
    &FUNCTIONS
}

/// The entries of a name, whatever its case, in registry order.
pub fn overloads(name: &str) -> impl Iterator<Item = &'static Function> {
    BY_NAME.get(name.to_ascii_uppercase().as_str()).into_iter().flatten().copied()
}

/// The names of functions, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    BY_NAME.keys().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_case() {
        assert_eq!(overloads("Upper").map(|f| f.path).collect::<Vec<_>>(), ["text::upper"]);
        assert_eq!(overloads("no such function").count(), 0);
        assert!(names().any(|name| name == "COALESCE") || names().any(|name| name == "GREATEST"));
    }

    #[test]
    fn integers_stand_before_decimals_and_floats() {
        let types: Vec<_> = overloads("+").map(|f| format!("{:?}", f.parameters[0])).collect();
        let place = |text: &str| types.iter().position(|ty| ty.contains(text)).unwrap();
        assert!(place("TinyInt") < place("BigInt") && place("BigInt") < place("Decimal"));
        assert!(place("Decimal") < place("Real") && place("Real") < place("Double"));
    }
}
