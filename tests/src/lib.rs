//! What the suites share: the programs they run, a session of each, the real command.

pub mod process;

use feldc::driver::{self, Compiled};
use feldc::steps::Session;
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

/// A program and a session of it in this process.
///
/// # Panics
/// With the messages of a program that does not compile.
pub fn open(name: &str, sql: &str, workers: usize) -> (Compiled, Session) {
    let compiled = driver::compile(name, sql).unwrap_or_else(|message| panic!("{name} does not compile:\n{message}"));
    let session = Session::new(&compiled.interpreted(), workers);
    (compiled, session)
}
