//! SQL text to syntax trees: a list of statements with byte spans, and what was wrong with the others.
//!
//! Expressions and queries are sqlparser's trees; statements are our own, because their clauses are. No name is
//! looked up here.

pub mod dialect;
pub mod escaped;
mod function;
mod later;
mod named_type;
pub mod nested;
pub mod period;
mod print;
pub mod rewrite_tokens;
mod split;
mod statement;
mod table;
mod view;

pub use statement::*;

use crate::diagnostic::{Diagnostic, Source, code};
use crate::plan::Span;
use dialect::FeldcDialect;
use sqlparser::ast::Ident;
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};
use std::ops::Range;

/// Nesting of expressions and queries that a statement may have.
const NESTING_MAX: usize = 200;
/// Operators that a statement may have: bounds the depth of left-nested chains (`a AND b AND c ...`).
const OPERATORS_MAX: usize = 100_000;
/// After a syntax error so many queries in parentheses are looked into.
const QUERIES_TRIED: usize = 50;

/// Parses a program. Statements that parse are returned even when others do not.
pub fn parse(text: &str) -> (Vec<Statement>, Vec<Diagnostic>) {
    let source = Source::new(text);
    if text.len() > u32::MAX as usize / 2 {
        let error = Diagnostic::error(code::TOO_COMPLEX, "the program is longer than 2 GB", Span::default());
        return (vec![], vec![error]);
    }
    let (ranges, mut errors) = split::split(&source);
    let mut statements = vec![];
    for range in ranges {
        match parse_statement(&source, range) {
            Ok(statement) => statements.push(statement),
            Err(error) => errors.push(*error),
        }
    }
    (statements, errors)
}

type Parsed<T> = Result<T, Box<Diagnostic>>;

fn parse_statement(source: &Source<'_>, range: Range<usize>) -> Parsed<Statement> {
    let span = source.span(range.start, range.end);
    let tokens = tokenize(source, span)?;
    let operators = tokens.iter().filter(|token| is_operator(&token.token)).count();
    if operators > OPERATORS_MAX {
        let headline = format!("statement has more than {OPERATORS_MAX} operators");
        let error = Diagnostic::error(code::TOO_COMPLEX, headline, span);
        return Err(Box::new(error.help("split it into several views")));
    }
    // sqlparser counts these levels too, but may report another reading of the text instead.
    if prefix_run(&tokens) > NESTING_MAX / 2 || bracket_depth(&tokens) > NESTING_MAX - 5 {
        return Err(too_deep(span));
    }
    let mut cx = Cx { source, parser: parser(tokens.clone(), NESTING_MAX), span };
    // The tree of a long chain is as deep as the chain: cloning and dropping it needs the stack for it.
    let kind = with_stack(operators, || cx.statement()).map_err(|error| match goes_on_deeper(&cx, tokens, &error) {
        true => too_deep(span),
        false => cx.feature_to_come(with_stack(operators, || cx.error_in_query(error))),
    })?;
    Ok(Statement { kind, span, operators })
}

fn parser(tokens: Vec<TokenWithSpan>, levels: usize) -> Parser<'static> {
    Parser::new(&FeldcDialect).with_recursion_limit(levels).with_tokens_with_locations(tokens)
}

/// Is a syntax error only the end of the levels? sqlparser tries other readings where one nests too deeply, and reports
/// what is wrong with those; such an error moves when more levels are allowed.
fn goes_on_deeper(cx: &Cx<'_>, tokens: Vec<TokenWithSpan>, error: &Diagnostic) -> bool {
    const LEVELS: usize = 4 * NESTING_MAX;
    if error.code != code::SYNTAX_ERROR {
        return false;
    }
    let mut deeper = Cx { source: cx.source, parser: parser(tokens, LEVELS), span: cx.span };
    with_stack(OPERATORS_MAX, || deeper.statement().map_or_else(|other| *other != *error, |_| true))
}

/// Length of the longest run of prefix operators.
fn prefix_run(tokens: &[TokenWithSpan]) -> usize {
    let is_prefix = |token: &Token| match token {
        Token::Word(word) => word.keyword == Keyword::NOT,
        token => matches!(token, Token::Minus | Token::Plus),
    };
    let mut longest = 0;
    let mut run = 0;
    for token in tokens {
        run = if is_prefix(&token.token) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// How deep parentheses and CASE ... END stand inside each other. (An END without CASE is a name.)
fn bracket_depth(tokens: &[TokenWithSpan]) -> usize {
    let (mut deepest, mut depth) = (0usize, 0usize);
    for token in tokens {
        let keyword = match &token.token {
            Token::Word(word) if word.quote_style.is_none() => word.keyword,
            _ => Keyword::NoKeyword,
        };
        match (&token.token, keyword) {
            (Token::LParen | Token::LBracket, _) | (_, Keyword::CASE) => depth += 1,
            (Token::RParen | Token::RBracket, _) | (_, Keyword::END) => depth = depth.saturating_sub(1),
            _ => (),
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Where the parenthesis at `open` is closed; the number of tokens if it is not.
fn closing(tokens: &[TokenWithSpan], open: usize) -> usize {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => return at,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => (),
        }
    }
    tokens.len()
}

fn too_deep(span: Span) -> Box<Diagnostic> {
    let error = Diagnostic::error(code::TOO_COMPLEX, "statement nests too deeply", span);
    Box::new(error.help(format!(
        "at most {NESTING_MAX} levels of parentheses, calls and subqueries: name a part of it as a view"
    )))
}

/// May the token nest an expression or query to the left? (Any symbol that is not sure not to.)
fn is_operator(token: &Token) -> bool {
    use Keyword as K;
    match token {
        Token::Word(word) => matches!(
            word.keyword,
            K::AND
                | K::OR
                | K::XOR
                | K::IS
                | K::IN
                | K::LIKE
                | K::ILIKE
                | K::RLIKE
                | K::BETWEEN
                | K::NOT
                | K::COLLATE
                | K::AT
                | K::SIMILAR
                | K::OVERLAPS
                | K::DIV
                | K::UNION
                | K::EXCEPT
                | K::INTERSECT
                | K::MINUS
                | K::JOIN
                | K::PIVOT
                | K::UNPIVOT
        ),
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Whitespace(_) => false,
        Token::Comma | Token::LParen | Token::RParen | Token::EOF => false,
        _ => true,
    }
}

/// Runs `f` with stack enough for trees over so many operators.
pub fn with_stack<T>(operators: usize, f: impl FnOnce() -> T) -> T {
    const FRAME: usize = 2 << 10;
    const BASE: usize = 32 << 20;
    stacker::grow(BASE + operators * FRAME, f)
}

/// The statement's tokens, placed in the whole program.
fn tokenize(source: &Source<'_>, span: Span) -> Parsed<Vec<TokenWithSpan>> {
    let mut tokens = vec![];
    let text = split::blank_comments(source.slice(span));
    let quotes = split::escaped_texts(&text);
    let (text, mut contents) = escaped::hide(&text, &quotes).map_err(|(place, what, help)| {
        let start = span.start as usize;
        let place = source.span(start + place.start, start + place.end);
        Box::new(Diagnostic::error(code::SYNTAX_ERROR, what, place).help(help))
    })?;
    let result = Tokenizer::new(&FeldcDialect, &text).tokenize_with_location_into_buf(&mut tokens);
    let moved = |at: Location| Location {
        line: at.line + u64::from(span.line) - 1,
        column: if at.line == 1 { at.column + u64::from(span.column) - 1 } else { at.column },
    };
    if let Err(error) = result {
        let at = moved(error.location);
        let offset = source.offset(at.line, at.column);
        let message = error.message.trim_end_matches('.').to_lowercase();
        return Err(Box::new(Diagnostic::error(code::SYNTAX_ERROR, message, source.span(offset, offset))));
    }
    for token in &mut tokens {
        token.span.start = moved(token.span.start);
        token.span.end = moved(token.span.end);
        if let Token::SingleQuotedString(text) = &mut token.token
            && !contents.is_empty()
            && let at = source.offset(token.span.start.line, token.span.start.column)
            && let Some(content) = contents.remove(&at.wrapping_sub(span.start as usize))
        {
            *text = content;
        }
    }
    if let Some(token) = empty_name(&tokens) {
        let place = source.convert(token.span).unwrap_or(span);
        let error = Diagnostic::error(code::SYNTAX_ERROR, "a quoted name has no character", place);
        return Err(Box::new(error.help("write the name between the quotes; a text stands in single quotes")));
    }
    if let Some(token) = word_on_number(&tokens) {
        let place = source.convert(token.span).unwrap_or(span);
        let error = Diagnostic::error(code::SYNTAX_ERROR, format!("a number ends in `{}`", token.token), place);
        return Err(Box::new(error.help("write a blank or an operator behind the number")));
    }
    Ok(rewrite_tokens::rewrite(tokens))
}

/// A word right behind a number, as in `1abc`: names do not begin with digits.
fn word_on_number(tokens: &[TokenWithSpan]) -> Option<&TokenWithSpan> {
    let touching = |pair: &&[TokenWithSpan]| {
        matches!((&pair[0].token, &pair[1].token), (Token::Number(..), Token::Word(word)) if word.quote_style.is_none())
            && pair[0].span.end == pair[1].span.start
    };
    tokens.windows(2).find(touching).map(|pair| &pair[1])
}

/// A quoted name, or a text as the name behind AS, that has no character.
fn empty_name(tokens: &[TokenWithSpan]) -> Option<&TokenWithSpan> {
    let mut after_as = false;
    tokens.iter().find(|token| match &token.token {
        Token::Word(word) => {
            after_as = word.keyword == Keyword::AS && word.quote_style.is_none();
            word.quote_style.is_some() && word.value.is_empty()
        }
        Token::SingleQuotedString(text) => after_as && text.is_empty(),
        Token::Whitespace(_) => false,
        _ => {
            after_as = false;
            false
        }
    })
}

/// One statement's parser with the program's text.
struct Cx<'a> {
    source: &'a Source<'a>,
    parser: Parser<'a>,
    /// The whole statement.
    span: Span,
}

impl Cx<'_> {
    fn statement(&mut self) -> Parsed<StatementKind> {
        let kind = match self.word().as_str() {
            "CREATE" => self.create()?,
            "SET" => StatementKind::Set(self.set()?),
            word @ ("LATENESS" | "DECLARE" | "INSERT" | "REMOVE" | "DROP" | "START" | "STOP" | "UPDATE" | "DELETE"
            | "ALTER") => {
                return Err(Box::new(Diagnostic::unsupported(format!("the statement {word}"), self.next_span())));
            }
            "SELECT" | "WITH" | "VALUES" | "(" => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, "a query alone is not a statement", self.next_span());
                return Err(Box::new(error.help("give it a name: CREATE VIEW name AS SELECT ...")));
            }
            _ => return Err(self.unexpected("a statement: CREATE TABLE, CREATE VIEW, CREATE INDEX or SET")),
        };
        match self.parser.peek_token_ref().token {
            Token::EOF => Ok(kind),
            _ => Err(self.unexpected("`;` or the end of the statement")),
        }
    }

    fn create(&mut self) -> Parsed<StatementKind> {
        self.parser.next_token();
        let or_replace = self.parser.parse_keywords(&[Keyword::OR, Keyword::REPLACE]);
        match self.word().as_str() {
            "TABLE" => Ok(StatementKind::CreateTable(self.create_table()?)),
            "VIEW" | "LOCAL" | "MATERIALIZED" => Ok(StatementKind::CreateView(self.create_view(or_replace)?)),
            "INDEX" => Ok(StatementKind::CreateIndex(self.create_index()?)),
            "TYPE" => Ok(StatementKind::CreateType(self.create_type()?)),
            "FUNCTION" | "AGGREGATE" | "LINEAR" => Ok(StatementKind::CreateFunction(self.create_function()?)),
            word @ ("SOURCE" | "SINK" | "UNIQUE" | "CONNECTOR") => {
                Err(Box::new(Diagnostic::unsupported(format!("CREATE {word}"), self.next_span())))
            }
            _ => Err(self.unexpected("TABLE, VIEW or INDEX after CREATE")),
        }
    }

    /// The next token as an upper-case word or symbol.
    fn word(&self) -> String {
        self.parser.peek_token_ref().token.to_string().to_uppercase()
    }

    fn accept(&mut self, word: &str) -> bool {
        let found = self.word() == word;
        if found {
            self.parser.next_token();
        }
        found
    }

    fn expect(&mut self, word: &str) -> Parsed<()> {
        match self.accept(word) {
            true => Ok(()),
            false => Err(self.unexpected(word)),
        }
    }

    /// Place of the next token; the end of the statement when there is none.
    fn next_span(&self) -> Span {
        let end = self.span.end as usize;
        self.source.convert(self.parser.peek_token_ref().span).unwrap_or_else(|| self.source.span(end, end))
    }

    /// From `start` to the last token read.
    fn since(&self, start: Span) -> Span {
        let last = self.source.convert(self.parser.get_current_token().span);
        Span { end: last.map_or(start.end, |last| last.end.max(start.end)), ..start }
    }

    fn unexpected(&self, expected: &str) -> Box<Diagnostic> {
        let found = self.parser.peek_token_ref();
        self.syntax_error(expected, &found.token.to_string(), self.next_span())
    }

    fn syntax_error(&self, expected: &str, found: &str, span: Span) -> Box<Diagnostic> {
        let found = match found {
            "EOF" => "the end of the statement".to_string(),
            token => format!("`{token}`"),
        };
        let error = Diagnostic::error(code::SYNTAX_ERROR, format!("syntax error at {found}"), span);
        Box::new(error.label(format!("expected {expected}")))
    }

    /// sqlparser's errors carry their place as text.
    fn convert<T>(&self, result: Result<T, ParserError>) -> Parsed<T> {
        let message = match result {
            Ok(value) => return Ok(value),
            Err(ParserError::RecursionLimitExceeded) => return Err(too_deep(self.span)),
            Err(ParserError::ParserError(message) | ParserError::TokenizerError(message)) => message,
        };
        let end = self.span.end as usize;
        let (message, span) = match message.rsplit_once(" at Line: ") {
            Some((text, place)) => (text, self.place(place).unwrap_or_else(|| self.source.span(end, end))),
            None => (message.as_str(), self.source.span(end, end)),
        };
        Err(match message.strip_prefix("Expected: ").and_then(|rest| rest.rsplit_once(", found: ")) {
            Some((expected, found)) => self.syntax_error(expected, found, span),
            None => Box::new(Diagnostic::error(code::SYNTAX_ERROR, lower_first(message), span)),
        })
    }

    /// For a syntax error, that in a query in parentheses, if it is behind it: where such a query has an error, sqlparser
    /// goes back to its beginning and reports that it is nothing else either.
    fn error_in_query(&self, error: Box<Diagnostic>) -> Box<Diagnostic> {
        if error.code != code::SYNTAX_ERROR {
            return error;
        }
        let tokens = self.tokens();
        let begins = |at: &usize| {
            let next = tokens.get(at + 1).map(|token| token.token.to_string().to_uppercase());
            tokens[*at].token == Token::LParen && matches!(next.as_deref(), Some("SELECT" | "WITH" | "VALUES"))
        };
        let mut found = error;
        // The end of the innermost query that has an error.
        let mut end = tokens.len();
        for at in (0..tokens.len()).filter(begins).take(QUERIES_TRIED) {
            let start = self.source.convert(tokens[at].span).map_or(u32::MAX, |span| span.start);
            if at > end || start > found.primary.span.start {
                break;
            }
            let parser = parser(tokens[at + 1..].to_vec(), NESTING_MAX);
            let mut cx = Cx { source: self.source, parser, span: self.span };
            let query = cx.parser.parse_query();
            match cx.convert(query).and_then(|_| cx.expect(")")) {
                Err(inside) if inside.code == code::SYNTAX_ERROR => {
                    end = closing(&tokens, at);
                    if inside.primary.span.start > found.primary.span.start {
                        found = inside;
                    }
                }
                _ => (),
            }
        }
        found
    }

    fn tokens(&self) -> Vec<TokenWithSpan> {
        let tokens = (0..).map(|index| self.parser.token_at(index).clone());
        tokens.take_while(|token| token.token != Token::EOF).collect()
    }

    /// For a syntax error, the feature still to come that stands before it, if there is one.
    fn feature_to_come(&self, error: Box<Diagnostic>) -> Box<Diagnostic> {
        if error.code != code::SYNTAX_ERROR {
            return error;
        }
        let tokens = self.tokens();
        let ends_before = |token: &TokenWithSpan| {
            self.source.convert(token.span).is_some_and(|span| span.start <= error.primary.span.start)
        };
        let refused = tokens.iter().take_while(|token| ends_before(token)).count();
        match later::feature(&tokens, refused) {
            Some((feature, token)) => {
                let span = self.source.convert(token.span).unwrap_or(self.span);
                Box::new(Diagnostic::unsupported(feature, span))
            }
            None => error,
        }
    }

    /// The token at `3, Column: 7`.
    fn place(&self, place: &str) -> Option<Span> {
        let (line, column) = place.split_once(", Column: ")?;
        let at = Location { line: line.trim().parse().ok()?, column: column.trim().parse().ok()? };
        let mut index = 0;
        loop {
            let token = self.parser.token_at(index);
            match token.token {
                Token::EOF => break,
                _ if token.span.start == at => return self.source.convert(token.span),
                _ => index += 1,
            }
        }
        let offset = self.source.offset(at.line, at.column);
        Some(self.source.span(offset, offset))
    }

    fn name(&mut self) -> Parsed<Name> {
        let ident = self.parser.parse_identifier();
        let ident = self.convert(ident)?;
        Ok(Name::new(&ident, self.source.convert(ident.span).unwrap_or(self.span)))
    }

    fn names_in_parentheses(&mut self) -> Parsed<Vec<Name>> {
        self.expect("(")?;
        let mut names = vec![self.name()?];
        while self.accept(",") {
            names.push(self.name()?);
        }
        self.expect(")")?;
        Ok(names)
    }

    /// `WITH ('key' = 'value', ...)`, if there is one.
    fn properties(&mut self) -> Parsed<Vec<Property>> {
        let mut properties = vec![];
        if !self.accept("WITH") {
            return Ok(properties);
        }
        self.expect("(")?;
        loop {
            let (key, key_span) = self.text_or_word("a property name in single quotes")?;
            self.expect("=")?;
            let (value, value_span) = self.text_or_word("a value in single quotes")?;
            properties.push(Property { key: key.to_lowercase(), key_span, value, value_span });
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(properties)
    }

    fn text_or_word(&mut self, expected: &str) -> Parsed<(String, Span)> {
        let span = self.next_span();
        let text = match &self.parser.peek_token_ref().token {
            Token::SingleQuotedString(text) => text.clone(),
            Token::Word(word) => word.value.clone(),
            Token::Number(number, _) => number.clone(),
            _ => return Err(self.unexpected(expected)),
        };
        self.parser.next_token();
        Ok((text, span))
    }
}

/// An identifier as SQL means it: folded to lower case unless quoted.
pub fn fold(ident: &Ident) -> (String, bool) {
    match ident.quote_style {
        Some(_) => (ident.value.clone(), true),
        None => (ident.value.to_lowercase(), false),
    }
}

fn lower_first(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_lowercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Style, render};

    fn check(text: &str) -> String {
        let (statements, errors) = parse(text);
        let printed: Vec<String> = statements.iter().map(|statement| statement.to_string()).collect();
        format!("{}{}", printed.join(""), render(&errors, "p.sql", text, Style::Plain))
    }

    #[test]
    fn each_statement_reports_its_own_error() {
        let shown = check("CREATE TABLE t (a INT;\nCREATE VIEW v AS SELECT FROM FROM t;\nCREATE VIEW w AS SELECT 1");
        assert!(shown.contains("p.sql:1:22") && shown.contains("p.sql:2:"), "{shown}");
        assert!(shown.starts_with("CREATE VIEW w AS SELECT 1"), "{shown}");
    }

    #[test]
    fn the_attributes_of_a_column_in_any_order() {
        let text = "CREATE TABLE t (id BIGINT DEFAULT 5 NOT NULL PRIMARY KEY, ts TIMESTAMP LATENESS INTERVAL 1 HOURS) \
                    WITH ('materialized' = 'true')";
        let shown = check(text);
        assert!(shown.contains("id BIGINT DEFAULT 5 NOT NULL PRIMARY KEY"), "{shown}");
        assert!(shown.contains("LATENESS INTERVAL 1 HOURS"), "{shown}");
        assert!(shown.contains("'materialized' = 'true'"), "{shown}");
    }

    #[test]
    fn deep_and_long_programs_are_no_danger() {
        let deep = format!("CREATE VIEW v AS SELECT {}1{}", "(".repeat(5000), ")".repeat(5000));
        assert!(check(&deep).contains("54001"));
        let case = |n: usize| format!("CREATE VIEW v AS SELECT {}1{}", "CASE WHEN a THEN ".repeat(n), " END".repeat(n));
        assert!(check(&case(300)).contains("54001"));
        assert!(!check(&case(190)).contains("54001"));
        let queries = format!("CREATE VIEW v AS {}SELECT 1{}", "SELECT * FROM (".repeat(5000), ")".repeat(5000));
        assert!(check(&queries).contains("54001"));
        let long = format!("CREATE VIEW v AS SELECT 1 WHERE true{}", " AND true".repeat(50_000));
        assert_eq!(parse(&long).1, vec![]);
        let nots = format!("CREATE VIEW v AS SELECT {} true", "NOT ".repeat(5000));
        assert!(check(&nots).contains("54001"));
    }

    #[test]
    fn what_nests_too_deeply_is_no_syntax_error() {
        let mixed = |n: usize| format!("CREATE VIEW v AS SELECT {}p", "p = NOT ".repeat(n));
        let exists = |n: usize| {
            let (open, close) = ("NOT EXISTS (SELECT 1 FROM t WHERE ".repeat(n), ")".repeat(n));
            format!("CREATE VIEW v AS SELECT 1 FROM t WHERE {open}p{close}")
        };
        let cases = |n: usize| {
            let (open, close) = ("NOT CASE WHEN p THEN p ELSE ".repeat(n), " END".repeat(n));
            format!("CREATE VIEW v AS SELECT {open}p{close}")
        };
        for statement in [mixed, exists, cases] {
            assert_eq!(parse(&statement(90)).1, vec![]);
            assert!(check(&statement(130)).contains("54001"));
        }
        assert!(check(&mixed(5000)).contains("54001"));
        assert!(check("CREATE VIEW v AS SELECT p = NOT p p p").contains("42601"));
    }

    #[test]
    fn a_name_has_characters() {
        for text in ["SELECT 1 AS \"\"", "SELECT 1 AS ''", "SELECT 1 AS /* c */ ''", "SELECT x.\"\" FROM x"] {
            assert!(
                check(&format!("CREATE VIEW v AS {text}")).contains("error[42601]: a quoted name has no character")
            );
        }
        assert_eq!(parse("CREATE VIEW v AS SELECT CAST('' AS VARCHAR) AS a, '' AS b, '' || '' AS \" \"").1, vec![]);
    }

    #[test]
    fn a_word_does_not_touch_a_number() {
        for text in ["1abc", "1 + 2.5x", "CASE 1WHEN 1 THEN 2 END", "1 IN (1,2or)"] {
            let shown = check(&format!("CREATE VIEW v AS SELECT {text}"));
            assert!(shown.contains("error[42601]: a number ends in `"), "{text}: {shown}");
        }
        assert_eq!(parse("CREATE VIEW v AS SELECT 1e5, 1.5e-3, .5 e, 1 a, 1\"b\", t1.a FROM t1").1, vec![]);
    }

    #[test]
    fn filter_without_where_is_a_name() {
        let shown = check("CREATE VIEW v AS SELECT COUNT(a) filter, COUNT(a) FILTER (WHERE a > 1) AS n FROM t");
        assert!(shown.contains("COUNT(a) AS filter, COUNT(a) FILTER (WHERE a > 1) AS n"), "{shown}");
        for text in ["COUNT(a) FILTER ( AS n", "COUNT(a) FILTER (a > 1)", "COUNT(*) FILTER () OVER ()"] {
            let shown = check(&format!("CREATE VIEW v AS SELECT {text} FROM t"));
            assert!(shown.contains("error[42601]: syntax error at `(`"), "{text}: {shown}");
        }
    }

    #[test]
    fn a_comment_ends_with_its_line() {
        let shown =
            check("CREATE VIEW v AS -- one\rSELECT 1; -- two\r\nCREATE VIEW w AS SELECT /* a /* b */ c */ 2 --");
        assert!(
            shown.starts_with("CREATE VIEW v AS SELECT 1") && shown.contains("CREATE VIEW w AS SELECT 2"),
            "{shown}"
        );
    }

    #[test]
    fn features_to_come_are_named() {
        let asof = "CREATE VIEW v AS SELECT * FROM t LEFT ASOF JOIN u MATCH_CONDITION (t.a >= u.a) ON t.k = u.k";
        assert!(check(asof).contains("error[0A000]: ASOF JOIN"));
    }

    #[test]
    fn nested_types_and_values() {
        let shown = check(
            "CREATE TABLE t (a INT ARRAY ARRAY, m MAP<VARCHAR(3), INT ARRAY>, r ROW(x INT NOT NULL, y VARCHAR ARRAY) ARRAY);\
             CREATE TYPE p AS (x INT, y DATE NOT NULL); CREATE TYPE q AS INT ARRAY;\
             CREATE VIEW v AS SELECT MAP['k', 1, 'l', 2], MAP[], ARRAY[a, b][1], (a)[2].x, f(x)[1][2], t.m['k'], a IS NOT EMPTY,\
             CAST(x AS ROW(a INT, b INT)), TRANSFORM(a, x -> x + 1), x'0aff' FROM t",
        );
        for part in [
            "a INT[] ARRAY,",
            "r ARRAY<STRUCT(x INT, y Nullable(VARCHAR ARRAY))>",
            "CREATE TYPE p AS (x INT, y DATE NOT NULL)",
            "CREATE TYPE q AS INT ARRAY",
            "$MAP('k', 1, 'l', 2), $MAP(), ARRAY[a, b][1], (a)[2].x, f(x)[1][2], t.m['k'], NOT ($IS EMPTY(a))",
            "TRANSFORM(a, x -> x + 1), X'0aff'",
        ] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
    }

    #[test]
    fn spellings_of_the_dialect() {
        let shown = check(
            "CREATE VIEW v AS SELECT CAST(a AS INTERVAL DAYS TO SECONDS), TRIM(BOTH FROM b) FROM (VALUES 1, f(2, 3)) AS t(a)",
        );
        assert!(shown.contains("INTERVAL DAY TO SECOND"), "{shown}");
        assert!(shown.contains("TRIM(BOTH ' ' FROM b)"), "{shown}");
        assert!(shown.contains("VALUES (1), (f(2, 3))"), "{shown}");
    }

    #[test]
    fn a_difference_takes_units() {
        let shown =
            check("CREATE VIEW v AS SELECT (a - b) DAY AS d, f(a - b) day, x NOT BETWEEN SYMMETRIC 3 AND 1 FROM t");
        assert!(shown.contains("$INTERVAL DAY TO DAY") && shown.contains("f(a - b) AS day"), "{shown}");
        assert!(shown.contains("$BETWEEN SYMMETRIC"), "{shown}");
    }
}
