//! Our dialect for sqlparser: what differs from its defaults, and the infix forms it lacks.

use super::{nested, period};
use sqlparser::ast::{
    BinaryOperator, DataType, DateTimeField, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentList,
    FunctionArguments, Ident, ObjectName, UnaryOperator,
};
use sqlparser::dialect::{Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;

/// Names of calls that stand for syntax sqlparser has no node for. `$` cannot start a user's identifier.
pub const BETWEEN_SYMMETRIC: &str = "$BETWEEN SYMMETRIC";
/// `(a - b) DAY TO SECOND`: the difference as an interval; the units follow the prefix.
pub const INTERVAL_QUALIFIER: &str = "$INTERVAL ";

#[derive(Debug)]
pub struct FeldcDialect;

impl Dialect for FeldcDialect {
    fn is_identifier_start(&self, c: char) -> bool {
        c.is_alphabetic() || c == '_'
    }

    fn is_identifier_part(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_' || c == '$'
    }

    fn is_delimited_identifier_start(&self, c: char) -> bool {
        c == '"'
    }

    fn identifier_quote_style(&self, _identifier: &str) -> Option<char> {
        Some('"')
    }

    fn supports_unicode_string_literal(&self) -> bool {
        true
    }

    fn supports_nested_comments(&self) -> bool {
        true
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_window_function_null_treatment_arg(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_string_literal_column_alias(&self, explicit: bool) -> bool {
        explicit
    }

    fn supports_string_literal_table_alias(&self, _explicit: bool) -> bool {
        false
    }

    fn supports_select_wildcard_exclude(&self) -> bool {
        true
    }

    fn supports_select_wildcard_except(&self) -> bool {
        true
    }

    fn supports_select_wildcard_replace(&self) -> bool {
        true
    }

    fn supports_interval_options(&self) -> bool {
        true
    }

    fn supports_cte_materialization(&self) -> bool {
        true
    }

    fn supports_string_literal_concatenation_with_newline(&self) -> bool {
        true
    }

    fn supports_lambda_functions(&self) -> bool {
        true
    }

    fn supports_subquery_as_function_arg(&self) -> bool {
        true
    }

    fn supports_map_literal_with_angle_brackets(&self) -> bool {
        true
    }

    fn supports_array_typedef_with_brackets(&self) -> bool {
        true
    }

    fn parse_data_type(&self, parser: &mut Parser) -> Option<Result<DataType, ParserError>> {
        nested::parse_row_type(parser)
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_tilde_like_match_operator(&self) -> bool {
        true
    }

    fn supports_comma_separated_trim(&self) -> bool {
        true
    }

    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        // As in PostgreSQL `~ 1 + 2` turns the bits of the sum over.
        let complement = |parser: &mut Parser<'_>| {
            let expr = Box::new(parser.parse_subexpr(self.prec_value(Precedence::Pipe))?);
            Ok(Expr::UnaryOp { op: UnaryOperator::BitwiseNot, expr })
        };
        parser.consume_token(&Token::Tilde).then(|| complement(parser)).or_else(|| nested::parse_map(parser))
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        // The NOT NULL after a column's DEFAULT belongs to the column, not to the expression.
        if let [Token::Word(not), Token::Word(null)] = parser.peek_tokens_ref::<2>().map(|token| &token.token)
            && not.keyword == Keyword::NOT
            && null.keyword == Keyword::NULL
        {
            return Some(Ok(self.prec_unknown()));
        }
        if is_other_operator(&parser.peek_token_ref().token) {
            return Some(Ok(self.prec_value(Precedence::Pipe)));
        }
        if let Some(precedence) = period::precedence(self, parser) {
            return Some(Ok(precedence));
        }
        (nested::begins_access(parser) || ends_a_difference(parser))
            .then(|| Ok(self.prec_value(Precedence::DoubleColon)))
    }

    fn parse_infix(&self, parser: &mut Parser<'_>, expr: &Expr, precedence: u8) -> Option<Result<Expr, ParserError>> {
        match expr {
            Expr::Nested(_) if ends_a_difference(parser) => Some(parse_interval_qualifier(parser, expr)),
            _ if nested::begins_access(parser) => Some(nested::parse_access(parser, expr)),
            _ if parser.consume_token(&Token::Sharp) => Some(parser.parse_subexpr(precedence).map(|right| {
                let (left, op) = (Box::new(expr.clone()), BinaryOperator::PGBitwiseXor);
                Expr::BinaryOp { left, op, right: Box::new(right) }
            })),
            _ => nested::parse_is_empty(parser, expr)
                .map(Ok)
                .or_else(|| period::parse_infix(self, parser, expr))
                .or_else(|| parse_rlike(self, parser, expr).transpose())
                .or_else(|| parse_between_symmetric(self, parser, expr).transpose()),
        }
    }
}

/// The operators on bits and those that match patterns: as in PostgreSQL all bind alike, from the left, looser than `+`
/// and tighter than comparisons.
fn is_other_operator(token: &Token) -> bool {
    matches!(
        token,
        Token::Ampersand
            | Token::Pipe
            | Token::Sharp
            | Token::ShiftLeft
            | Token::ShiftRight
            | Token::Tilde
            | Token::TildeAsterisk
            | Token::ExclamationMarkTilde
            | Token::ExclamationMarkTildeAsterisk
            | Token::DoubleTilde
            | Token::DoubleTildeAsterisk
            | Token::ExclamationMarkDoubleTilde
            | Token::ExclamationMarkDoubleTildeAsterisk
    )
}

/// Did the parser just pass `(a - b)` with an interval unit next? (Not after a name: `f(a - b) day` is an alias.)
fn ends_a_difference(parser: &Parser<'_>) -> bool {
    let next = parser.peek_token_ref();
    let Token::Word(unit) = &next.token else { return false };
    if unit.quote_style.is_some() || !is_unit(unit.keyword) || parser.get_current_token().token != Token::RParen {
        return false;
    }
    let mut depth = 0;
    let mut has_minus = false;
    for index in (0..=parser.get_current_index()).rev() {
        match &parser.token_at(index).token {
            Token::RParen => depth += 1,
            Token::LParen if depth == 1 => return has_minus && !follows_name(parser, index),
            Token::LParen => depth -= 1,
            Token::Minus if depth == 1 => has_minus = true,
            _ => (),
        }
    }
    false
}

fn follows_name(parser: &Parser<'_>, index: usize) -> bool {
    let before = (0..index).rev().map(|i| &parser.token_at(i).token).find(|t| !matches!(t, Token::Whitespace(_)));
    matches!(before, Some(Token::Word(word)) if word.quote_style.is_some() || !matches!(
        word.keyword,
        Keyword::SELECT | Keyword::DISTINCT | Keyword::ALL | Keyword::WHERE | Keyword::HAVING | Keyword::ON
            | Keyword::AND | Keyword::OR | Keyword::NOT | Keyword::WHEN | Keyword::THEN | Keyword::ELSE
            | Keyword::CASE | Keyword::BETWEEN | Keyword::BY | Keyword::LIKE | Keyword::FROM | Keyword::AS
    ))
}

fn is_unit(keyword: Keyword) -> bool {
    matches!(
        keyword,
        Keyword::YEAR
            | Keyword::YEARS
            | Keyword::QUARTER
            | Keyword::MONTH
            | Keyword::MONTHS
            | Keyword::WEEK
            | Keyword::WEEKS
            | Keyword::DAY
            | Keyword::DAYS
            | Keyword::HOUR
            | Keyword::HOURS
            | Keyword::MINUTE
            | Keyword::MINUTES
            | Keyword::SECOND
            | Keyword::SECONDS
    )
}

fn parse_interval_qualifier(parser: &mut Parser<'_>, difference: &Expr) -> Result<Expr, ParserError> {
    let from: DateTimeField = parser.parse_date_time_field()?;
    let to = match parser.parse_keyword(Keyword::TO) {
        true => parser.parse_date_time_field()?,
        false => from.clone(),
    };
    Ok(call(&format!("{INTERVAL_QUALIFIER}{from} TO {to}"), vec![difference.clone()]))
}

/// `x [NOT] RLIKE pattern`, of which sqlparser would lose a NULL as the pattern.
fn parse_rlike(dialect: &FeldcDialect, parser: &mut Parser<'_>, expr: &Expr) -> Result<Option<Expr>, ParserError> {
    let negated = parser.parse_keywords(&[Keyword::NOT, Keyword::RLIKE]);
    if !negated && !parser.parse_keyword(Keyword::RLIKE) {
        return Ok(None);
    }
    let pattern = parser.parse_subexpr(dialect.prec_value(Precedence::Like))?;
    let (expr, pattern) = (Box::new(expr.clone()), Box::new(pattern));
    Ok(Some(Expr::RLike { negated, expr, pattern, regexp: false }))
}

/// `x [NOT] BETWEEN [A]SYMMETRIC low AND high`; `None` leaves the plain form to sqlparser.
fn parse_between_symmetric(
    dialect: &FeldcDialect,
    parser: &mut Parser<'_>,
    expr: &Expr,
) -> Result<Option<Expr>, ParserError> {
    let words: Vec<String> = parser
        .peek_tokens_ref::<3>()
        .iter()
        .map(|token| match &token.token {
            Token::Word(word) if word.quote_style.is_none() => word.value.to_uppercase(),
            _ => String::new(),
        })
        .collect();
    let negated = words[0] == "NOT";
    let words = &words[usize::from(negated)..];
    if words[0] != "BETWEEN" || !matches!(words[1].as_str(), "SYMMETRIC" | "ASYMMETRIC") {
        return Ok(None);
    }
    let symmetric = words[1] == "SYMMETRIC";
    for _ in 0..2 + usize::from(negated) {
        parser.next_token();
    }
    let low = parser.parse_subexpr(dialect.prec_value(Precedence::Between))?;
    let _ = parser.expect_keyword(Keyword::AND)?;
    let high = parser.parse_subexpr(dialect.prec_value(Precedence::Between))?;
    if !symmetric {
        return Ok(Some(Expr::Between {
            expr: Box::new(expr.clone()),
            negated,
            low: Box::new(low),
            high: Box::new(high),
        }));
    }
    let test = call(BETWEEN_SYMMETRIC, vec![expr.clone(), low, high]);
    Ok(Some(match negated {
        true => Expr::UnaryOp { op: UnaryOperator::Not, expr: Box::new(Expr::Nested(Box::new(test))) },
        false => test,
    }))
}

pub(super) fn call(name: &str, arguments: Vec<Expr>) -> Expr {
    let args = arguments.into_iter().map(|e| FunctionArg::Unnamed(FunctionArgExpr::Expr(e))).collect();
    Expr::Function(Function {
        name: ObjectName::from(vec![Ident::new(name)]),
        uses_odbc_syntax: false,
        parameters: FunctionArguments::None,
        args: FunctionArguments::List(FunctionArgumentList { duplicate_treatment: None, args, clauses: vec![] }),
        filter: None,
        null_treatment: None,
        over: None,
        within_group: vec![],
    })
}

/// Operators whose chains sqlparser nests to the left, however long: AND and OR.
pub fn is_connective(op: &BinaryOperator) -> bool {
    matches!(op, BinaryOperator::And | BinaryOperator::Or)
}
