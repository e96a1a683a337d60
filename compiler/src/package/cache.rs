//! The cache folder: the runtime's sources, cargo's target folder shared by all programs, crates of programs that were
//! only run, and a stamp for each program's last build.
//!
//! ```text
//! runtime/HASH/        the runtime of a compiler, laid out once
//! target/              what cargo builds
//! programs/NAME-HASH/  crates written for `feldc run`
//! used/NAME            written at each build, holds the crate's folder: what lies for 30 days goes with its artifacts
//! ```

use super::error::{PackageError, io};
use super::manifest;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use std::{env, fs};

/// Unused for so long, artifacts are removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 60 * 60);

#[derive(Clone, Debug)]
pub struct Cache {
    root: PathBuf,
}

impl Cache {
    /// `$FELDC_CACHE`, else `$XDG_CACHE_HOME/feldc`, else `~/.cache/feldc`.
    ///
    /// # Errors
    /// When none of the variables is set.
    pub fn find() -> Result<Cache, PackageError> {
        let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = set("FELDC_CACHE")
            .or_else(|| set("XDG_CACHE_HOME").map(|folder| folder.join("feldc")))
            .or_else(|| set("HOME").map(|home| home.join(".cache/feldc")))
            .ok_or(PackageError::NoCache)?;
        let root = std::path::absolute(&root).map_err(io("find the cache", &root))?;
        Ok(Cache::at(root))
    }

    pub fn at(root: PathBuf) -> Cache {
        Cache { root }
    }

    /// Where the runtimes of all compilers lie.
    pub fn runtimes(&self) -> PathBuf {
        self.root.join("runtime")
    }

    /// Cargo's target folder.
    pub fn target(&self) -> PathBuf {
        self.root.join("target")
    }

    fn used(&self) -> PathBuf {
        self.root.join("used")
    }

    /// A file that exists once the dependencies of this compiler's runtime were downloaded.
    pub fn downloaded(&self) -> PathBuf {
        self.used().join(format!("runtime-{}", super::runtime::HASH))
    }

    /// Notes a finished build, and removes what no build used for 30 days. Failures are ignored: they cost disk space
    /// only, and the next build tries again.
    pub fn note_build(&self, package: &str, folder: &Path) {
        let used = self.used();
        let _ = fs::create_dir_all(&used);
        let _ = fs::write(used.join(package), folder.display().to_string());
        let _ = fs::write(self.downloaded(), "");
        for (name, path) in entries(&used) {
            if age(&path) > KEPT {
                match name.strip_prefix("runtime-") {
                    Some(hash) => self.remove_runtime(hash),
                    None => self.remove_program(&name, &fs::read_to_string(&path).unwrap_or_default()),
                }
                let _ = fs::remove_file(path);
            }
        }
    }

    fn remove_runtime(&self, hash: &str) {
        let _ = fs::remove_dir_all(self.runtimes().join(hash));
        // Which runtime an artifact belongs to is not written on it. One that is still wanted is built again.
        let of_runtime = |name: &str| name.contains("feldc_") || name.starts_with("feldc-");
        self.remove_artifacts(&|name, path| of_runtime(name) && age(path) > KEPT);
    }

    fn remove_program(&self, package: &str, folder: &str) {
        let underscored = package.replace('-', "_");
        self.remove_artifacts(&|name, _| name.starts_with(package) || name.starts_with(&underscored));
        // A crate outside the cache is its owner's.
        if Path::new(folder).parent() == Some(&self.root.join("programs")) {
            let _ = fs::remove_dir_all(folder);
        }
    }

    fn remove_artifacts(&self, stale: &dyn Fn(&str, &Path) -> bool) {
        let release = self.target().join("release");
        for folder in ["", "deps", "incremental", ".fingerprint"] {
            for (name, path) in entries(&release.join(folder)) {
                if stale(&name, &path) {
                    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
                }
            }
        }
    }
}

/// The folder for the crate of a program that is only run, the same at every run.
///
/// # Errors
/// When the cache or the program is not found.
pub fn program_folder(program: &Path) -> Result<PathBuf, PackageError> {
    let program = program.canonicalize().map_err(io("find", program))?;
    let stem = program.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let hash = hash(program.as_os_str().as_encoded_bytes());
    Ok(Cache::find()?.root.join("programs").join(format!("{}-{hash:016x}", manifest::file_name(&stem))))
}

/// FNV-1a, 64 bits: the same on every machine and in every version.
pub fn hash(bytes: &[u8]) -> u64 {
    let fold = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, fold)
}

fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path())).collect()
}

/// Zero when it cannot be told.
fn age(path: &Path) -> Duration {
    let modified = fs::metadata(path).and_then(|metadata| metadata.modified()).unwrap_or_else(|_| SystemTime::now());
    modified.elapsed().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_unused_for_a_month_lose_their_artifacts() {
        let root = env::temp_dir().join(format!("feldc-cache-{}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let cache = Cache::at(root.clone());
        let (deps, used) = (cache.target().join("release/deps"), cache.used());
        fs::create_dir_all(&deps).unwrap();
        fs::create_dir_all(&used).unwrap();
        let crate_folder = root.join("programs/old-5");
        fs::create_dir_all(&crate_folder).unwrap();
        for name in ["old-1-77", "new-2-77"] {
            fs::write(used.join(name), crate_folder.display().to_string()).unwrap();
        }
        for artifact in ["old_1-77", "old_1_77-abc", "new_2_77-abc", "serde-1"] {
            fs::write(deps.join(artifact), "").unwrap();
        }
        let long_ago = SystemTime::now() - KEPT - Duration::from_secs(9);
        let stamp = fs::File::options().write(true).open(used.join("old-1-77")).unwrap();
        stamp.set_modified(long_ago).unwrap();
        cache.note_build("third-3-77", &root);
        let mut left: Vec<String> = entries(&deps).into_iter().map(|(name, _)| name).collect();
        left.sort();
        assert_eq!(left, ["new_2_77-abc", "old_1-77", "serde-1"]);
        assert!(!crate_folder.exists());
        assert!(!used.join("old-1-77").exists() && used.join("third-3-77").exists());
        fs::remove_dir_all(root).unwrap();
    }
}
