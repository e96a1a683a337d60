//! WITH properties: known keys, their values, and JSON inside text with errors placed where they are.

use super::{Binder, suggest};
use crate::diagnostic::{Diagnostic, closest, code};
use crate::parse::Property;
use crate::plan::{Span, ViewId};
use serde_json::Value as Json;

impl Binder<'_> {
    /// Reports keys that are unknown or given twice; calls `f` for each of the others.
    pub(super) fn properties(
        &mut self,
        properties: &[Property],
        known: &[&str],
        what: &str,
        mut f: impl FnMut(&mut Self, &Property),
    ) {
        for (at, property) in properties.iter().enumerate() {
            if let Some(first) = properties[..at].iter().find(|other| other.key == property.key) {
                let headline = format!("property \"{}\" is given twice", property.key);
                let error = Diagnostic::error(code::DUPLICATE_OBJECT, headline, property.key_span);
                self.report(error.also(first.key_span, "first given here").help("remove one of them"));
            } else if known.contains(&property.key.as_str()) {
                f(self, property);
            } else {
                let headline = format!("a {what} has no property \"{}\"", property.key);
                let error = Diagnostic::error(code::UNDEFINED_OBJECT, headline, property.key_span);
                let near = closest(&property.key, known.iter().copied());
                self.report(match near {
                    Some(_) => suggest(error, near),
                    None => error.help(format!("a {what} has the properties {}", known.join(", "))),
                });
            }
        }
    }

    pub(super) fn flag(&mut self, property: &Property) -> bool {
        match property.value.to_lowercase().as_str() {
            "true" | "on" => true,
            "false" | "off" => false,
            _ => {
                let headline = format!("property \"{}\" is 'true' or 'false'", property.key);
                self.report(Diagnostic::error(code::INVALID_PARAMETER, headline, property.value_span));
                false
            }
        }
    }

    pub(super) fn whole_number(&mut self, property: &Property) -> Option<u64> {
        let number = property.value.parse().ok();
        if number.is_none() {
            let headline = format!("property \"{}\" is a whole number", property.key);
            self.report(Diagnostic::error(code::INVALID_PARAMETER, headline, property.value_span));
        }
        number
    }

    /// The `connectors` property: a JSON array of objects, each with a transport.
    pub(super) fn connectors(&mut self, property: &Property) -> Json {
        let parsed: Result<Json, serde_json::Error> = serde_json::from_str(&property.value);
        match parsed {
            Ok(Json::Array(items)) => {
                for (at, item) in items.iter().enumerate() {
                    self.check_connector(item, at, property.value_span);
                }
                Json::Array(items)
            }
            Ok(_) => {
                let error =
                    Diagnostic::error(code::INVALID_PARAMETER, "connectors is not a JSON array", property.value_span);
                self.report(error.help("write '[{\"transport\": {\"name\": ..., \"config\": {...}}}]'"));
                empty()
            }
            Err(error) => {
                let span = self.inside_text(property, &error);
                let message = error.to_string();
                let message = message.split(" at line ").next().unwrap_or_default();
                let error = Diagnostic::error(code::INVALID_PARAMETER, "connectors is not valid JSON", span);
                self.report(error.label(message.to_string()).help("correct the JSON here"));
                empty()
            }
        }
    }

    fn check_connector(&mut self, connector: &Json, at: usize, span: Span) {
        let problem = match connector.get("transport") {
            _ if !connector.is_object() => Some("is not a JSON object".to_string()),
            None => Some("has no \"transport\"".to_string()),
            Some(transport) if transport.get("name").and_then(Json::as_str).is_none() => {
                Some("has a transport without a \"name\"".to_string())
            }
            Some(_) => None,
        };
        if let Some(problem) = problem {
            let error = Diagnostic::error(code::INVALID_PARAMETER, format!("connector {} {problem}", at + 1), span);
            self.report(error.help("write {\"transport\": {\"name\": \"file_input\", \"config\": {...}}, ...}"));
        }
    }

    /// Where inside the text literal the JSON is wrong.
    fn inside_text(&self, property: &Property, error: &serde_json::Error) -> Span {
        let value = &property.value;
        let line_start: usize = value.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
        let target = (line_start + error.column().saturating_sub(1)).min(value.len());
        // The program doubles the quotes that the value holds once.
        let quotes = value.as_bytes()[..target].iter().filter(|byte| **byte == b'\'').count();
        let written = self.source.slice(property.value_span);
        if !written.starts_with('\'') {
            return property.value_span;
        }
        let mut start = property.value_span.start as usize + 1 + target + quotes;
        let last = (property.value_span.end as usize).saturating_sub(1);
        start = start.min(last);
        while !self.source.text.is_char_boundary(start) {
            start -= 1;
        }
        let width = self.source.text[start..].chars().next().map_or(0, char::len_utf8);
        self.source.span(start, start + width)
    }

    /// Remembers the index names that a view's connectors refer to: CREATE INDEX stands after the view.
    pub(super) fn want_indexes(&mut self, view: ViewId, connectors: &Json, span: Span) {
        for connector in connectors.as_array().into_iter().flatten() {
            if let Some(name) = connector.get("index").and_then(Json::as_str) {
                self.wanted_indexes.push((view, name.to_string(), span));
            }
        }
    }

    pub(super) fn check_connector_indexes(&mut self) {
        for (view, name, span) in std::mem::take(&mut self.wanted_indexes) {
            let view = &self.program.views[view.0];
            let is_own = |index: &&(String, Vec<usize>)| index.0 == name || index.0 == name.to_lowercase();
            if view.indexes.iter().find(is_own).is_none() {
                let headline = format!("a connector refers to index \"{name}\", which \"{}\" does not have", view.name);
                let help = format!("add after the view: CREATE INDEX {name} ON {}(...)", view.name);
                self.report(Diagnostic::error(code::UNDEFINED_OBJECT, headline, span).help(help));
            }
        }
    }
}

pub fn empty() -> Json {
    Json::Array(vec![])
}
