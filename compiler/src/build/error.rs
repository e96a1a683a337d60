//! Why there is no binary, by whose fault it is.

use std::ffi::OsString;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::process::ExitStatus;

/// What rustc says about the program's own Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionFault {
    /// The function that is absent from `udf.rs`, or has another signature there; none when the fault is inside `udf.rs`.
    pub function: Option<String>,
    /// Is there no function of that name?
    pub absent: bool,
    pub rendered: String,
}

#[derive(Debug)]
pub enum BuildError {
    /// Environment: there is no Rust toolchain.
    NoCargo {
        program: OsString,
    },
    /// Ours: rustc refused generated code. `place` is the SQL it came from, when that is known.
    Refused {
        place: Option<String>,
        folder: PathBuf,
        rendered: String,
    },
    /// The program's: rustc refused its functions in Rust.
    Functions(Vec<FunctionFault>),
    /// Environment, mostly: cargo failed before or beside the generated code (network, disk, an old toolchain, a signal).
    Failed {
        status: ExitStatus,
        output: String,
    },
    Io {
        intention: &'static str,
        path: PathBuf,
        error: std::io::Error,
    },
}

impl Display for BuildError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::NoCargo { program } => write!(
                f,
                "cannot find cargo ({}): native pipelines need a Rust toolchain. Install one, or set CARGO to its path, \
                 or use `feldc run --interpret`, which needs none",
                program.display()
            ),
            BuildError::Refused { place, folder, rendered } => {
                f.write_str("rustc refused the generated code. The fault is feldc's, not your program's")?;
                match place {
                    Some(place) => writeln!(f, "; it is about {place}")?,
                    None => f.write_str("\n")?,
                }
                writeln!(f, "Please report it with the program. `feldc run --interpret` runs it meanwhile.")?;
                write!(f, "The code is in {}. What rustc says:\n{}", folder.display(), rendered.trim_end())
            }
            BuildError::Functions(faults) => {
                writeln!(f, "rustc refused the functions in Rust:")?;
                faults.iter().try_for_each(|fault| writeln!(f, "{}", fault.rendered.trim_end()))
            }
            BuildError::Failed { status, output } => {
                write!(f, "cargo could not build the pipeline ({status})")?;
                if output.contains("No space left") {
                    f.write_str("; make room, or set FELDC_CACHE to a folder on a larger disk")?;
                }
                write!(f, ". What it says:\n{}", output.trim_end())
            }
            BuildError::Io { intention, path, error } => write!(f, "cannot {intention} {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for BuildError {}
