//! What goes wrong while a crate is written.

use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub enum PackageError {
    /// Environment: neither of the variables that say where the cache is.
    NoCache,
    /// The folder asked for holds a crate of someone else's.
    Foreign(PathBuf),
    Io {
        intention: &'static str,
        path: PathBuf,
        error: std::io::Error,
    },
}

/// Names the file and the intention of a failed operation.
pub fn io(intention: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> PackageError {
    let path = path.to_path_buf();
    move |error| PackageError::Io { intention, path, error }
}

impl Display for PackageError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            PackageError::NoCache => f.write_str(
                "no folder is known for the runtime's cache: set FELDC_CACHE to a folder (or HOME, or XDG_CACHE_HOME)",
            ),
            PackageError::Foreign(folder) => write!(
                f,
                "the folder {} holds a Cargo.toml that feldc did not write: choose another folder or remove it",
                folder.display()
            ),
            PackageError::Io { intention, path, error } => {
                write!(f, "cannot {intention} {}: {error}", path.display())
            }
        }
    }
}

impl std::error::Error for PackageError {}
