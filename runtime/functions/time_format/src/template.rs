//! The templates of TO_CHAR, TO_DATE and TO_TIMESTAMP as PostgreSQL has them: words such as `YYYY` and `HH24` stand for
//! fields, `FM` before one takes its padding away, `TH` behind one makes it an ordinal, quotes keep a text as it stands.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Hour12,
    Hour24,
    Minute,
    Second,
    /// Digits of a second's fraction.
    Fraction(u32),
    SecondOfDay,
    /// With dots.
    Meridiem(bool),
    YearComma,
    /// The last digits of the year; 4 for all.
    Year(u32),
    IsoYear(u32),
    /// With dots.
    Era(bool),
    MonthName,
    MonthShort,
    Month,
    Roman,
    DayName,
    DayShort,
    DayOfYear,
    IsoDayOfYear,
    Day,
    Weekday,
    IsoWeekday,
    WeekOfMonth,
    WeekOfYear,
    IsoWeek,
    Century,
    Julian,
    Quarter,
    Zone,
    Offset,
    OffsetHour,
    OffsetMinute,
}

/// Where one word starts another the longer one stands first.
const WORDS: &[(&str, Field)] = &[
    ("HH24", Field::Hour24),
    ("HH12", Field::Hour12),
    ("HH", Field::Hour12),
    ("MI", Field::Minute),
    ("SSSSS", Field::SecondOfDay),
    ("SSSS", Field::SecondOfDay),
    ("SS", Field::Second),
    ("MS", Field::Fraction(3)),
    ("US", Field::Fraction(6)),
    ("FF1", Field::Fraction(1)),
    ("FF2", Field::Fraction(2)),
    ("FF3", Field::Fraction(3)),
    ("FF4", Field::Fraction(4)),
    ("FF5", Field::Fraction(5)),
    ("FF6", Field::Fraction(6)),
    ("A.M.", Field::Meridiem(true)),
    ("P.M.", Field::Meridiem(true)),
    ("AM", Field::Meridiem(false)),
    ("PM", Field::Meridiem(false)),
    ("Y,YYY", Field::YearComma),
    ("YYYY", Field::Year(4)),
    ("YYY", Field::Year(3)),
    ("YY", Field::Year(2)),
    ("Y", Field::Year(1)),
    ("IYYY", Field::IsoYear(4)),
    ("IYY", Field::IsoYear(3)),
    ("IY", Field::IsoYear(2)),
    ("IDDD", Field::IsoDayOfYear),
    ("ID", Field::IsoWeekday),
    ("IW", Field::IsoWeek),
    ("I", Field::IsoYear(1)),
    ("B.C.", Field::Era(true)),
    ("A.D.", Field::Era(true)),
    ("BC", Field::Era(false)),
    ("AD", Field::Era(false)),
    ("MONTH", Field::MonthName),
    ("MON", Field::MonthShort),
    ("MM", Field::Month),
    ("RM", Field::Roman),
    ("DAY", Field::DayName),
    ("DY", Field::DayShort),
    ("DDD", Field::DayOfYear),
    ("DD", Field::Day),
    ("D", Field::Weekday),
    ("WW", Field::WeekOfYear),
    ("W", Field::WeekOfMonth),
    ("CC", Field::Century),
    ("J", Field::Julian),
    ("Q", Field::Quarter),
    ("TZH", Field::OffsetHour),
    ("TZM", Field::OffsetMinute),
    ("TZ", Field::Zone),
    ("OF", Field::Offset),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Case {
    Upper,
    Capital,
    Lower,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    pub field: Field,
    /// In which letters the field's word is written.
    pub case: Case,
    pub padded: bool,
    /// An ordinal, in these letters.
    pub ordinal: Option<Case>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    Part(Part),
    /// A character that stands for itself; in quotes or not.
    Text(char),
}

fn starts_with(text: &str, word: &str) -> bool {
    text.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()))
}

fn case(word: &str) -> Case {
    let mut upper = word.bytes().filter(u8::is_ascii_alphabetic).map(|letter| letter.is_ascii_uppercase());
    match (upper.next().unwrap_or(false), upper.next().unwrap_or(true)) {
        (true, true) => Case::Upper,
        (true, false) => Case::Capital,
        (false, _) => Case::Lower,
    }
}

/// The field at the start of a template with its modifiers, and what follows it.
fn part(template: &str) -> Option<(Part, &str)> {
    let mut rest = template;
    let mut padded = true;
    // FX and TM change nothing here.
    for modifier in ["FX", "FM", "TM"] {
        if starts_with(rest, modifier) {
            padded &= modifier != "FM";
            rest = &rest[2..];
        }
    }
    let (word, field) = WORDS.iter().find(|(word, _)| starts_with(rest, word))?;
    let (written, behind) = rest.split_at(word.len());
    let ordinal = starts_with(behind, "TH").then(|| case(&behind[..2]));
    let behind = if ordinal.is_some() { &behind[2..] } else { behind };
    Some((Part { field: *field, case: case(written), padded, ordinal }, behind))
}

pub fn tokens(template: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = template;
    let mut quoted = false;
    loop {
        if !quoted && let Some((part, behind)) = part(rest) {
            tokens.push(Token::Part(part));
            rest = behind;
            continue;
        }
        let mut characters = rest.chars();
        let Some(first) = characters.next() else { return tokens };
        rest = characters.as_str();
        match first {
            '"' => quoted = !quoted,
            // In quotes the backslash takes the meaning from any character, outside from a quote.
            '\\' if quoted || rest.starts_with('"') => {
                tokens.extend(rest.chars().next().map(Token::Text));
                rest = rest.get(rest.chars().next().map_or(0, char::len_utf8)..).unwrap_or("");
            }
            other => tokens.push(Token::Text(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_texts() {
        let part = |field, case, padded, ordinal| Token::Part(Part { field, case, padded, ordinal });
        let text = |c| Token::Text(c);
        assert_eq!(
            tokens("FMDDth \"of\\\"Y\" Month\\\"い"),
            [
                part(Field::Day, Case::Upper, false, Some(Case::Lower)),
                text(' '),
                text('o'),
                text('f'),
                text('"'),
                text('Y'),
                text(' '),
                part(Field::MonthName, Case::Capital, true, None),
                text('"'),
                text('い'),
            ]
        );
        assert_eq!(tokens("\"\\"), []);
        assert_eq!(tokens("\\"), [text('\\')]);
    }
}
