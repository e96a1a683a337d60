//! The files beside a program that hold its functions in Rust (`udf.rs`) and the crates that those need (`udf.toml`), and
//! what is wrong with them.

use super::cli::{Stop, environment_fault, program_fault};
use super::{Compiled, render};
use crate::build::{BuildError, FunctionFault};
use crate::diagnostic::{Diagnostic, code};
use crate::emit::{self, Sources};
use crate::plan::RustFunction;
use clap::{Args, ValueHint};
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Where the files are, when they are not beside the program.
#[derive(Args, Clone, Debug, Default, PartialEq)]
pub struct UdfArguments {
    /// The program's functions in Rust [default: udf.rs beside the program]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub udf_rs: Option<PathBuf>,
    /// Crates that those functions need, as lines of Cargo.toml's [dependencies] [default: udf.toml beside the program]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub udf_toml: Option<PathBuf>,
}

/// The functions in Rust of one program.
pub struct Functions<'a> {
    program: &'a Path,
    declared: &'a [RustFunction],
    bodies: PathBuf,
    dependencies: PathBuf,
}

impl<'a> Functions<'a> {
    pub fn new(compiled: &'a Compiled, program: &'a Path, arguments: &UdfArguments) -> Functions<'a> {
        let beside = |name: &str| program.with_file_name(name);
        Functions {
            program,
            declared: &compiled.program.functions,
            bodies: arguments.udf_rs.clone().unwrap_or_else(|| beside("udf.rs")),
            dependencies: arguments.udf_toml.clone().unwrap_or_else(|| beside("udf.toml")),
        }
    }

    /// Adds the files to the crate of a program that declares such functions; others stay as they are.
    ///
    /// # Errors
    /// When a file is missing or cannot be read, or says more than dependencies.
    pub(super) fn add_to(&self, sources: &mut Sources, compiled: &Compiled) -> Result<(), Stop> {
        let Some(first) = self.declared.first() else { return Ok(()) };
        let bodies = match read(&self.bodies) {
            Ok(bodies) => bodies,
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(self.no_file(first)),
            Err(error) => return Err(cannot_read(&self.bodies, &error)),
        };
        emit::emit_functions(sources, &compiled.circuit, self.declared, &bodies);
        sources.dependencies = match read(&self.dependencies) {
            Ok(text) => {
                let file = std::path::absolute(&self.dependencies).unwrap_or_else(|_| self.dependencies.clone());
                let folder = file.parent().unwrap_or(Path::new(""));
                dependencies(&text, folder).map_err(|(line, fault)| {
                    program_fault(format!("{}:{line}: {fault}", self.dependencies.display()))
                })?
            }
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => return Err(cannot_read(&self.dependencies, &error)),
        };
        Ok(())
    }

    fn no_file(&self, first: &RustFunction) -> Stop {
        let headline = format!("the function \"{}\" has no body", first.name);
        let label = format!("there is no file {}", self.bodies.display());
        let error = Diagnostic::error(code::UNDEFINED_FUNCTION, headline, first.span).label(label);
        let error = error.help("write the functions there, or say where they are with --udf-rs");
        program_fault(self.with_stubs(&error, self.declared))
    }

    /// A failed build, by whose fault it is.
    pub(super) fn fault(&self, error: BuildError) -> Stop {
        match error {
            BuildError::Functions(faults) => {
                program_fault(faults.iter().map(|fault| self.told(fault)).collect::<Vec<_>>().join("\n"))
            }
            BuildError::Failed { output, .. } if self.dependencies.exists() && is_manifests(&output) => {
                program_fault(format!("cargo cannot use {}:\n{}", self.dependencies.display(), output.trim_end()))
            }
            error => environment_fault(error),
        }
    }

    fn told(&self, fault: &FunctionFault) -> String {
        let bodies = self.bodies.display().to_string();
        let declared = self.declared.iter().find(|function| Some(&function.name) == fault.function.as_ref());
        let Some(function) = declared else { return fault.rendered.replace(emit::BODIES, &bodies) };
        let name = &function.name;
        let (headline, label) = match fault.absent {
            true => (
                format!("the function \"{name}\" has no body"),
                format!("there is no {} in {bodies}", absent_name(&fault.rendered)),
            ),
            false => {
                let headline = format!("the function \"{name}\" in Rust is not what the program declares");
                (headline, format!("in {bodies} {}", said_by_rustc(&fault.rendered)))
            }
        };
        let error = Diagnostic::error(code::UNDEFINED_FUNCTION, headline, function.span).label(label);
        self.with_stubs(&error, std::slice::from_ref(function))
    }

    /// The message, and what to write into the file.
    fn with_stubs(&self, error: &Diagnostic, functions: &[RustFunction]) -> String {
        // The program was read a moment ago; without it the message still has its line.
        let text = fs::read_to_string(self.program).unwrap_or_default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let message = render(&self.program.display().to_string(), text, std::slice::from_ref(error));
        let stubs: Vec<String> = functions.iter().map(emit::stub).collect();
        format!("{message}\nIn {}:\n\nuse feldera_sqllib::*;\n\n{}", self.bodies.display(), stubs.join("\n"))
    }
}

fn read(path: &Path) -> std::io::Result<String> {
    fs::read_to_string(path)
}

fn cannot_read(path: &Path, error: &std::io::Error) -> Stop {
    environment_fault(format!("feldc: cannot read the functions in Rust in {}: {error}", path.display()))
}

/// What rustc cannot find: `function f`, or `type f_accumulator_type`.
fn absent_name(rendered: &str) -> String {
    let words = rendered.split_once("cannot find ").map_or("", |(_, words)| words);
    // A function whose name stands as a value is one "value" to rustc.
    words.split_once(" in ").map_or(words, |(name, _)| name).replace('`', "").replace("value ", "function ")
}

/// What rustc says of a function that does not fit, in one line.
fn said_by_rustc(rendered: &str) -> String {
    let found = rendered.lines().find_map(|line| line.split_once("found fn item ")).map(|(_, found)| found);
    match found {
        Some(found) => {
            // The signature, and the function's path in braces.
            let (signature, path) = found.trim().trim_matches('`').split_once(" {").unwrap_or((found, "it"));
            let signature = signature.replace("(dyn std::error::Error + 'static)", "dyn std::error::Error");
            let name = path.rsplit("::").next().unwrap_or(path).trim_end_matches('}');
            format!("{name} is {signature}")
        }
        None => {
            let first = rendered.lines().next().unwrap_or_default();
            first.split_once("]: ").map_or(first, |(_, message)| message).to_string()
        }
    }
}

/// Does cargo complain about what the manifest asks for?
fn is_manifests(output: &str) -> bool {
    const SIGNS: &[&str] = &[
        "failed to parse manifest",
        "failed to load manifest",
        "--> Cargo.toml",
        "no matching package",
        "failed to select a version",
        "failed to load source for dependency",
        "does not have these features",
        "does not have that feature",
    ];
    SIGNS.iter().any(|sign| output.contains(sign))
}

/// The lines of a `udf.toml` as they stand in the crate's manifest: paths, which are relative to `folder`, are made absolute.
///
/// # Errors
/// The line (from 1) of a section that is not about dependencies.
fn dependencies(text: &str, folder: &Path) -> Result<String, (usize, String)> {
    let mut lines = String::new();
    for (number, line) in text.lines().enumerate() {
        let section = line.trim().strip_prefix('[').and_then(|line| line.split(']').next());
        match section.map(str::trim) {
            Some("dependencies") => continue,
            Some(name) if !name.starts_with("dependencies.") => {
                let fault = format!("[{name}] is not about dependencies; only [dependencies] can stand here");
                return Err((number + 1, fault));
            }
            _ => (),
        }
        lines += &absolute(line, folder);
        lines.push('\n');
    }
    Ok(lines)
}

fn absolute(line: &str, folder: &Path) -> String {
    let is_key =
        |start: usize| !line[..start].ends_with(|before: char| before.is_alphanumeric() || "_-".contains(before));
    let rest = line.find("path").filter(|start| is_key(*start)).map(|start| (start, line[start + 4..].trim_start()));
    let value = rest.and_then(|(start, rest)| Some((start, rest.strip_prefix('=')?.trim_start().strip_prefix('"')?)));
    let Some((start, (path, behind))) = value.and_then(|(start, value)| Some((start, value.split_once('"')?))) else {
        return line.to_string();
    };
    format!("{}path = {:?}{behind}", &line[..start], folder.join(path).display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_and_nothing_else() {
        let text =
            "[dependencies]\na = \"1\"\nb = { path = \"../b\", features = [\"x\"] }\n[dependencies.c]\nversion = \"2\"";
        let expected = "a = \"1\"\nb = { path = \"/p/../b\", features = [\"x\"] }\n[dependencies.c]\nversion = \"2\"\n";
        assert_eq!(dependencies(text, Path::new("/p")).as_deref(), Ok(expected));
        let (line, fault) = dependencies("a = \"1\"\n\n[profile.release]\n", Path::new("/p")).unwrap_err();
        assert_eq!(line, 3);
        assert!(fault.starts_with("[profile.release] is not about dependencies"), "{fault}");
        assert_eq!(dependencies("path-tree = \"1\"", Path::new("/p")).as_deref(), Ok("path-tree = \"1\"\n"));
    }
}
