//! The bits of several values of bytes: what BIT_AND, BIT_OR and BIT_XOR make of the array of a group's values.

use crate::error::INVALID_ARGUMENT;
use crate::function::Signature;
use crate::{SqlError, Value, array, byte_bits};

type Outcome = Result<Value, SqlError>;

/// NULL of no values; values of several lengths have no bits in common.
fn combined(values: &[Value], combine: fn(u8, u8) -> u8) -> Outcome {
    let mut all: Option<Vec<u8>> = None;
    for value in array::elements(&values[0]) {
        let Value::Binary(bytes) = value else { continue };
        match &mut all {
            None => all = Some(bytes.to_vec()),
            Some(all) if all.len() == bytes.len() => {
                all.iter_mut().zip(bytes.iter()).for_each(|(byte, other)| *byte = combine(*byte, *other));
            }
            Some(all) => {
                let message = format!("the bits of {} bytes and of {} are not combined", all.len(), bytes.len());
                return Err(SqlError::new(INVALID_ARGUMENT, message));
            }
        }
    }
    Ok(all.map_or(Value::Null, Value::binary))
}

pub fn and(values: &[Value], _: &Signature<'_>) -> Outcome {
    combined(values, |a, b| a & b)
}

pub fn or(values: &[Value], _: &Signature<'_>) -> Outcome {
    combined(values, |a, b| a | b)
}

pub fn xor(values: &[Value], _: &Signature<'_>) -> Outcome {
    combined(values, |a, b| a ^ b)
}

boxed_functions! { pub static FUNCTIONS:
    "BYTES AND" (ARRAY) -> (is VARBINARY) = byte_bits::and, StrictToOption {fallible}, "The bits that are set in all elements: BIT_AND of bytes.";
    "BYTES OR" (ARRAY) -> (is VARBINARY) = byte_bits::or, StrictToOption {fallible}, "The bits that are set in some element: BIT_OR of bytes.";
    "BYTES XOR" (ARRAY) -> (is VARBINARY) = byte_bits::xor, StrictToOption {fallible}, "The bits that are set in an odd number of elements: BIT_XOR of bytes.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlType;

    const SIGNATURE: Signature<'static> = Signature { arguments: &[], result: SqlType::VARBINARY };

    #[test]
    fn bits() {
        let all = |values: &[&[u8]]| [Value::array(values.iter().map(|bytes| Value::binary(*bytes)))];
        let values = all(&[&[0b1100, 1], &[0b1010, 3], &[0b1111, 5]]);
        assert_eq!(and(&values, &SIGNATURE), Ok(Value::binary([0b1000, 1])));
        assert_eq!(or(&values, &SIGNATURE), Ok(Value::binary([0b1111, 7])));
        assert_eq!(xor(&values, &SIGNATURE), Ok(Value::binary([0b1001, 7])));
        assert_eq!(and(&all(&[]), &SIGNATURE), Ok(Value::Null));
        assert!(xor(&all(&[&[1], &[1, 2]]), &SIGNATURE).is_err());
    }
}
