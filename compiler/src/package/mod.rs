//! The emitted sources as a crate on disk, beside a runtime that cargo can build.
//!
//! A file is only written when its bytes change, so that cargo sees what really changed. The runtime's sources are
//! inside the compiler and are laid out once in the cache ([`cache`]).

pub mod cache;
mod error;
mod lock;
mod manifest;
mod runtime;

pub use crate::emit::{BODIES, FUNCTIONS};
pub use cache::{Cache, program_folder};
pub use error::PackageError;

use crate::emit::Sources;
use error::io;
use std::fs;
use std::path::{Path, PathBuf};

/// A crate ready to be built.
#[derive(Clone, Debug)]
pub struct Package {
    /// Where its `Cargo.toml` is; absolute.
    pub folder: PathBuf,
    /// Cargo's name of it, unique to the folder.
    pub name: String,
    /// The program's name as a file name: what the finished binary is called.
    pub binary: String,
    pub cache: Cache,
}

/// Writes the crate of a program to `folder`; `name` is the program's, for people.
///
/// # Errors
/// When a file cannot be written, or the folder holds a crate that is not ours.
pub fn write(folder: &Path, name: &str, sources: &Sources) -> Result<Package, PackageError> {
    let cache = Cache::find()?;
    let runtime = runtime::extract(&cache)?;
    write_with(folder, name, sources, cache, &runtime)
}

fn write_with(
    folder: &Path,
    name: &str,
    sources: &Sources,
    cache: Cache,
    runtime: &Path,
) -> Result<Package, PackageError> {
    fs::create_dir_all(folder).map_err(io("create the folder", folder))?;
    let folder = folder.canonicalize().map_err(io("find the folder", folder))?;
    let manifest_path = folder.join("Cargo.toml");
    if manifest_path.exists() && !manifest::is_ours(&read(&manifest_path)?) {
        return Err(PackageError::Foreign(folder));
    }
    let binary = manifest::file_name(name);
    let name = format!("{binary}-{:016x}", cache::hash(folder.as_os_str().as_encoded_bytes()));
    let lock_path = folder.join("Cargo.lock");
    let changed =
        write_changed(&manifest_path, &manifest::manifest(&name, runtime, &sources.libraries, &sources.dependencies))?;
    if changed || !lock_path.exists() {
        // Cargo completes it; a lock of ours makes it choose the versions this compiler was tested with.
        write_changed(&lock_path, &lock::lock(runtime::LOCK, &name, &sources.libraries))?;
    }
    for (path, text) in &sources.files {
        write_changed(&folder.join(path), text)?;
    }
    let binary = if folder.join(&binary).is_dir() { format!("{binary}-pipeline") } else { binary };
    Ok(Package { folder, name, binary, cache })
}

fn read(path: &Path) -> Result<String, PackageError> {
    fs::read_to_string(path).map_err(io("read", path))
}

/// Writes a file unless it holds these bytes already; did it?
fn write_changed(path: &Path, text: &str) -> Result<bool, PackageError> {
    if fs::read(path).is_ok_and(|present| present == text.as_bytes()) {
        return Ok(false);
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(io("create the folder", folder))?;
    }
    fs::write(path, text).map_err(io("write", path))?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("feldc-package-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        folder
    }

    fn write_to(folder: &Path, text: &str) -> Result<Package, PackageError> {
        let files = [("src/main.rs".to_string(), text.to_string()), ("src/a.rs".into(), "1".into())].into();
        let files = Sources { files, ..Sources::default() };
        let cache = Cache::at(folder.join("cache"));
        write_with(&folder.join("p"), "Übung 7", &files, cache, Path::new("/runtime"))
    }

    #[test]
    fn unchanged_files_keep_their_time() {
        let folder = folder("times");
        let package = write_to(&folder, "a").unwrap();
        let old = SystemTime::now() - Duration::from_secs(1000);
        for file in ["src/main.rs", "src/a.rs", "Cargo.toml"] {
            fs::File::options().write(true).open(package.folder.join(file)).unwrap().set_modified(old).unwrap();
        }
        assert_eq!(write_to(&folder, "b").unwrap().name, package.name);
        let age = |file: &str| fs::metadata(package.folder.join(file)).unwrap().modified().unwrap().elapsed().unwrap();
        assert!(age("src/main.rs") < Duration::from_secs(900));
        assert!(age("src/a.rs") > Duration::from_secs(900));
        assert!(age("Cargo.toml") > Duration::from_secs(900));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_crate_that_is_not_ours_is_left_alone() {
        let folder = folder("foreign");
        fs::create_dir_all(folder.join("p")).unwrap();
        fs::write(folder.join("p/Cargo.toml"), "[package]\n").unwrap();
        assert!(matches!(write_to(&folder, "a"), Err(PackageError::Foreign(_))));
        assert!(!folder.join("p/src").exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
