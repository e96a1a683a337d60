//! The syntax of arrays, maps and rows that sqlparser lacks: MAP[...], ROW types, elements and fields of any expression,
//! IS EMPTY.

use super::dialect::call;
use sqlparser::ast::{
    AccessExpr, ArrayElemTypeDef, DataType, Expr, StructBracketKind, StructField, Subscript, UnaryOperator,
};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// The call that MAP[k, v, ...] stands for.
pub const MAP_LITERAL: &str = "$MAP";
/// The call that `x IS EMPTY` stands for.
pub const IS_EMPTY: &str = "$IS EMPTY";

fn is_word(token: &Token, text: &str) -> bool {
    matches!(token, Token::Word(word) if word.quote_style.is_none() && word.value.eq_ignore_ascii_case(text))
}

/// `MAP[k, v, ...]`.
pub fn parse_map(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let [first, second] = parser.peek_tokens_ref::<2>().map(|token| &token.token);
    if !is_word(first, "MAP") || *second != Token::LBracket {
        return None;
    }
    parser.next_token();
    parser.next_token();
    Some(parse_items(parser).map(|items| call(MAP_LITERAL, items)))
}

fn parse_items(parser: &mut Parser<'_>) -> Result<Vec<Expr>, ParserError> {
    if parser.consume_token(&Token::RBracket) {
        return Ok(vec![]);
    }
    let items = parser.parse_comma_separated(Parser::parse_expr)?;
    parser.expect_token(&Token::RBracket)?;
    Ok(items)
}

/// `ROW(name type [NOT NULL], ...) [ARRAY ...]`. A field that may be NULL has a `Nullable` type.
pub fn parse_row_type(parser: &mut Parser<'_>) -> Option<Result<DataType, ParserError>> {
    let [first, second] = parser.peek_tokens_ref::<2>().map(|token| &token.token);
    if !is_word(first, "ROW") || *second != Token::LParen {
        return None;
    }
    parser.next_token();
    parser.next_token();
    Some(parse_fields(parser).map(|fields| {
        let mut ty = DataType::Struct(fields, StructBracketKind::Parentheses);
        while parser.parse_keyword(Keyword::ARRAY) {
            ty = DataType::Array(ArrayElemTypeDef::AngleBracket(Box::new(ty)));
        }
        ty
    }))
}

fn parse_fields(parser: &mut Parser<'_>) -> Result<Vec<StructField>, ParserError> {
    let fields = parser.parse_comma_separated(parse_field)?;
    parser.expect_token(&Token::RParen)?;
    Ok(fields)
}

fn parse_field(parser: &mut Parser<'_>) -> Result<StructField, ParserError> {
    let name = parser.parse_identifier()?;
    let ty = parser.parse_data_type()?;
    let not_null = parser.parse_keywords(&[Keyword::NOT, Keyword::NULL]);
    let _ = !not_null && parser.parse_keyword(Keyword::NULL);
    let field_type = if not_null { ty } else { DataType::Nullable(Box::new(ty)) };
    Ok(StructField { field_name: Some(name), field_type, options: None })
}

/// Does `[` follow, or `.` after a bracket that ends an expression? (After a name sqlparser reads both itself.)
pub fn begins_access(parser: &Parser<'_>) -> bool {
    let [next, name] = parser.peek_tokens_ref::<2>().map(|token| &token.token);
    match next {
        Token::LBracket => true,
        Token::Period => {
            matches!(name, Token::Word(_))
                && matches!(parser.get_current_token().token, Token::RParen | Token::RBracket)
        }
        _ => false,
    }
}

/// `root[index]` or `root.field`.
pub fn parse_access(parser: &mut Parser<'_>, root: &Expr) -> Result<Expr, ParserError> {
    let access = if parser.consume_token(&Token::Period) {
        AccessExpr::Dot(Expr::Identifier(parser.parse_identifier()?))
    } else {
        parser.expect_token(&Token::LBracket)?;
        let index = parser.parse_expr()?;
        parser.expect_token(&Token::RBracket)?;
        AccessExpr::Subscript(Subscript::Index { index })
    };
    Ok(Expr::CompoundFieldAccess { root: Box::new(root.clone()), access_chain: vec![access] })
}

/// `x IS [NOT] EMPTY`.
pub fn parse_is_empty(parser: &mut Parser<'_>, operand: &Expr) -> Option<Expr> {
    let words = parser.peek_tokens_ref::<3>().map(|token| &token.token);
    let negated = is_word(words[1], "NOT");
    if !is_word(words[0], "IS") || !is_word(words[1 + usize::from(negated)], "EMPTY") {
        return None;
    }
    for _ in 0..2 + usize::from(negated) {
        parser.next_token();
    }
    let test = call(IS_EMPTY, vec![operand.clone()]);
    Some(match negated {
        true => Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(Expr::Nested(Box::new(test))) },
        false => test,
    })
}
