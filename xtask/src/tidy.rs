//! Checks of the tree's shape that no compiler makes: the arrows of DESIGN.md section 3 and a few habits.

use std::fs;
use std::path::{Path, PathBuf};

/// Which workspace crates a crate may name, in manifests and in sources.
const CRATE_ARROWS: &[(&str, &[&str])] = &[
    ("runtime/value", &[]),
    ("runtime/functions/gunzip", &["feldc_value"]),
    ("runtime/functions/hash", &["feldc_value"]),
    ("runtime/functions/regex", &["feldc_value"]),
    ("runtime/functions/time_format", &["feldc_value"]),
    ("runtime/functions/time_zone", &["feldc_value"]),
    ("runtime/functions/udf", &["feldc_value"]),
    ("runtime/engine", &["feldc_value"]),
    ("runtime/pipeline", &["feldc_value", "feldc_engine"]),
];

/// Which rooms of the compiler a room may name (`crate::ROOM`). The trees (`plan`, `circuit`) and `diagnostic` are the
/// floor; a phase knows the tree it takes and the tree it gives; only `driver` sees all.
const ROOM_ARROWS: &[(&str, &[&str])] = &[
    ("diagnostic", &["plan"]),
    ("plan", &[]),
    ("circuit", &["plan"]),
    ("parse", &["diagnostic", "plan"]),
    ("bind", &["diagnostic", "plan", "parse"]),
    ("rewrite", &["plan"]),
    ("reference", &["plan"]),
    ("lower", &["plan", "circuit"]),
    ("incremental", &["plan", "circuit"]),
    ("interpret", &["plan", "circuit"]),
    ("emit", &["plan", "circuit"]),
    ("format", &[]),
    ("steps", &["plan", "reference"]),
    ("package", &["emit"]),
    ("build", &["package"]),
];

/// Rooms of the compiler that must not touch the engine's machinery (its plain vocabulary types are fine).
const FRONT_END: &[&str] = &["parse", "bind", "rewrite", "plan", "diagnostic"];

pub fn run() -> Result<(), String> {
    let root = crate::root();
    let mut faults = Vec::new();
    for file in rust_files(&root) {
        let text = fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))?;
        let name = file.strip_prefix(&root).expect("below the root").to_string_lossy().replace('\\', "/");
        header(&name, &text, &mut faults);
        room_names(&name, &mut faults);
        crate_arrows(&name, &text, &mut faults);
        room_arrows(&name, &text, &mut faults);
    }
    licences(&root, &mut faults);
    match faults.is_empty() {
        true => Ok(()),
        false => Err(format!("tidy found {} fault(s):\n  {}", faults.len(), faults.join("\n  "))),
    }
}

/// Every file opens by saying what it is for.
fn header(name: &str, text: &str, faults: &mut Vec<String>) {
    let exempt = name.contains("/snapshots/") || name.starts_with("templates/");
    if !exempt && !text.trim_start().starts_with("//!") {
        faults.push(format!("{name}: opens without a `//!` sentence on what the file is for"));
    }
}

fn room_names(name: &str, faults: &mut Vec<String>) {
    for word in ["util", "utils", "common", "manager", "helpers"] {
        if name.split('/').any(|part| part == word || part == format!("{word}.rs")) {
            faults.push(format!("{name}: a room called `{word}` names no concept"));
        }
    }
}

fn crate_arrows(name: &str, text: &str, faults: &mut Vec<String>) {
    let Some((home, allowed)) = CRATE_ARROWS.iter().find(|(home, _)| name.starts_with(&format!("{home}/src/"))) else {
        return;
    };
    for other in ["feldc_value", "feldc_engine", "feldc_pipeline", "feldc"] {
        let own = home.ends_with(other.trim_start_matches("feldc_"));
        if !own && !allowed.contains(&other) && text.contains(&format!("{other}::")) {
            faults.push(format!("{name}: names `{other}`, against the arrows"));
        }
    }
}

fn room_arrows(name: &str, text: &str, faults: &mut Vec<String>) {
    let Some(path) = name.strip_prefix("compiler/src/") else { return };
    let Some((room, file)) = path.split_once('/') else { return };
    // Modules for tests only may name what they test against.
    if ["law", "testing", "golden", "queries"].iter().any(|stem| file.starts_with(stem)) {
        return;
    }
    let Some((_, allowed)) = ROOM_ARROWS.iter().find(|(name, _)| *name == room) else { return };
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    for (other, _) in ROOM_ARROWS.iter().chain([&("driver", &[] as &[&str])]) {
        if *other != room && !allowed.contains(other) && code.contains(&format!("crate::{other}")) {
            faults.push(format!("{name}: `{room}` names `{other}`, against the arrows"));
        }
    }
    if FRONT_END.contains(&room)
        && ["feldc_pipeline::", "feldc_engine::Runtime", "feldc_engine::Builder"].iter().any(|m| code.contains(m))
    {
        faults.push(format!("{name}: the front end touches the engine"));
    }
}

fn licences(root: &Path, faults: &mut Vec<String>) {
    for file in ["LICENSE-MIT", "LICENSE-APACHE", "README.md", "ARCHITECTURE.md"] {
        if !root.join(file).is_file() {
            faults.push(format!("{file} is missing at the root"));
        }
    }
}

fn rust_files(root: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() {
                if name != "target" && !name.starts_with('.') {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
