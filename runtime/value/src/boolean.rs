//! Functions of truth values. AND, OR and IS NULL are expression forms of the compiler, not functions.

use crate::boolean;

#[inline]
pub fn not(a: bool) -> bool {
    !a
}

#[inline]
pub fn is_true(a: Option<bool>) -> bool {
    a == Some(true)
}

#[inline]
pub fn is_not_true(a: Option<bool>) -> bool {
    a != Some(true)
}

#[inline]
pub fn is_false(a: Option<bool>) -> bool {
    a == Some(false)
}

#[inline]
pub fn is_not_false(a: Option<bool>) -> bool {
    a != Some(false)
}

#[inline]
pub fn is_unknown(a: Option<bool>) -> bool {
    a.is_none()
}

#[inline]
pub fn is_not_unknown(a: Option<bool>) -> bool {
    a.is_some()
}

functions! { pub static FUNCTIONS:
    "NOT" (BOOLEAN) -> BOOLEAN = boolean::not, Strict {}, "Negation; NULL stays NULL.";
    "IS TRUE" (BOOLEAN) -> BOOLEAN = boolean::is_true, Never {}, "Is the value true, neither false nor NULL?";
    "IS NOT TRUE" (BOOLEAN) -> BOOLEAN = boolean::is_not_true, Never {}, "Is the value false or NULL?";
    "IS FALSE" (BOOLEAN) -> BOOLEAN = boolean::is_false, Never {}, "Is the value false, neither true nor NULL?";
    "IS NOT FALSE" (BOOLEAN) -> BOOLEAN = boolean::is_not_false, Never {}, "Is the value true or NULL?";
    "IS UNKNOWN" (BOOLEAN) -> BOOLEAN = boolean::is_unknown, Never {}, "Is the truth value NULL?";
    "IS NOT UNKNOWN" (BOOLEAN) -> BOOLEAN = boolean::is_not_unknown, Never {}, "Is the truth value true or false?";
}
