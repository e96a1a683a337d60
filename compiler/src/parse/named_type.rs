//! CREATE TYPE: a row type with a name, or another name for a type.

use super::*;

impl Cx<'_> {
    pub(super) fn create_type(&mut self) -> Parsed<CreateType> {
        self.expect("TYPE")?;
        let name = self.name()?;
        self.expect("AS")?;
        if !self.accept("(") {
            let start = self.next_span();
            let ty = self.data_type()?;
            return Ok(CreateType { name, definition: TypeDefinition::Alias(ty, self.since(start)) });
        }
        let mut fields = vec![self.field()?];
        while self.accept(",") {
            fields.push(self.field()?);
        }
        self.expect(")")?;
        Ok(CreateType { name, definition: TypeDefinition::Row(fields) })
    }

    pub(super) fn field(&mut self) -> Parsed<TypeField> {
        let name = self.name()?;
        let start = self.next_span();
        let ty = self.data_type()?;
        let ty_span = self.since(start);
        let nullable = !self.parser.parse_keywords(&[Keyword::NOT, Keyword::NULL]);
        let _ = nullable && self.accept("NULL");
        Ok(TypeField { name, ty, ty_span, nullable })
    }
}
