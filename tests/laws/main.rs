//! Laws: over random change streams by seed, for every program of `tests/programs`.
//!
//! `FELDC_STREAMS=N` sets the number of streams a law tries on each program (the default suits CI).

mod sqlite;

use feldc::driver::Compiled;
use feldc::steps::oracle::{self, Difference};
use feldc::steps::stream::Stream;
use feldc::steps::{Change, Session};
use feldc_tests::{open, program_texts};
use std::collections::BTreeMap;

const STEPS: usize = 8;

fn streams(default: u64) -> u64 {
    std::env::var("FELDC_STREAMS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn step(session: &mut Session, changes: &[Change]) -> Vec<Change> {
    session.step(changes).unwrap_or_else(|fault| panic!("{fault}"))
}

/// The contents of each view.
fn contents(session: &Session) -> Vec<BTreeMap<Vec<u8>, i64>> {
    (0..session.views().len() - 1).map(|view| session.encoded(view).clone()).collect()
}

/// Every view equals what a from-scratch evaluation of its plan gives (no operator code in common).
fn check_against_reference(name: &str, seed: u64, at: usize, session: &Session, compiled: &Compiled, stream: &Stream) {
    let expected = oracle::expected(&compiled.program, &stream.tables.rows, session);
    let found: Vec<String> = oracle::differences(&expected, session).iter().map(Difference::to_string).collect();
    assert!(found.is_empty(), "{name}: after step {at} of seed {seed}\n{}", found.join("\n"));
}

#[test]
fn incremental_equals_batch() {
    for (name, sql) in program_texts() {
        for seed in 0..streams(12) {
            let (compiled, mut session) = open(&name, &sql, 1);
            let mut stream = Stream::new(&compiled.schema, seed);
            step(&mut session, &[]);
            check_against_reference(&name, seed, 0, &session, &compiled, &stream);
            for at in 1..=STEPS {
                step(&mut session, &stream.step());
                check_against_reference(&name, seed, at, &session, &compiled, &stream);
            }
        }
    }
}

#[test]
fn one_step_equals_many() {
    for (name, sql) in program_texts() {
        for seed in 100..100 + streams(6) {
            let (compiled, mut many) = open(&name, &sql, 1);
            let (mut one, mut single) = (open(&name, &sql, 1).1, open(&name, &sql, 1).1);
            let mut stream = Stream::new(&compiled.schema, seed);
            let steps: Vec<Vec<Change>> = (0..STEPS).map(|_| stream.step()).collect();
            steps.iter().for_each(|changes| drop(step(&mut many, changes)));
            step(&mut one, &steps.concat());
            steps.concat().chunks(1).for_each(|row| drop(step(&mut single, row)));
            let expected = contents(&many);
            assert_eq!(expected, contents(&one), "{name}: one step, seed {seed}");
            assert_eq!(expected, contents(&single), "{name}: row by row, seed {seed}");
        }
    }
}

#[test]
fn any_number_of_workers_gives_the_same_deltas() {
    for (name, sql) in program_texts() {
        for seed in 200..200 + streams(3) {
            let ((compiled, mut one), mut three) = (open(&name, &sql, 1), open(&name, &sql, 3).1);
            let mut stream = Stream::new(&compiled.schema, seed);
            for at in 0..STEPS {
                let changes = stream.step();
                let (one, three) = (step(&mut one, &changes), step(&mut three, &changes));
                assert_eq!(one, three, "{name}: step {at} of seed {seed}");
            }
        }
    }
}

#[test]
fn deleting_everything_leaves_the_views_of_empty_input() {
    for (name, sql) in program_texts() {
        for seed in 300..300 + streams(4) {
            let ((compiled, mut session), mut empty) = (open(&name, &sql, 1), open(&name, &sql, 1).1);
            step(&mut empty, &[]);
            let mut stream = Stream::new(&compiled.schema, seed);
            for _ in 0..STEPS {
                step(&mut session, &stream.step());
            }
            step(&mut session, &stream.clear());
            assert_eq!(contents(&empty), contents(&session), "{name}: seed {seed}");
            assert_eq!(empty.errors(), session.errors(), "{name}: errors heal, seed {seed}");
        }
    }
}
