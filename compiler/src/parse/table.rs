//! CREATE TABLE: columns with attributes, constraints, properties.

use super::*;
use sqlparser::ast::{ArrayElemTypeDef, DataType};

impl Cx<'_> {
    pub(super) fn create_table(&mut self) -> Parsed<CreateTable> {
        self.expect("TABLE")?;
        let if_not_exists = self.parser.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
        let name = self.name()?;
        let (mut columns, mut constraints) = (vec![], vec![]);
        self.expect("(")?;
        loop {
            match self.constraint()? {
                Some(constraint) => constraints.push(constraint),
                None => columns.push(self.column()?),
            }
            if !self.accept(",") {
                break;
            }
        }
        if self.word() != ")" {
            return Err(self.unexpected("`,` or `)` after a column"));
        }
        self.parser.next_token();
        Ok(CreateTable { name, if_not_exists, columns, constraints, properties: self.properties()? })
    }

    fn constraint(&mut self) -> Parsed<Option<TableConstraint>> {
        let start = self.next_span();
        // `constraint`, `primary` and `foreign` may be column names: only the second word tells.
        let second = self.parser.peek_nth_token_ref(1).token.to_string().to_uppercase();
        if self.word() == "CONSTRAINT" && !matches!(second.as_str(), "," | ")") {
            self.parser.next_token();
            self.name()?;
        }
        let second = self.parser.peek_nth_token_ref(1).token.to_string().to_uppercase();
        match (self.word().as_str(), second.as_str()) {
            ("PRIMARY", "KEY") => {
                self.expect("PRIMARY")?;
                self.expect("KEY")?;
                let columns = self.names_in_parentheses()?;
                Ok(Some(TableConstraint::PrimaryKey { columns, span: self.since(start) }))
            }
            ("FOREIGN", "KEY") => {
                self.expect("FOREIGN")?;
                self.expect("KEY")?;
                let columns = self.names_in_parentheses()?;
                self.expect("REFERENCES")?;
                let (table, referred) = self.references()?;
                Ok(Some(TableConstraint::ForeignKey { columns, table, referred, span: self.since(start) }))
            }
            ("UNIQUE", "(") => {
                self.expect("UNIQUE")?;
                Ok(Some(TableConstraint::Unique { columns: self.names_in_parentheses()? }))
            }
            (word @ "CHECK", "(") => Err(Box::new(Diagnostic::unsupported(format!("the constraint {word}"), start))),
            _ => Ok(None),
        }
    }

    /// `table [(columns)]`.
    fn references(&mut self) -> Parsed<(Name, Vec<Name>)> {
        let table = self.name()?;
        let columns = if self.word() == "(" { self.names_in_parentheses()? } else { vec![] };
        Ok((table, columns))
    }

    fn column(&mut self) -> Parsed<ColumnDefinition> {
        let name = self.name()?;
        let start = self.next_span();
        let ty = self.data_type()?;
        let ty_span = self.since(start);
        let mut attributes = vec![];
        while let Some(attribute) = self.attribute()? {
            attributes.push(attribute);
        }
        Ok(ColumnDefinition { name, ty, ty_span, attributes })
    }

    pub(super) fn data_type(&mut self) -> Parsed<DataType> {
        if matches!(self.word().as_str(), "," | ")" | "EOF") {
            return Err(self.unexpected("the type of the column"));
        }
        let ty = self.parser.parse_data_type();
        let mut ty = self.convert(ty)?;
        while self.accept("ARRAY") {
            ty = DataType::Array(ArrayElemTypeDef::AngleBracket(Box::new(ty)));
        }
        Ok(ty)
    }

    fn attribute(&mut self) -> Parsed<Option<ColumnAttribute>> {
        let start = self.next_span();
        let kind = match self.word().as_str() {
            "NULL" => {
                self.parser.next_token();
                AttributeKind::Null
            }
            "NOT" => {
                self.parser.next_token();
                self.expect("NULL")?;
                AttributeKind::NotNull
            }
            "PRIMARY" => {
                self.parser.next_token();
                self.expect("KEY")?;
                AttributeKind::PrimaryKey
            }
            "FOREIGN" | "REFERENCES" => {
                if self.accept("FOREIGN") {
                    self.expect("KEY")?;
                }
                self.expect("REFERENCES")?;
                let (table, columns) = self.references()?;
                AttributeKind::References { table, columns }
            }
            "DEFAULT" => AttributeKind::Default(self.attribute_expression()?),
            "LATENESS" => AttributeKind::Lateness(self.attribute_expression()?),
            "WATERMARK" => AttributeKind::Watermark(self.attribute_expression()?),
            "UNIQUE" => {
                self.parser.next_token();
                AttributeKind::Unique
            }
            "INTERNED" => {
                self.parser.next_token();
                AttributeKind::Interned
            }
            "," | ")" | "EOF" => return Ok(None),
            word @ ("CHECK" | "GENERATED" | "COLLATE" | "AS") => {
                return Err(Box::new(Diagnostic::unsupported(format!("the column attribute {word}"), start)));
            }
            _ => return Err(self.unexpected("a column attribute, `,` or `)`")),
        };
        Ok(Some(ColumnAttribute { kind, span: self.since(start) }))
    }

    fn attribute_expression(&mut self) -> Parsed<sqlparser::ast::Expr> {
        self.parser.next_token();
        let expr = self.parser.parse_expr();
        self.convert(expr)
    }
}
