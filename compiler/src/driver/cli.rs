//! The command line: arguments in, exit code out.
//!
//! Exit codes: 0 done; 1 the program has errors or the pipeline failed; 2 wrong usage, or a file or tool is missing.

use super::{Compiled, ast, compile, explain, front};
use crate::{build, emit, package};
use clap::{Args, Parser, Subcommand, ValueEnum};
use feldc_pipeline::glue;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const EXAMPLES: &str = "Examples:
  feldc run program.sql --until-complete     compile, run to the end of all finite inputs
  feldc run program.sql --interpret          start at once, without rustc
  feldc compile program.sql -o out           a native pipeline binary and its crate in out/
  feldc compile program.sql --emit=circuit   print a stage of the compilation
  feldc check program.sql                    only report errors";

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
    /// Compile a program to a native pipeline binary, or print a stage
    Compile(CompileArguments),
    /// Print the plan and the circuit of each view, with the keys and the state of each operator
    Explain { file: PathBuf },
    /// Compile a program and start it
    #[command(after_help = RUN_HELP)]
    Run(RunArguments),
}

const RUN_HELP: &str = "All other options go to the pipeline; `feldc run FILE --help` lists them. Among them:
  --until-complete   exit 0 when all finite inputs are processed and all outputs flushed
  --print            write each view's changes to standard output
  --stdio            change lines in, change lines out, one step per commit
  --workers N        worker threads
  -p, --port PORT    port of the pipeline's HTTP server on 127.0.0.1

Examples:
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
}

#[derive(Args)]
struct RunArguments {
    file: PathBuf,
    /// Walk expression trees instead of building native code: starts without rustc
    #[arg(long)]
    interpret: bool,
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    options: Vec<OsString>,
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
}

/// What ends a command early: a message and an exit code.
struct Stop {
    message: String,
    code: u8,
}

fn program_fault(message: String) -> Stop {
    Stop { message, code: 1 }
}

fn environment_fault(message: impl ToString) -> Stop {
    Stop { message: message.to_string(), code: 2 }
}

pub fn main() -> ExitCode {
    let cli = Cli::parse();
    let result = match cli.command {
        Action::Check { file } => check(&file),
        Action::Compile(arguments) => compile_command(&arguments),
        Action::Explain { file } => explain_command(&file),
        Action::Run(arguments) => run(arguments),
    };
    result.unwrap_or_else(|stop| {
        eprintln!("{}", stop.message.trim_end());
        ExitCode::from(stop.code)
    })
}

fn read(file: &Path) -> Result<String, Stop> {
    std::fs::read_to_string(file)
        .map_err(|error| environment_fault(format!("feldc: cannot read the program {}: {error}", file.display())))
}

/// Compiles a file; warnings go to standard error.
fn load(file: &Path) -> Result<Compiled, Stop> {
    let text = read(file)?;
    let compiled = compile(&file.display().to_string(), &text).map_err(program_fault)?;
    eprint!("{}", compiled.warnings);
    Ok(compiled)
}

fn check(file: &Path) -> Result<ExitCode, Stop> {
    let compiled = load(file)?;
    let count = |n: usize, noun: &str| format!("{n} {noun}{}", if n == 1 { "" } else { "s" });
    let (tables, views) = (compiled.program.tables.len(), compiled.program.views.len());
    eprintln!("{}: {} and {} are correct", file.display(), count(tables, "table"), count(views, "view"));
    Ok(ExitCode::SUCCESS)
}

fn explain_command(file: &Path) -> Result<ExitCode, Stop> {
    print!("{}", explain::explain(&load(file)?));
    Ok(ExitCode::SUCCESS)
}

fn compile_command(arguments: &CompileArguments) -> Result<ExitCode, Stop> {
    match arguments.emit {
        Some(stage) => print_stage(stage, arguments),
        None => {
            let compiled = load(&arguments.file)?;
            let folder = output_folder(arguments);
            let binary = build_native(&compiled, &arguments.file, &folder)?;
            println!("{}", binary.display());
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn print_stage(stage: Stage, arguments: &CompileArguments) -> Result<ExitCode, Stop> {
    let file = arguments.file.display().to_string();
    match stage {
        Stage::Ast => {
            let text = read(&arguments.file)?;
            front(&file, &text).map_err(program_fault)?;
            print!("{}", ast(&text));
        }
        Stage::Plan => print!("{}", load(&arguments.file)?.program),
        Stage::Circuit => print!("{}", load(&arguments.file)?.circuit),
        Stage::Schema => {
            let schema = feldc_pipeline::published::published(&load(&arguments.file)?.schema);
            println!("{}", serde_json::to_string_pretty(&schema).expect("a schema is plain JSON"));
        }
        Stage::Rust => {
            for (path, text) in emitted(&load(&arguments.file)?).iter().filter(|(path, _)| path.ends_with(".rs")) {
                println!("// {path}\n{text}");
            }
        }
        Stage::Crate => {
            let compiled = load(&arguments.file)?;
            let folder = output_folder(arguments);
            let name = program_name(&arguments.file);
            package::write(&folder, &name, &emitted(&compiled)).map_err(environment_fault)?;
            println!("{}", folder.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn emitted(compiled: &Compiled) -> emit::Files {
    emit::emit_rust(&compiled.circuit, &compiled.schema, &compiled.program.views)
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

fn build_native(compiled: &Compiled, file: &Path, folder: &Path) -> Result<PathBuf, Stop> {
    let package = package::write(folder, &program_name(file), &emitted(compiled)).map_err(environment_fault)?;
    build::build(&package, &mut |progress| eprintln!("feldc: {progress}")).map_err(environment_fault)
}

fn run(arguments: RunArguments) -> Result<ExitCode, Stop> {
    let (own, mut options): (Vec<_>, Vec<_>) =
        arguments.options.into_iter().partition(|option| option == "--interpret");
    let interpret = arguments.interpret || !own.is_empty();
    let compiled = load(&arguments.file)?;
    if !options.iter().any(|option| option.to_string_lossy().starts_with("--base-dir")) {
        let folder = arguments.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        options.extend(["--base-dir".into(), folder.unwrap_or(Path::new(".")).as_os_str().to_owned()]);
    }
    match interpret {
        true => {
            let words = options.iter().map(|option| option.to_string_lossy().into_owned());
            let words: Vec<String> = std::iter::once("feldc run FILE".to_string()).chain(words).collect();
            Ok(glue::run(compiled.interpreted(), &words))
        }
        false => {
            let folder = package::program_folder(&arguments.file).map_err(environment_fault)?;
            let binary = build_native(&compiled, &arguments.file, &folder)?;
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
    let status = status.map_err(|error| environment_fault(format!("feldc: cannot start {}: {error}", binary.display())))?;
    Ok(ExitCode::from(status.code().unwrap_or(1) as u8))
}
