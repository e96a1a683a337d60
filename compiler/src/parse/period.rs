//! Predicates of two periods, `(start, end) PRECEDES (start, end)` and the like, for which sqlparser has no syntax.

use sqlparser::ast::{BinaryOperator, Expr};
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// Before the name of a predicate in the operator that stands for it. A blank cannot be in a user's operator.
pub const PERIOD: &str = "period ";

const PREDICATES: &[&str] = &["CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS"];

/// The predicate that starts at the next token, and its number of tokens.
fn next_predicate(parser: &Parser<'_>) -> Option<(String, usize)> {
    let [first, second] = parser.peek_tokens_ref::<2>().map(|token| match &token.token {
        Token::Word(word) if word.quote_style.is_none() => word.value.to_uppercase(),
        _ => String::new(),
    });
    match first.as_str() {
        "IMMEDIATELY" if matches!(second.as_str(), "PRECEDES" | "SUCCEEDS") => Some((format!("{first} {second}"), 2)),
        "OVERLAPS" => Some((first, 1)),
        _ => PREDICATES.contains(&first.as_str()).then_some((first, 1)),
    }
}

/// The precedence of the next token when it continues a period that the parser just passed.
pub fn precedence(dialect: &impl Dialect, parser: &Parser<'_>) -> Option<u8> {
    let behind_row = parser.get_current_token().token == Token::RParen && next_predicate(parser).is_some();
    (behind_row && ends_a_row(parser)).then(|| dialect.prec_value(Precedence::Between))
}

/// Does the parenthesis that the parser just passed close something with a comma in it?
fn ends_a_row(parser: &Parser<'_>) -> bool {
    let mut depth = 0;
    let mut has_comma = false;
    for index in (0..=parser.get_current_index()).rev() {
        match &parser.token_at(index).token {
            Token::RParen => depth += 1,
            Token::LParen if depth == 1 => break,
            Token::LParen => depth -= 1,
            Token::Comma if depth == 1 => has_comma = true,
            _ => (),
        }
    }
    has_comma
}

/// The rest of a predicate whose left side was read; `None` for anything else.
pub fn parse_infix(dialect: &impl Dialect, parser: &mut Parser<'_>, left: &Expr) -> Option<Result<Expr, ParserError>> {
    let is_period = match left {
        Expr::Tuple(items) => items.len() == 2,
        Expr::Function(function) => function.name.to_string().eq_ignore_ascii_case("row"),
        _ => false,
    };
    let (predicate, tokens) = next_predicate(parser).filter(|_| is_period)?;
    for _ in 0..tokens {
        parser.next_token();
    }
    let right = parser.parse_subexpr(dialect.prec_value(Precedence::Between));
    Some(right.map(|right| {
        let op = BinaryOperator::Custom(format!("{PERIOD}{predicate}"));
        Expr::BinaryOp { left: Box::new(left.clone()), op, right: Box::new(right) }
    }))
}
