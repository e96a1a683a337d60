//! Spellings of the dialect that sqlparser does not read, put into ones it does before parsing. Every token keeps its
//! place in the program.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Word};

/// Rewrites the tokens of one statement.
pub fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    // Blanks between tokens mean nothing to the parser.
    let mut tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    singular_interval_types(&mut tokens);
    trim_without_characters(&mut tokens);
    interval_of_column(&mut tokens);
    rows_in_parentheses(tokens)
}

fn keyword(token: Option<&TokenWithSpan>) -> Keyword {
    match token.map(|token| &token.token) {
        Some(Token::Word(word)) if word.quote_style.is_none() => word.keyword,
        _ => Keyword::NoKeyword,
    }
}

fn singular(token: &mut TokenWithSpan) -> bool {
    let (keyword, value) = match self::keyword(Some(token)) {
        Keyword::YEARS | Keyword::YEAR => (Keyword::YEAR, "YEAR"),
        Keyword::MONTHS | Keyword::MONTH => (Keyword::MONTH, "MONTH"),
        Keyword::DAYS | Keyword::DAY => (Keyword::DAY, "DAY"),
        Keyword::HOURS | Keyword::HOUR => (Keyword::HOUR, "HOUR"),
        Keyword::MINUTES | Keyword::MINUTE => (Keyword::MINUTE, "MINUTE"),
        Keyword::SECONDS | Keyword::SECOND => (Keyword::SECOND, "SECOND"),
        _ => return false,
    };
    token.token = Token::Word(Word { value: value.to_string(), quote_style: None, keyword });
    true
}

/// `CAST(x AS INTERVAL DAYS TO SECONDS)`: units of types in the singular.
fn singular_interval_types(tokens: &mut [TokenWithSpan]) {
    for at in 1..tokens.len() {
        let is_type = keyword(tokens.get(at - 1)) == Keyword::INTERVAL && singular(&mut tokens[at]);
        if is_type && keyword(tokens.get(at + 1)) == Keyword::TO && at + 2 < tokens.len() {
            singular(&mut tokens[at + 2]);
        }
    }
}

/// `TRIM(BOTH FROM s)` trims blanks.
fn trim_without_characters(tokens: &mut Vec<TokenWithSpan>) {
    let sides = [Keyword::BOTH, Keyword::LEADING, Keyword::TRAILING];
    let mut at = 2;
    while at + 1 < tokens.len() {
        let without = keyword(tokens.get(at + 1)) == Keyword::FROM
            && sides.contains(&keyword(tokens.get(at)))
            && tokens[at - 1].token == Token::LParen
            && keyword(tokens.get(at - 2)) == Keyword::TRIM;
        if without {
            let place = after(&tokens[at]);
            tokens.insert(at + 1, TokenWithSpan::new(Token::SingleQuotedString(" ".to_string()), place));
        }
        at += 1;
    }
}

/// `INTERVAL t.c SECOND`: a qualified column as the value gets parentheses.
fn interval_of_column(tokens: &mut Vec<TokenWithSpan>) {
    let is_word = |token: Option<&TokenWithSpan>| matches!(token.map(|t| &t.token), Some(Token::Word(_)));
    let mut at = 0;
    while at + 4 < tokens.len() {
        let qualified = keyword(tokens.get(at)) == Keyword::INTERVAL
            && is_word(tokens.get(at + 1))
            && tokens[at + 2].token == Token::Period
            && is_word(tokens.get(at + 3))
            && is_word(tokens.get(at + 4));
        if qualified {
            let (open, close) = (after(&tokens[at]), after(&tokens[at + 3]));
            tokens.insert(at + 4, TokenWithSpan::new(Token::RParen, close));
            tokens.insert(at + 1, TokenWithSpan::new(Token::LParen, open));
        }
        at += 1;
    }
}

/// `VALUES 1, 2`: rows of one column without parentheses get them.
fn rows_in_parentheses(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let starts = keyword(Some(&token)) == Keyword::VALUES && may_start_rows(out.last());
        let bare = tokens.peek().is_some_and(starts_bare_row);
        out.push(token);
        if !(starts && bare) {
            continue;
        }
        let mut depth = 0;
        out.push(TokenWithSpan::new(Token::LParen, after(&out[out.len() - 1])));
        while let Some(next) = tokens.peek() {
            match next.token {
                Token::LParen => depth += 1,
                Token::RParen if depth == 0 => break,
                Token::RParen => depth -= 1,
                Token::EOF => break,
                _ if depth == 0 && ends_rows(keyword(Some(next))) => break,
                _ => (),
            }
            let separates = depth == 0 && next.token == Token::Comma;
            let Some(next) = tokens.next() else { break };
            if separates {
                out.push(TokenWithSpan::new(Token::RParen, after(&out[out.len() - 1])));
                out.push(next);
                out.push(TokenWithSpan::new(Token::LParen, after(&out[out.len() - 1])));
            } else {
                out.push(next);
            }
        }
        out.push(TokenWithSpan::new(Token::RParen, after(&out[out.len() - 1])));
    }
    out
}

fn may_start_rows(before: Option<&TokenWithSpan>) -> bool {
    match before.map(|token| &token.token) {
        None | Some(Token::LParen) => true,
        _ => matches!(
            keyword(before),
            Keyword::AS | Keyword::ALL | Keyword::UNION | Keyword::EXCEPT | Keyword::INTERSECT | Keyword::MINUS
        ),
    }
}

fn starts_bare_row(token: &TokenWithSpan) -> bool {
    match &token.token {
        Token::Number(..) | Token::SingleQuotedString(_) | Token::Minus | Token::Plus => true,
        Token::Word(word) => !matches!(word.keyword, Keyword::FROM | Keyword::AS | Keyword::ROW),
        _ => false,
    }
}

fn ends_rows(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::UNION
            | Keyword::EXCEPT
            | Keyword::INTERSECT
            | Keyword::MINUS
            | Keyword::ORDER
            | Keyword::LIMIT
            | Keyword::OFFSET
    )
}

/// The place just after a token.
fn after(token: &TokenWithSpan) -> Span {
    Span { start: token.span.end, end: token.span.end }
}
