//! Laws: over random change streams by seed, for every program of `tests/programs`.
//!
//! `FELDC_STREAMS=N` sets the number of streams a law tries on each program (the default suits CI).

mod sqlite;

use feldc::reference;
use feldc_tests::stream::Stream;
use feldc_tests::{Change, Session, program_texts};
use feldc_value::Value;

const STEPS: usize = 8;

fn streams(default: u64) -> u64 {
    std::env::var("FELDC_STREAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn open(name: &str, sql: &str, workers: usize) -> Session {
    Session::open(sql, workers).unwrap_or_else(|message| panic!("{name} does not compile:\n{message}"))
}

/// The rows of a view, every copy, in a canonical spelling.
fn contents(session: &Session, view: &str) -> Vec<String> {
    let mut rows = Vec::new();
    for (row, weight) in session.view(view) {
        assert!(weight > 0, "{view} holds {row:?} with weight {weight}");
        rows.extend((0..weight).map(|_| spell(&row)));
    }
    rows.sort();
    rows
}

fn spelled(rows: &[Vec<Value>]) -> Vec<String> {
    let mut rows: Vec<String> = rows.iter().map(|row| spell(row)).collect();
    rows.sort();
    rows
}

/// -0.0 and 0.0 are one value: an encoded row holds the latter, a reference value may be the former.
fn spell(row: &[Value]) -> String {
    let one_zero = |value: &Value| match value {
        Value::Double(x) => Value::Double(x + 0.0),
        Value::Real(x) => Value::Real(x + 0.0),
        other => other.clone(),
    };
    format!("{:?}", row.iter().map(one_zero).collect::<Vec<_>>())
}

/// Every view equals what a from-scratch evaluation of its plan gives (no operator code in common).
fn check_against_reference(name: &str, seed: u64, step: usize, session: &Session, stream: &Stream) {
    let expected = reference::evaluate(&session.compiled.program, &stream.contents);
    for view in &session.schema.views {
        // Parts of a view stand before it under its name.
        let at = session.compiled.program.views.iter().rposition(|v| v.name == view.name).expect("same program");
        let (actual, expected) = (contents(session, &view.name), spelled(&expected[at].rows));
        assert!(
            actual == expected,
            "{name}: view {} differs after step {step} of seed {seed}\n missing {:?}\n extra {:?}",
            view.name,
            difference(&expected, &actual),
            difference(&actual, &expected)
        );
    }
}

fn difference(left: &[String], right: &[String]) -> Vec<String> {
    let mut rest = right.to_vec();
    let absent = |row: &&String| match rest.iter().position(|other| other == *row) {
        Some(at) => {
            rest.swap_remove(at);
            false
        }
        None => true,
    };
    left.iter().filter(absent).take(5).cloned().collect()
}

#[test]
fn incremental_equals_batch() {
    for (name, sql) in program_texts() {
        for seed in 0..streams(12) {
            let mut session = open(&name, &sql, 1);
            let mut stream = Stream::new(&session.schema, seed);
            session.step(&[]);
            check_against_reference(&name, seed, 0, &session, &stream);
            for step in 1..=STEPS {
                let changes = stream.step();
                session.step(&changes);
                check_against_reference(&name, seed, step, &session, &stream);
            }
        }
    }
}

#[test]
fn one_step_equals_many() {
    for (name, sql) in program_texts() {
        for seed in 100..100 + streams(6) {
            let (mut many, mut one, mut single) = (open(&name, &sql, 1), open(&name, &sql, 1), open(&name, &sql, 1));
            let mut stream = Stream::new(&many.schema, seed);
            let steps: Vec<Vec<Change>> = (0..STEPS).map(|_| stream.step()).collect();
            steps.iter().for_each(|step| drop(many.step(step)));
            one.step(&steps.concat());
            steps.concat().chunks(1).for_each(|row| drop(single.step(row)));
            for view in &many.schema.views {
                let expected = contents(&many, &view.name);
                assert_eq!(expected, contents(&one, &view.name), "{name}.{}: one step, seed {seed}", view.name);
                assert_eq!(expected, contents(&single, &view.name), "{name}.{}: row by row, seed {seed}", view.name);
            }
        }
    }
}

#[test]
fn any_number_of_workers_gives_the_same_deltas() {
    for (name, sql) in program_texts() {
        for seed in 200..200 + streams(3) {
            let (mut one, mut three) = (open(&name, &sql, 1), open(&name, &sql, 3));
            let mut stream = Stream::new(&one.schema, seed);
            for step in 0..STEPS {
                let changes = stream.step();
                assert_eq!(one.step(&changes), three.step(&changes), "{name}: step {step} of seed {seed}");
            }
        }
    }
}

#[test]
fn deleting_everything_leaves_the_views_of_empty_input() {
    for (name, sql) in program_texts() {
        for seed in 300..300 + streams(4) {
            let (mut session, mut empty) = (open(&name, &sql, 1), open(&name, &sql, 1));
            empty.step(&[]);
            let mut stream = Stream::new(&session.schema, seed);
            for _ in 0..STEPS {
                session.step(&stream.step());
            }
            session.step(&stream.clear());
            for view in &session.schema.views {
                let expected = contents(&empty, &view.name);
                assert_eq!(expected, contents(&session, &view.name), "{name}.{}: seed {seed}", view.name);
            }
            assert_eq!(empty.errors(), session.errors(), "{name}: errors heal, seed {seed}");
        }
    }
}
