//! The functions of types.step: one for each kind of type.

use crate::*;
use std::error::Error;
use std::sync::Arc;

type R<T> = Result<T, Box<dyn Error>>;

pub fn ints(a: i8, b: i16, c: i32, d: i64) -> R<i64> {
    Ok(a as i64 + b as i64 + c as i64 + d)
}
pub fn unsigned_ints(a: Option<u8>, b: Option<u16>, c: Option<u32>, d: Option<u64>) -> R<Option<u64>> {
    Ok(a.map(|a| a as u64 + b.unwrap() as u64 + c.unwrap() as u64 + d.unwrap()))
}
pub fn floats(a: Option<F32>, b: F64) -> R<F64> {
    Ok(F64::new(a.map_or(0.0, |a| a.into_inner() as f64) + b.into_inner()))
}
pub fn times(a: Date, _b: Time, c: Timestamp, d: ShortInterval, e: LongInterval) -> R<Option<Timestamp>> {
    if a.days() > 2_000_000 {
        return Ok(Some(Timestamp::from_microseconds(i64::MAX)));
    }
    Ok(Some(Timestamp::from_microseconds(c.microseconds() + d.microseconds() + e.months() as i64)))
}
pub fn cut(a: SqlString) -> R<SqlString> {
    if a.starts_with('{') {
        panic!("a brace in {a}")
    }
    Ok(SqlString::from(a.to_uppercase()))
}
pub fn bytes(a: Option<ByteArray>) -> R<Option<ByteArray>> {
    Ok(a.map(|a| ByteArray::new(&a[..1])))
}
pub fn tree(
    a: Option<Array<Option<i32>>>,
    b: Option<Map<SqlString, Option<i64>>>,
    c: Option<Tup2<Option<SqlString>, Option<Array<Option<F64>>>>>,
) -> R<Option<Tup2<Option<SqlString>, Option<Array<Option<F64>>>>>> {
    assert!(c.is_none());
    let b = b.unwrap();
    let sum: i32 = a.iter().flat_map(|a| a.iter()).flatten().sum();
    Ok(Some(Tup2(
        b.keys().next().map(|k| SqlString::from(format!("{k}long"))),
        Some(Arc::new(vec![Some(F64::new(sum as f64)), None])),
    )))
}
pub fn json(a: Option<Variant>, b: Uuid) -> R<Option<Variant>> {
    Ok(Some(Variant::from_json(&format!(
        "{{\"got\": {}, \"u\": \"{:x}\"}}",
        a.map_or("null".into(), |a| a.to_json()),
        b.as_u128() >> 96
    ))?))
}
pub fn constant() -> R<i32> {
    Ok(42)
}
