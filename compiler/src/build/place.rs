//! From a line of generated code back to the SQL it came from.

use std::fs;
use std::path::Path;

/// The SQL behind line `line` (from 1) of a file below the crate's folder, in words.
pub fn place(folder: &Path, file: &str, line: usize) -> Option<String> {
    let text = fs::read_to_string(folder.join(file)).ok()?;
    place_in(&text, line)
}

/// Generated code says its place in the comment above: `program line 3 column 9`, inside the module of a view.
fn place_in(text: &str, line: usize) -> Option<String> {
    let before: Vec<&str> = text.lines().take(line).collect();
    let comment =
        before.iter().rev().find(|line| line.trim_start().starts_with("//") && line.contains("program line"))?;
    let place = comment[comment.find("program line")?..].trim_end_matches('.').to_string();
    let module = before.iter().rev().find_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(" {"));
    Some(match module {
        Some(module) => format!("{place} (view {module})"),
        None => place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_comment_above_counts() {
        let text = "pub mod q3 {\n    /// Node 1, program line 3 column 9.\n    fn a() {\n        x\n    }\n    /// Node 2, \
                    program line 8 column 1.\n    fn b() {}\n}\n";
        assert_eq!(place_in(text, 4).as_deref(), Some("program line 3 column 9 (view q3)"));
        assert_eq!(place_in(text, 7).as_deref(), Some("program line 8 column 1 (view q3)"));
        assert_eq!(place_in(text, 1), None);
    }
}
