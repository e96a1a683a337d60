//! Which words are keywords where they stand, and between which tokens a blank goes.
//!
//! Words that may also be names (`date`, `first`, `key`) are keywords only next to others that make them so. A mistake changes
//! the case of a name, which means the same.

use super::lex::{Kind, Token};

/// Keywords wherever they stand, but for names with a qualifier.
const RESERVED: &[&str] = &[
    "ALL",
    "AND",
    "AS",
    "ASC",
    "BETWEEN",
    "BIGINT",
    "BOOLEAN",
    "BY",
    "CASE",
    "CAST",
    "CHAR",
    "COALESCE",
    "CONSTRAINT",
    "CREATE",
    "CROSS",
    "DECIMAL",
    "DEFAULT",
    "DESC",
    "DISTINCT",
    "DOUBLE",
    "ELSE",
    "END",
    "ESCAPE",
    "EXCEPT",
    "EXISTS",
    "EXTRACT",
    "FALSE",
    "FETCH",
    "FLOAT",
    "FOREIGN",
    "FROM",
    "GROUP",
    "HAVING",
    "ILIKE",
    "IN",
    "INNER",
    "INT",
    "INTEGER",
    "INTERSECT",
    "INTERVAL",
    "INTO",
    "IS",
    "JOIN",
    "LATERAL",
    "LIKE",
    "NATURAL",
    "NOT",
    "NULL",
    "NULLIF",
    "NUMERIC",
    "ON",
    "OR",
    "ORDER",
    "OUTER",
    "OVER",
    "PARTITION",
    "PRECISION",
    "PRIMARY",
    "QUALIFY",
    "REAL",
    "RECURSIVE",
    "REFERENCES",
    "RLIKE",
    "SAFE_CAST",
    "SELECT",
    "SIMILAR",
    "SMALLINT",
    "SYMMETRIC",
    "TABLE",
    "THEN",
    "TINYINT",
    "TRUE",
    "TRY_CAST",
    "UNION",
    "UNNEST",
    "UNSIGNED",
    "USING",
    "VALUES",
    "VARBINARY",
    "VARCHAR",
    "WHEN",
    "WHERE",
    "WITH",
    "WITHIN",
];

/// Keywords directly behind one of these keywords.
const BEHIND: &[(&str, &[&str])] = &[
    ("CURRENT", &["AND", "BETWEEN", "GROUPS", "RANGE", "ROWS"]),
    ("DATE", &["RETURNS"]),
    ("FINAL", &["EMIT"]),
    ("FIRST", &["FETCH", "NULLS"]),
    ("FUNCTION", &["CREATE", "REPLACE"]),
    ("IF", &["FUNCTION", "INDEX", "TABLE", "TYPE", "VIEW"]),
    ("INDEX", &["CREATE"]),
    ("KEY", &["FOREIGN", "PRIMARY"]),
    ("LAST", &["NULLS"]),
    ("LOCAL", &["CREATE", "REPLACE"]),
    ("MATERIALIZED", &["CREATE", "REPLACE"]),
    ("NEXT", &["FETCH"]),
    ("ONLY", &["ROW", "ROWS"]),
    ("ORDINALITY", &["WITH"]),
    ("REPLACE", &["OR"]),
    ("ROW", &["CURRENT"]),
    ("SOURCE", &["CREATE", "DROP", "START", "STOP"]),
    ("TIES", &["WITH"]),
    ("TIME", &["WITH", "WITHOUT"]),
    ("TO", UNITS),
    ("TYPE", &["CREATE"]),
    ("UNBOUNDED", &["AND", "BETWEEN", "GROUPS", "RANGE", "ROWS"]),
    ("UNKNOWN", &["IS", "NOT"]),
    ("VIEW", &["CREATE", "LOCAL", "MATERIALIZED", "RECURSIVE", "REPLACE"]),
    ("ZONE", &["TIME"]),
    ("PRECEDING", &["UNBOUNDED"]),
    ("FOLLOWING", &["UNBOUNDED"]),
];

/// Keywords directly before one of these words.
const BEFORE: &[(&str, &[&str])] = &[
    ("ASOF", &["JOIN"]),
    ("FULL", &["JOIN", "OUTER"]),
    ("GROUPS", &["BETWEEN", "CURRENT", "UNBOUNDED"]),
    ("LEFT", &["ASOF", "JOIN", "OUTER"]),
    ("MINUS", &["ALL", "SELECT"]),
    ("NULLS", &["FIRST", "LAST"]),
    ("RANGE", &["BETWEEN", "CURRENT", "UNBOUNDED"]),
    ("RIGHT", &["JOIN", "OUTER"]),
    ("ROW", &["ONLY"]),
    ("ROWS", &["BETWEEN", "CURRENT", "ONLY", "UNBOUNDED", "WITH"]),
    ("WITHOUT", &["TIME"]),
];

const UNITS: &[&str] =
    &["YEAR", "YEARS", "MONTH", "MONTHS", "DAY", "DAYS", "HOUR", "HOURS", "MINUTE", "MINUTES", "SECOND", "SECONDS"];

/// Types that are often names of columns.
const TYPES: &[&str] =
    &["ARRAY", "BINARY", "BYTEA", "DATE", "MAP", "ROW", "STRING", "TEXT", "TIME", "TIMESTAMP", "UUID", "VARIANT"];

/// Keywords that an opening parenthesis follows without a blank, as it follows a name.
const CALLS: &[&str] = &[
    "ARRAY",
    "BINARY",
    "CAST",
    "CHAR",
    "COALESCE",
    "DECIMAL",
    "EXTRACT",
    "FLOAT",
    "MAP",
    "NULLIF",
    "NUMERIC",
    "ROW",
    "SAFE_CAST",
    "TIME",
    "TIMESTAMP",
    "TRY_CAST",
    "UNNEST",
    "VARBINARY",
    "VARCHAR",
];

/// What a parenthesis is of.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Cast,
    Extract,
    /// Columns with their types.
    Definition,
    Other,
}

/// Marks the keywords, then where blanks go.
pub fn mark(tokens: &mut [Token<'_>]) {
    let said: Vec<usize> = (0..tokens.len()).filter(|&at| !tokens[at].is_comment()).collect();
    let mut roles = vec![Role::Other];
    let mut defines = false;
    for (position, &at) in said.iter().enumerate() {
        let before = |back: usize| position.checked_sub(back).map(|position| &tokens[said[position]]);
        let next = said.get(position + 1).map(|&at| &tokens[at]);
        let place = Place { token: &tokens[at], before: [before(1), before(2)], next, role: roles[roles.len() - 1] };
        let keyword = place.token.kind == Kind::Word && place.is_keyword();
        match place.token.kind {
            Kind::Open => roles.push(place.opened(defines)),
            Kind::Close if roles.len() > 1 => drop(roles.pop()),
            Kind::Semicolon => (roles, defines) = (vec![Role::Other], false),
            _ => (),
        }
        tokens[at].keyword = keyword;
        defines |= tokens[at].is_any(&["TABLE", "TYPE", "FUNCTION", "SOURCE"]) && roles.len() == 1;
        defines &= !tokens[at].is_any(&["SELECT", "WITH"]) || roles.len() > 1;
    }
    mark_spaces(tokens);
}

struct Place<'a> {
    token: &'a Token<'a>,
    before: [Option<&'a Token<'a>>; 2],
    next: Option<&'a Token<'a>>,
    role: Role,
}

impl Place<'_> {
    fn spells_any(&self, words: &[&str]) -> bool {
        words.iter().any(|word| self.token.spells(word))
    }

    fn before_is(&self, kind: Kind) -> bool {
        self.before[0].is_some_and(|token| token.kind == kind)
    }

    fn next_is(&self, kind: Kind) -> bool {
        self.next.is_some_and(|token| token.kind == kind)
    }

    fn is_keyword(&self) -> bool {
        let qualified = self.before_is(Kind::Dot) || self.next_is(Kind::Dot);
        let listed = |list: &[(&str, &[&str])], holds: &dyn Fn(&[&str]) -> bool| {
            list.iter().any(|(word, others)| self.token.spells(word) && holds(others))
        };
        !qualified
            && (self.spells_any(RESERVED)
                || self.before[0].is_none_or(|token| token.kind == Kind::Semicolon)
                || listed(BEHIND, &|others| self.before[0].is_some_and(|token| token.is_any(others)))
                || listed(BEFORE, &|others| {
                    others.iter().any(|other| self.next.is_some_and(|next| next.spells(other)))
                })
                || self.is_clause()
                || self.is_unit()
                || (self.spells_any(TYPES) && self.is_type()))
    }

    /// Words that a number or a parenthesis makes keywords.
    fn is_clause(&self) -> bool {
        let number = self.next_is(Kind::Number);
        (self.spells_any(&["LIMIT", "OFFSET"]) && (number || self.next.is_some_and(|next| next.spells("ALL"))))
            || (self.spells_any(&["ROWS", "RANGE", "GROUPS"]) && number)
            || (self.spells_any(&["PRECEDING", "FOLLOWING", "ROW", "ROWS"]) && self.before_is(Kind::Number))
            || (self.token.spells("FILTER") && self.before_is(Kind::Close) && self.next_is(Kind::Open))
            || (self.token.spells("RETURNS") && self.before_is(Kind::Close))
            || (self.spells_any(&["ANY", "SOME"]) && self.before_is(Kind::Symbol) && self.next_is(Kind::Open))
            || (self.token.spells("UESCAPE") && self.before_is(Kind::Text))
            || (self.spells_any(&["LATENESS", "WATERMARK"]) && self.role == Role::Definition && self.next_is_interval())
    }

    fn next_is_interval(&self) -> bool {
        self.next.is_some_and(|next| next.spells("INTERVAL"))
    }

    fn is_unit(&self) -> bool {
        let [before, far] = self.before;
        self.spells_any(UNITS)
            && (far.is_some_and(|token| token.is("INTERVAL"))
                || before.is_some_and(|token| token.is_any(&["INTERVAL", "TO"]))
                || (self.role == Role::Extract && self.before_is(Kind::Open)))
    }

    fn is_type(&self) -> bool {
        let Some(before) = self.before[0] else { return false };
        let constructor = self.spells_any(&["ARRAY", "MAP", "ROW"]) && self.next_is(Kind::Open);
        let named = matches!(before.kind, Kind::Word | Kind::Name) && !before.keyword;
        constructor
            || (self.next_is(Kind::Text) && self.spells_any(&["DATE", "TIME", "TIMESTAMP"]))
            || before.text == "::"
            || before.text == "<"
            || before.is("RETURNS")
            || (self.token.spells("ARRAY") && before.keyword && self.role != Role::Other)
            || (self.role == Role::Cast && (before.is("AS") || before.text == ","))
            || (self.role == Role::Definition && (named || before.text == ">"))
    }

    /// What the parenthesis that opens here is of.
    fn opened(&self, defines: bool) -> Role {
        let Some(before) = self.before[0] else { return Role::Other };
        match (self.token.text, self.role) {
            ("(", _) if before.is_any(&["CAST", "TRY_CAST", "SAFE_CAST"]) => Role::Cast,
            ("(", _) if before.is("EXTRACT") => Role::Extract,
            ("(", Role::Other) if defines && !before.is_any(&["WITH", "OPTIONS"]) => Role::Definition,
            ("<", role) => role,
            ("(", role) if before.is("ROW") => role,
            _ => Role::Other,
        }
    }
}

fn mark_spaces(tokens: &mut [Token<'_>]) {
    let mut unary = false;
    let mut head = false;
    for at in 0..tokens.len() {
        let (done, rest) = tokens.split_at_mut(at);
        let token = &mut rest[0];
        let before = done.last();
        head = match token.kind {
            _ if token.is("CREATE") => true,
            Kind::Semicolon => false,
            _ if token.is_any(&["AS", "SELECT", "WITH"]) => false,
            _ => head,
        };
        token.space = before.is_some_and(|before| is_spaced(before, token, unary, head));
        unary = match before {
            _ if token.is_comment() => unary,
            _ if token.kind != Kind::Symbol || !matches!(token.text, "-" | "+" | "~") => false,
            Some(before) => matches!(before.kind, Kind::Symbol | Kind::Open | Kind::Comma) || before.keyword,
            None => true,
        };
    }
}

/// Is there a blank between two tokens? `unary`: the first is a sign.
fn is_spaced(before: &Token<'_>, token: &Token<'_>, unary: bool, head: bool) -> bool {
    if before.is_comment() || token.is_comment() {
        return !matches!(token.kind, Kind::Comma | Kind::Semicolon);
    }
    match (before.kind, token.kind) {
        // `1.` would be one number.
        (Kind::Number, Kind::Dot) => true,
        (_, Kind::Comma | Kind::Semicolon | Kind::Dot | Kind::Close) | (Kind::Open | Kind::Dot, _) => false,
        (_, Kind::Symbol) if token.text == "::" => false,
        (Kind::Symbol, _) if before.text == "::" => false,
        // `- -1`, but not `--1`, which is a comment.
        (Kind::Symbol, kind) if unary => kind == Kind::Symbol,
        _ if is_glue(before) || is_glue(token) => token.spaced,
        (Kind::Word, Kind::Open) if before.keyword => token.text == "(" && !before.is_any(CALLS),
        (Kind::Word | Kind::Name, Kind::Open) => token.text == "(" && head,
        (Kind::Close, Kind::Open) => token.text == "(",
        _ => true,
    }
}

/// A character of which only its author knows where it belongs.
fn is_glue(token: &Token<'_>) -> bool {
    token.kind == Kind::Symbol && matches!(token.text, ":" | "@" | "?" | "#" | "{" | "}" | "\\" | "$" | "`")
}
