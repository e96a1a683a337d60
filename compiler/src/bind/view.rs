//! CREATE VIEW and CREATE INDEX.

use super::properties::empty;
use super::{Binder, Bound, Relation, Reported, suggest};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::parse::{CreateIndex, CreateView};
use crate::plan::{View, ViewColumn, ViewId, ViewKind};

const PROPERTIES: &[&str] = &["connectors", "emit_final", "rust"];

impl Binder<'_> {
    pub(super) fn create_view(&mut self, definition: &CreateView) {
        let name = &definition.name;
        if definition.if_not_exists && self.relations.contains_key(&name.text) {
            self.report(Diagnostic::note(
                format!("\"{}\" already exists: this definition is skipped", name.text),
                name.span,
            ));
            return;
        }
        if self.check_new_name(name, "view").is_err() {
            return;
        }
        let relation = match self.view(definition) {
            Ok(view) => {
                let id = ViewId(self.program.views.len());
                if let Some(property) = definition.properties.iter().find(|property| property.key == "connectors") {
                    self.want_indexes(id, &view.connectors, property.value_span);
                }
                self.program.views.push(view);
                Relation::View(id)
            }
            Err(Reported) => Relation::Failed,
        };
        self.relations.insert(name.text.clone(), (relation, name.span));
    }

    fn view(&mut self, definition: &CreateView) -> Bound<View> {
        let mut connectors = empty();
        let mut failed = false;
        self.properties(&definition.properties, PROPERTIES, "view", |binder, property| match property.key.as_str() {
            "connectors" => connectors = binder.connectors(property),
            "emit_final" => {
                let error = Diagnostic::unsupported("the property emit_final", property.key_span);
                binder.report(error);
                failed = true;
            }
            // The peer's older name for connectors: checked alike, without effect.
            _ => {
                binder.connectors(property);
            }
        });
        if definition.kind == ViewKind::Local
            && let Some(property) = definition.properties.iter().find(|property| property.key == "connectors")
        {
            let error = Diagnostic::error(code::WRONG_OBJECT_TYPE, "a LOCAL view has no connectors", property.key_span);
            self.report(error.help("remove LOCAL or the connectors"));
            failed = true;
        }
        let query = self.query(&definition.query)?;
        let mut columns: Vec<ViewColumn> = query
            .columns
            .into_iter()
            .map(|column| ViewColumn { name: column.name, case_sensitive: column.quoted, id: column.id, ty: column.ty })
            .collect();
        if !definition.columns.is_empty() && definition.columns.len() != columns.len() {
            let headline = format!(
                "view \"{}\" names {} columns, its query has {}",
                definition.name.text,
                definition.columns.len(),
                columns.len()
            );
            return self.fail(Diagnostic::error(code::INVALID_TABLE_DEFINITION, headline, definition.columns[0].span));
        }
        for (column, name) in columns.iter_mut().zip(&definition.columns) {
            (column.name, column.case_sensitive) = (name.text.clone(), name.quoted);
        }
        failed |= !self.unique_names(&mut columns, definition);
        if failed {
            return Err(Reported);
        }
        Ok(View {
            name: definition.name.text.clone(),
            case_sensitive: definition.name.quoted,
            kind: definition.kind,
            columns,
            plan: query.plan,
            connectors,
            indexes: vec![],
            sql: self.source.slice(self.statement).to_string(),
            span: self.statement,
        })
    }

    /// Columns of one name: as the peer does, the later one gets a number. Names in the view's own list must differ.
    fn unique_names(&mut self, columns: &mut [ViewColumn], definition: &CreateView) -> bool {
        for at in 1..columns.len() {
            let taken = |columns: &[ViewColumn], name: &str| columns.iter().any(|column| column.name == name);
            let name = columns[at].name.clone();
            if !taken(&columns[..at], &name) {
                continue;
            }
            if let Some(written) = definition.columns.get(at) {
                let headline = format!("view \"{}\" names two columns \"{name}\"", definition.name.text);
                self.report(Diagnostic::error(code::DUPLICATE_COLUMN, headline, written.span));
                return false;
            }
            let new = (0..).map(|number| format!("{name}{number}")).find(|new| !taken(columns, new));
            columns[at].name = new.unwrap_or(name.clone());
            let headline = format!("view \"{}\" has two columns \"{name}\"", definition.name.text);
            let warning = Diagnostic::warning(headline, definition.name.span);
            let warning = warning.label(format!("the second becomes \"{}\"", columns[at].name));
            self.report(warning.help("give one an alias: ... AS another_name"));
        }
        true
    }

    pub(super) fn create_index(&mut self, definition: &CreateIndex) {
        if let Ok((view, positions)) = self.index(definition) {
            self.program.views[view.0].indexes.push((definition.name.text.clone(), positions));
            self.indexes.insert(definition.name.text.clone(), definition.name.span);
        }
    }

    fn index(&mut self, definition: &CreateIndex) -> Bound<(ViewId, Vec<usize>)> {
        self.check_new_name(&definition.name, "index")?;
        let on = &definition.view;
        let id = match self.relations.get(&on.text).map(|(relation, _)| *relation) {
            Some(Relation::View(id)) => id,
            Some(Relation::Failed) => return Err(Reported),
            Some(Relation::Table(_)) => {
                let headline = format!("\"{}\" is a table: an index is declared on a view", on.text);
                let error = Diagnostic::error(code::WRONG_OBJECT_TYPE, headline, on.span);
                return self.fail(error.help("a table's unique key is its PRIMARY KEY"));
            }
            None => {
                let headline = format!("view \"{}\" does not exist", on.text);
                let error = Diagnostic::error(code::UNDEFINED_TABLE, headline, on.span);
                let near = closest(&on.text, self.relations.keys().map(String::as_str)).map(str::to_string);
                return match near {
                    Some(_) => self.fail(suggest(error, near.as_deref())),
                    None => self.fail(error.help("create the view before its index")),
                };
            }
        };
        if self.program.views[id.0].kind == ViewKind::Local {
            let headline = format!("\"{}\" is a LOCAL view: an index serves outputs", on.text);
            return self.fail(Diagnostic::error(code::WRONG_OBJECT_TYPE, headline, on.span).help("remove LOCAL"));
        }
        let mut positions = vec![];
        for name in &definition.columns {
            let names: Vec<String> = self.program.views[id.0].columns.iter().map(|c| c.name.clone()).collect();
            match names.iter().position(|column| *column == name.text) {
                Some(at) if positions.contains(&at) => {
                    let headline = format!("column \"{}\" is twice in the index", name.text);
                    return self.fail(Diagnostic::error(code::DUPLICATE_COLUMN, headline, name.span));
                }
                Some(at) => positions.push(at),
                None => {
                    let headline = format!("column \"{}\" does not exist in \"{}\"", name.text, on.text);
                    let error = Diagnostic::error(code::UNDEFINED_COLUMN, headline, name.span);
                    return self.fail(suggest(error, closest(&name.text, names.iter().map(String::as_str))));
                }
            }
        }
        Ok((id, positions))
    }
}
