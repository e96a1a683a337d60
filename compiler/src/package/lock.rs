//! `Cargo.lock` of a generated crate: what the runtime needs of the workspace's, and the crate itself.

use super::manifest;
use std::collections::{BTreeMap, BTreeSet};

/// The dependency of all generated crates.
const RUNTIME: &str = "feldc-pipeline";

/// The part of a workspace's lock file that a crate `name` over the runtime and some crates of functions needs.
pub fn lock(workspace: &str, name: &str, libraries: &BTreeSet<&str>) -> String {
    let mut parts = workspace.split("[[package]]\n");
    let head = parts.next().unwrap_or("");
    let packages: Vec<&str> = parts.map(str::trim_end).collect();
    let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for package in &packages {
        by_name.entry(field(package, "name")).or_default().push(package);
    }

    let mut direct: Vec<String> = libraries.iter().map(|library| manifest::package(library)).collect();
    direct.push(RUNTIME.to_string());
    direct.sort();
    let mut needed = BTreeSet::new();
    let mut waiting: Vec<&str> = direct.iter().map(String::as_str).collect();
    while let Some(dependency) = waiting.pop() {
        // `name`, or `name version` where several versions are locked, or those and a source.
        let mut words = dependency.split(' ');
        let (name, version) = (words.next().unwrap_or(""), words.next());
        for package in by_name.get(name).into_iter().flatten() {
            if version.is_none_or(|version| version == field(package, "version")) && needed.insert(*package) {
                waiting.extend(dependencies(package));
            }
        }
    }
    let lines: String = direct.iter().map(|dependency| format!(" {dependency:?},\n")).collect();
    let own = format!("name = {name:?}\nversion = \"0.1.0\"\ndependencies = [\n{lines}]");
    let mut packages: Vec<&str> = packages.into_iter().filter(|package| needed.contains(package)).collect();
    let place = packages.partition_point(|package| field(package, "name") < name);
    packages.insert(place, &own);
    let packages: Vec<String> = packages.iter().map(|package| format!("[[package]]\n{package}\n")).collect();
    format!("{head}{}", packages.join("\n"))
}

fn field<'a>(package: &'a str, name: &str) -> &'a str {
    let lines = package.lines().filter_map(|line| line.split_once(" = "));
    let mut values = lines.filter(|(field, _)| *field == name).map(|(_, value)| value.trim_matches('"'));
    values.next().unwrap_or("")
}

fn dependencies(package: &str) -> impl Iterator<Item = &str> {
    let list = package.split_once("dependencies = [\n").map_or("", |(_, list)| list);
    list.lines().filter_map(|line| line.trim().strip_prefix('"')).map(|line| line.trim_end_matches(['"', ',']))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_runtime_needs() {
        let package = |name: &str, version: &str, dependencies: &str| match dependencies {
            "" => format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n\n"),
            _ => format!(
                "[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = [\n \"{dependencies}\",\n]\n\n"
            ),
        };
        let all = ["# head\nversion = 4\n\n".to_string()]
            .into_iter()
            .chain([
                package("a", "1.0.0", ""),
                package("a", "2.0.0", ""),
                package("b", "1.0.0", ""),
                package("feldc", "0.1.0", "b"),
                package("feldc-pipeline", "0.1.0", "a 2.0.0"),
            ])
            .collect::<String>();
        let expected = ["# head\nversion = 4\n\n".to_string()]
            .into_iter()
            .chain([
                package("a", "2.0.0", ""),
                package("feldc-pipeline", "0.1.0", "a 2.0.0"),
                package("q", "0.1.0", "feldc-pipeline"),
            ])
            .collect::<String>();
        assert_eq!(lock(all.trim_end(), "q", &BTreeSet::new()), expected.trim_end().to_string() + "\n");
        let with_library = lock(all.trim_end(), "q", &["b"].into());
        assert!(with_library.contains(" \"b\",\n \"feldc-pipeline\",\n"), "{with_library}");
        assert!(with_library.contains("name = \"b\""), "{with_library}");
    }
}
