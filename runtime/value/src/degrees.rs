//! Trigonometry in degrees. As in PostgreSQL the angles that people know come out exact: SIND(30) is 0.5, TAND(45) is 1.
//!
//! An angle is brought into the first quadrant, where sine and cosine are stretched to hit one half at 30 and 60 degrees.

use crate::SqlError;
use crate::degrees;
use crate::error::INVALID_ARGUMENT;

#[cold]
fn domain(function: &str, x: f64) -> SqlError {
    SqlError::new(INVALID_ARGUMENT, format!("{function}({x:?}) is not defined"))
}

/// Sine from 0 to 30 degrees.
fn small_sine(x: f64) -> f64 {
    x.to_radians().sin() / 30f64.to_radians().sin() / 2.0
}

/// Cosine from 0 to 60 degrees.
fn large_cosine(x: f64) -> f64 {
    1.0 - (1.0 - x.to_radians().cos()) / (1.0 - 60f64.to_radians().cos()) / 2.0
}

/// From 0 to 90 degrees.
fn sine(x: f64) -> f64 {
    if x <= 30.0 { small_sine(x) } else { large_cosine(90.0 - x) }
}

/// From 0 to 90 degrees.
fn cosine(x: f64) -> f64 {
    if x <= 60.0 { large_cosine(x) } else { small_sine(90.0 - x) }
}

/// The angle of the first quadrant with the same sine and cosine but for their signs, which come with it.
struct Quadrant {
    angle: f64,
    sine: f64,
    cosine: f64,
}

/// `None` for the infinities.
fn quadrant(x: f64) -> Option<Quadrant> {
    if x.is_infinite() {
        return None;
    }
    let turned = x % 360.0;
    let (mut angle, mut sine, mut cosine) = (turned.abs(), 1f64.copysign(turned), 1.0);
    if angle > 180.0 {
        (angle, sine) = (360.0 - angle, -sine);
    }
    if angle > 90.0 {
        (angle, cosine) = (180.0 - angle, -cosine);
    }
    Some(Quadrant { angle, sine, cosine })
}

/// Zero has no sign.
fn unsigned_zero(x: f64) -> f64 {
    x + 0.0
}

pub fn sind(x: f64) -> Result<f64, SqlError> {
    let part = quadrant(x).ok_or_else(|| domain("SIND", x))?;
    Ok(unsigned_zero(part.sine * sine(part.angle)))
}

pub fn cosd(x: f64) -> Result<f64, SqlError> {
    let part = quadrant(x).ok_or_else(|| domain("COSD", x))?;
    Ok(unsigned_zero(part.cosine * cosine(part.angle)))
}

/// An infinity at 90 degrees.
pub fn tand(x: f64) -> Result<f64, SqlError> {
    let part = quadrant(x).ok_or_else(|| domain("TAND", x))?;
    let ratio = sine(part.angle) / cosine(part.angle) / (sine(45.0) / cosine(45.0));
    Ok(unsigned_zero(part.sine * part.cosine * ratio))
}

/// An infinity at 0 degrees.
pub fn cotd(x: f64) -> Result<f64, SqlError> {
    let part = quadrant(x).ok_or_else(|| domain("COTD", x))?;
    let ratio = cosine(part.angle) / sine(part.angle) / (cosine(45.0) / sine(45.0));
    Ok(unsigned_zero(part.sine * part.cosine * ratio))
}

/// Inverse sine of 0 to 0.5.
fn small_asine(x: f64) -> f64 {
    x.asin() / 0.5f64.asin() * 30.0
}

/// Inverse cosine of 0.5 to 1.
fn large_acosine(x: f64) -> f64 {
    x.acos() / 0.5f64.acos() * 60.0
}

/// Of 0 to 1.
fn asine(x: f64) -> f64 {
    if x <= 0.5 { small_asine(x) } else { 90.0 - large_acosine(x) }
}

/// Of 0 to 1.
fn acosine(x: f64) -> f64 {
    if x <= 0.5 { 90.0 - small_asine(x) } else { large_acosine(x) }
}

/// Defined from -1 to 1.
pub fn asind(x: f64) -> Result<f64, SqlError> {
    if x.abs() > 1.0 { Err(domain("ASIND", x)) } else { Ok(asine(x.abs()).copysign(x)) }
}

/// Defined from -1 to 1.
pub fn acosd(x: f64) -> Result<f64, SqlError> {
    match x {
        _ if x.abs() > 1.0 => Err(domain("ACOSD", x)),
        _ if x < 0.0 => Ok(90.0 + asine(-x)),
        _ => Ok(acosine(x)),
    }
}

pub fn atand(x: f64) -> f64 {
    x.atan() / 1f64.atan() * 45.0
}

pub fn atan2d(y: f64, x: f64) -> f64 {
    y.atan2(x) / 1f64.atan() * 45.0
}

functions! { pub static FUNCTIONS:
    "SIND" (DOUBLE) -> DOUBLE = degrees::sind, Strict {fallible}, "Sine of an angle in degrees.";
    "COSD" (DOUBLE) -> DOUBLE = degrees::cosd, Strict {fallible}, "Cosine of an angle in degrees.";
    "TAND" (DOUBLE) -> DOUBLE = degrees::tand, Strict {fallible}, "Tangent of an angle in degrees.";
    "COTD" (DOUBLE) -> DOUBLE = degrees::cotd, Strict {fallible}, "Cotangent of an angle in degrees.";
    "ASIND" (DOUBLE) -> DOUBLE = degrees::asind, Strict {fallible}, "Inverse sine in degrees, from -1 to 1.";
    "ACOSD" (DOUBLE) -> DOUBLE = degrees::acosd, Strict {fallible}, "Inverse cosine in degrees, from -1 to 1.";
    "ATAND" (DOUBLE) -> DOUBLE = degrees::atand, Strict {monotone}, "Inverse tangent in degrees.";
    "ATAN2D" (DOUBLE, DOUBLE) -> DOUBLE = degrees::atan2d, Strict {}, "Angle of the point (second argument, first argument) in degrees.";
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values of PostgreSQL 15.
    #[test]
    fn known_angles_are_exact() {
        let (half, large, third, root) = (0.5f64.sqrt(), 0.75f64.sqrt(), (1f64 / 3.0).sqrt(), 3f64.sqrt());
        for (x, sine, cosine, tangent) in [
            (0.0, 0.0, 1.0, 0.0),
            (30.0, 0.5, large, third),
            (45.0, half, half, 1.0),
            (60.0, large, 0.5, root),
            (90.0, 1.0, 0.0, f64::INFINITY),
            (135.0, half, -half, -1.0),
            (180.0, 0.0, -1.0, 0.0),
            (210.0, -0.5, -large, third),
            (270.0, -1.0, 0.0, f64::NEG_INFINITY),
            (-30.0, -0.5, large, -third),
            (750.0, 0.5, large, third),
        ] {
            let found = (sind(x).unwrap(), cosd(x).unwrap(), tand(x).unwrap());
            let close = |a: f64, b: f64| a == b || (a - b).abs() < 5e-16;
            assert!(close(found.0, sine) && close(found.1, cosine) && close(found.2, tangent), "{x}: {found:?}");
        }
        assert_eq!((sind(30.0), cosd(60.0), tand(45.0), tand(-45.0)), (Ok(0.5), Ok(0.5), Ok(1.0), Ok(-1.0)));
        assert_eq!((cotd(45.0), cotd(0.0), cotd(-90.0)), (Ok(1.0), Ok(f64::INFINITY), Ok(0.0)));
        assert!(sind(-180.0).unwrap().is_sign_positive());
    }

    #[test]
    fn inverses() {
        assert_eq!((asind(0.5), asind(-1.0), acosd(0.5), acosd(-0.5)), (Ok(30.0), Ok(-90.0), Ok(60.0), Ok(120.0)));
        assert_eq!((atand(1.0), atand(f64::INFINITY), atan2d(-1.0, -1.0)), (45.0, 90.0, -135.0));
        assert!(sind(f64::INFINITY).is_err() && asind(1.1).is_err() && acosd(f64::NEG_INFINITY).is_err());
        assert!(sind(f64::NAN).unwrap().is_nan() && acosd(f64::NAN).unwrap().is_nan());
    }
}
