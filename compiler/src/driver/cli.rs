//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done; 1 the program has errors or the pipeline failed; 2 wrong usage, or a file or tool is missing.

use super::udf::{Functions, UdfArguments};
use super::{Compiled, ast, compile, completion, explain, fmt, front, functions, fuzz, test};
use crate::{build, emit, package};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum, ValueHint};
use feldc_pipeline::glue;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const EXAMPLES: &str = "Examples:
  feldc run program.sql --until-complete     compile, run to the end of all finite inputs
  feldc run program.sql --interpret          start at once, without rustc
  feldc compile program.sql -o out           a native pipeline binary and its crate in out/
  feldc compile program.sql --emit=circuit   print a stage of the compilation
  feldc check program.sql                    only report errors
  feldc fmt program.sql                      lay out a program
  feldc test tests/                          run step scripts: rows in, changes out
  feldc fuzz program.sql --time 60           random changes, checked by an evaluation from scratch";

#[derive(Parser)]
#[command(name = "feldc", version, about = "Compiles a SQL program to a native incremental pipeline", after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Report every error and warning of a program
    Check { file: PathBuf },
    /// Print a script that lets a shell complete the words of feldc
    #[command(after_help = completion::HELP)]
    Completion(completion::CompletionArguments),
    /// Compile a program to a native pipeline binary, or print a stage
    Compile(CompileArguments),
    /// Print the plan and the circuit of each view, with the keys and the state of each operator
    #[command(after_help = explain::HELP)]
    Explain(explain::ExplainArguments),
    /// Print all functions and operators, or those of a name
    Functions { name: Option<String> },
    /// Lay out programs: keywords in upper case, a clause on a line
    #[command(after_help = fmt::HELP)]
    Fmt(fmt::FmtArguments),
    /// Feed random changes to a program and compare its views with an evaluation from scratch
    #[command(after_help = fuzz::HELP)]
    Fuzz(fuzz::FuzzArguments),
    /// Compile a program and start it
    Run(RunArguments),
    /// Run step scripts: rows in, and the changes of the views compared with what is expected
    #[command(after_help = test::HELP)]
    Test(test::TestArguments),
}

const RUN_USAGE: &str = "feldc run [--interpret] [OPTIONS OF THE PIPELINE] <FILE>";

const RUN_EXAMPLES: &str = "Examples:
  feldc run program.sql --until-complete --print
  feldc run program.sql --interpret -p 8080";

#[derive(Args)]
struct CompileArguments {
    file: PathBuf,
    /// Folder for the crate and the binary [default: the program's name, beside the program]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print a stage instead of building
    #[arg(long, value_enum, value_name = "STAGE")]
    emit: Option<Stage>,
    #[command(flatten)]
    udf: UdfArguments,
}

#[derive(Args)]
struct RunArguments {
    /// Walk expression trees instead of building native code: starts without rustc
    #[arg(long)]
    interpret: bool,
    #[command(flatten)]
    udf: UdfArguments,
    /// The program; options of the pipeline may stand before it or after it
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath, required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

#[derive(Clone, Copy, ValueEnum)]
enum Stage {
    /// The statements as parsed
    Ast,
    /// The logical plan after all rewrites
    Plan,
    /// The incremental circuit, in schedule order
    Circuit,
    /// The generated Rust
    Rust,
    /// The whole generated crate, written to the output folder without building it
    Crate,
    /// Tables and views as JSON
    Schema,
    /// The functions to write in Rust, without their bodies
    Stubs,
}

/// What ends a command early: a message and an exit code.
pub(super) struct Stop {
    pub message: String,
    pub code: u8,
}

pub(super) fn program_fault(message: String) -> Stop {
    Stop { message, code: 1 }
}

pub(super) fn environment_fault(message: impl ToString) -> Stop {
    Stop { message: message.to_string(), code: 2 }
}

fn command() -> clap::Command {
    Cli::command().mut_subcommand("run", |run| {
        run.override_usage(RUN_USAGE)
            .after_help(format!("Options of the pipeline:\n{}\n{RUN_EXAMPLES}", glue::options_help()))
    })
}

pub fn main() -> ExitCode {
    let cli = Cli::from_arg_matches(&command().get_matches()).unwrap_or_else(|error| error.exit());
    let result = match cli.command {
        Action::Check { file } => check(&file),
        Action::Completion(arguments) => completion::run(&arguments, command()),
        Action::Compile(arguments) => compile_command(&arguments),
        Action::Explain(arguments) => explain::run(&arguments),
        Action::Functions { name } => {
            functions::show(name.as_deref()).map_err(program_fault).and_then(|text| print(format_args!("{text}")))
        }
        Action::Fmt(arguments) => fmt::run(&arguments),
        Action::Fuzz(arguments) => fuzz::run(&arguments),
        Action::Run(arguments) => run(arguments),
        Action::Test(arguments) => test::run(&arguments),
    };
    result.unwrap_or_else(|stop| {
        tell(format_args!("{}\n", stop.message.trim_end()));
        ExitCode::from(stop.code)
    })
}

/// Writes what was asked for to standard output. A reader that has read enough (`| head`) is no fault.
pub(super) fn print(text: std::fmt::Arguments<'_>) -> Result<ExitCode, Stop> {
    let mut output = io::stdout().lock();
    match output.write_fmt(text).and_then(|()| output.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(environment_fault(format!("feldc: cannot write to standard output: {error}")))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Says something on standard error, if anyone can hear it.
pub(super) fn tell(text: std::fmt::Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}

pub(super) fn read(file: &Path) -> Result<String, Stop> {
    let bytes = std::fs::read(file)
        .map_err(|error| environment_fault(format!("feldc: cannot read the program {}: {error}", file.display())))?;
    text(bytes).map_err(|place| program_fault(format!("feldc: the program {}{place}", file.display())))
}

/// The text of a program's file, without the byte order mark that some editors write; or the first place that is none.
pub(super) fn text(bytes: Vec<u8>) -> Result<String, String> {
    let text = String::from_utf8(bytes).map_err(|error| {
        let (bytes, end) = (error.as_bytes(), error.utf8_error().valid_up_to());
        let line = bytes[..end].iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = bytes[..end].iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let column = String::from_utf8_lossy(&bytes[start..end]).chars().count() + 1;
        format!(":{line}:{column}: the byte 0x{:02x} is not UTF-8; save the file as UTF-8", bytes[end])
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Compiles a file; warnings go to standard error.
pub(super) fn load(file: &Path) -> Result<Compiled, Stop> {
    let text = read(file)?;
    let compiled = compile(&file.display().to_string(), &text).map_err(program_fault)?;
    tell(format_args!("{}", compiled.warnings));
    Ok(compiled)
}

/// `1 step`, `2 steps`.
pub(super) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn check(file: &Path) -> Result<ExitCode, Stop> {
    let compiled = load(file)?;
    // Parts of a view that are read more than once stand as views of its name.
    let views: BTreeSet<&str> = compiled.program.views.iter().map(|view| view.name.as_str()).collect();
    let (tables, views) = (compiled.program.tables.len(), views.len());
    let counts = (count(tables, "table"), count(views, "view"));
    tell(format_args!("{}: {} and {} are correct\n", file.display(), counts.0, counts.1));
    Ok(ExitCode::SUCCESS)
}

fn compile_command(arguments: &CompileArguments) -> Result<ExitCode, Stop> {
    match arguments.emit {
        Some(stage) => print_stage(stage, arguments),
        None => {
            let compiled = load(&arguments.file)?;
            let folder = output_folder(arguments);
            let binary = build_native(&compiled, &arguments.file, &folder, &arguments.udf)?;
            print(format_args!("{}\n", binary.display()))
        }
    }
}

fn print_stage(stage: Stage, arguments: &CompileArguments) -> Result<ExitCode, Stop> {
    let file = arguments.file.display().to_string();
    match stage {
        Stage::Ast => {
            let text = read(&arguments.file)?;
            front(&file, &text).map_err(program_fault)?;
            print(format_args!("{}", ast(&text)))
        }
        Stage::Plan => print(format_args!("{}", load(&arguments.file)?.program)),
        Stage::Circuit => print(format_args!("{}", load(&arguments.file)?.circuit)),
        Stage::Schema => {
            let schema = feldc_pipeline::published::published(&load(&arguments.file)?.schema);
            print(format_args!("{}\n", serde_json::to_string_pretty(&schema).expect("a schema is plain JSON")))
        }
        Stage::Rust => {
            let compiled = load(&arguments.file)?;
            let files = emitted(&compiled, &arguments.file, &arguments.udf)?.files;
            let rust = files.iter().filter(|(path, _)| path.ends_with(".rs"));
            print(format_args!("{}", rust.map(|(path, text)| format!("// {path}\n{text}\n")).collect::<String>()))
        }
        Stage::Crate => {
            let compiled = load(&arguments.file)?;
            let folder = output_folder(arguments);
            let name = program_name(&arguments.file);
            let sources = emitted(&compiled, &arguments.file, &arguments.udf)?;
            package::write(&folder, &name, &sources).map_err(environment_fault)?;
            print(format_args!("{}\n", folder.display()))
        }
        Stage::Stubs => print(format_args!("{}", emit::emit_stubs(&load(&arguments.file)?.program.functions))),
    }
}

fn emitted(compiled: &Compiled, file: &Path, udf: &UdfArguments) -> Result<emit::Sources, Stop> {
    let mut sources = emit::emit_rust(&compiled.circuit, &compiled.schema, &compiled.program.views);
    Functions::new(compiled, file, udf).add_to(&mut sources, compiled)?;
    Ok(sources)
}

/// The program's file name without its ending; `program` alone says nothing, so then the folder's name.
fn program_name(file: &Path) -> String {
    let stem = |path: &Path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let own = stem(file).unwrap_or_default();
    let folder = file.canonicalize().ok().and_then(|path| path.parent().and_then(stem));
    match folder {
        Some(folder) if own == "program" => folder,
        _ => own,
    }
}

fn output_folder(arguments: &CompileArguments) -> PathBuf {
    let beside = arguments.file.parent().unwrap_or(Path::new("."));
    arguments.output.clone().unwrap_or_else(|| beside.join(format!("{}-pipeline", program_name(&arguments.file))))
}

fn build_native(compiled: &Compiled, file: &Path, folder: &Path, udf: &UdfArguments) -> Result<PathBuf, Stop> {
    let sources = emitted(compiled, file, udf)?;
    let package = package::write(folder, &program_name(file), &sources).map_err(environment_fault)?;
    build::build(&package, &mut |progress| tell(format_args!("feldc: {progress}\n")))
        .map_err(|error| Functions::new(compiled, file, udf).fault(error))
}

/// A native build where `feldc run` has it.
pub(super) fn build_in_cache(compiled: &Compiled, file: &Path, udf: &UdfArguments) -> Result<PathBuf, Stop> {
    build_native(compiled, file, &package::program_folder(file).map_err(environment_fault)?, udf)
}

/// What the words of `feldc run` say.
#[derive(Debug, Default, PartialEq)]
struct Words {
    file: Option<PathBuf>,
    interpret: bool,
    udf: UdfArguments,
    /// For the pipeline, in order.
    options: Vec<OsString>,
}

/// The file is the first word that is neither an option nor an option's value.
fn words(words: Vec<OsString>) -> Words {
    let mut result = Words::default();
    let mut is_value = false;
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if !is_value && udf_option(&word, &mut words, &mut result.udf) {
            continue;
        }
        let is_option = word.as_encoded_bytes().starts_with(b"-");
        match is_value {
            false if word == "--interpret" => result.interpret = true,
            false if !is_option && result.file.is_none() => result.file = Some(word.into()),
            _ => {
                is_value = !is_value && is_option && word.to_str().is_some_and(glue::option_takes_value);
                result.options.push(word);
            }
        }
    }
    result
}

/// Takes an option of ours that stands among the pipeline's: `--udf-rs FILE` or `--udf-rs=FILE`. Is it one?
fn udf_option(word: &OsStr, rest: &mut impl Iterator<Item = OsString>, udf: &mut UdfArguments) -> bool {
    let Some(text) = word.to_str() else { return false };
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let place = match name {
        "--udf-rs" => &mut udf.udf_rs,
        "--udf-toml" => &mut udf.udf_toml,
        _ => return false,
    };
    *place = value.map(PathBuf::from).or_else(|| rest.next().map(PathBuf::from));
    true
}

fn run(arguments: RunArguments) -> Result<ExitCode, Stop> {
    let Words { file, interpret, udf, mut options } = words(arguments.words);
    let udf =
        UdfArguments { udf_rs: udf.udf_rs.or(arguments.udf.udf_rs), udf_toml: udf.udf_toml.or(arguments.udf.udf_toml) };
    let interpret = interpret || arguments.interpret;
    let Some(file) = file else {
        return Err(environment_fault(format!("feldc: no program is named\n\nUsage: {RUN_USAGE}")));
    };
    let compiled = load(&file)?;
    if !options.iter().any(|option| option.to_string_lossy().starts_with("--base-dir")) {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        options.extend(["--base-dir".into(), folder.unwrap_or(Path::new(".")).as_os_str().to_owned()]);
    }
    match interpret {
        true => {
            if let Some(refusal) = compiled.only_native("leave out --interpret") {
                return Err(program_fault(format!("feldc: {refusal}")));
            }
            let words = options.iter().map(|option| option.to_string_lossy().into_owned());
            let words: Vec<String> = std::iter::once("feldc run FILE".to_string()).chain(words).collect();
            Ok(glue::run(compiled.interpreted(), &words))
        }
        false => {
            let binary = build_in_cache(&compiled, &file, &udf)?;
            start(&binary, &options)
        }
    }
}

/// Becomes the pipeline, so that signals and the exit code are its own.
#[cfg(unix)]
fn start(binary: &Path, options: &[OsString]) -> Result<ExitCode, Stop> {
    use std::os::unix::process::CommandExt;
    let error = Command::new(binary).args(options).exec();
    Err(environment_fault(format!("feldc: cannot start {}: {error}", binary.display())))
}

#[cfg(not(unix))]
fn start(binary: &Path, options: &[OsString]) -> Result<ExitCode, Stop> {
    let status = Command::new(binary).args(options).status();
    let status =
        status.map_err(|error| environment_fault(format!("feldc: cannot start {}: {error}", binary.display())))?;
    Ok(ExitCode::from(status.code().unwrap_or(1) as u8))
}

#[cfg(test)]
mod tests {
    use super::{text, words};
    use std::path::Path;

    /// The file, whether to interpret, and the pipeline's words.
    fn check(line: &str, file: &str, interpret: bool, options: &str) {
        let found = words(line.split(' ').map(Into::into).collect());
        let file = Some(Path::new(file)).filter(|file| !file.as_os_str().is_empty());
        assert_eq!((found.file.as_deref(), found.interpret), (file, interpret), "{line}");
        assert_eq!(found.options.join(" ".as_ref()), options, "{line}");
    }

    #[test]
    fn options_stand_on_both_sides_of_the_file() {
        check("--stdio a.sql", "a.sql", false, "--stdio");
        check("a.sql --stdio --interpret", "a.sql", true, "--stdio");
        check("--workers 2 --interpret a.sql -p 80", "a.sql", true, "--workers 2 -p 80");
        check("-p8080 --token=x a.sql b", "a.sql", false, "-p8080 --token=x b");
        check("--token --interpret a.sql", "a.sql", false, "--token --interpret");
        check("--stdio --workers 2", "", false, "--stdio --workers 2");
    }

    #[test]
    fn programs_are_utf8() {
        assert_eq!(text(b"\xef\xbb\xbfSELECT".to_vec()).unwrap(), "SELECT");
        let fault = text("a\né".bytes().chain([0xff, b'x']).collect()).unwrap_err();
        assert!(fault.starts_with(":2:2: the byte 0xff"), "{fault}");
    }
}
