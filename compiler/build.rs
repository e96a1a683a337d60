//! Embeds the runtime's sources into the compiler, so that an installed `feldc` builds pipelines without this workspace.
//!
//! Writes `runtime.rs` with the files of a workspace that holds only the runtime's crates, and their content hash.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = Path::new(&env::var("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("..").canonicalize()?;
    let out = PathBuf::from(env::var("OUT_DIR").expect("cargo sets it"));
    for watched in ["runtime", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", root.join(watched).display());
    }

    let mut crates = Vec::new();
    find_crates(&root, &root.join("runtime"), &mut crates)?;
    crates.sort();
    let mut files = Vec::new();
    for folder in &crates {
        for part in ["Cargo.toml", "build.rs", "src"] {
            find_files(&root, &root.join(folder).join(part), &mut files)?;
        }
    }
    files.sort();

    let manifest = out.join("workspace.toml");
    fs::write(&manifest, runtime_manifest(&fs::read_to_string(root.join("Cargo.toml"))?, &crates))?;
    let mut listed = vec![("Cargo.toml".to_string(), manifest)];
    listed.extend(files.into_iter().map(|file| (file.clone(), root.join(file))));

    let mut hash = Hash::new();
    let mut text = String::from("pub static FILES: &[(&str, &[u8])] = &[\n");
    for (name, path) in &listed {
        hash.add(name.as_bytes());
        hash.add(&fs::read(path)?);
        let _ = writeln!(text, "    ({name:?}, include_bytes!({:?})),", path.display().to_string());
    }
    let _ = writeln!(text, "];\npub const HASH: &str = \"{:016x}\";", hash.0);
    let lock = root.join("Cargo.lock");
    let _ = writeln!(text, "pub const LOCK: &str = include_str!({:?});", lock.display().to_string());
    fs::write(out.join("runtime.rs"), text)
}

/// Folders below the root with a `Cargo.toml`.
fn find_crates(root: &Path, folder: &Path, found: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let hidden = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'));
        if !path.is_dir() || hidden || path.ends_with("target") || path.ends_with("src") {
            continue;
        }
        if path.join("Cargo.toml").is_file() {
            found.push(below(root, &path));
        } else {
            find_crates(root, &path, found)?;
        }
    }
    Ok(())
}

fn find_files(root: &Path, path: &Path, found: &mut Vec<String>) -> io::Result<()> {
    if path.is_file() {
        found.push(below(root, path));
    } else if path.is_dir() {
        for entry in fs::read_dir(path)? {
            find_files(root, &entry?.path(), found)?;
        }
    }
    Ok(())
}

fn below(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).expect("it was found there").to_string_lossy().replace('\\', "/")
}

/// The workspace's manifest with only these members.
fn runtime_manifest(manifest: &str, members: &[String]) -> String {
    let members: Vec<String> = members.iter().map(|member| format!("{member:?}")).collect();
    let manifest = replace_list(manifest, "\nmembers = [", &members.join(", "));
    replace_list(&manifest, "\nexclude = [", "")
}

fn replace_list(text: &str, opening: &str, items: &str) -> String {
    let Some((before, rest)) = text.split_once(opening) else {
        panic!("the workspace's Cargo.toml has no line that begins {:?}", opening.trim());
    };
    let Some((_, after)) = rest.split_once(']') else {
        panic!("the list {:?} in the workspace's Cargo.toml does not end", opening.trim());
    };
    format!("{before}{opening}{items}]{after}")
}

/// FNV-1a, 64 bits, over length-prefixed parts.
struct Hash(u64);

impl Hash {
    fn new() -> Hash {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, part: &[u8]) {
        for byte in (part.len() as u64).to_le_bytes().iter().chain(part) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
