//! `feldc test`.

use crate::{call, folder};

const PROGRAM: &str = "CREATE TABLE t (k BIGINT, v BIGINT);
CREATE VIEW s AS SELECT k, SUM(v) AS total FROM t GROUP BY k;
";

const WRONG: &str = "program program.sql
step
t +1 (1, 10)
----
s +1 (1, 10)
step
t +1 (1, 5)
t +1 (2, 5)
----
s -1 (1, 10)
s +1 (1, 16)
s +1 (2, 5)
";

#[test]
fn a_step_that_differs_is_shown_with_its_place_and_can_be_accepted() {
    let folder = folder(&[("a/wrong.step", WRONG), ("a/program.sql", PROGRAM)]);
    let (code, output, _) = call(folder.path(), &["test", "a"]);
    let expected = "FAILED a/wrong.step: 1 of 2 steps
a/wrong.step:6: step 2 differs (- expected, + given)
    s  -1 (1, 10)
  + s  +1 (1, 15)
  - s  +1 (1, 16)
    s  +1 (2, 5)
1 script: 0 passed, 1 failed
";
    assert_eq!((code, output.as_str()), (1, expected));
    let (code, output, _) = call(folder.path(), &["test", "a", "--accept"]);
    assert_eq!((code, output.lines().next().unwrap()), (0, "accepted a/wrong.step: 1 step"));
    let (code, output, _) = call(folder.path(), &["test", "a", "--workers", "3"]);
    assert_eq!((code, output.as_str()), (0, "ok a/wrong.step: 2 steps\n1 script: 1 passed\n"));
}

#[test]
fn what_cannot_be_run_is_told_and_the_rest_is_run() {
    let good = format!("program\n{PROGRAM}step\nt +1 (1, 1)\n");
    let bad_program = "program\nCREATE TABLE t (k BIGINT);\nCREATE VIEW v AS SELECT x FROM t;\nstep\n";
    let folder = folder(&[
        ("a.step", "program missing.sql\nstep\n"),
        ("b.step", bad_program),
        ("c.step", &format!("{good}t +1 (1)\n")),
        ("d.step", &good),
        ("wrong.step", WRONG),
        ("program.sql", PROGRAM),
    ]);
    let (code, output, _) = call(folder.path(), &["test", ".", "--junit", "report.xml"]);
    assert_eq!(code, 2, "{output}");
    assert!(output.contains("./a.step:1: cannot read the program ./missing.sql"), "{output}");
    assert!(output.contains("./b.step:3:25"), "the place is in the script: {output}");
    assert!(output.contains("./c.step:6: t has 2 columns"), "{output}");
    assert!(output.contains("ok ./d.step: 1 step"), "{output}");
    assert!(output.ends_with("5 scripts: 1 passed, 1 failed, 3 could not be run\n"), "{output}");
    let report = std::fs::read_to_string(folder.path().join("report.xml")).expect("a report");
    assert!(
        report.matches("<testsuite ").count() == 5 && report.contains("<failure message=\"./wrong.step:6"),
        "{report}"
    );
    let (code, output, _) = call(folder.path(), &["test", ".", "--filter", "d.st"]);
    assert_eq!((code, output.lines().last()), (0, Some("1 script: 1 passed")));
}

#[test]
fn wrong_usage_is_told() {
    let folder = folder(&[("a.txt", "")]);
    let check = |words: &[&str], message: &str| {
        let (code, _, error) = call(folder.path(), words);
        assert!(code == 2 && error.contains(message), "{code}: {error}");
    };
    check(&["test"], "<PATH>...");
    check(&["test", "b"], "no file or folder b");
    check(&["test", "."], "no step script");
    check(&["test", ".", "--filter", "x"], "no step script has \"x\" in its path");
    check(&["test", "a.txt", "--workers", "0"], "--workers");
    let (code, output, _) = call(folder.path(), &["test", "a.txt"]);
    assert!(code == 2 && output.contains("a.txt:1: the script is empty"), "{code}: {output}");
}
