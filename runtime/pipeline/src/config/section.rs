//! Reading one JSON object of a configuration, key by key, and gathering everything that is wrong with it.

use super::reference;
use crate::suggest;
use feldc_value::error::clipped;
use serde_json::{Map, Value};

/// Something wrong in a relation's connectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The table or view.
    pub relation: String,
    /// Where in the `connectors` property, e.g. `connectors[0].transport.config.path`.
    pub path: String,
    pub message: String,
    pub help: Option<String>,
}

impl std::fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}, {}: {}", self.relation, self.path, self.message)?;
        match &self.help {
            Some(help) => write!(f, " (help: {help})"),
            None => Ok(()),
        }
    }
}

/// Where problems go, with the relation they belong to.
#[derive(Debug)]
pub struct Problems<'a> {
    pub relation: &'a str,
    pub found: &'a mut Vec<ConfigProblem>,
}

impl Problems<'_> {
    pub fn add(&mut self, path: &str, message: String, help: Option<String>) {
        let relation = self.relation.to_owned();
        let (path, message, help) = (clipped(path.to_owned()), clipped(message), help.map(clipped));
        self.found.push(ConfigProblem { relation, path, message, help });
    }
}

/// One object. A value that is still a reference (see [`super::reference`]) is taken as absent, since only the start
/// of the pipeline knows it.
pub struct Section<'a, 'p> {
    map: &'a Map<String, Value>,
    path: String,
    problems: &'a mut Problems<'p>,
}

impl<'a, 'p> Section<'a, 'p> {
    /// `None`, with a problem, when `value` is no object.
    pub fn new(value: &'a Value, path: String, problems: &'a mut Problems<'p>) -> Option<Section<'a, 'p>> {
        match value {
            Value::Object(map) => Some(Section { map, path, problems }),
            other => {
                problems.add(&path, format!("expected an object, found {}", kind(other)), None);
                None
            }
        }
    }

    pub fn problem(&mut self, key: &str, message: String, help: Option<String>) {
        let path = if key.is_empty() { self.path.clone() } else { format!("{}.{key}", self.path) };
        self.problems.add(&path, message, help);
    }

    /// Every key must be one of `known`; those of `later` get a message of their own unless switched off.
    pub fn check_keys(&mut self, known: &[&str], later: &[&str]) {
        for (key, value) in self.map {
            let off = matches!(value, Value::Null | Value::Bool(false));
            if known.contains(&key.as_str()) || (later.contains(&key.as_str()) && off) {
                continue;
            }
            if later.contains(&key.as_str()) {
                self.problem(key, format!("{key:?} is not supported yet"), Some("leave the key out".to_owned()));
                continue;
            }
            let help = match suggest::nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean {near:?}?"),
                None if known.is_empty() => "no keys are known here".to_owned(),
                None => format!("known keys: {}", known.join(", ")),
            };
            self.problem(key, format!("unknown key {key:?}"), Some(help));
        }
    }

    pub fn value(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    fn known_value(&self, key: &str) -> Option<&'a Value> {
        self.value(key).filter(|value| !reference::is_reference(value))
    }

    fn expected<T>(&mut self, key: &str, expected: &str, found: &Value) -> Option<T> {
        self.problem(key, format!("expected {expected}, found {}", kind(found)), None);
        None
    }

    pub fn text(&mut self, key: &str) -> Option<&'a str> {
        match self.known_value(key)? {
            Value::String(text) => Some(text),
            other => self.expected(key, "a string", other),
        }
    }

    pub fn flag(&mut self, key: &str, default: bool) -> bool {
        match self.known_value(key) {
            None => default,
            Some(Value::Bool(flag)) => *flag,
            // Options written as SQL strings, and resolved references, are texts.
            Some(Value::String(text)) if text == "true" || text == "false" => text == "true",
            Some(other) => self.expected(key, "true or false", other).unwrap_or(default),
        }
    }

    /// A whole number of at least `least`.
    pub fn number(&mut self, key: &str, least: u64) -> Option<u64> {
        let value = self.known_value(key)?;
        let number = match value {
            Value::String(text) => text.parse().ok(),
            other => other.as_u64(),
        };
        match number {
            Some(number) if number >= least => Some(number),
            Some(number) => {
                self.problem(key, format!("{number} is too small (at least {least})"), None);
                None
            }
            None => self.expected(key, "a whole number", value),
        }
    }

    /// A string that is one of `choices`.
    pub fn choice<T: Copy>(&mut self, key: &str, choices: &[(&str, T)], later: &[&str]) -> Option<T> {
        let text = self.text(key)?;
        if let Some((_, value)) = choices.iter().find(|(name, _)| *name == text) {
            return Some(*value);
        }
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let help = match suggest::nearest(text, names.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("one of: {}", names.join(", ")),
        };
        let message = match later.contains(&text) {
            true => format!("{text:?} is not supported yet"),
            false => format!("unknown value {text:?}"),
        };
        self.problem(key, message, Some(help));
        None
    }

    /// One ASCII character.
    pub fn byte(&mut self, key: &str) -> Option<u8> {
        let text = self.text(key)?;
        match text.as_bytes() {
            [byte] if byte.is_ascii() => Some(*byte),
            _ => {
                self.problem(key, format!("expected one ASCII character, found {text:?}"), None);
                None
            }
        }
    }

    /// A string or an array of strings.
    pub fn texts(&mut self, key: &str) -> Vec<String> {
        match self.known_value(key) {
            None => Vec::new(),
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(items)) if items.iter().all(Value::is_string) => {
                items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect()
            }
            Some(other) => self.expected(key, "a string or an array of strings", other).unwrap_or_default(),
        }
    }

    /// The object under `key`, or an empty one.
    pub fn inner(&mut self, key: &str) -> Option<Section<'_, 'p>> {
        static EMPTY: std::sync::LazyLock<Value> = std::sync::LazyLock::new(|| Value::Object(Map::new()));
        let value = self.value(key).unwrap_or(&EMPTY);
        Section::new(value, format!("{}.{key}", self.path), self.problems)
    }
}

fn kind(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(flag) => flag.to_string(),
        Value::Number(number) => number.to_string(),
        // A text may be a resolved secret: never shown.
        Value::String(_) => "a string".to_owned(),
        Value::Array(_) => "an array".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}
