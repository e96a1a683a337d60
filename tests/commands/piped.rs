//! A session over pipes gives what a session in this process gives. The pipeline at the other end is interpreted: it speaks
//! the same `--stdio` as a native one, and needs no rustc.
#![cfg(unix)]

use feldc::steps::Session;
use feldc::steps::piped::through_pipe;
use feldc::steps::session::StepFault;
use feldc::steps::stream::Stream;
use feldc_tests::{open, process, programs};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// A command that stands for the binary of a program.
fn binary(folder: &Path, program: &Path) -> PathBuf {
    let path = folder.join("pipeline");
    let text =
        format!("#!/bin/sh\nexec '{}' run '{}' --interpret \"$@\"\n", process::feldc().display(), program.display());
    std::fs::write(&path, text).expect("writable");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("our own file");
    path
}

#[test]
fn piped_equals_in_process() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, path) in programs() {
        let (compiled, mut own) = open(&name, &std::fs::read_to_string(&path).expect("readable"), 1);
        let mut piped = Session::native(&compiled.schema, &binary(folder.path(), &path), 2).expect("starts");
        let mut stream = Stream::new(&compiled.schema, 17);
        for step in 0..6 {
            let mut changes = stream.step();
            for change in &mut changes {
                let table = own.tables().iter().find(|table| table.name == change.relation).expect("a table");
                change.row = table.decode(&through_pipe(table, &table.encode(&change.row)));
            }
            own.step(&changes).expect("steps");
            piped.step(&changes).expect("steps");
            for (at, view) in own.views().iter().enumerate() {
                let expected: BTreeMap<Vec<u8>, i64> =
                    own.encoded(at).iter().map(|(row, weight)| (through_pipe(view, row), *weight)).collect();
                let same = &expected == piped.encoded(at);
                assert!(same, "{name}.{}, step {step}: {:?} and {:?}", view.name, own.contents(at), piped.contents(at));
            }
        }
    }
}

#[test]
fn a_program_that_stops_says_so_over_pipes_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("program.sql");
    let sql = "SET on_error = 'fail'; CREATE TABLE t (a BIGINT); CREATE VIEW v AS SELECT 1 / a AS b FROM t;";
    std::fs::write(&program, sql).expect("writable");
    let (compiled, mut own) = open("program.sql", sql, 1);
    let mut piped = Session::native(&compiled.schema, &binary(folder.path(), &program), 1).expect("starts");
    let zero = || own.tables()[0].parse_row("(0)").expect("a row");
    let changes = [feldc::steps::Change { relation: "t".into(), row: zero(), weight: 1 }];
    let fault = own.step(&changes);
    assert!(matches!(fault, Err(StepFault::Stopped(_))), "{fault:?}");
    assert_eq!(fault, piped.step(&changes));
}
