//! `feldc fmt`.

use crate::{call, folder};
use feldc_tests::process;

const UGLY: &str = "create table t(k bigint);-- rows\ncreate view v as select k,count(*) as n from t group by k\n";
const PRETTY: &str =
    "CREATE TABLE t (k BIGINT); -- rows\nCREATE VIEW v AS\nSELECT k, count(*) AS n\nFROM t\nGROUP BY k\n";

#[test]
fn files_are_laid_out_once() {
    let folder = folder(&[("ugly.sql", UGLY), ("pretty.sql", PRETTY)]);
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect("readable");
    let both = ["fmt", "pretty.sql", "ugly.sql"];
    let (code, output, _) = call(folder.path(), &[&both[..], &["--check"]].concat());
    assert_eq!((code, output.as_str(), read("ugly.sql").as_str()), (1, "ugly.sql\n", UGLY));
    assert_eq!(call(folder.path(), &both), (0, String::new(), String::new()));
    assert_eq!((read("ugly.sql").as_str(), read("pretty.sql").as_str()), (PRETTY, PRETTY));
    assert_eq!(call(folder.path(), &[&both[..], &["--check"]].concat()).0, 0);
    assert_eq!(process::run_with(&["fmt", "-"], UGLY), PRETTY);
}

#[test]
fn what_cannot_be_laid_out_is_left_alone() {
    let bad = "create view v as select from from t;";
    let folder = folder(&[("bad.sql", bad), ("ugly.sql", UGLY)]);
    let (code, _, error) = call(folder.path(), &["fmt", "bad.sql", "missing.sql", "ugly.sql"]);
    assert!(
        code == 2 && error.contains("bad.sql:1:") && error.contains("cannot read the program missing.sql"),
        "{error}"
    );
    assert_eq!(std::fs::read_to_string(folder.path().join("bad.sql")).expect("readable"), bad);
    assert_eq!(std::fs::read_to_string(folder.path().join("ugly.sql")).expect("readable"), PRETTY);
    assert_eq!(call(folder.path(), &["fmt", "bad.sql"]).0, 1);
    assert_eq!(call(folder.path(), &["fmt"]).0, 2);
}
