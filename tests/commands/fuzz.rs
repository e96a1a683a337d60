//! `feldc fuzz`.

use crate::{call, folder};

const PROGRAM: &str = "SET on_error = 'fail';
CREATE TABLE t (k BIGINT NOT NULL PRIMARY KEY, v DECIMAL(5, 2));
CREATE TABLE u (k BIGINT, x VARCHAR) WITH ('append_only' = 'true');
CREATE VIEW a AS SELECT u.x, SUM(1 / t.v) AS s FROM t JOIN u ON t.k = u.k GROUP BY u.x;
CREATE VIEW b AS SELECT k FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.k > t.k);
";

#[test]
fn a_right_program_makes_no_difference() {
    let folder =
        folder(&[("program.sql", PROGRAM), ("empty.sql", ""), ("constant.sql", "CREATE VIEW v AS VALUES (1);")]);
    let (code, output, error) =
        call(folder.path(), &["fuzz", "program.sql", "--streams", "8", "--seed", "5", "--workers", "3"]);
    assert_eq!((code, output.as_str()), (0, ""), "{error}");
    assert!(error.ends_with("(seeds 5 to 12)\n") && error.contains("no difference in 2 views"), "{error}");
    for program in ["empty.sql", "constant.sql"] {
        let (code, _, error) = call(folder.path(), &["fuzz", program, "--streams", "1", "--steps", "2"]);
        assert_eq!(code, 0, "{error}");
    }
    let (code, _, error) = call(folder.path(), &["fuzz", "program.sql", "--time", "0"]);
    assert!(code == 0 && error.contains("after 0 steps"), "{error}");
}

#[test]
fn wrong_usage_is_told() {
    let folder = folder(&[("bad.sql", "CREATE VIEW v AS SELECT x FROM t;")]);
    let check = |words: &[&str], expected: i32, message: &str| {
        let (code, _, error) = call(folder.path(), words);
        assert!(code == expected && error.contains(message), "{code}: {error}");
    };
    check(&["fuzz"], 2, "<FILE>");
    check(&["fuzz", "missing.sql"], 2, "cannot read the program missing.sql");
    check(&["fuzz", "bad.sql"], 1, "error[42P01]");
    check(&["fuzz", "bad.sql", "--steps", "0"], 2, "--steps");
}
