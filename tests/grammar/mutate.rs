//! Programs made wrong: tokens left out, doubled, swapped, replaced by odd ones, nested deeply, cut off.

use feldc::steps::stream::Random;

/// The pieces of a program; joined, they are the program. Every second or so is blanks.
pub fn pieces(text: &str) -> Vec<String> {
    let mut pieces = vec![];
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match first {
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()),
            c if is_word(c) => rest.find(|c| !is_word(c)),
            '\'' | '"' => rest[1..].find(first).map(|at| at + 2),
            '-' if rest.starts_with("--") => rest.find('\n'),
            c => Some(c.len_utf8()),
        };
        let (piece, behind) = rest.split_at(length.unwrap_or(rest.len()));
        pieces.push(piece.to_string());
        rest = behind;
    }
    pieces
}

/// Tokens that programs have seldom, or never.
const ODD: &[&str] = &[
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ";",
    ".",
    "..",
    "::",
    "*",
    "'",
    "\"",
    "--",
    "/*",
    "*/",
    "->",
    "=>",
    "<=>",
    "||",
    "?",
    "$1",
    "@",
    "#",
    "~",
    "\\",
    "\0",
    "\u{feff}",
    "\u{200b}",
    "\u{202e}",
    "é",
    "\u{1F600}",
    "e\u{301}\u{301}",
    "\u{a0}",
    "\"\"",
    "''",
    "0x",
    "0xff",
    "1e",
    "1e999",
    ".5",
    "5.",
    "1_000",
    "999999999999999999999999999999999999999999999",
    "1.00000000000000000000000000000000000000000000000001",
    "-",
    "+",
    "NULL",
    "TRUE",
    "DEFAULT",
    "SELECT",
    "FROM",
    "WHERE",
    "GROUP BY",
    "ORDER BY",
    "PARTITION BY",
    "OVER ()",
    "OVER (ORDER BY 1)",
    "DISTINCT",
    "ALL",
    "NOT",
    "AND",
    "IN",
    "EXISTS",
    "CASE",
    "WHEN",
    "END",
    "CAST",
    "AS",
    "INTERVAL",
    "INTERVAL '1' DAY",
    "DATE",
    "TIMESTAMP",
    "ARRAY",
    "ARRAY[]",
    "MAP[]",
    "ROW()",
    "ROW",
    "UNNEST",
    "LATERAL",
    "JOIN",
    "LEFT JOIN",
    "FULL JOIN",
    "ON TRUE",
    "USING (a)",
    "NATURAL JOIN",
    "UNION",
    "EXCEPT ALL",
    "INTERSECT",
    "VALUES",
    "WITH",
    "RECURSIVE",
    "LIMIT 1",
    "OFFSET 1",
    "QUALIFY",
    "HAVING",
    "PIVOT",
    "UNPIVOT",
    "ROLLUP",
    "CUBE",
    "GROUPING SETS (())",
    "FILTER (WHERE TRUE)",
    "WITHIN GROUP (ORDER BY 1)",
    "PRIMARY KEY",
    "NOT NULL",
    "LATENESS",
    "WATERMARK",
    "CREATE",
    "TABLE",
    "VIEW",
    "TYPE",
    "FUNCTION",
    "INDEX",
    "RETURNS",
    "SET",
    "x'",
    "x'0'",
    "U&'\\'",
    "E'\\",
    "COUNT(*)",
    "SUM",
    "NOW()",
    "CURRENT_TIMESTAMP",
    "TABLESAMPLE",
    "FOR",
    "FETCH",
    "NULLS FIRST",
    "ASC",
    "ESCAPE",
    "LIKE",
    "SIMILAR TO",
    "BETWEEN",
    "IS",
    "ANY",
    "a.b.c.d",
];

/// Pairs that nest.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("NOT (", ")"),
    ("-(", ")"),
    ("ARRAY[", "]"),
    ("ROW(", ")"),
    ("CASE WHEN TRUE THEN ", " END"),
    ("(SELECT ", ")"),
    ("COALESCE(", ", 1)"),
    ("CAST(", " AS VARCHAR)"),
    ("(SELECT * FROM (SELECT ", ") AS q)"),
    ("1 + ", ""),
    ("NOT ", ""),
    ("~", ""),
    ("x -> ", ""),
    ("", "[1]"),
    ("", "::VARCHAR"),
    ("", " OR TRUE"),
    ("", " || 'a'"),
    ("", ", 1"),
];

/// A program with some faults; `other` lends pieces.
pub fn mutate(text: &str, other: &str, random: &mut Random) -> String {
    let mut pieces = pieces(text);
    let lent = self::pieces(other);
    for _ in 0..*random.pick(&[1, 1, 1, 2, 2, 3, 5, 8]) {
        if pieces.is_empty() {
            break;
        }
        let at = token_at(&pieces, random);
        let b = token_at(&pieces, random);
        match random.below(14) {
            0 | 1 => drop(pieces.remove(at)),
            2 => pieces.insert(at, pieces[at].clone()),
            3 => pieces.swap(at, b),
            4 => pieces[at] = pieces[b].clone(),
            5 => pieces[at] = random.pick(ODD).to_string(),
            6 => pieces.insert(at, format!(" {} ", random.pick(ODD))),
            7 if !lent.is_empty() => pieces[at] = lent[token_at(&lent, random)].clone(),
            8 if !lent.is_empty() => {
                let from = token_at(&lent, random);
                let to = (from + 1 + random.below(12) as usize).min(lent.len());
                pieces.splice(at..at, lent[from..to].iter().cloned());
            }
            9 => drop(pieces.drain(at..(at + 1 + random.below(8) as usize).min(pieces.len()))),
            10 => {
                let (open, close) = *random.pick(NESTS);
                let depth = *random.pick(&[1, 2, 20, 150, 190, 210, 1000]);
                pieces[at] = format!("{}{}{}", open.repeat(depth), pieces[at], close.repeat(depth));
            }
            11 => pieces[at] = disturbed(&pieces[at], random),
            12 if random.chance(30) => pieces.truncate(at),
            13 if random.chance(20) => {
                let copies = *random.pick(&[10, 300]);
                let copy = format!("{} ", pieces[at]).repeat(copies);
                pieces.insert(at, copy);
            }
            _ => pieces[at] = pieces[at].to_uppercase(),
        }
    }
    pieces.concat()
}

/// A piece that is no blank, mostly.
fn token_at(pieces: &[String], random: &mut Random) -> usize {
    let at = random.below(pieces.len() as u64) as usize;
    match pieces[at].trim().is_empty() && at + 1 < pieces.len() {
        true => at + 1,
        false => at,
    }
}

/// A piece with a character left out, doubled or replaced.
fn disturbed(piece: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = piece.chars().collect();
    let at = random.below(characters.len().max(1) as u64) as usize;
    let odd = *random.pick(&['\0', '\'', '"', 'é', '\u{10ffff}', '9', '-', ' ', '\n', '\\', '%', '_', '.', '(', '\r']);
    match random.below(3) {
        0 if at < characters.len() => drop(characters.remove(at)),
        1 if at < characters.len() => characters[at] = odd,
        _ => characters.insert(at, odd),
    }
    characters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_the_text() {
        let text = "SELECT 'a b''c', \"x y\", 12.5 -- to the end\n FROM é_1 /* c */;'open";
        let pieces = pieces(text);
        assert_eq!(pieces.concat(), text);
        for piece in ["'a b'", "\"x y\"", "12", "-- to the end", "é_1", "'open"] {
            assert!(pieces.iter().any(|found| found == piece), "{piece} is no piece of {pieces:?}");
        }
    }

    #[test]
    fn a_seed_gives_one_mutation() {
        let text = "CREATE TABLE t (a BIGINT); CREATE VIEW v AS SELECT a FROM t;";
        let mutation = |seed| mutate(text, text, &mut Random::new(seed));
        assert_eq!(mutation(3), mutation(3));
        let changed = (0..50).filter(|seed| mutation(*seed) != text).count();
        assert!(changed > 40, "{changed} of 50 are changed");
    }
}
