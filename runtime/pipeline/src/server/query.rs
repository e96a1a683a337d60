//! The parameters of a request's URL: each is used, or refused with a suggestion.

use super::error::ApiError;
use crate::config::{ConfigProblem, Problems, Section};
use crate::suggest;
use serde_json::{Map, Value};

/// Parameters not used so far.
pub struct Parameters {
    left: Map<String, Value>,
}

impl Parameters {
    pub fn new(pairs: Vec<(String, String)>) -> Parameters {
        Parameters { left: pairs.into_iter().map(|(key, value)| (key, Value::String(value))).collect() }
    }

    pub fn take(&mut self, key: &str) -> Option<String> {
        match self.left.remove(key) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// `true`, `false`, or the default.
    pub fn flag(&mut self, key: &str, default: bool) -> Result<bool, ApiError> {
        match self.take(key).as_deref() {
            None => Ok(default),
            Some("true" | "") => Ok(true),
            Some("false") => Ok(false),
            Some(other) => {
                Err(ApiError::bad_request("InvalidParameter", format!("{key}={other}: expected true or false")))
            }
        }
    }

    /// No parameter but those of `known`, all of which were taken, may be left.
    pub fn finish(self, known: &[&str]) -> Result<(), ApiError> {
        let Some(key) = self.left.keys().next() else { return Ok(()) };
        let help = match suggest::nearest(key, known.iter().copied()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known parameters: {}", known.join(", ")),
        };
        Err(ApiError::bad_request("InvalidParameter", format!("unknown parameter {key:?}; {help}")))
    }

    /// Reads all that is left as the configuration of a format.
    pub fn format<T>(
        self,
        relation: &str,
        code: &'static str,
        read: impl FnOnce(&mut Section<'_, '_>) -> T,
    ) -> Result<T, ApiError> {
        let mut found: Vec<ConfigProblem> = Vec::new();
        let mut problems = Problems { relation, found: &mut found };
        let value = Value::Object(self.left);
        let result = Section::new(&value, "parameters".to_owned(), &mut problems).map(|mut section| read(&mut section));
        match result {
            Some(result) if found.is_empty() => Ok(result),
            _ => {
                let lines = found.iter().map(ToString::to_string).collect::<Vec<_>>();
                Err(ApiError::bad_request(code, lines.join("; ")))
            }
        }
    }
}
