//! From what rustc refused back to the program's functions in Rust: `udf.rs` is the program's, and where the file between it
//! and the kernels does not compile, `udf.rs` has not what the program declares.

use super::error::FunctionFault;
use super::messages::RustError;
use crate::package::{BODIES, FUNCTIONS};
use std::fs;
use std::path::Path;

/// The faults when all that have a place are of the program's own Rust.
pub fn faults(folder: &Path, errors: &[&RustError]) -> Option<Vec<FunctionFault>> {
    let generated = fs::read_to_string(folder.join(FUNCTIONS)).unwrap_or_default();
    let mut faults: Vec<FunctionFault> = vec![];
    // What has no place ("aborting due to 2 errors") adds nothing.
    for (_, file, rendered) in errors {
        let Some((file, line)) = file else { continue };
        let function = match file.as_str() {
            BODIES => None,
            FUNCTIONS => Some(function_at(&generated, *line)?),
            _ => return None,
        };
        if function.is_some() && faults.iter().any(|fault| fault.function == function) {
            continue;
        }
        // A function or a type that cannot be found.
        let absent = ["error[E0425]", "error[E0412]"].iter().any(|code| rendered.starts_with(code));
        faults.push(FunctionFault { absent: absent && function.is_some(), function, rendered: rendered.clone() });
    }
    (!faults.is_empty()).then_some(faults)
}

/// The function that line `line` (from 1) stands in.
fn function_at(text: &str, line: usize) -> Option<String> {
    let before: Vec<&str> = text.lines().take(line).collect();
    let declared = before.iter().rev().find_map(|line| line.trim_start().strip_prefix("pub fn "))?;
    declared.split('(').next().map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_the_program_are_told_from_ours() {
        let folder = std::env::temp_dir().join(format!("feldc-faults-{}", std::process::id()));
        fs::create_dir_all(folder.join("src")).unwrap();
        fs::write(folder.join(FUNCTIONS), "pub fn a() {\n    x\n}\n\npub fn b(\n    y: i8,\n) {\n    x\n}\n").unwrap();
        let error = |file: &str, line: usize, text: &str| {
            ("p".to_string(), (!file.is_empty()).then(|| (file.to_string(), line)), text.to_string())
        };
        let summary = error("", 0, "error: aborting due to 2 previous errors");
        let absent = error(FUNCTIONS, 8, "error[E0425]: cannot find function");
        let body = error(BODIES, 3, "error[E0308]: mismatched types");
        let found = faults(&folder, &[&summary, &absent, &body]).unwrap();
        let functions: Vec<_> = found.iter().map(|fault| (fault.function.as_deref(), fault.absent)).collect();
        assert_eq!(functions, [(Some("b"), true), (None, false)]);
        assert_eq!(faults(&folder, &[&body, &error("src/kernels.rs", 1, "error")]), None);
        assert_eq!(faults(&folder, &[&summary]), None);
        fs::remove_dir_all(folder).unwrap();
    }
}
