//! References to values kept outside the program: `${env:NAME}` and `${secret:kubernetes:NAME/KEY}`.
//!
//! A reference is a whole string inside `transport.config` or `format.config`. It is resolved at every start; the
//! resolved value is neither logged nor shown.

use serde_json::Value;
use std::path::Path;

/// Is the value a string of the form `${...}`?
pub fn is_reference(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.starts_with("${") && text.ends_with('}'))
}

/// Checks the form of every reference inside `value` without resolving it.
pub fn check(value: &Value, found: &mut Vec<String>) {
    each(value, &mut |text| {
        if let Err(message) = parse(text) {
            found.push(message);
        }
    });
}

fn each(value: &Value, visit: &mut impl FnMut(&str)) {
    match value {
        Value::String(text) if is_reference(value) => visit(text),
        Value::Array(items) => items.iter().for_each(|item| each(item, visit)),
        Value::Object(map) => map.values().for_each(|item| each(item, visit)),
        _ => (),
    }
}

enum Reference<'a> {
    Env(&'a str),
    Secret { name: &'a str, key: &'a str },
}

fn parse(text: &str) -> Result<Reference<'_>, String> {
    let inside = text.trim_start_matches("${").trim_end_matches('}');
    let name_like = |part: &str| {
        !part.is_empty()
            && part != "."
            && part != ".."
            && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
    };
    if let Some(name) = inside.strip_prefix("env:") {
        return match name_like(name) {
            true => Ok(Reference::Env(name)),
            false => Err(format!("{text:?} is not a reference to an environment variable; write ${{env:NAME}}")),
        };
    }
    match inside.strip_prefix("secret:kubernetes:").and_then(|rest| rest.split_once('/')) {
        Some((name, key)) if name_like(name) && name_like(key) => Ok(Reference::Secret { name, key }),
        _ => Err(format!("{text:?} is not a reference; write ${{env:NAME}} or ${{secret:kubernetes:NAME/KEY}}")),
    }
}

/// A copy of `value` with every reference replaced; secrets are files `kubernetes/NAME/KEY` below `secrets`.
///
/// # Errors
/// Names the reference that cannot be resolved.
pub fn resolve(value: &Value, secrets: &Path) -> Result<Value, String> {
    match value {
        Value::String(text) if is_reference(value) => resolve_one(text, secrets).map(Value::String),
        Value::Array(items) => items.iter().map(|item| resolve(item, secrets)).collect(),
        Value::Object(map) => {
            let items = map.iter().map(|(key, item)| Ok((key.clone(), resolve(item, secrets)?)));
            items.collect::<Result<_, String>>().map(Value::Object)
        }
        other => Ok(other.clone()),
    }
}

fn resolve_one(text: &str, secrets: &Path) -> Result<String, String> {
    match parse(text)? {
        Reference::Env(name) => {
            std::env::var(name).map_err(|_| format!("environment variable {name} of {text:?} is not set"))
        }
        Reference::Secret { name, key } => {
            let path = secrets.join("kubernetes").join(name).join(key);
            std::fs::read_to_string(&path).map_err(|error| format!("cannot read the secret {text:?}: {error}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn resolves_whole_strings_only() {
        let home = std::env::var("PATH").unwrap();
        let value = json!({"a": ["${env:PATH}", "x${env:PATH}"], "b": 1});
        let resolved = resolve(&value, Path::new("nowhere")).unwrap();
        assert_eq!(resolved, json!({"a": [home, "x${env:PATH}"], "b": 1}));
    }

    #[test]
    fn secrets_stay_below_their_folder() {
        for wrong in ["${secret:kubernetes:../x}", "${secret:kubernetes:a/..}", "${secret:vault:a/b}", "${env:}", "${}"]
        {
            assert!(resolve(&json!(wrong), Path::new("nowhere")).is_err(), "{wrong}");
        }
        let folder = std::env::temp_dir().join(format!("feldc-secrets-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("kubernetes/db")).unwrap();
        std::fs::write(folder.join("kubernetes/db/password"), "hunter2").unwrap();
        assert_eq!(resolve(&json!("${secret:kubernetes:db/password}"), &folder), Ok(json!("hunter2")));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
