//! Functions in Rust: the real command builds them, and what they return, fail with and panic with is data.

use feldc_tests::process;
use std::path::Path;
use std::process::Command;

/// Exit code, standard output and standard error of `feldc` in a folder.
fn call(folder: &Path, words: &[&str]) -> (i32, String, String) {
    let output = Command::new(process::feldc()).args(words).current_dir(folder).output().expect("feldc starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    (output.status.code().expect("an exit code"), text(&output.stdout), text(&output.stderr))
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).expect("writable");
    }
    folder
}

/// Each type there and back, NULLs, lengths, errors, panics, and errors that go with their cause.
#[test]
fn every_type_and_every_way_to_fail() {
    let script = include_str!("udf/types.step");
    let folder = folder(&[("types.step", script), ("udf.rs", include_str!("udf/types.rs"))]);
    let (code, output, errors) = call(folder.path(), &["test", "types.step", "--native"]);
    assert_eq!((code, output.as_str()), (0, "ok types.step: 2 steps\n1 script: 1 passed\n"), "{errors}");
    // Rows on several workers are the same rows.
    let (code, output, errors) = call(folder.path(), &["test", "types.step", "--native", "--workers", "3"]);
    assert_eq!((code, output.as_str()), (0, "ok types.step: 2 steps\n1 script: 1 passed\n"), "{errors}");
}

/// Sums and folds over groups: NULLs, FILTER, DISTINCT, HAVING, no rows, an overflow, an error, all of which go again.
#[test]
fn aggregates() {
    let files = [("a.step", include_str!("udf/aggregates.step")), ("udf.rs", include_str!("udf/aggregates.rs"))];
    let folder = folder(&files);
    for workers in ["1", "3"] {
        let (code, output, errors) = call(folder.path(), &["test", "a.step", "--native", "--workers", workers]);
        assert_eq!((code, output.as_str()), (0, "ok a.step: 5 steps\n1 script: 1 passed\n"), "{errors}");
    }
}

const PROGRAM: &str = "CREATE FUNCTION twice(a BIGINT NOT NULL) RETURNS BIGINT NOT NULL;
CREATE FUNCTION half(a BIGINT) RETURNS BIGINT;
CREATE TABLE t (k BIGINT NOT NULL);
CREATE MATERIALIZED VIEW v AS SELECT twice(k) AS d FROM t;
";
const GOOD: &str = "use std::error::Error;
pub fn twice(a: i64) -> Result<i64, Box<dyn Error>> { Ok(2 * a) }
pub fn half(a: Option<i64>) -> Result<Option<i64>, Box<dyn Error>> { Ok(a.map(|a| a / 2)) }
";

/// What `--stdio` makes of one row.
fn doubled(folder: &Path, words: &[&str]) -> String {
    let words = [&["run", "p.sql", "--stdio"], words].concat();
    let mut command = Command::new(process::feldc());
    command.args(words).current_dir(folder).stderr(std::process::Stdio::null());
    process::talk(&mut command, "{\"table\":\"t\",\"insert\":{\"k\":21}}\n{\"commit\":1}\n")
}

#[test]
fn an_edit_of_the_functions_rebuilds() {
    let folder = folder(&[("p.sql", PROGRAM), ("udf.rs", GOOD), ("other.rs", &GOOD.replace("2 * a", "a + 1"))]);
    let doubled = |words: &[&str]| doubled(folder.path(), words);
    assert!(doubled(&[]).contains("{\"d\":42}"), "{}", doubled(&[]));
    std::fs::write(folder.path().join("udf.rs"), GOOD.replace("2 * a", "3 * a")).expect("writable");
    assert!(doubled(&[]).contains("{\"d\":63}"));
    assert!(doubled(&["--udf-rs", "other.rs"]).contains("{\"d\":22}"));
}

#[test]
fn faults_in_the_functions_are_the_programs() {
    let folder = folder(&[("p.sql", PROGRAM)]);
    let check = |bodies: &str, expected: &[&str]| {
        std::fs::write(folder.path().join("udf.rs"), bodies).expect("writable");
        let (code, output, errors) = call(folder.path(), &["compile", "p.sql", "-o", "out"]);
        assert_eq!((code, output.as_str()), (1, ""), "{errors}");
        expected.iter().for_each(|part| assert!(errors.contains(part), "no {part} in {errors}"));
        assert!(!errors.contains("feldc's"), "{errors}");
    };
    let stub = "pub fn half(a: Option<i64>) -> Result<Option<i64>, Box<dyn std::error::Error>> {";
    check(
        &GOOD.replace("pub fn half", "pub fn other"),
        &["error[42883]: the function \"half\" has no body", "p.sql:2:17", "there is no function half in udf.rs", stub],
    );
    check(
        &GOOD.replace("half(a: Option<i64>)", "half(a: i64)").replace("a.map(|a| a / 2)", "Some(a)"),
        &[
            "the function \"half\" in Rust is not what the program declares",
            "in udf.rs half is fn(i64) -> Result<",
            stub,
        ],
    );
    check(&GOOD.replace("2 * a", "\"x\""), &["error[E0308]: mismatched types", "--> udf.rs:2:", "expected `i64`"]);
    std::fs::write(folder.path().join("udf.toml"), "[dependencies]\nabsent = { path = \"absent\" }\n")
        .expect("writable");
    check(GOOD, &["cargo cannot use udf.toml:", "/absent"]);
    std::fs::write(folder.path().join("udf.toml"), "[profile.release]\n").expect("writable");
    check(GOOD, &["udf.toml:1: [profile.release] is not about dependencies"]);
}

#[test]
fn a_part_of_an_aggregate_that_is_absent_is_named() {
    let program = "CREATE LINEAR AGGREGATE total(x INT NOT NULL) RETURNS BIGINT NOT NULL;";
    let bodies = "pub type total_accumulator_type = i64;
        pub fn total_map(x: i32) -> i64 { x as i64 }
        pub fn total_post(sum: i64) -> i64 { sum }";
    let folder = folder(&[("p.sql", program)]);
    let check = |bodies: &str, expected: &[&str]| {
        std::fs::write(folder.path().join("udf.rs"), bodies).expect("writable");
        let (code, _, errors) = call(folder.path(), &["compile", "p.sql", "-o", "out"]);
        assert_eq!(code, i32::from(!expected.is_empty()), "{errors}");
        expected.iter().for_each(|part| assert!(errors.contains(part), "no {part} in {errors}"));
    };
    check(bodies, &[]);
    let stub = "pub fn total_post(sum: total_accumulator_type) -> i64 {";
    check(&bodies.replace("fn total_post", "fn other"), &["there is no function total_post in udf.rs", stub]);
    check(
        &bodies.replace("pub type total_", "pub type other_"),
        &["there is no type total_accumulator_type in udf.rs"],
    );
    check(
        &bodies.replace("x: i32", "x: i16").replace("x as i64", "x.into()"),
        &["in udf.rs total_map is fn(i16) -> ", stub],
    );
}

#[test]
fn a_crate_of_udf_toml_is_at_hand() {
    let folder = folder(&[
        ("p.sql", PROGRAM),
        ("udf.rs", &GOOD.replace("Ok(2 * a)", "Ok(helper::times(a))")),
        ("udf.toml", "helper = { path = \"helper\" }\n"),
    ]);
    let helper = folder.path().join("helper");
    std::fs::create_dir_all(helper.join("src")).expect("writable");
    let manifest = "[package]\nname = \"helper\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[workspace]\n";
    std::fs::write(helper.join("Cargo.toml"), manifest).expect("writable");
    std::fs::write(helper.join("src/lib.rs"), "pub fn times(a: i64) -> i64 { 5 * a }\n").expect("writable");
    let output = doubled(folder.path(), &[]);
    assert!(output.contains("{\"d\":105}"), "{output}");
}

#[test]
fn the_example_runs() {
    let program = process::root().join("programs/udf/program.sql");
    let output = process::run(&["run", program.to_str().expect("UTF-8"), "--until-complete", "--print"]);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(
        text.contains("{\"view\":\"totals\",\"insert\":{\"country\":\"DE\",\"payments\":2,\"amount\":1201.49}}"),
        "{text}"
    );
    assert!(text.contains("function amount_of: \\\"twelve\\\" is no DECIMAL(12, 2)"), "{text}");
    assert_eq!(text.lines().filter(|line| line.contains("error_view")).count(), 2, "{text}");
}
