//! Rows of one table or view: values in SQL order to the engine's bytes and back, and to the text `(1, 'a', NULL)` and back.
//!
//! Texts stand in single quotes (with control characters as `U&'\000A'`), bytes as `x'00ff'`, arrays, maps, rows and variants
//! as JSON, everything else as CAST to VARCHAR writes it.

use feldc_engine::{Layout, errors};
use feldc_pipeline::format::render::{ERROR_COLUMNS, ERROR_VIEW};
use feldc_pipeline::format::scalar;
use feldc_pipeline::relation::{table_layout, view_layout};
use feldc_pipeline::schema::{Field, Table, View};
use feldc_value::json::json_value;
use feldc_value::{ColumnType, SqlType, Value, binary, text_form};

/// A table, a view, or the view of evaluation errors.
#[derive(Clone, Debug)]
pub struct Relation {
    pub name: String,
    pub case_sensitive: bool,
    /// In SQL order.
    pub fields: Vec<Field>,
    /// For each physical column the SQL position of its field.
    pub physical: Vec<usize>,
    pub layout: Layout,
}

impl Relation {
    pub fn of_table(table: &Table) -> Relation {
        Relation {
            name: table.name.clone(),
            case_sensitive: table.case_sensitive,
            fields: table.fields.clone(),
            physical: table.physical.clone(),
            layout: table_layout(table),
        }
    }

    pub fn of_view(view: &View) -> Relation {
        Relation {
            name: view.name.clone(),
            case_sensitive: view.case_sensitive,
            fields: view.fields.clone(),
            physical: view.physical.clone(),
            layout: view_layout(view),
        }
    }

    pub fn of_errors() -> Relation {
        let field = |name: &str| Field {
            name: name.into(),
            case_sensitive: false,
            columntype: ColumnType::new(SqlType::VARCHAR, false),
            default: None,
        };
        Relation {
            name: ERROR_VIEW.into(),
            case_sensitive: false,
            fields: ERROR_COLUMNS.map(field).to_vec(),
            physical: (0..ERROR_COLUMNS.len()).collect(),
            layout: errors::layout(),
        }
    }

    /// The engine's bytes of a row.
    pub fn encode(&self, row: &[Value]) -> Vec<u8> {
        let physical: Vec<Value> = self.physical.iter().map(|&position| row[position].clone()).collect();
        let mut bytes = vec![];
        self.layout.encode(&physical, &mut bytes);
        bytes
    }

    pub fn decode(&self, bytes: &[u8]) -> Vec<Value> {
        let mut row = vec![Value::Null; self.fields.len()];
        for (value, &position) in self.layout.decode(bytes).into_iter().zip(&self.physical) {
            row[position] = value;
        }
        row
    }

    /// Reads `(value, ...)`.
    ///
    /// # Errors
    /// What is wrong with the text, and the remedy.
    pub fn parse_row(&self, text: &str) -> Result<Vec<Value>, String> {
        let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
        let inner = inner.ok_or("a row stands in parentheses: `TABLE +1 (value, ...)`")?;
        let words = split(inner);
        if words.len() != self.fields.len() {
            let names: Vec<&str> = self.fields.iter().map(|field| field.name.as_str()).collect();
            let (name, count) = (&self.name, self.fields.len());
            return Err(format!(
                "{name} has {count} columns ({}), the row has {} values",
                names.join(", "),
                words.len()
            ));
        }
        words.iter().zip(&self.fields).map(|(word, field)| parse_value(word, field)).collect()
    }

    /// The text that [`Relation::parse_row`] reads.
    pub fn print_row(&self, row: &[Value]) -> String {
        let words = row.iter().zip(&self.fields).map(|(value, field)| print_value(value, field.columntype.ty));
        format!("({})", words.collect::<Vec<_>>().join(", "))
    }
}

/// Cuts at the commas outside of quotes, brackets and braces.
fn split(text: &str) -> Vec<&str> {
    let mut words = vec![];
    let (mut start, mut depth, mut quote, mut escaped) = (0, 0usize, None, false);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (Some('"'), '\\') if !escaped => {
                escaped = true;
                continue;
            }
            (Some(open), _) if character == open && !escaped => quote = None,
            (Some(_), _) => (),
            (None, '\'' | '"') => quote = Some(character),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                words.push(text[start..at].trim());
                start = at + 1;
            }
            (None, _) => (),
        }
        escaped = false;
    }
    words.push(text[start..].trim());
    words
}

fn parse_value(word: &str, field: &Field) -> Result<Value, String> {
    let (name, ColumnType { ty, nullable }) = (&field.name, field.columntype);
    let wrong = |reason: String| format!("column {name}, {ty}: {reason}");
    if word == "NULL" {
        return if nullable { Ok(Value::Null) } else { Err(wrong("NULL is not allowed (NOT NULL)".into())) };
    }
    let text = match quoted(word) {
        Some(text) => text.map_err(wrong)?,
        None if ty.is_text() => {
            return Err(wrong(format!("{word} is no text; write it in single quotes: '{word}'")));
        }
        None => word.to_string(),
    };
    // As the pipeline reads a field of a text format: what does not fit is refused, never cut.
    let mut bytes = vec![];
    scalar::put(ty, &text, &mut bytes).map_err(wrong)?;
    let value = Layout::new(vec![ColumnType::new(ty, false)]).decode(&bytes).pop();
    value.ok_or_else(|| wrong("has no value".into()))
}

/// The content of `'...'`, `U&'...'` or `x'...'`; `None` for a word without quotes.
fn quoted(word: &str) -> Option<Result<String, String>> {
    let (start, inner) = word.strip_suffix('\'')?.split_once('\'')?;
    let inner = inner.replace("''", "'");
    match start {
        "" | "x" | "X" => Some(Ok(inner)),
        "U&" | "u&" => Some(unescaped(&inner)),
        _ => None,
    }
}

/// `\XXXX` and `\+XXXXXX` are characters by their number, `\\` is a backslash.
fn unescaped(text: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('\\') {
        out += before;
        if let Some(behind) = behind.strip_prefix('\\') {
            out.push('\\');
            rest = behind;
            continue;
        }
        let (digits, length) = behind.strip_prefix('+').map_or((behind, 4), |long| (long, 6));
        let number = digits.get(..length).and_then(|number| u32::from_str_radix(number, 16).ok());
        let character = number.and_then(char::from_u32);
        out.push(character.ok_or("write a character by its number as \\XXXX or \\+XXXXXX, a backslash as \\\\")?);
        rest = &digits[length..];
    }
    Ok(out + rest)
}

fn print_value(value: &Value, ty: SqlType) -> String {
    match value {
        Value::Null => "NULL".into(),
        Value::Text(text) if text.chars().any(char::is_control) => {
            let escape = |character: char| match character {
                '\'' => "''".to_string(),
                '\\' => "\\\\".to_string(),
                // Control characters are among the first 160.
                _ if character.is_control() => format!("\\{:04X}", u32::from(character)),
                _ => character.to_string(),
            };
            format!("U&'{}'", text.chars().map(escape).collect::<String>())
        }
        Value::Text(text) => format!("'{}'", text.replace('\'', "''")),
        Value::Binary(bytes) => {
            let mut out = String::from("x'");
            binary::write_hex(bytes, &mut out);
            out + "'"
        }
        Value::Array(_) | Value::Map(_) | Value::Row(_) | Value::Variant(_) => {
            let mut out = String::new();
            json_value(value, ty, &mut out);
            out
        }
        value => text_form::format_value(value, ty),
    }
}

#[cfg(test)]
mod tests {
    use crate::steps::session::tests::session;

    fn check(columns: &str, row: &str, expected: Result<&str, &str>) {
        let session = session(&format!("CREATE TABLE t ({columns});"));
        let relation = &session.tables()[0];
        let found = relation.parse_row(row).map(|row| relation.print_row(&relation.decode(&relation.encode(&row))));
        match (found, expected) {
            (Ok(found), Ok(expected)) => assert_eq!(found, expected),
            (Err(found), Err(expected)) => assert!(found.contains(expected), "{found}"),
            (found, expected) => panic!("{row}: {found:?}, not {expected:?}"),
        }
    }

    #[test]
    fn rows_are_read_as_they_are_printed() {
        let same = |columns: &str, row: &str| check(columns, row, Ok(row));
        same("a BIGINT, b VARCHAR, c BOOLEAN", "(-7, 'it''s, ok', TRUE)");
        same("a BIGINT, b VARCHAR", "(NULL, U&'a\\000Ab\\\\')");
        same("a DECIMAL(5, 2), b DOUBLE, d DATE", "(1.50, 0.25, 2024-02-29)");
        same("a VARBINARY, b VARCHAR ARRAY", "(x'00ff', [\"a, ]\",\"\\\"\",null])");
        same("a VARIANT, b UUID", "({\"k\":[1,\"x\"]}, 00000000-0000-0000-0000-000000000001)");
        check("a TIMESTAMP, b TIME", "(2024-01-01, '10:00:00')", Ok("(2024-01-01 00:00:00, 10:00:00)"));
    }

    #[test]
    fn what_is_wrong_with_a_row_is_told() {
        check("a BIGINT", "1", Err("a row stands in parentheses"));
        check("a BIGINT, b BIGINT", "(1)", Err("t has 2 columns (a, b), the row has 1 values"));
        check("a BIGINT NOT NULL", "(NULL)", Err("column a, BIGINT: NULL is not allowed"));
        check("a VARCHAR(2)", "('abc')", Err("column a, VARCHAR(2)"));
        check("a VARCHAR", "(abc)", Err("write it in single quotes: 'abc'"));
        check("a VARCHAR", "(U&'\\zz')", Err("write a character by its number"));
        check("a BIGINT", "(1e400)", Err("column a"));
    }
}
