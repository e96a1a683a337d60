//! CREATE VIEW, CREATE INDEX and SET.

use super::*;
use crate::plan::ViewKind;

impl Cx<'_> {
    pub(super) fn create_view(&mut self, or_replace: bool) -> Parsed<CreateView> {
        let kind = match self.word().as_str() {
            "LOCAL" => ViewKind::Local,
            "MATERIALIZED" => ViewKind::Materialized,
            _ => ViewKind::Output,
        };
        if kind != ViewKind::Output {
            self.parser.next_token();
        }
        self.expect("VIEW")?;
        let if_not_exists = self.parser.parse_keywords(&[Keyword::IF, Keyword::NOT, Keyword::EXISTS]);
        let name = self.name()?;
        let columns = if self.word() == "(" { self.names_in_parentheses()? } else { vec![] };
        let properties = self.properties()?;
        self.expect("AS")?;
        let query = self.parser.parse_query();
        let query = self.convert(query)?;
        Ok(CreateView { name, kind, or_replace, if_not_exists, columns, properties, query })
    }

    pub(super) fn create_index(&mut self) -> Parsed<CreateIndex> {
        self.expect("INDEX")?;
        let name = self.name()?;
        self.expect("ON")?;
        Ok(CreateIndex { name, view: self.name()?, columns: self.names_in_parentheses()? })
    }

    pub(super) fn set(&mut self) -> Parsed<Set> {
        self.expect("SET")?;
        let name = self.name()?;
        if !self.accept("=") {
            self.expect("TO")?;
        }
        let (value, value_span) = self.text_or_word("a value")?;
        Ok(Set { name, value, value_span })
    }
}
