//! Native equals interpreted: every program of `tests/programs`, built as one pooled crate, gives the same bytes on
//! `--stdio` as the interpreter does.

use feldc::steps::stream::Stream;
use feldc::{build, driver, emit, package};
use feldc_pipeline::schema::{Field, Schema};
use feldc_tests::process;
use feldc_value::Value;
use std::process::Command;

/// A random change stream as the lines of `--stdio`.
fn lines(schema: &Schema, seed: u64, steps: usize) -> String {
    let mut stream = Stream::new(schema, seed);
    let mut text = String::from("{\"commit\":0}\n");
    for step in 1..=steps {
        for change in stream.step() {
            let table = schema.tables.iter().find(|table| table.name == change.relation).expect("a table");
            let operation = if change.weight > 0 { "insert" } else { "delete" };
            let members: Vec<String> =
                table.fields.iter().zip(&change.row).map(|(field, value)| member(field, value)).collect();
            text += &format!("{{\"table\":\"{}\",\"{operation}\":{{{}}}}}\n", table.name, members.join(","));
        }
        text += &format!("{{\"commit\":{step}}}\n");
    }
    text
}

fn member(field: &Field, value: &Value) -> String {
    let mut json = String::new();
    feldc_value::json::json_value(value, field.columntype.ty, &mut json);
    format!("\"{}\":{json}", field.name)
}

#[test]
fn native_equals_interpreted() {
    let programs = feldc_tests::programs();
    let compiled: Vec<(String, driver::Compiled)> = programs
        .iter()
        .map(|(name, path)| {
            let sql = std::fs::read_to_string(path).expect("a readable program");
            (name.clone(), driver::compile(name, &sql).unwrap_or_else(|message| panic!("{message}")))
        })
        .collect();
    let members: Vec<emit::PoolProgram> = compiled
        .iter()
        .map(|(name, compiled)| emit::PoolProgram {
            name: name.as_str(),
            circuit: &compiled.circuit,
            schema: &compiled.schema,
            views: &compiled.program.views,
        })
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let package = package::write(folder.path(), "pool", &emit::emit_pool(&members)).expect("the crate is written");
    let binary = build::build(&package, &mut |_| ()).unwrap_or_else(|error| panic!("{error}"));
    for (name, path) in &programs {
        let schema = &compiled.iter().find(|(other, _)| other == name).expect("compiled above").1.schema;
        for seed in [1, 2, 3] {
            let input = lines(schema, seed, 12);
            let file = path.to_str().expect("UTF-8");
            let interpreted = process::run_with(&["run", file, "--interpret", "--stdio", "--workers", "1"], &input);
            let native = process::talk(Command::new(&binary).args([name, "--stdio", "--workers", "1"]), &input);
            assert!(
                interpreted.lines().filter(|line| line.contains("\"committed\"")).count() == 13,
                "{name}: {interpreted}"
            );
            assert_eq!(interpreted, native, "{name}, seed {seed}");
        }
    }
}
