//! The project's chores: what CI runs, and what keeps the tree in shape.
//!
//! `cargo xtask ci` runs every tier in order and stops at the first that fails; the other commands run one thing.

mod bench;
mod tidy;

use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask <command>

  ci               all that CI runs: tidy, format, lints, tests
  tidy             arrows between crates and rooms, file headers, names
  golden [--accept] the golden snapshots alone; --accept refreshes them
  functions        writes docs/functions.md anew
  slt [FILTER]     the step scripts alone, interpreted
  grammar [--minutes N] [--seed N] [--inputs N]
                   random and broken programs through the compiler; prints what it must not do with any program
  bench [--quick]  side by side with the peers (builds them first: about half an hour of CPU, once)";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match words.as_slice() {
        ["ci"] => ci(),
        ["tidy"] => tidy::run(),
        ["golden"] => golden(false),
        ["golden", "--accept"] => golden(true),
        ["functions"] => functions(),
        ["slt", rest @ ..] => slt(rest),
        ["grammar", rest @ ..] => grammar(rest),
        ["bench", rest @ ..] => bench::run(rest),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}

/// The tiers of CI, cheapest first.
fn ci() -> Result<(), String> {
    tidy::run()?;
    cargo(&["fmt", "--all", "--check"], &[])?;
    cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings"], &[])?;
    cargo(&["test", "--workspace", "--no-fail-fast"], &[])
}

fn golden(accept: bool) -> Result<(), String> {
    let update = if accept { "always" } else { "no" };
    cargo(&["test", "--package", "feldc-tests", "--test", "golden"], &[("INSTA_UPDATE", update)])
}

fn functions() -> Result<(), String> {
    let arguments = ["test", "--package", "feldc-tests", "--test", "registry", "page"];
    cargo(&arguments, &[("FELDC_ACCEPT", "1")])
}

fn slt(filter: &[&str]) -> Result<(), String> {
    let mut arguments = vec!["test", "--package", "feldc-tests", "--test", "slt", "--"];
    arguments.extend(filter);
    cargo(&arguments, &[])
}

fn grammar(options: &[&str]) -> Result<(), String> {
    let mut arguments = vec!["run", "--quiet", "--package", "feldc-tests", "--bin", "grammar", "--"];
    arguments.extend(options);
    cargo(&arguments, &[])
}

/// Runs cargo in the workspace, its output passed through.
fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<(), String> {
    eprintln!("xtask: cargo {}", arguments.join(" "));
    run(Command::new(env!("CARGO")).args(arguments).envs(environment.iter().copied()))
}

fn run(command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("cannot start {:?}: {error}", command.get_program()))?;
    match status.success() {
        true => Ok(()),
        false => Err(format!("{:?} failed ({status})", command.get_program())),
    }
}

/// The repository's root: the parent of this crate's folder.
fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}
