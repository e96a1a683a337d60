//! Spellings of the dialect that sqlparser does not read, put into ones it does before parsing. Every token keeps its
//! place in the program.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Span, Token, TokenWithSpan, Word};
use std::collections::BTreeSet;

/// The call that stands for the values of a WHEN with several. `$` cannot start a user's identifier.
pub const ANY_OF: &str = "$ANY OF";

/// Rewrites the tokens of one statement.
pub fn rewrite(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    // Blanks between tokens mean nothing to the parser.
    let mut tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    singular_interval_types(&mut tokens);
    quarters(&mut tokens);
    continued_bytes(&mut tokens);
    several_values(&mut tokens);
    arrays_of_arrays(&mut tokens);
    trim_without_characters(&mut tokens);
    interval_of_column(&mut tokens);
    unicode_escapes(&mut tokens);
    words_that_filter_nothing(&mut tokens);
    nested_grouping_sets(&mut tokens);
    grouping_expressions(&mut tokens);
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

/// `INTERVAL 2 QUARTERS`: the one unit that has no plural.
fn quarters(tokens: &mut [TokenWithSpan]) {
    for at in 2..tokens.len() {
        if keyword(tokens.get(at - 2)) == Keyword::INTERVAL
            && let Token::Word(word) = &mut tokens[at].token
            && word.quote_style.is_none()
            && word.value.eq_ignore_ascii_case("QUARTERS")
        {
            *word = Word { value: "QUARTER".to_string(), quote_style: None, keyword: Keyword::QUARTER };
        }
    }
}

/// `x'AB' 'CD'`: bytes in several pieces.
fn continued_bytes(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at + 1 < tokens.len() {
        if let (Token::HexStringLiteral(_), Token::SingleQuotedString(more)) =
            (&tokens[at].token, &tokens[at + 1].token)
        {
            let more = more.clone();
            if let Token::HexStringLiteral(digits) = &mut tokens[at].token {
                digits.push_str(&more);
            }
            tokens[at].span.end = tokens[at + 1].span.end;
            tokens.remove(at + 1);
        } else {
            at += 1;
        }
    }
}

/// `CASE x WHEN 1, 2 THEN y`: several values become the arguments of one call.
fn several_values(tokens: &mut Vec<TokenWithSpan>) {
    // The WHENs whose THEN is still to come: how many brackets and CASEs are open in it, and has it a comma outside them?
    let mut open: Vec<(usize, i64, bool)> = vec![];
    let mut lists = vec![];
    for (at, token) in tokens.iter().enumerate() {
        let depth = match (&token.token, keyword(Some(token))) {
            (Token::LParen | Token::LBracket, _) | (_, Keyword::CASE) => 1,
            (Token::RParen | Token::RBracket, _) | (_, Keyword::END) => -1,
            (_, Keyword::WHEN) => {
                open.push((at, 0, false));
                continue;
            }
            (_, Keyword::THEN) => {
                lists.extend(open.pop().filter(|(_, _, comma)| *comma).map(|(when, ..)| (when, at)));
                continue;
            }
            _ => 0,
        };
        if let Some((_, inside, comma)) = open.last_mut() {
            *inside += depth;
            *comma |= *inside == 0 && token.token == Token::Comma;
        }
    }
    if lists.is_empty() {
        return;
    }
    let (whens, thens): (BTreeSet<usize>, BTreeSet<usize>) = lists.iter().copied().unzip();
    let mut out: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len() + 3 * lists.len());
    for (at, token) in tokens.drain(..).enumerate() {
        let place = after(&token);
        if thens.contains(&at) {
            out.push(TokenWithSpan::new(Token::RParen, out.last().map_or(place, after)));
        }
        out.push(token);
        if whens.contains(&at) {
            let name = Word { value: ANY_OF.to_string(), quote_style: None, keyword: Keyword::NoKeyword };
            out.push(TokenWithSpan::new(Token::Word(name), place));
            out.push(TokenWithSpan::new(Token::LParen, place));
        }
    }
    *tokens = out;
}

/// `INT ARRAY ARRAY`: all but the last as `[]`.
fn arrays_of_arrays(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at + 1 < tokens.len() {
        if keyword(tokens.get(at)) == Keyword::ARRAY && keyword(tokens.get(at + 1)) == Keyword::ARRAY {
            let place = after(&tokens[at]);
            tokens[at].token = Token::LBracket;
            tokens.insert(at + 1, TokenWithSpan::new(Token::RBracket, place));
            at += 1;
        }
        at += 1;
    }
}

/// FILTER is a name unless `(WHERE` follows: sqlparser would skip the word, and a bracket behind it, without a trace.
fn words_that_filter_nothing(tokens: &mut [TokenWithSpan]) {
    for at in 0..tokens.len() {
        let clause = tokens.get(at + 1).is_some_and(|token| token.token == Token::LParen)
            && keyword(tokens.get(at + 2)) == Keyword::WHERE;
        if keyword(tokens.get(at)) == Keyword::FILTER
            && !clause
            && let Token::Word(word) = &mut tokens[at].token
        {
            word.keyword = Keyword::NoKeyword;
        }
    }
}

/// `GROUPING SETS (a, GROUPING SETS (b, c))`: the sets inside stand among the others.
fn nested_grouping_sets(tokens: &mut Vec<TokenWithSpan>) {
    let opens = |tokens: &[TokenWithSpan], at: usize| {
        keyword(tokens.get(at)) == Keyword::GROUPING
            && keyword(tokens.get(at + 1)) == Keyword::SETS
            && tokens.get(at + 2).is_some_and(|token| token.token == Token::LParen)
    };
    // The open brackets: does it hold sets, and does it go?
    let mut brackets: Vec<(bool, bool)> = vec![];
    let mut kept = Vec::with_capacity(tokens.len());
    let mut at = 0;
    while at < tokens.len() {
        if opens(tokens, at) {
            let nested = brackets.last().is_some_and(|(sets, _)| *sets);
            brackets.push((true, nested));
            if !nested {
                kept.extend_from_slice(&tokens[at..at + 3]);
            }
            at += 3;
            continue;
        }
        let goes = match tokens[at].token {
            Token::LParen => {
                brackets.push((false, false));
                false
            }
            Token::RParen => brackets.pop().is_some_and(|(_, goes)| goes),
            _ => false,
        };
        if !goes {
            kept.push(tokens[at].clone());
        }
        at += 1;
    }
    *tokens = kept;
}

/// `ROLLUP ((a)[1], (SELECT b))`: an element that only begins with parentheses, or is a subquery, gets a pair of its own,
/// or sqlparser would take what they hold for the element.
fn grouping_expressions(tokens: &mut Vec<TokenWithSpan>) {
    for at in 2..tokens.len() {
        let begins = matches!(keyword(tokens.get(at - 2)), Keyword::ROLLUP | Keyword::CUBE | Keyword::SETS);
        if begins && tokens[at - 1].token == Token::LParen {
            elements_in_parentheses(tokens, at);
        }
    }
}

/// Of the list whose first element stands at `first`.
fn elements_in_parentheses(tokens: &mut Vec<TokenWithSpan>, mut first: usize) {
    let (mut at, mut depth) = (first, 0usize);
    // Behind the parentheses that begin the element.
    let mut closed = None;
    while at < tokens.len() {
        match tokens[at].token {
            Token::LParen | Token::LBracket => depth += 1,
            Token::RParen | Token::Comma if depth == 0 => {
                let is_query = matches!(keyword(tokens.get(first + 1)), Keyword::SELECT | Keyword::WITH);
                let ends = tokens[at].token == Token::RParen;
                if tokens[first].token == Token::LParen && (closed != Some(at) || is_query) {
                    let (open, close) = (tokens[first].span, after(&tokens[at - 1]));
                    tokens.insert(at, TokenWithSpan::new(Token::RParen, close));
                    tokens.insert(first, TokenWithSpan::new(Token::LParen, open));
                    at += 2;
                }
                if ends {
                    return;
                }
                (first, closed) = (at + 1, None);
            }
            Token::RParen | Token::RBracket => {
                depth = depth.saturating_sub(1);
                closed = closed.or((depth == 0).then_some(at + 1));
            }
            _ => (),
        }
        at += 1;
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

/// `U&'d\0061t'` as the text it is, `U&"d\0061t"` as the name; UESCAPE may choose another escape character.
fn unicode_escapes(tokens: &mut Vec<TokenWithSpan>) {
    let mut at = 0;
    while at < tokens.len() {
        let escape = |behind: usize| match (tokens.get(behind), tokens.get(behind + 1).map(|token| &token.token)) {
            (Some(word), Some(Token::SingleQuotedString(escape))) if is_word(word, "UESCAPE") => Some(escape.clone()),
            _ => None,
        };
        let (used, read) = match &tokens[at].token {
            // The tokenizer has read the text with the usual escape; one with another has none of these.
            Token::UnicodeStringLiteral(text) => match escape(at + 1) {
                Some(escape) => (3, unescaped(text, &escape).map(Token::SingleQuotedString)),
                None => (1, Some(Token::SingleQuotedString(text.clone()))),
            },
            Token::Word(_) => match (unicode_name(&tokens[at..]), escape(at + 3)) {
                (None, _) => (1, None),
                (Some(name), Some(escape)) => (5, unescaped(name, &escape).map(quoted)),
                (Some(name), None) => (3, unescaped(name, "\\").map(quoted)),
            },
            _ => (1, None),
        };
        if let Some(read) = read {
            tokens[at].token = read;
            tokens[at].span.end = tokens[at + used - 1].span.end;
            tokens.drain(at + 1..at + used);
        }
        at += 1;
    }
}

/// What stands in the quotes of `U&"..."`, written without blanks.
fn unicode_name(tokens: &[TokenWithSpan]) -> Option<&str> {
    let [prefix, ampersand, name, ..] = tokens else { return None };
    let together = prefix.span.end == ampersand.span.start && ampersand.span.end == name.span.start;
    match &name.token {
        Token::Word(word) if together && is_word(prefix, "U") && ampersand.token == Token::Ampersand => {
            word.quote_style.map(|_| word.value.as_str())
        }
        _ => None,
    }
}

fn is_word(token: &TokenWithSpan, spelling: &str) -> bool {
    matches!(&token.token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(spelling))
}

fn quoted(name: String) -> Token {
    Token::Word(Word { value: name, quote_style: Some('"'), keyword: Keyword::NoKeyword })
}

/// `!XXXX` and `!+XXXXXX` are characters by their number, `!!` is the escape itself. `None` for anything else.
fn unescaped(text: &str, escape: &str) -> Option<String> {
    let mut characters = escape.chars();
    let (Some(escape), None) = (characters.next(), characters.next()) else { return None };
    if escape.is_ascii_hexdigit() || escape.is_whitespace() || matches!(escape, '+' | '\'' | '"') {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(escape) {
        out.push_str(before);
        if let Some(behind) = behind.strip_prefix(escape) {
            out.push(escape);
            rest = behind;
            continue;
        }
        let (digits, length) = behind.strip_prefix('+').map_or((behind, 4), |long| (long, 6));
        let number = digits.get(..length).filter(|number| number.bytes().all(|digit| digit.is_ascii_hexdigit()))?;
        out.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
        rest = &digits[length..];
    }
    out.push_str(rest);
    Some(out)
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

#[cfg(test)]
mod tests {
    use super::*;
    use sqlparser::tokenizer::Tokenizer;

    #[test]
    fn escapes_of_unicode_texts() {
        assert_eq!(unescaped("d!0061t!0061", "!").as_deref(), Some("data"));
        assert_eq!(unescaped("!!x!+01F600", "!").as_deref(), Some("!x\u{1F600}"));
        for (text, escape) in [("a!00", "!"), ("!D800", "!"), ("!+01F60ä", "!"), ("a", "ab"), ("a", "+"), ("a", "")] {
            assert_eq!(unescaped(text, escape), None, "{text} {escape}");
        }
    }

    fn tokens(sql: &str) -> String {
        let tokens = Tokenizer::new(&super::super::dialect::FeldcDialect, sql).tokenize_with_location().unwrap();
        rewrite(tokens).iter().map(|token| token.token.to_string()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn elements_of_groupings() {
        for (sql, expected) in [
            ("ROLLUP((a)[1], b, (c))", "ROLLUP ( ( ( a ) [ 1 ] ) , b , ( c ) )"),
            ("CUBE((SELECT a), (b, c), ())", "CUBE ( ( ( SELECT a ) ) , ( b , c ) , ( ) )"),
            ("GROUPING SETS(ROLLUP((a) + 1), (b) % 2)", "GROUPING SETS ( ROLLUP ( ( ( a ) + 1 ) ) , ( ( b ) % 2 ) )"),
            ("ROLLUP((a) + 1", "ROLLUP ( ( a ) + 1"),
        ] {
            assert_eq!(tokens(sql), expected);
        }
    }

    #[test]
    fn texts_and_names_with_escapes() {
        assert_eq!(tokens("a = U&'d\\0061t\\+000061' || u&'!0061' UESCAPE '!'"), "a = 'data' || 'a'");
        assert_eq!(
            tokens("SELECT U&\"d\\0061ta\", u&\"!0061\" UESCAPE '!', u & \"a\""),
            "SELECT \"data\" , \"a\" , u & \"a\""
        );
        assert_eq!(tokens("U&\"\\00\""), "U & \"\\00\"");
    }
}
