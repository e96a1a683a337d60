//! CREATE FUNCTION: a name for an expression over parameters.

use super::*;

impl Cx<'_> {
    pub(super) fn create_function(&mut self) -> Parsed<CreateFunction> {
        self.expect("FUNCTION")?;
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
        let body = match self.accept("AS") {
            true => {
                let body = self.parser.parse_expr();
                Some(Box::new(self.convert(body)?))
            }
            false => None,
        };
        Ok(CreateFunction { name, parameters, returns, body })
    }
}
