//! Step scripts, interpreted, with one worker and with three. `FELDC_ACCEPT=1` rewrites the expectations.

use feldc_tests::script::Script;
use std::path::PathBuf;

#[test]
fn step_scripts() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("slt/scripts");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("tests/slt/scripts is there")
        .map(|file| file.expect("readable").path())
        .collect();
    files.sort();
    let mut faults = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a readable script");
        let script = Script::parse(&text);
        assert!(!script.steps.is_empty(), "{} has no step", file.display());
        for workers in [1, 3] {
            match script.actual(workers) {
                Ok(actual) if actual == text => (),
                Ok(actual) if std::env::var_os("FELDC_ACCEPT").is_some() => {
                    std::fs::write(file, actual).expect("writable")
                }
                Ok(actual) => {
                    faults.push(format!("{} with {workers} worker(s):\n{}", file.display(), differing(&text, &actual)))
                }
                Err(message) => faults.push(format!("{}:\n{message}", file.display())),
            }
        }
    }
    assert!(faults.is_empty(), "{} of {} scripts differ\n{}", faults.len(), files.len(), faults.join("\n"));
}

/// The first lines that differ, with their numbers.
fn differing(expected: &str, actual: &str) -> String {
    let (expected, actual): (Vec<&str>, Vec<&str>) = (expected.lines().collect(), actual.lines().collect());
    let at = expected.iter().zip(&actual).take_while(|(a, b)| a == b).count();
    let show = |lines: &[&str]| lines.iter().skip(at).take(4).map(|line| format!("    {line}\n")).collect::<String>();
    format!("  line {}: expected\n{}  but was\n{}", at + 1, show(&expected), show(&actual))
}
