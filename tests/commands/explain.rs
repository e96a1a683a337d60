//! `feldc explain`.

use crate::{call, folder};

const PROGRAM: &str = "CREATE TABLE t (k BIGINT, b BOOLEAN) WITH ('append_only' = 'true');
CREATE VIEW few AS SELECT b, COUNT(*) AS n FROM t GROUP BY b;
CREATE VIEW many AS SELECT k, COUNT(*) AS n FROM t GROUP BY k;
";

#[test]
fn state_that_grows_can_be_denied() {
    let (bounded, _) = PROGRAM.rsplit_once("CREATE").expect("two views");
    let folder = folder(&[("program.sql", PROGRAM), ("bounded.sql", bounded)]);
    let (code, output, error) = call(folder.path(), &["explain", "program.sql", "--deny", "unbounded-state"]);
    assert_eq!(code, 1, "{error}");
    assert!(
        output.contains("at most 3 rows\n") && output.contains("grows with the distinct rows present in t"),
        "{output}"
    );
    assert!(error.starts_with("feldc: 1 operator of program.sql may keep ever more"), "{error}");
    assert!(error.contains("program.sql:3:") && error.contains("of view many keeps accumulators"), "{error}");
    assert!(error.contains("nothing is ever deleted from t"), "{error}");
    let (code, _, error) = call(folder.path(), &["explain", "bounded.sql", "--deny", "unbounded-state"]);
    assert_eq!((code, error.as_str()), (0, ""));
    let (code, _, error) = call(folder.path(), &["explain", "program.sql", "--deny", "state"]);
    assert!(code == 2 && error.contains("unbounded-state"), "{error}");
}

#[test]
fn programs_read_json() {
    let folder = folder(&[("program.sql", PROGRAM)]);
    let (code, output, _) = call(folder.path(), &["explain", "program.sql", "--format", "json"]);
    assert_eq!(code, 0);
    let json: serde_json::Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!(json["state"].as_array().map(Vec::len), Some(2));
    assert_eq!(json["state"][0]["rows_max"], 3);
    assert!(json["state"][1]["rows_max"].is_null() && json["state"][1]["tables"][0] == "t", "{output}");
    assert_eq!(json["circuit"][0]["operator"], "table");
    assert_eq!(json["schema"]["inputs"][0]["name"], "t");
}
