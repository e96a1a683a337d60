//! `feldc completion`: a script for a shell, made from the command line's definition.

use super::cli::{self, Stop};
use clap::{Args, Command};
use clap_complete::Shell;
use feldc_pipeline::glue;
use std::process::ExitCode;

pub const HELP: &str = "Examples:
  feldc completion bash > ~/.local/share/bash-completion/completions/feldc
  feldc completion zsh > ~/.zfunc/_feldc          (with fpath+=~/.zfunc before compinit)
  feldc completion fish > ~/.config/fish/completions/feldc.fish
  feldc completion powershell >> $PROFILE
  feldc completion elvish >> ~/.config/elvish/rc.elv";

#[derive(Args)]
pub struct CompletionArguments {
    #[arg(value_enum)]
    shell: Shell,
}

pub(super) fn run(arguments: &CompletionArguments, command: Command) -> Result<ExitCode, Stop> {
    // `feldc run` leaves the options of the pipeline to the pipeline.
    let mut command = command.mut_subcommand("run", |run| run.args(glue::options()));
    let mut script = vec![];
    clap_complete::generate(arguments.shell, &mut command, "feldc", &mut script);
    cli::print(format_args!("{}", String::from_utf8_lossy(&script)))
}
