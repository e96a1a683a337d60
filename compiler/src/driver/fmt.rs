//! `feldc fmt`: programs in the usual layout.

use super::cli::{self, Stop, environment_fault, program_fault};
use crate::diagnostic::Diagnostic;
use crate::{format, parse};
use clap::Args;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub const HELP: &str = "Keywords are written in upper case and each clause on a line of its own; lines are broken at 100 characters where they can be.
Comments stay, and so does everything else but blanks. A program with a syntax error is left alone.

Examples:
  feldc fmt program.sql              rewrite the file
  feldc fmt --check *.sql            only name the files that are laid out otherwise
  feldc fmt - < program.sql          standard input to standard output

Exit codes: 0 done; 1 a program has syntax errors, or with --check another layout; 2 wrong usage, or a file cannot be read.";

#[derive(Args)]
pub struct FmtArguments {
    /// Programs; - is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; fail when a file is laid out otherwise
    #[arg(long)]
    check: bool,
}

pub(super) fn run(arguments: &FmtArguments) -> Result<ExitCode, Stop> {
    // One file that cannot be laid out does not keep the others from it.
    let mut code = 0;
    for file in &arguments.files {
        match format_file(file, arguments.check) {
            Ok(same) => code = code.max(u8::from(arguments.check && !same)),
            Err(stop) => {
                cli::tell(format_args!("{}\n", stop.message.trim_end()));
                code = code.max(stop.code);
            }
        }
    }
    Ok(ExitCode::from(code))
}

/// Lays out one file; was it so before?
fn format_file(file: &Path, check: bool) -> Result<bool, Stop> {
    let standard = file == Path::new("-");
    let name = if standard { "<stdin>".to_string() } else { file.display().to_string() };
    let text = if standard { standard_input()? } else { cli::read(file)? };
    let formatted = format_text(&name, &text)?;
    let same = formatted == text;
    match (check, standard) {
        (true, _) if !same => cli::print(format_args!("{name}\n")).map(drop)?,
        (false, true) => cli::print(format_args!("{formatted}")).map(drop)?,
        (false, false) if !same => fs::write(file, formatted)
            .map_err(|error| environment_fault(format!("feldc: cannot rewrite the program {name}: {error}")))?,
        _ => (),
    }
    Ok(same)
}

fn standard_input() -> Result<String, Stop> {
    let mut bytes = vec![];
    let read = io::stdin().lock().read_to_end(&mut bytes);
    read.map_err(|error| environment_fault(format!("feldc: cannot read standard input: {error}")))?;
    cli::text(bytes).map_err(|place| program_fault(format!("feldc: standard input{place}")))
}

/// The layout of a program.
///
/// # Errors
/// Syntax errors, rendered; or why the program is better left alone, which is a fault of feldc.
pub fn laid_out(file: &str, text: &str) -> Result<String, String> {
    format_text(file, text).map_err(|stop| stop.message)
}

/// The layout of a program that parses, checked to mean the same.
fn format_text(name: &str, text: &str) -> Result<String, Stop> {
    let syntax = parse::parse(text).1;
    if syntax.iter().any(Diagnostic::is_error) {
        return Err(program_fault(super::render(name, text, &syntax)));
    }
    let unchanged = |reason: &str| {
        let remedy = "the program is left as it is (this is a fault of feldc; please report it)";
        program_fault(format!("feldc: cannot lay out {name}: {reason}; {remedy}"))
    };
    let formatted = format::format(text).map_err(|reason| unchanged(&reason))?;
    // Names and keywords mean the same in any case; what stands in quotes was compared by the layout.
    let meaning = |text: &str| super::ast(text).to_lowercase();
    match meaning(text) == meaning(&formatted) {
        true => Ok(formatted),
        false => Err(unchanged("its statements would be read otherwise")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::steps::stream::Random;

    /// A program with other blanks, other cases of words and comments between its tokens.
    fn disturbed(text: &str, random: &mut Random) -> String {
        let mut out = String::new();
        for line in text.lines() {
            // What stands in quotes may span lines, and comments end with them: only plain lines are disturbed.
            if line.contains(['\'', '"', '-', '{', '}', '[', ']', '/']) {
                out += &format!("\n{line}\n");
                continue;
            }
            for word in line.split(' ').filter(|word| !word.is_empty()) {
                let word = if random.chance(20) { word.to_lowercase() } else { word.to_string() };
                let blank = *random.pick(&[
                    " ",
                    " ",
                    " ",
                    "\n",
                    "\t ",
                    "\n\n",
                    " /* c */ ",
                    " -- c\n",
                    "\n-- own\n",
                    "\n/* own */",
                ]);
                out += &format!("{word}{blank}");
            }
        }
        out
    }

    #[test]
    fn any_program_keeps_its_meaning() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut files: Vec<PathBuf> =
            fs::read_dir(root.join("tests/programs")).unwrap().map(|e| e.unwrap().path()).collect();
        files.extend([root.join("programs/tpch/program.sql"), root.join("programs/quickstart/program.sql")]);
        let mut random = Random::new(1);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let plain =
                format_text(&file.display().to_string(), &text).unwrap_or_else(|stop| panic!("{}", stop.message));
            assert!(plain.lines().all(|line| line.trim_end() == line || line.contains('\'')), "{plain}");
            for _ in 0..10 {
                let text = disturbed(&text, &mut random);
                if let Err(stop) = format_text("disturbed", &text) {
                    panic!("{}\n{text}", stop.message);
                }
            }
        }
    }
}
