//! The command line of a pipeline, the same for a native binary and for `feldc run`.

use crate::config::read_connectors;
use crate::config::runtime::RuntimeConfig;
use crate::controller::{Controller, Options, Shared};
use crate::glue::Program;
use crate::log::{self, Level};
use crate::server::{self, Server};
use crate::stdio;
use clap::{CommandFactory, FromArgMatches, Parser, ValueEnum};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  COMMAND --until-complete --print       process the input files and show every change
  COMMAND --port 8080                    serve HTTP until stopped by Ctrl-C or SIGTERM
  COMMAND --stdio                        rows in and changes out as JSON lines over a pipe:
      {\"table\":\"t\",\"insert\":{\"k\":1}}
      {\"commit\":1}

Exit codes: 0 done; 1 the pipeline or one of its connectors failed; 2 wrong usage or configuration.";

/// Keeps every view of the program up to date while rows arrive.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Exchange rows and changes as JSON lines over standard input and output, without connectors and HTTP
    #[arg(long, conflicts_with_all = ["until_complete", "print", "port", "port_file", "no_http"])]
    stdio: bool,

    /// End when every input has ended, all rows are processed and all changes are written
    #[arg(long)]
    until_complete: bool,

    /// Also write every view's changes to standard output, as JSON lines
    #[arg(long)]
    print: bool,

    /// Number of worker threads [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=i64::from(WORKERS_MAX)))]
    workers: Option<u16>,

    /// Address the HTTP server listens on
    #[arg(short, long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    bind_address: IpAddr,

    /// Port of the HTTP server; 0 takes a free one
    #[arg(short, long, default_value_t = 0)]
    port: u16,

    /// Write the port to this file once the server listens
    #[arg(long, value_name = "FILE")]
    port_file: Option<PathBuf>,

    /// Do not serve HTTP
    #[arg(long)]
    no_http: bool,

    /// Requests must carry this bearer token
    #[arg(long, value_name = "TOKEN", env = "FELDC_TOKEN", hide_env_values = true)]
    token: Option<String>,

    /// Folder at which relative paths of connectors start [default: the current folder]
    #[arg(long, value_name = "FOLDER", default_value = ".", hide_default_value = true)]
    base_dir: PathBuf,

    /// JSON file with runtime_config keys (workers, secrets_dir, max_request_bytes)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How much is said on standard error
    #[arg(long, value_name = "LEVEL", value_enum, default_value_t = LogLevel::Info)]
    log_level: LogLevel,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

/// Every worker has a channel to every other: more than this takes long to set up and is faster nowhere.
const WORKERS_MAX: u16 = 256;

/// Where Kubernetes secrets are mounted unless the configuration says otherwise.
const SECRETS_DIR: &str = "/etc/feldera-secrets";

/// What stops a run before or during its work.
enum Stop {
    /// Wrong arguments, configuration or environment: exit code 2.
    Usage(String),
    /// Exit code 1.
    Failed(String),
}

/// See [`crate::glue::options_help`].
pub fn options_help() -> String {
    let command = Arguments::command().help_template("{options}").disable_help_flag(true).disable_version_flag(true);
    command.version(None::<&str>).render_help().to_string()
}

/// See [`crate::glue::options`].
pub fn options() -> Vec<clap::Arg> {
    Arguments::command().get_arguments().cloned().collect()
}

/// See [`crate::glue::option_takes_value`].
pub fn option_takes_value(word: &str) -> bool {
    Arguments::command().get_arguments().filter(|option| option.get_action().takes_values()).any(|option| {
        let long = word.strip_prefix("--");
        let short = word.strip_prefix('-').and_then(|word| word.parse().ok());
        (long.is_some() && option.get_long() == long) || (short.is_some() && option.get_short() == short)
    })
}

/// See [`crate::glue::run`].
pub fn run(program: Program, arguments: &[String]) -> ExitCode {
    let name = arguments.first().map_or("pipeline", String::as_str);
    let short = Path::new(name).file_name().map_or(name.to_owned(), |name| name.to_string_lossy().into_owned());
    let command = Arguments::command().bin_name(short.clone()).after_help(EXAMPLES.replace("COMMAND", &short));
    let parsed = command.try_get_matches_from(arguments).and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are errors to clap, with exit code 0.
            drop(error.print());
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    log::set_level(match arguments.log_level {
        LogLevel::Error => Level::Error,
        LogLevel::Warn => Level::Warn,
        LogLevel::Info => Level::Info,
        LogLevel::Debug => Level::Debug,
    });
    match start(&program, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Stop::Failed(message)) => {
            log::say(Level::Error, format_args!("{message}"));
            ExitCode::from(1)
        }
        Err(Stop::Usage(message)) => {
            log::say(Level::Error, format_args!("{message}"));
            ExitCode::from(2)
        }
    }
}

fn start(program: &Program, arguments: &Arguments) -> Result<(), Stop> {
    let config = match &arguments.config {
        Some(path) => read_config(path).map_err(Stop::Usage)?,
        None => RuntimeConfig::default(),
    };
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(usize::from(WORKERS_MAX));
    let workers =
        arguments.workers.map(usize::from).or(config.workers.map(|workers| workers as usize)).unwrap_or(cores);
    if workers > usize::from(WORKERS_MAX) {
        return Err(Stop::Usage(format!("{workers} workers are too many (at most {WORKERS_MAX})")));
    }
    match arguments.stdio {
        true => over_pipe(program, workers),
        false => serve(program, arguments, &config, workers),
    }
}

fn read_config(path: &Path) -> Result<RuntimeConfig, String> {
    let shown = path.display();
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("cannot read the configuration {shown}: {error}"))?;
    RuntimeConfig::parse(&text).map_err(|problems| format!("configuration {shown}: {problems}"))
}

fn over_pipe(program: &Program, workers: usize) -> Result<(), Stop> {
    let input = std::io::BufReader::with_capacity(1 << 20, std::io::stdin().lock());
    // The session gathers its output itself; the lock's line buffer would only cut it up.
    let output = std::io::BufWriter::with_capacity(1 << 16, std::io::stdout().lock());
    match stdio::serve(program, workers, input, output) {
        Ok(stdio::End::Done) => Ok(()),
        Ok(stdio::End::Failed) => Err(Stop::Failed("the program stopped on an evaluation error".to_owned())),
        Err(error) => Err(Stop::Failed(format!("cannot go on with standard input and output: {error}"))),
    }
}

fn serve(program: &Program, arguments: &Arguments, config: &RuntimeConfig, workers: usize) -> Result<(), Stop> {
    let secrets = config.secrets_dir.as_deref().unwrap_or(SECRETS_DIR);
    let (connectors, problems) = read_connectors(&program.schema, Some(Path::new(secrets)));
    if !problems.is_empty() {
        let lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
        return Err(Stop::Usage(format!("the connectors are not configured well:\n  {}", lines.join("\n  "))));
    }
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("http").enable_all().build();
    let runtime = runtime.map_err(|error| Stop::Usage(format!("cannot start the threads of the server: {error}")))?;
    let _inside = runtime.enter();
    let signals = Signals::new().map_err(|error| Stop::Usage(format!("cannot listen for signals: {error}")))?;
    let listener = match arguments.no_http {
        true => None,
        false => Some(runtime.block_on(listen(arguments)).map_err(Stop::Usage)?),
    };
    let print = arguments.print.then(|| Box::new(std::io::stdout()) as Box<dyn std::io::Write + Send>);
    let options = Options { workers, base: &arguments.base_dir, until_complete: arguments.until_complete, print };
    let controller = Controller::start(program, connectors, options).map_err(Stop::Usage)?;
    let shared = controller.shared.clone();
    runtime.spawn(signals.drain(shared.clone()));
    let server = Server::new(shared.clone(), arguments.token.clone(), config.max_request_bytes);
    if let Some(listener) = listener {
        runtime.spawn(server::run(server.clone(), listener));
    }
    let result = controller.wait();
    tell_losses(&shared);
    // Answers on their way are given a moment.
    runtime.block_on(server.settle(Duration::from_secs(1)));
    runtime.shutdown_timeout(Duration::from_millis(100));
    result.map_err(Stop::Failed)
}

/// The server that shows dead letters and the error view ends with the process: what they hold is told before.
fn tell_losses(shared: &Shared) {
    const SHOWN: usize = 5;
    let rejected = shared.dead_letters.total();
    if rejected > 0 {
        log::say(Level::Warn, format_args!("{rejected} input records were rejected, the last of them:"));
        let letters = shared.dead_letters.list(None);
        for letter in letters.iter().skip(letters.len().saturating_sub(SHOWN)) {
            let (place, reason) = (&letter.rejected, &letter.rejected.reason);
            log::say(
                Level::Warn,
                format_args!("  {}, line {}, byte {}: {reason}", letter.endpoint, place.line, place.offset),
            );
        }
    }
    let errors = shared.lock().error_rows;
    if errors != 0 {
        log::say(Level::Warn, format_args!("{errors} rows failed to evaluate; they are the rows of error_view"));
    }
}

async fn listen(arguments: &Arguments) -> Result<tokio::net::TcpListener, String> {
    let wanted = (arguments.bind_address, arguments.port);
    let fault = |error| format!("cannot listen on {}:{}: {error}", wanted.0, wanted.1);
    let listener = tokio::net::TcpListener::bind(wanted).await.map_err(fault)?;
    let address = listener.local_addr().map_err(fault)?;
    if let Some(path) = &arguments.port_file {
        write_port(path, address.port())
            .map_err(|error| format!("cannot write the port to {}: {error}", path.display()))?;
    }
    log::say(Level::Info, format_args!("listening on http://{address}"));
    if !address.ip().is_loopback() && arguments.token.is_none() {
        log::say(
            Level::Warn,
            format_args!("the server is open to the network without a token; set --token or FELDC_TOKEN"),
        );
    }
    Ok(listener)
}

/// By renaming, so that a reader never finds half a number.
fn write_port(path: &Path, port: u16) -> std::io::Result<()> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    std::fs::write(&beside, format!("{port}\n"))?;
    std::fs::rename(&beside, path)
}

/// SIGTERM and SIGINT: the first ends the pipeline in good order, the second at once.
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
}

impl Signals {
    fn new() -> std::io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Signals { terminate: signal(SignalKind::terminate())?, interrupt: signal(SignalKind::interrupt())? })
    }

    async fn one(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => (),
            _ = self.interrupt.recv() => (),
        }
    }

    async fn drain(mut self, shared: std::sync::Arc<Shared>) {
        self.one().await;
        log::say(Level::Info, format_args!("stopping: finishing what is queued (a second signal stops at once)"));
        shared.drain();
        self.one().await;
        log::say(Level::Warn, format_args!("stopped with work undone"));
        std::process::exit(1);
    }
}
