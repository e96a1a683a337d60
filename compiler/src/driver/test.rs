//! `feldc test`: runs step scripts and compares what each step gives with what the script expects.

use super::cli::{self, Stop, environment_fault};
use super::udf::UdfArguments;
use super::{Compiled, compile, junit};
use crate::steps::script::{ScriptFault, Source, StepResult};
use crate::steps::{Script, Session};
use clap::Args;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub const HELP: &str = "A step script is a program and steps of rows in and changes out:
  program                                    or: program FILE, relative to the script
  CREATE TABLE t (k BIGINT, v BIGINT);
  CREATE VIEW s AS SELECT k, SUM(v) AS total FROM t GROUP BY k;
  step                                       or: step at 2024-01-31 12:00:00, the time that NOW() gives
  t  +1 (1, 10)                              +1 comes, -1 goes; NULL, 'text', x'00ff', [\"json\", 1]
  ----                                       without this line a step is not compared
  s  +1 (1, 10)                              in any order; error_view too

Examples:
  feldc test tests/                          every *.step file in the folder and the folders in it
  feldc test sum.step --accept               write what the program gives as what is expected
  feldc test tests/ --native --workers 4 --junit report.xml

Exit codes: 0 all steps pass; 1 a step differs; 2 a script cannot be run, or wrong usage.";

#[derive(Args)]
pub struct TestArguments {
    /// Step scripts, and folders with *.step files
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Build each program instead of interpreting it
    #[arg(long)]
    pub native: bool,
    /// Workers of each program
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: u16,
    /// Rewrite the expected rows of the steps that differ
    #[arg(long)]
    pub accept: bool,
    /// Write a report in JUnit's XML
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Only the scripts whose path contains this
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
}

/// How one script went.
pub struct Report {
    pub path: PathBuf,
    pub outcome: Outcome,
    pub time: Duration,
}

pub enum Outcome {
    Ran(Vec<StepResult>),
    /// Some of what the steps gave is now what is expected.
    Accepted(Vec<StepResult>),
    /// The script cannot be run; the message names the place.
    Broken(String),
}

pub(super) fn run(arguments: &TestArguments) -> Result<ExitCode, Stop> {
    let files = scripts(arguments)?;
    let mut reports = vec![];
    for path in files {
        let report = run_script(&path, arguments);
        cli::print(format_args!("{}", told(&report)))?;
        reports.push(report);
    }
    cli::print(format_args!("{}\n", summary(&reports)))?;
    if let Some(file) = &arguments.junit {
        let written = fs::write(file, junit::xml(&reports));
        written.map_err(|error| {
            environment_fault(format!("feldc: cannot write the report {}: {error}", file.display()))
        })?;
    }
    Ok(ExitCode::from(reports.iter().map(exit_code).max().unwrap_or(0)))
}

fn exit_code(report: &Report) -> u8 {
    match &report.outcome {
        Outcome::Broken(_) => 2,
        Outcome::Ran(results) => u8::from(!results.iter().all(StepResult::passed)),
        Outcome::Accepted(_) => 0,
    }
}

/// The named files, and those in the named folders in the order of their paths.
fn scripts(arguments: &TestArguments) -> Result<Vec<PathBuf>, Stop> {
    let mut files = vec![];
    for path in &arguments.paths {
        match path.is_dir() {
            true => add_scripts(path, &mut files)?,
            false if path.exists() => files.push(path.clone()),
            false => {
                let message = format!(
                    "feldc: there is no file or folder {}; name step scripts or folders with *.step files",
                    path.display()
                );
                return Err(environment_fault(message));
            }
        }
    }
    if let Some(filter) = &arguments.filter {
        files.retain(|file| file.to_string_lossy().contains(filter.as_str()));
    }
    match files.is_empty() {
        false => Ok(files),
        true => Err(environment_fault(match &arguments.filter {
            Some(filter) => format!("feldc: no step script has {filter:?} in its path"),
            None => "feldc: there is no step script; a script's name ends in .step, unless it is named itself".into(),
        })),
    }
}

fn add_scripts(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Stop> {
    let cannot = |error| environment_fault(format!("feldc: cannot read the folder {}: {error}", folder.display()));
    let entries: Result<Vec<_>, _> = fs::read_dir(folder).map_err(cannot)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(cannot)?.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        // A link to a folder above would never end.
        if path.is_dir() && !path.is_symlink() {
            add_scripts(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "step") {
            files.push(path);
        }
    }
    Ok(())
}

/// Runs one script; with `accept`, rewrites it.
pub fn run_script(path: &Path, arguments: &TestArguments) -> Report {
    let start = Instant::now();
    // A defect of ours must not hide the other scripts.
    let outcome = catch_unwind(AssertUnwindSafe(|| outcome(path, arguments))).unwrap_or_else(|_| {
        Err(format!("{}: internal error (this is a fault of feldc; please report the script)", path.display()))
    });
    Report { path: path.to_path_buf(), outcome: outcome.unwrap_or_else(Outcome::Broken), time: start.elapsed() }
}

fn outcome(path: &Path, arguments: &TestArguments) -> Result<Outcome, String> {
    let place = |fault: ScriptFault| format!("{}:{}: {}", path.display(), fault.line, fault.message);
    let text = read(path).map_err(|reason| format!("cannot read the script {}{reason}", path.display()))?;
    let script = Script::parse(&text).map_err(place)?;
    let results = script.run(&mut open(&script, path, arguments)?).map_err(place)?;
    if !arguments.accept || results.iter().all(StepResult::passed) {
        return Ok(Outcome::Ran(results));
    }
    let written = fs::write(path, script.accepted(&results));
    written.map_err(|error| format!("cannot rewrite the script {}: {error}", path.display()))?;
    Ok(Outcome::Accepted(results))
}

/// A file's text, or why there is none, to be put behind its name.
fn read(path: &Path) -> Result<String, String> {
    let bytes = fs::read(path).map_err(|error| format!(": {error}"))?;
    cli::text(bytes)
}

/// A session of the script's program. Errors of a program inside a script are placed in the script.
fn open(script: &Script, path: &Path, arguments: &TestArguments) -> Result<Session, String> {
    let (compiled, file) = match &script.program {
        Source::Inline { text, line } => {
            let placed = || compile(&path.display().to_string(), &format!("{}{text}", "\n".repeat(line - 1)));
            let compiled = compile(&path.display().to_string(), text).map_err(|own| placed().err().unwrap_or(own))?;
            (compiled, path.to_path_buf())
        }
        Source::File { path: name, line } => {
            let file = path.parent().unwrap_or(Path::new("")).join(name);
            let text = read(&file);
            let text = text.map_err(|reason| {
                format!("{}:{line}: cannot read the program {}{reason}", path.display(), file.display())
            })?;
            (compile(&file.display().to_string(), &text)?, file)
        }
    };
    session(&compiled, &file, arguments.native, arguments.workers.into())
}

/// A session of a compiled program; `file` gives a native build its place and name.
pub(super) fn session(compiled: &Compiled, file: &Path, native: bool, workers: usize) -> Result<Session, String> {
    match native {
        false => match compiled.only_native("use --native") {
            Some(refusal) => Err(refusal),
            None => Ok(Session::new(&compiled.interpreted(), workers)),
        },
        true => Session::native(
            &compiled.schema,
            &cli::build_in_cache(compiled, file, &UdfArguments::default()).map_err(|stop| stop.message)?,
            workers,
        ),
    }
}

/// A line for a script, and the steps that differ.
fn told(report: &Report) -> String {
    let path = report.path.display();
    match &report.outcome {
        Outcome::Broken(message) => format!("cannot run {path}\n{}\n", indented(message)),
        Outcome::Accepted(results) => format!("accepted {path}: {}\n", cli::count(failed(results), "step")),
        Outcome::Ran(results) if failed(results) == 0 => format!("ok {path}: {}\n", cli::count(results.len(), "step")),
        Outcome::Ran(results) => {
            let mut text = format!("FAILED {path}: {} of {}\n", failed(results), cli::count(results.len(), "step"));
            for (at, result) in results.iter().enumerate().filter(|(_, result)| !result.passed()) {
                text += &format!("{path}:{}: step {} differs (- expected, + given)\n", result.line, at + 1);
                text += &difference(result);
            }
            text
        }
    }
}

/// The lines of a step's diff.
pub fn difference(result: &StepResult) -> String {
    result.diff.iter().map(|(mark, line)| format!("  {mark} {line}\n")).collect()
}

fn indented(message: &str) -> String {
    message.trim_end().lines().map(|line| format!("  {line}")).collect::<Vec<_>>().join("\n")
}

fn failed(results: &[StepResult]) -> usize {
    results.iter().filter(|result| !result.passed()).count()
}

fn summary(reports: &[Report]) -> String {
    let count = |code: u8| reports.iter().filter(|report| exit_code(report) == code).count();
    let accepted = reports.iter().filter(|report| matches!(report.outcome, Outcome::Accepted(_))).count();
    let mut text = format!("{}: {} passed", cli::count(reports.len(), "script"), count(0) - accepted);
    let others = [(accepted, "accepted"), (count(1), "failed"), (count(2), "could not be run")];
    others.iter().filter(|(count, _)| *count > 0).for_each(|(count, what)| text += &format!(", {count} {what}"));
    text
}
