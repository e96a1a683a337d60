//! CREATE FUNCTION, a name for an expression over parameters, and CREATE AGGREGATE.

use super::*;
use crate::plan::FunctionKind;

impl Cx<'_> {
    pub(super) fn create_function(&mut self) -> Parsed<CreateFunction> {
        let kind = match (self.accept("LINEAR"), self.word().as_str()) {
            (true, _) => FunctionKind::Linear,
            (false, "AGGREGATE") => FunctionKind::Aggregate,
            _ => FunctionKind::Scalar,
        };
        self.expect(if kind == FunctionKind::Scalar { "FUNCTION" } else { "AGGREGATE" })?;
        let name = self.name()?;
        self.expect("(")?;
        let mut parameters = vec![];
        while self.word() != ")" {
            parameters.push(self.field()?);
            if !self.accept(",") {
                break;
            }
        }
        self.expect(")")?;
        self.expect("RETURNS")?;
        let start = self.next_span();
        let ty = self.data_type()?;
        let ty_span = self.since(start);
        let nullable = !self.parser.parse_keywords(&[Keyword::NOT, Keyword::NULL]);
        let returns = TypeField { name: name.clone(), ty, ty_span, nullable };
        let body = match kind == FunctionKind::Scalar && self.accept("AS") {
            true => {
                let body = self.parser.parse_expr();
                Some(Box::new(self.convert(body)?))
            }
            false => None,
        };
        Ok(CreateFunction { kind, name, parameters, returns, body })
    }
}
