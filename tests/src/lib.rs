//! What the suites share: a session that steps a program in this process, step scripts, random change streams.

pub mod process;
pub mod script;
pub mod session;
pub mod stream;

pub use session::{Change, Session};

use std::path::PathBuf;

/// The programs of `tests/programs`, by name, with their paths.
///
/// # Panics
/// When the folder cannot be read.
pub fn programs() -> Vec<(String, PathBuf)> {
    let folder = process::root().join("tests/programs");
    let mut programs: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .expect("tests/programs is there")
        .map(|file| file.expect("a readable folder").path())
        .map(|path| (path.file_stem().expect("a name").to_string_lossy().into_owned(), path))
        .collect();
    programs.sort();
    programs
}

/// The same with their texts.
///
/// # Panics
/// When a program cannot be read.
pub fn program_texts() -> Vec<(String, String)> {
    let read = |(name, path)| (name, std::fs::read_to_string(path).expect("a readable program"));
    programs().into_iter().map(read).collect()
}
