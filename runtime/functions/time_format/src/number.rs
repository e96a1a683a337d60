//! TO_CHAR of numbers, as PostgreSQL has it: `9` and `0` are places of digits, all else says how they are dressed.

use crate::number;
use feldc_value::decimal::shape;
use feldc_value::error::INVALID_ARGUMENT;
use feldc_value::function::Signature;
use feldc_value::{SqlError, functions};

/// Places of digits that a template has at most.
const PLACES_MAX: usize = 64;

/// Width of a Roman number that is not tight.
const ROMAN_WIDTH: usize = 15;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A digit, of the whole part or the fraction.
    Digit,
    Point,
    /// Where the digits behind a V start: the number is that much larger, without a point.
    Shift,
    Comma,
    /// The sign where it stands, also of a positive number.
    Sign,
    /// A minus where it stands.
    Minus,
    Ordinal {
        upper: bool,
    },
    Text(char),
}

/// Where the sign of the number stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SignPlace {
    /// Before the first digit; a blank for a positive number.
    Before,
    /// Likewise, with a plus for a positive number.
    BeforeAlways,
    /// Behind the last digit, with a plus for a positive number.
    Behind,
    /// Around the number: `<485>`.
    Brackets,
    /// Where the template says so.
    Placed,
}

#[derive(Debug)]
struct Template {
    parts: Vec<Part>,
    tight: bool,
    roman: bool,
    sign: SignPlace,
    /// Places of the whole part; those behind a V are among them.
    whole: usize,
    fraction: usize,
    /// Digits behind a V.
    shift: usize,
    /// From this place of the whole part on zeros are shown.
    zeros_from: usize,
    /// So many digits of the fraction are shown even when they are zeros.
    zeros_to: usize,
}

fn wrong(message: String) -> SqlError {
    SqlError::new(INVALID_ARGUMENT, message)
}

/// Longer words first where one starts another.
const WORDS: &[&str] = &["FM", "RN", "SG", "MI", "PR", "TH", "PL", "EEEE", "D", "G", "S", "V", "L", "C", "B"];

impl Template {
    fn read(text: &str) -> Result<Template, SqlError> {
        let mut template = Template {
            parts: vec![],
            tight: false,
            roman: false,
            sign: SignPlace::Before,
            whole: 0,
            fraction: 0,
            shift: 0,
            zeros_from: usize::MAX,
            zeros_to: 0,
        };
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let word =
                WORDS.iter().find(|word| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)));
            match (first, word) {
                ('"', _) => rest = template.quoted(&rest[1..])?,
                ('\\', _) if rest[1..].starts_with('"') => {
                    template.parts.push(Part::Text('"'));
                    rest = &rest[2..];
                }
                (_, Some(word)) => {
                    template.word(word, rest.starts_with(word))?;
                    rest = &rest[word.len()..];
                }
                _ => {
                    template.character(first)?;
                    rest = &rest[first.len_utf8()..];
                }
            }
        }
        template.check(text)
    }

    fn quoted<'t>(&mut self, rest: &'t str) -> Result<&'t str, SqlError> {
        let missing = || wrong("a text in the template of TO_CHAR lacks its closing \"".to_string());
        let (text, behind) = rest.split_once('"').ok_or_else(missing)?;
        self.parts.extend(text.chars().map(Part::Text));
        Ok(behind)
    }

    fn has_point(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Point | Part::Shift))
    }

    fn character(&mut self, character: char) -> Result<(), SqlError> {
        match character {
            '0' | '9' => self.digit(character == '0')?,
            '.' => self.point(Part::Point)?,
            ',' => self.parts.push(Part::Comma),
            letter if letter.is_alphanumeric() => {
                return Err(wrong(format!(
                    "'{letter}' in the template of TO_CHAR is no pattern for a number: quote text as \"...\""
                )));
            }
            other => self.parts.push(Part::Text(other)),
        }
        Ok(())
    }

    fn digit(&mut self, zero: bool) -> Result<(), SqlError> {
        if self.sign == SignPlace::Behind {
            return Err(wrong("S stands before or behind all digits in a template of TO_CHAR".to_string()));
        }
        if self.parts.contains(&Part::Point) {
            self.fraction += 1;
            self.zeros_to = if zero { self.fraction } else { self.zeros_to };
        } else {
            self.zeros_from = if zero { self.zeros_from.min(self.whole) } else { self.zeros_from };
            self.whole += 1;
            self.shift += usize::from(self.parts.contains(&Part::Shift));
        }
        self.parts.push(Part::Digit);
        Ok(())
    }

    fn point(&mut self, point: Part) -> Result<(), SqlError> {
        if self.has_point() {
            return Err(wrong("the template of TO_CHAR has two decimal points".to_string()));
        }
        self.parts.push(point);
        Ok(())
    }

    fn word(&mut self, word: &str, upper: bool) -> Result<(), SqlError> {
        match word {
            "FM" => self.tight = true,
            "RN" => self.roman = true,
            "D" => self.point(Part::Point)?,
            "V" => self.point(Part::Shift)?,
            "G" => self.parts.push(Part::Comma),
            "TH" => self.parts.push(Part::Ordinal { upper }),
            "SG" => self.sign(SignPlace::Placed, Some(Part::Sign))?,
            "MI" => self.sign(SignPlace::Placed, Some(Part::Minus))?,
            "PR" => self.sign(SignPlace::Brackets, None)?,
            "S" if self.whole + self.fraction == 0 => self.sign(SignPlace::BeforeAlways, None)?,
            "S" => self.sign(SignPlace::Behind, None)?,
            word => {
                let message = format!("the pattern {word} of TO_CHAR for numbers is not supported");
                return Err(SqlError::new("0A000", message));
            }
        }
        Ok(())
    }

    fn sign(&mut self, place: SignPlace, part: Option<Part>) -> Result<(), SqlError> {
        if self.sign != SignPlace::Before {
            return Err(wrong("the template of TO_CHAR has two signs".to_string()));
        }
        self.sign = place;
        self.parts.extend(part);
        Ok(())
    }

    fn check(self, text: &str) -> Result<Template, SqlError> {
        let places = self.whole + self.fraction;
        if places > PLACES_MAX {
            return Err(wrong(format!("the template of TO_CHAR has more than {PLACES_MAX} digits")));
        }
        if self.roman && !self.parts.is_empty() {
            return Err(wrong("RN stands alone in a template of TO_CHAR, but for FM".to_string()));
        }
        if places == 0 && !self.roman {
            let text =
                feldc_value::error::clipped(format!("'{text}' has no place for a digit: write for example '999.99'"));
            return Err(SqlError::new(INVALID_ARGUMENT, text));
        }
        if self.tight && self.sign == SignPlace::Brackets {
            return Err(SqlError::new("0A000", "the pattern PR of TO_CHAR is not supported beside FM"));
        }
        Ok(self)
    }
}

/// A number as digits: those of the whole part without zeros at the start, and as many of the fraction as the template has.
struct Digits {
    negative: bool,
    /// None when there are more than places.
    whole: Option<String>,
    fraction: String,
}

impl Digits {
    /// Of `units` · 10^-(places of the fraction).
    fn new(negative: bool, digits: &str, template: &Template) -> Digits {
        let digits = digits.trim_start_matches('0');
        let padded = format!("{digits:0>width$}", width = template.fraction);
        let (whole, fraction) = padded.split_at(padded.len() - template.fraction);
        let negative = negative && !digits.is_empty();
        let fits = whole.len() <= template.whole;
        Digits { negative, whole: fits.then(|| whole.to_string()), fraction: fraction.to_string() }
    }

    fn too_large(negative: bool) -> Digits {
        Digits { negative, whole: None, fraction: String::new() }
    }
}

/// Writes parts one after the other.
struct Writer<'a> {
    template: &'a Template,
    digits: &'a Digits,
    out: String,
    /// The next place of the whole part, and of the fraction.
    at: (usize, usize),
    signed: bool,
    /// Has the number begun?
    begun: bool,
}

impl Writer<'_> {
    fn write(mut self) -> String {
        let last = self.template.parts.iter().rposition(|part| matches!(part, Part::Digit | Part::Point));
        for (number, part) in self.template.parts.iter().enumerate() {
            self.part(*part);
            if Some(number) == last {
                self.close();
            }
        }
        self.out
    }

    fn part(&mut self, part: Part) {
        let (tight, negative) = (self.template.tight, self.digits.negative);
        match part {
            Part::Digit if self.at.1 > 0 => self.fraction_digit(),
            Part::Digit => self.whole_digit(),
            Part::Point => {
                self.lead();
                self.open();
                self.out.push('.');
                self.at.1 = 1;
            }
            Part::Shift => (),
            Part::Comma if self.begun => self.out.push(','),
            Part::Comma => self.blank(),
            Part::Sign => self.out.push(if negative { '-' } else { '+' }),
            Part::Minus if negative => self.out.push('-'),
            Part::Minus => self.out.push_str(if tight { "" } else { " " }),
            Part::Ordinal { upper } => self.ordinal(upper),
            Part::Text(character) => self.out.push(character),
        }
    }

    fn blank(&mut self) {
        if !self.template.tight {
            self.out.push(' ');
        }
    }

    /// Before a point a zero that nothing else shows is shown when the fraction shows no digit.
    fn lead(&mut self) {
        let nothing = self.template.tight && self.shown_fraction() == 0;
        if nothing && !self.begun && self.digits.whole.as_deref() == Some("") && self.template.whole > 0 {
            self.open();
            self.out.push('0');
        }
    }

    /// The sign, once.
    fn open(&mut self) {
        self.begun = true;
        if std::mem::replace(&mut self.signed, true) {
            return;
        }
        match (self.template.sign, self.digits.negative) {
            (SignPlace::Placed | SignPlace::Behind, _) => (),
            (SignPlace::BeforeAlways, negative) => self.out.push(if negative { '-' } else { '+' }),
            (SignPlace::Brackets, true) => self.out.push('<'),
            (_, true) => self.out.push('-'),
            (_, false) => self.blank(),
        }
    }

    fn close(&mut self) {
        match (self.template.sign, self.digits.negative) {
            (SignPlace::Behind, negative) => self.out.push(if negative { '-' } else { '+' }),
            (SignPlace::Brackets, negative) => self.out.push(if negative { '>' } else { ' ' }),
            _ => (),
        }
    }

    fn whole_digit(&mut self) {
        let place = self.at.0;
        self.at.0 += 1;
        let Some(whole) = &self.digits.whole else {
            self.open();
            self.out.push('#');
            return;
        };
        // Zero has a digit where there is no fraction.
        let whole = if whole.is_empty() && self.template.fraction == 0 && !self.has_point() { "0" } else { whole };
        let missing = self.template.whole - whole.len();
        match place.checked_sub(missing) {
            Some(at) => {
                let digit = char::from(whole.as_bytes()[at]);
                self.open();
                self.out.push(digit);
            }
            None if place >= self.template.zeros_from => {
                self.open();
                self.out.push('0');
            }
            None => self.blank(),
        }
    }

    fn has_point(&self) -> bool {
        self.template.parts.contains(&Part::Point)
    }

    /// How many digits of the fraction are shown.
    fn shown_fraction(&self) -> usize {
        match self.template.tight && self.digits.whole.is_some() {
            true => self.digits.fraction.trim_end_matches('0').len().max(self.template.zeros_to),
            false => self.template.fraction,
        }
    }

    fn fraction_digit(&mut self) {
        let place = self.at.1 - 1;
        self.at.1 += 1;
        match (&self.digits.whole, self.digits.fraction.as_bytes().get(place)) {
            (Some(_), Some(digit)) if place < self.shown_fraction() => self.out.push(char::from(*digit)),
            (None, _) => self.out.push('#'),
            _ => (),
        }
    }

    /// Behind whole numbers that are not negative.
    fn ordinal(&mut self, upper: bool) {
        let Some(whole) = self.digits.whole.as_deref().filter(|_| !self.digits.negative && !self.has_point()) else {
            return;
        };
        let last = &whole[whole.len().saturating_sub(2)..];
        let ending = crate::to_char::ending(last.parse().unwrap_or(0));
        self.out.push_str(&if upper { ending.to_uppercase() } else { ending.to_string() });
    }
}

fn dressed(template: &Template, digits: &Digits) -> String {
    let writer = Writer { template, digits, out: String::new(), at: (0, 0), signed: false, begun: false };
    writer.write()
}

fn roman(number: Option<u32>, tight: bool) -> String {
    const NUMERALS: [(u32, &str); 13] = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    let Some(mut rest) = number.filter(|number| (1..4000).contains(number)) else { return "#".repeat(ROMAN_WIDTH) };
    let mut out = String::new();
    for (value, numeral) in NUMERALS {
        out.push_str(&numeral.repeat((rest / value) as usize));
        rest %= value;
    }
    if tight { out } else { format!("{out:>ROMAN_WIDTH$}") }
}

/// A DECIMAL by a template.
pub fn decimal(units: i128, template: &str, signature: &Signature<'_>) -> Result<String, SqlError> {
    let template = Template::read(template)?;
    let scale = usize::from(shape(signature.arguments[0]).1);
    let wanted = template.fraction + template.shift;
    let cut = scale.saturating_sub(wanted);
    let kept = rounded(units, cut as u32);
    if template.roman {
        return Ok(roman(u32::try_from(kept).ok(), template.tight));
    }
    let zeros = "0".repeat(wanted.saturating_sub(scale));
    let digits = format!("{}{zeros}", kept.unsigned_abs());
    Ok(dressed(&template, &Digits::new(kept < 0, &digits, &template)))
}

/// Half away from zero, `places` digits fewer.
fn rounded(units: i128, places: u32) -> i128 {
    match 10i128.checked_pow(places) {
        Some(power) => {
            let (whole, rest) = (units / power, units % power);
            whole + if rest.unsigned_abs() >= (power / 2).unsigned_abs() && power > 1 { units.signum() } else { 0 }
        }
        None => 0,
    }
}

/// A DOUBLE by a template.
pub fn double(value: f64, template: &str) -> Result<String, SqlError> {
    let template = Template::read(template)?;
    if template.roman {
        let whole = value.round();
        return Ok(roman((1.0..4000.0).contains(&whole).then_some(whole as u32), template.tight));
    }
    if !value.is_finite() {
        return Ok(dressed(&template, &Digits::too_large(value < 0.0)));
    }
    let wanted = template.fraction + template.shift;
    let digits: String = format!("{:.wanted$}", value.abs()).chars().filter(char::is_ascii_digit).collect();
    Ok(dressed(&template, &Digits::new(value < 0.0, &digits, &template)))
}

functions! { pub static FUNCTIONS:
    "TO_CHAR" (DECIMAL, VARCHAR) -> VARCHAR = number::decimal, Strict {typed fallible}, "A number by a template, e.g. '9,999.00' or 'FM999MI'.";
    "TO_CHAR" (DOUBLE, VARCHAR) -> VARCHAR = number::double, Strict {fallible}, "A number by a template, e.g. '9,999.00' or 'FM999MI'.";
}

#[cfg(test)]
mod tests {
    use super::*;
    use feldc_value::SqlType;

    fn check(units: i128, scale: u8, template: &str, expected: &str) {
        let signature = Signature {
            arguments: &[SqlType::Decimal { precision: 38, scale }, SqlType::VARCHAR],
            result: SqlType::VARCHAR,
        };
        assert_eq!(decimal(units, template, &signature).as_deref(), Ok(expected), "{units}e-{scale} {template}");
    }

    // The examples of PostgreSQL's documentation, without those that are of a locale of their own.
    #[test]
    fn documented() {
        check(125, 0, "999", " 125");
        check(1258, 1, "999D9", " 125.8");
        check(-1258, 1, "999D99S", "125.80-");
        check(-1, 1, "99.99", "  -.10");
        check(-1, 1, "FM9.99", "-.1");
        check(-1, 1, "FM90.99", "-0.1");
        check(1, 1, "0.9", " 0.1");
        check(12, 0, "9990999.9", "    0012.0");
        check(12, 0, "FM9990999.9", "0012.");
        check(-485, 0, "999", "-485");
        check(485, 0, "9 9 9", " 4 8 5");
        check(1485, 0, "9,999", " 1,485");
        check(1485, 0, "9G999", " 1,485");
        check(1485, 1, "999.999", " 148.500");
        check(1485, 1, "FM999.999", "148.5");
        check(1485, 1, "FM999.990", "148.500");
        check(31485, 1, "9G999D999", " 3,148.500");
        check(-485, 0, "999S", "485-");
        check(-485, 0, "999MI", "485-");
        check(485, 0, "999MI", "485 ");
        check(485, 0, "FM999MI", "485");
        check(485, 0, "SG999", "+485");
        check(-485, 0, "SG999", "-485");
        check(-485, 0, "9SG99", "4-85");
        check(-485, 0, "999PR", "<485>");
        check(485, 0, "RN", "        CDLXXXV");
        check(485, 0, "FMRN", "CDLXXXV");
        check(52, 1, "FMRN", "V");
        check(482, 0, "999th", " 482nd");
        check(485, 0, "\"Good number:\"999", "Good number: 485");
        check(4858, 1, "\"Pre:\"999\" Post:\" .999", "Pre: 485 Post: .800");
        check(12, 0, "99V999", " 12000");
        check(124, 1, "99V999", " 12400");
        check(1245, 2, "99V9", " 125");
    }

    // By the same rules.
    #[test]
    fn more() {
        check(0, 0, "999", "   0");
        check(0, 0, "FM999", "0");
        check(0, 0, "FM9.9", "0.");
        check(0, 0, "000", " 000");
        check(485, 0, "9,999", "   485");
        check(485, 0, "FM9,999", "485");
        check(485, 0, "S999", "+485");
        check(-485, 0, "S9999", " -485");
        check(485, 0, "999PR", " 485 ");
        check(1485, 0, "999", " ###");
        check(-12345, 1, "99.9", "-##.#");
        check(5, 1, "9", " 1");
        check(-4, 1, "9", " 0");
        check(111, 0, "999TH", " 111TH");
        check(0, 0, "RN", "###############");
        check(i128::MAX, 0, "9", " #");
        check(i128::MIN, 38, "9.99", "-1.70");
        assert_eq!(double(1234.567, "FM9,999.00").as_deref(), Ok("1,234.57"));
        assert_eq!(double(f64::NAN, "9.9").as_deref(), Ok(" #.#"));
        assert_eq!(double(-1e300, "9.9").as_deref(), Ok("-#.#"));
    }

    #[test]
    fn what_is_refused() {
        for template in ["", "abc", "9.9.9", "L99", "9.9EEEE", "PL9", "9S9", "S9S", "RN9", "FM9PR", "\"9", "9MISG"] {
            assert!(double(1.0, template).is_err(), "{template}");
        }
        assert!(double(1.0, &"9".repeat(65)).is_err());
    }
}
