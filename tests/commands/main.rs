//! The commands beside `compile` and `run`, as a user calls them.

mod completion;
mod explain;
mod fmt;
mod fuzz;
mod piped;
mod test;
mod udf;

use feldc_tests::process;
use std::path::Path;
use std::process::{Command, Stdio};

/// Exit code, standard output and standard error of `feldc` with these words, called in a folder.
fn call(folder: &Path, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(process::feldc());
    let output = command.args(words).current_dir(folder).stdin(Stdio::null()).output().expect("feldc starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

/// A folder with these files, given by name and content.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("writable");
        std::fs::write(path, content).expect("writable");
    }
    folder
}
