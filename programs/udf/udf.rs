//! The functions that program.sql declares: a check of card numbers, and the amounts that people write.

use feldera_sqllib::*;
use std::error::Error;

/// Is the last digit of a card number the one that the others ask for?
pub fn luhn(card: SqlString) -> Result<bool, Box<dyn Error>> {
    let mut sum = 0;
    for (place, digit) in card.chars().rev().filter(|c| *c != ' ').enumerate() {
        let digit = digit.to_digit(10).ok_or_else(|| format!("{digit:?} in a card number"))?;
        sum += match place % 2 {
            0 => digit,
            _ => digit * 2 / 10 + digit * 2 % 10,
        };
    }
    Ok(sum % 10 == 0)
}

/// The amount that a text says, with a point or a comma before the fraction.
pub fn amount_of(text: Option<SqlString>, decimal_comma: bool) -> Result<Option<SqlDecimal<12, 2>>, Box<dyn Error>> {
    let Some(text) = text else { return Ok(None) };
    let (thousands, point) = if decimal_comma { ('.', ',') } else { (',', '.') };
    let plain: String = text.chars().filter(|c| *c != thousands).map(|c| if c == point { '.' } else { c }).collect();
    Ok(Some(plain.parse()?))
}
