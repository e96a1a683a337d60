//! The README's first command, interpreted and native, against results computed by SQLite.

use feldc_tests::process::{self, Pipeline};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A private copy of the program with its data, so that runs do not share output files.
fn copy(to: &Path) -> PathBuf {
    let from = process::root().join("programs/quickstart");
    std::fs::create_dir_all(to.join("data")).expect("a folder");
    for file in ["program.sql", "data/purchases.json", "data/customers.csv"] {
        std::fs::copy(from.join(file), to.join(file)).expect("a copy");
    }
    to.join("program.sql")
}

/// Rows with their summed weights from CSV change lines (the weight is the last column).
fn integrate(text: &str) -> BTreeMap<String, i64> {
    let mut rows = BTreeMap::new();
    for line in text.lines() {
        let (row, weight) = line.rsplit_once(',').expect("a weight column");
        *rows.entry(row.to_string()).or_insert(0) += weight.parse::<i64>().expect("a weight");
    }
    rows.retain(|_, weight| *weight != 0);
    rows
}

fn expected(file: &str) -> BTreeMap<String, i64> {
    let path = process::root().join("programs/quickstart/expected").join(file);
    std::fs::read_to_string(path).expect("expected output").lines().map(|line| (line.to_string(), 1)).collect()
}

fn check_outputs(folder: &Path) {
    let revenue = std::fs::read_to_string(folder.join("output/revenue_by_country.csv")).expect("an output file");
    assert_eq!(integrate(&revenue), expected("revenue_by_country.csv"));
    let mut spenders: BTreeMap<String, i64> = BTreeMap::new();
    for line in std::fs::read_to_string(folder.join("output/big_spenders.json")).expect("an output file").lines() {
        let event: serde_json::Value = serde_json::from_str(line).expect("a JSON line");
        let (operation, row) = event.as_object().and_then(|o| o.iter().next()).expect("one member");
        let weight = if operation == "insert" { 1 } else { -1 };
        *spenders.entry(format!("{},{}", row["customer_id"], row["total"])).or_insert(0) += weight;
    }
    spenders.retain(|_, weight| *weight != 0);
    assert_eq!(spenders, expected("big_spenders.csv"));
}

#[test]
fn interpreted() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = copy(folder.path());
    let output = process::run(&["run", program.to_str().expect("UTF-8"), "--interpret", "--until-complete", "--print"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("\"view\":\"revenue_by_country\""), "--print shows the changes: {printed}");
    check_outputs(folder.path());
}

#[test]
fn native_with_two_workers() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = copy(folder.path());
    let arguments = ["run", program.to_str().expect("UTF-8"), "--until-complete", "--workers", "2"];
    let output = process::run(&arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    check_outputs(folder.path());
}

#[test]
fn rows_over_http_and_a_clean_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = copy(folder.path());
    let mut pipeline = Pipeline::start(&[program.to_str().expect("UTF-8"), "--interpret"]);
    let (status, body) = pipeline.request("GET", "/healthz", "");
    assert_eq!(status, 200, "{body}");
    let row = r#"{"insert": {"purchase_id": 1, "customer_id": 1001, "amount": 90000.5, "ts": "2026-11-30 12:00:00"}}"#;
    let (status, body) = pipeline.request("POST", "/ingress/purchases?format=json&update_format=insert_delete", row);
    assert_eq!(status, 200, "{body}");
    let token = body.split('"').nth(3).expect("a token").to_string();
    for attempt in 0.. {
        let (status, body) = pipeline.request("GET", &format!("/completion_status?token={token}"), "");
        assert_eq!(status, 200, "{body}");
        if body.contains("\"complete\"") {
            break;
        }
        assert!(attempt < 500, "the row is processed in time: {body}");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let (status, body) = pipeline.request("GET", "/view/revenue_by_country", "");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("99948.55"), "Portugal has 9948.05 and 90000.5 more: {body}");
    assert_eq!(pipeline.signal("TERM"), Some(0), "a clean end");
    let revenue = std::fs::read_to_string(folder.path().join("output/revenue_by_country.csv")).expect("an output file");
    assert_eq!(integrate(&revenue).get("Portugal,39,99948.55"), Some(&1), "everything is flushed at the end");
}
