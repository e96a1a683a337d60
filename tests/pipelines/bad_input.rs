//! Bad input of every kind: a clear message, an exit code or a status, nothing else lost, the process alive.

use feldc_tests::process::{self, Pipeline};
use std::io::Write;
use std::path::PathBuf;

const PROGRAM: &str = "CREATE TABLE t (id BIGINT NOT NULL, price DECIMAL(10, 2), name VARCHAR);
CREATE MATERIALIZED VIEW v AS SELECT id, price, name FROM t;
";

fn program(folder: &tempfile::TempDir, sql: &str) -> PathBuf {
    let path = folder.path().join("program.sql");
    std::fs::write(&path, sql).expect("writable");
    path
}

fn start(folder: &tempfile::TempDir) -> Pipeline {
    Pipeline::start(&[program(folder, PROGRAM).to_str().expect("UTF-8"), "--interpret"])
}

/// Rows of the view once `count` of them are there.
fn rows(pipeline: &Pipeline, count: usize) -> String {
    for _ in 0..250 {
        let (status, body) = pipeline.request("GET", "/view/v", "");
        assert_eq!(status, 200, "{body}");
        let view: serde_json::Value = serde_json::from_str(&body).expect("JSON");
        if view["rows"].as_array().is_some_and(|rows| rows.len() == count) {
            return body;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("the view never held {count} rows");
}

#[test]
fn a_malformed_line_and_a_wrong_type_lose_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipeline = start(&folder);
    let body = "{\"id\": 1, \"price\": 1.25, \"name\": \"a\"}\n{\"id\": 2, \"price\": }\n{\"id\": \"three\"}\n{\"id\": 4, \"other\": 1e999}\n";
    let (status, answer) = pipeline.request("POST", "/ingress/t?format=json&update_format=raw", body);
    assert_eq!(status, 400, "{answer}");
    assert!(answer.contains("ParseErrors") && answer.contains("three"), "{answer}");
    let rows = rows(&pipeline, 2);
    assert!(rows.contains("1.25") && rows.contains("4"), "{rows}");
    let (status, letters) = pipeline.request("GET", "/dead_letters", "");
    assert_eq!(status, 200);
    assert!(letters.contains("three"), "the rejected bytes are kept: {letters}");
}

#[test]
fn an_unknown_table_is_not_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let pipeline = start(&folder);
    let (status, answer) = pipeline.request("POST", "/ingress/tt?format=json", "{}");
    assert_eq!(status, 404, "{answer}");
    assert!(answer.contains("UnknownInputStream") && answer.contains("tt"), "{answer}");
    assert_eq!(pipeline.request("GET", "/healthz", "").0, 200);
}

#[test]
fn a_bearer_token_guards_everything_but_health() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = program(&folder, PROGRAM);
    let pipeline = Pipeline::start(&[path.to_str().expect("UTF-8"), "--interpret", "--token", "s3cret"]);
    assert_eq!(pipeline.request("GET", "/healthz", "").0, 200);
    assert_eq!(pipeline.request("GET", "/stats", "").0, 401);
    assert_eq!(pipeline.request_with("GET", "/stats", "", "Authorization: Bearer s3cres\r\n").0, 401);
    assert_eq!(pipeline.request_with("GET", "/stats", "", "Authorization: Bearer s3cret\r\n").0, 200);
    assert_eq!(pipeline.request_with("GET", "/stats", "", "authorization: bearer s3cret\r\n").0, 200);
}

#[test]
fn a_truncated_csv_keeps_the_whole_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut file = std::fs::File::create(folder.path().join("t.csv")).expect("writable");
    file.write_all(b"1,2.50,\"a\"\n2,3.75,\"cut in the mid").expect("writable");
    let sql = "CREATE TABLE t (id BIGINT NOT NULL, price DECIMAL(10, 2), name VARCHAR) WITH ('connectors' = '[{\"transport\": {\"name\": \"file_input\", \"config\": {\"path\": \"t.csv\"}}, \"format\": {\"name\": \"csv\"}}]');
CREATE VIEW v WITH ('connectors' = '[{\"transport\": {\"name\": \"file_output\", \"config\": {\"path\": \"v.csv\"}}, \"format\": {\"name\": \"csv\"}}]') AS SELECT * FROM t;";
    let path = program(&folder, sql);
    let output = process::run(&["run", path.to_str().expect("UTF-8"), "--interpret", "--until-complete"]);
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}");
    assert!(
        message.contains("quote") || message.contains("truncated") || message.contains("end of"),
        "the cut record is named: {message}"
    );
    let written = std::fs::read_to_string(folder.path().join("v.csv")).expect("an output file");
    assert_eq!(written, "1,2.5,a,1\n");
}

#[test]
fn a_program_with_faults_exits_with_1_and_a_missing_file_with_2() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = [
        ("CREATE TABLE t (a INT) WITH ('materialised' = 'true');", "materialized"),
        ("CREATE TABLE t (amount INT); CREATE VIEW v AS SELECT amout FROM t;", "write \"amount\""),
        (
            "CREATE TABLE t (a INT) WITH ('connectors' = '[{\"transport\": {\"name\": \"file_input\", \"config\": {\"pth\": \"x\"}}, \"format\": {\"name\": \"json\"}}]');",
            "path",
        ),
    ];
    for (sql, remedy) in cases {
        let path = program(&folder, sql);
        let output = process::run(&["check", path.to_str().expect("UTF-8")]);
        assert_eq!(output.status.code(), Some(1), "{sql}");
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(message.contains("error[") && message.contains(remedy), "{message}");
    }
    let output = process::run(&["check", "no/such/program.sql"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no/such/program.sql"));
}
