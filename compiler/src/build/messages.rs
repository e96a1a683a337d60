//! What cargo writes while it builds, and what came of it: JSON lines on its standard output, the progress bar and
//! plain words on its standard error.

use super::error::BuildError;
use super::{functions, place};
use crate::package::Package;
use serde_json::Value;
use std::path::PathBuf;
use std::process::ExitStatus;

#[derive(Debug, PartialEq)]
pub enum Event {
    /// So many of so many crates are done.
    Done {
        crates: usize,
        of: usize,
    },
    /// The compilation of a crate began.
    Compiling {
        name: String,
    },
    /// Another cargo is building in the same target folder.
    Blocked,
    /// A finished binary.
    Binary {
        path: PathBuf,
    },
    /// An error in a crate: file below the crate's folder and line, when it has them.
    Error {
        target: String,
        file: Option<(String, usize)>,
        rendered: String,
    },
    Line(String),
}

/// A line of standard output.
pub fn message(line: &str) -> Option<Event> {
    let message: Value = serde_json::from_str(line).ok()?;
    match message["reason"].as_str()? {
        "compiler-artifact" => Some(Event::Binary { path: message["executable"].as_str()?.into() }),
        "compiler-message" if message["message"]["level"].as_str()?.starts_with("error") => {
            let spans = message["message"]["spans"].as_array()?;
            let primary = spans.iter().find(|span| span["is_primary"] == true).or_else(|| spans.first());
            let file = primary.and_then(|span| {
                Some((span["file_name"].as_str()?.to_string(), span["line_start"].as_u64()? as usize))
            });
            Some(Event::Error {
                target: message["target"]["name"].as_str()?.into(),
                file,
                rendered: message["message"]["rendered"].as_str().unwrap_or_default().into(),
            })
        }
        _ => None,
    }
}

/// A line of standard error, or one state of the progress bar.
pub fn status(line: &str) -> Option<Event> {
    // The bar is cleared with an escape sequence.
    let line = line.replace("\u{1b}[K", "");
    let words: Vec<&str> = line.split_whitespace().collect();
    match words.as_slice() {
        [] => None,
        ["Building", ..] => {
            let counts = words.iter().find_map(|word| word.trim_end_matches(':').split_once('/'))?;
            Some(Event::Done { crates: counts.0.parse().ok()?, of: counts.1.parse().ok()? })
        }
        ["Compiling", name, ..] => Some(Event::Compiling { name: name.to_string() }),
        ["Blocking", ..] => Some(Event::Blocked),
        _ => Some(Event::Line(line.trim_end().to_string())),
    }
}

/// A fault that rustc found: in which crate, where (file and line), and its rendering.
pub type RustError = (String, Option<(String, usize)>, String);

/// All that one run of cargo said.
#[derive(Debug, Default)]
pub struct Outcome {
    pub status: Option<ExitStatus>,
    binary: Option<PathBuf>,
    errors: Vec<RustError>,
    lines: Vec<String>,
}

impl Outcome {
    pub fn add(&mut self, event: Event) {
        match event {
            Event::Binary { path } => self.binary = Some(path),
            Event::Error { target, file, rendered } => self.errors.push((target, file, rendered)),
            Event::Line(line) => self.lines.push(line),
            Event::Done { .. } | Event::Compiling { .. } | Event::Blocked => (),
        }
    }

    pub fn finished(&self) -> bool {
        self.status.is_some_and(|status| status.success())
    }

    /// Did it fail for want of something not downloaded yet?
    pub fn wants_network(&self) -> bool {
        self.lines.iter().any(|line| line.contains("offline"))
    }

    /// The binary, or why there is none.
    pub fn binary(self, package: &Package) -> Result<PathBuf, BuildError> {
        let status = self.status.unwrap_or_default();
        if let (true, Some(binary)) = (status.success(), self.binary) {
            return Ok(binary);
        }
        let ours: Vec<_> = self.errors.iter().filter(|(target, ..)| *target == package.name).collect();
        if ours.is_empty() {
            let rendered = self.errors.into_iter().map(|(.., rendered)| rendered);
            let output: Vec<String> = rendered.chain(self.lines).collect();
            return Err(BuildError::Failed { status, output: output.join("\n") });
        }
        if let Some(faults) = functions::faults(&package.folder, &ours) {
            return Err(BuildError::Functions(faults));
        }
        let place = ours.iter().find_map(|(_, file, _)| {
            let (file, line) = file.as_ref()?;
            place::place(&package.folder, file, *line)
        });
        let rendered = ours.iter().map(|(.., rendered)| rendered.as_str()).collect();
        Err(BuildError::Refused { place, folder: package.folder.clone(), rendered })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_progress_bar_counts_crates() {
        let bar = "    Building [=====>          ] 57/120: serde, tokio(build)";
        assert_eq!(status(bar), Some(Event::Done { crates: 57, of: 120 }));
        assert_eq!(status("\u{1b}[K   Compiling serde v1.0.2"), Some(Event::Compiling { name: "serde".into() }));
        assert_eq!(status("\u{1b}[K"), None);
        assert_eq!(status("error: no space"), Some(Event::Line("error: no space".into())));
    }

    #[test]
    fn errors_have_a_place() {
        let line = r#"{"reason":"compiler-message","target":{"name":"q3-1"},"message":{"level":"error","rendered":"no",
            "spans":[{"file_name":"src/kernels.rs","line_start":7,"is_primary":true}]}}"#;
        let expected =
            Event::Error { target: "q3-1".into(), file: Some(("src/kernels.rs".into(), 7)), rendered: "no".into() };
        assert_eq!(message(line), Some(expected));
        assert_eq!(message("not json"), None);
    }
}
