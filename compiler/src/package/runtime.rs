//! The runtime's sources, carried inside the compiler and laid out in the cache once.

use super::Cache;
use super::error::{PackageError, io};
use std::fs;
use std::path::{Path, PathBuf};

/// `FILES`, `HASH` and `LOCK`, written by the compiler's build script.
mod embedded {
    include!(concat!(env!("OUT_DIR"), "/runtime.rs"));
}

pub use embedded::{HASH, LOCK};

/// The folder of the runtime's workspace. Another process may do the same at the same time: each lays out a folder of
/// its own and gives it the final name at once, and who comes second finds it done.
pub fn extract(cache: &Cache) -> Result<PathBuf, PackageError> {
    let runtimes = cache.runtimes();
    let folder = runtimes.join(HASH);
    if folder.is_dir() {
        return Ok(folder);
    }
    let draft = runtimes.join(format!(".draft-{HASH}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&draft);
    for (path, bytes) in embedded::FILES {
        write(&draft.join(path), bytes)?;
    }
    match fs::rename(&draft, &folder) {
        Ok(()) => Ok(folder),
        Err(_) if folder.is_dir() => {
            let _ = fs::remove_dir_all(&draft);
            Ok(folder)
        }
        Err(error) => Err(io("create the folder", &folder)(error)),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), PackageError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(io("create the folder", folder))?;
    }
    fs::write(path, bytes).map_err(io("write", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_is_laid_out_once() {
        let root = std::env::temp_dir().join(format!("feldc-runtime-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let cache = Cache::at(root.clone());
        let folder = extract(&cache).unwrap();
        for file in ["Cargo.toml", "runtime/pipeline/Cargo.toml", "runtime/engine/src/row.rs"] {
            assert!(folder.join(file).is_file(), "{file}");
        }
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let members = manifest.lines().find(|line| line.starts_with("members")).unwrap();
        assert!(!members.contains("\"compiler\"") && members.contains("\"runtime/value\""), "{members}");
        assert_eq!(extract(&cache).unwrap(), folder);
        assert_eq!(fs::read_dir(cache.runtimes()).unwrap().count(), 1);
        fs::remove_dir_all(root).unwrap();
    }
}
