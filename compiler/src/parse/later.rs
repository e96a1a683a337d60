//! Syntax of the dialect that is still to come and that sqlparser does not read as we write it: recognised after a
//! syntax error, so that the message names the feature instead of a comma.

use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Neighbouring tokens, in upper case, and the feature they begin.
const FEATURES: &[(&[&str], &str)] = &[
    (&["ASOF", "JOIN"], "ASOF JOIN"),
    (&["MATCH_CONDITION", "("], "ASOF JOIN"),
    (&["=", ">"], "a named argument (=>)"),
    (&["=>"], "a named argument (=>)"),
    (&["WITHIN", "DISTINCT"], "WITHIN DISTINCT"),
];

/// The first feature to come among the tokens up to the one that was refused, and where it begins.
pub fn feature(tokens: &[TokenWithSpan], refused: usize) -> Option<(&'static str, &TokenWithSpan)> {
    let words: Vec<String> = tokens.iter().map(|token| word(&token.token)).collect();
    (0..tokens.len().min(refused + 1)).find_map(|at| {
        let found = FEATURES.iter().find(|(pattern, _)| {
            words.get(at..at + pattern.len()).is_some_and(|next| next.iter().zip(*pattern).all(|(a, b)| a == b))
        });
        found.map(|(_, feature)| (*feature, &tokens[at]))
    })
}

fn word(token: &Token) -> String {
    match token {
        // Text and quoted names are no syntax.
        Token::SingleQuotedString(_) => String::new(),
        Token::Word(word) if word.quote_style.is_some() => String::new(),
        token => token.to_string().to_uppercase(),
    }
}
