//! Elementary functions of DOUBLE.
//!
//! Results are those of the platform's mathematics library, so the last digit may differ from other systems.

use crate::SqlError;
use crate::error::INVALID_ARGUMENT;
use crate::math;
use std::f64::consts::PI;

#[cold]
fn domain(call: String) -> SqlError {
    SqlError::new(INVALID_ARGUMENT, format!("{call} is not defined"))
}

/// NaN for NaN in either argument, even for a power of one.
pub fn power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() { f64::NAN } else { base.powf(exponent) }
}

/// NaN for a negative argument.
pub fn sqrt(x: f64) -> f64 {
    x.sqrt()
}

pub fn cbrt(x: f64) -> f64 {
    x.cbrt()
}

pub fn exp(x: f64) -> f64 {
    x.exp()
}

/// -Infinity for zero, an error for a negative argument.
pub fn ln(x: f64) -> Result<f64, SqlError> {
    if x < 0.0 { Err(domain(format!("LN({x:?})"))) } else { Ok(x.ln()) }
}

pub fn log10(x: f64) -> Result<f64, SqlError> {
    if x < 0.0 { Err(domain(format!("LOG10({x:?})"))) } else { Ok(x.log10()) }
}

pub fn log2(x: f64) -> Result<f64, SqlError> {
    if x < 0.0 { Err(domain(format!("LOG2({x:?})"))) } else { Ok(x.log2()) }
}

/// LN of one more, exact near zero.
pub fn log1p(x: f64) -> Result<f64, SqlError> {
    if x < -1.0 { Err(domain(format!("LOG1P({x:?})"))) } else { Ok(x.ln_1p()) }
}

/// EXP less one, exact near zero.
pub fn expm1(x: f64) -> f64 {
    x.exp_m1()
}

/// Without overflow on the way.
pub fn hypot(a: f64, b: f64) -> f64 {
    a.hypot(b)
}

/// Logarithm of `x` to a base. Powers of two and ten come out exact.
pub fn log(x: f64, base: f64) -> Result<f64, SqlError> {
    if x < 0.0 || base < 0.0 {
        return Err(domain(format!("LOG({x:?}, {base:?})")));
    }
    Ok(match base {
        2.0 => x.log2(),
        10.0 => x.log10(),
        _ => x.ln() / base.ln(),
    })
}

pub fn sin(x: f64) -> f64 {
    x.sin()
}

pub fn cos(x: f64) -> f64 {
    x.cos()
}

pub fn tan(x: f64) -> f64 {
    x.tan()
}

pub fn cot(x: f64) -> f64 {
    1.0 / x.tan()
}

pub fn sec(x: f64) -> f64 {
    1.0 / x.cos()
}

pub fn csc(x: f64) -> f64 {
    1.0 / x.sin()
}

/// NaN outside -1 to 1.
pub fn asin(x: f64) -> f64 {
    x.asin()
}

/// NaN outside -1 to 1.
pub fn acos(x: f64) -> f64 {
    x.acos()
}

pub fn atan(x: f64) -> f64 {
    x.atan()
}

pub fn atan2(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

pub fn sinh(x: f64) -> f64 {
    x.sinh()
}

pub fn cosh(x: f64) -> f64 {
    x.cosh()
}

pub fn tanh(x: f64) -> f64 {
    x.tanh()
}

pub fn coth(x: f64) -> f64 {
    1.0 / x.tanh()
}

pub fn sech(x: f64) -> f64 {
    1.0 / x.cosh()
}

pub fn csch(x: f64) -> f64 {
    1.0 / x.sinh()
}

pub fn asinh(x: f64) -> f64 {
    x.asinh()
}

/// Defined from 1 on.
pub fn acosh(x: f64) -> Result<f64, SqlError> {
    if x < 1.0 { Err(domain(format!("ACOSH({x:?})"))) } else { Ok(x.acosh()) }
}

/// Defined from -1 to 1.
pub fn atanh(x: f64) -> Result<f64, SqlError> {
    if x.abs() > 1.0 { Err(domain(format!("ATANH({x:?})"))) } else { Ok(x.atanh()) }
}

pub fn degrees(x: f64) -> f64 {
    x.to_degrees()
}

pub fn radians(x: f64) -> f64 {
    x.to_radians()
}

pub fn pi() -> f64 {
    PI
}

functions! { pub static FUNCTIONS:
    "POWER" (DOUBLE, DOUBLE) -> DOUBLE = math::power, Strict {}, "The first argument to the power of the second.";
    "POW" (DOUBLE, DOUBLE) -> DOUBLE = math::power, Strict {}, "The first argument to the power of the second.";
    "SQRT" (DOUBLE) -> DOUBLE = math::sqrt, Strict {}, "Square root; NaN below zero.";
    "CBRT" (DOUBLE) -> DOUBLE = math::cbrt, Strict {monotone}, "Cube root.";
    "EXP" (DOUBLE) -> DOUBLE = math::exp, Strict {monotone}, "e to a power.";
    "LN" (DOUBLE) -> DOUBLE = math::ln, Strict {fallible}, "Natural logarithm.";
    "LOG" (DOUBLE) -> DOUBLE = math::ln, Strict {fallible}, "Natural logarithm.";
    "LOG" (DOUBLE, DOUBLE) -> DOUBLE = math::log, Strict {fallible}, "Logarithm of the first argument to the base of the second.";
    "LOG10" (DOUBLE) -> DOUBLE = math::log10, Strict {fallible}, "Logarithm to base 10.";
    "LOG2" (DOUBLE) -> DOUBLE = math::log2, Strict {fallible}, "Logarithm to base 2.";
    "LOG1P" (DOUBLE) -> DOUBLE = math::log1p, Strict {fallible monotone}, "Natural logarithm of one more, exact near zero.";
    "EXPM1" (DOUBLE) -> DOUBLE = math::expm1, Strict {monotone}, "e to a power, less one, exact near zero.";
    "HYPOT" (DOUBLE, DOUBLE) -> DOUBLE = math::hypot, Strict {}, "Length of the hypotenuse over two sides.";
    "SIN" (DOUBLE) -> DOUBLE = math::sin, Strict {}, "Sine of an angle in radians.";
    "COS" (DOUBLE) -> DOUBLE = math::cos, Strict {}, "Cosine of an angle in radians.";
    "TAN" (DOUBLE) -> DOUBLE = math::tan, Strict {}, "Tangent of an angle in radians.";
    "COT" (DOUBLE) -> DOUBLE = math::cot, Strict {}, "Cotangent of an angle in radians.";
    "SEC" (DOUBLE) -> DOUBLE = math::sec, Strict {}, "Secant of an angle in radians.";
    "CSC" (DOUBLE) -> DOUBLE = math::csc, Strict {}, "Cosecant of an angle in radians.";
    "ASIN" (DOUBLE) -> DOUBLE = math::asin, Strict {}, "Inverse sine; NaN outside -1 to 1.";
    "ACOS" (DOUBLE) -> DOUBLE = math::acos, Strict {}, "Inverse cosine; NaN outside -1 to 1.";
    "ATAN" (DOUBLE) -> DOUBLE = math::atan, Strict {monotone}, "Inverse tangent.";
    "ATAN2" (DOUBLE, DOUBLE) -> DOUBLE = math::atan2, Strict {}, "Angle of the point (second argument, first argument).";
    "SINH" (DOUBLE) -> DOUBLE = math::sinh, Strict {monotone}, "Hyperbolic sine.";
    "COSH" (DOUBLE) -> DOUBLE = math::cosh, Strict {}, "Hyperbolic cosine.";
    "TANH" (DOUBLE) -> DOUBLE = math::tanh, Strict {monotone}, "Hyperbolic tangent.";
    "COTH" (DOUBLE) -> DOUBLE = math::coth, Strict {}, "Hyperbolic cotangent.";
    "SECH" (DOUBLE) -> DOUBLE = math::sech, Strict {}, "Hyperbolic secant.";
    "CSCH" (DOUBLE) -> DOUBLE = math::csch, Strict {}, "Hyperbolic cosecant.";
    "ASINH" (DOUBLE) -> DOUBLE = math::asinh, Strict {monotone}, "Inverse hyperbolic sine.";
    "ACOSH" (DOUBLE) -> DOUBLE = math::acosh, Strict {fallible}, "Inverse hyperbolic cosine, from 1 on.";
    "ATANH" (DOUBLE) -> DOUBLE = math::atanh, Strict {fallible}, "Inverse hyperbolic tangent, from -1 to 1.";
    "DEGREES" (DOUBLE) -> DOUBLE = math::degrees, Strict {monotone}, "Radians to degrees.";
    "RADIANS" (DOUBLE) -> DOUBLE = math::radians, Strict {monotone}, "Degrees to radians.";
    "PI" () -> DOUBLE = math::pi, Strict {}, "The ratio of a circle's circumference to its diameter.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains() {
        assert!(sqrt(-1.0).is_nan());
        assert!(ln(-1.0).is_err());
        assert_eq!(ln(0.0), Ok(f64::NEG_INFINITY));
        assert!(log(-1.0, 0.0).is_err());
        assert_eq!(log(64.0, 2.0), Ok(6.0));
        assert_eq!(log(1.0, 0.0), Ok(-0.0));
        assert_eq!((log2(8.0), log2(0.0)), (Ok(3.0), Ok(f64::NEG_INFINITY)));
        assert!(log2(-1.0).is_err() && log1p(-1.5).is_err());
        assert_eq!((log1p(-1.0), log1p(1e-300), expm1(1e-300)), (Ok(f64::NEG_INFINITY), Ok(1e-300), 1e-300));
        assert_eq!((hypot(3.0, -4.0), hypot(1e308, 0.0)), (5.0, 1e308));
        assert!(acosh(f64::NEG_INFINITY).is_err());
        assert!(atanh(f64::INFINITY).is_err());
        assert!(atanh(f64::NAN).is_ok());
        assert!(power(1.0, f64::NAN).is_nan());
    }
}
