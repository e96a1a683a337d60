//! Predicates of two periods. A period is a start and an end, in any order, or a start and an interval; both ends belong
//! to it. With s and e the earlier and the later end of the left side, s' and e' of the right:
//!
//! ```text
//! OVERLAPS   s <= e' AND s' <= e        PRECEDES   e <= s'    IMMEDIATELY PRECEDES   e = s'
//! CONTAINS   s <= s' AND e' <= e        SUCCEEDS   e' <= s    IMMEDIATELY SUCCEEDS   e' = s
//! EQUALS     s = s' AND e = e'
//! ```

use super::operator::row_operands;
use super::{Binder, Bound};
use crate::diagnostic::{Diagnostic, code};
use crate::plan::{Expr, Span};
use feldc_value::SqlType;
use sqlparser::ast;

/// The earlier and the later end.
type Ends = (Expr, Expr);

impl Binder<'_> {
    pub(super) fn period_predicate(
        &mut self,
        predicate: &str,
        left: &ast::Expr,
        right: &ast::Expr,
        span: Span,
    ) -> Bound<Expr> {
        let (left, right) = (self.period(left, false), self.period(right, predicate == "CONTAINS"));
        let ((s, e), (s2, e2)) = (left?, right?);
        let tests = match predicate {
            "OVERLAPS" => vec![("<=", s, e2), ("<=", s2, e)],
            "CONTAINS" => vec![("<=", s, s2), ("<=", e2, e)],
            "EQUALS" => vec![("=", s, s2), ("=", e, e2)],
            "PRECEDES" => vec![("<=", e, s2)],
            "SUCCEEDS" => vec![("<=", e2, s)],
            "IMMEDIATELY PRECEDES" => vec![("=", e, s2)],
            "IMMEDIATELY SUCCEEDS" => vec![("=", e2, s)],
            other => return self.unsupported(format!("the predicate {other}"), span),
        };
        let mut bound = vec![];
        for (name, a, b) in tests {
            bound.push(self.compare(name, a, b, span)?);
        }
        Ok(self.and(bound, span))
    }

    /// The ends of a period; of one point where that is allowed.
    fn period(&mut self, expr: &ast::Expr, or_point: bool) -> Bound<Ends> {
        let span = self.span_of(expr);
        let (first, second) = match row_operands(expr).as_deref() {
            Some([start, end]) => self.both(start, end)?,
            None if or_point => {
                let point = self.expr(expr)?;
                (self.fresh_expr(&point)?, point)
            }
            _ => {
                let error = Diagnostic::error(code::SYNTAX_ERROR, "a period has a start and an end", span);
                return self.fail(error.help("write (start, end), or (start, INTERVAL '1' HOUR)"));
            }
        };
        let second = match second.ty.ty.is_interval() {
            true => {
                let start = self.fresh_expr(&first)?;
                self.call("+", vec![start, second], span)?
            }
            false => second,
        };
        let (ty, ends) = self.unify(vec![first, second], "the ends of a period")?;
        if !matches!(ty, SqlType::Date | SqlType::Time | SqlType::Timestamp) {
            let headline = format!("a period of {ty} does not exist");
            let error = Diagnostic::error(code::DATATYPE_MISMATCH, headline, span);
            return self
                .fail(error.help("the start of a period is a DATE, TIME or TIMESTAMP, its end too or an interval"));
        }
        let again = ends.iter().map(|end| self.fresh_expr(end)).collect::<Bound<Vec<Expr>>>()?;
        Ok((self.call("LEAST", ends, span)?, self.call("GREATEST", again, span)?))
    }
}
