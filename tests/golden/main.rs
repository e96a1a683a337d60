//! Each program of `tests/programs`, stage by stage, against its snapshot. `cargo xtask golden --accept` refreshes them.

use feldc::driver;
use feldc::emit;
use feldc_tests::program_texts;
use std::path::PathBuf;

fn check(stage: &str, print: impl Fn(&str, &str) -> String) {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, sql) in program_texts() {
            insta::assert_snapshot!(format!("{name}.{stage}"), print(&name, &sql));
        }
    });
}

fn compiled(name: &str, sql: &str) -> driver::Compiled {
    driver::compile(&format!("{name}.sql"), sql).unwrap_or_else(|message| panic!("{message}"))
}

#[test]
fn ast() {
    check("ast", |_, sql| driver::ast(sql));
}

#[test]
fn plan() {
    check("plan", |name, sql| compiled(name, sql).program.to_string());
}

#[test]
fn circuit() {
    check("circuit", |name, sql| compiled(name, sql).circuit.to_string());
}

#[test]
fn rust() {
    check("rust", |name, sql| {
        let compiled = compiled(name, sql);
        let files = emit::emit_rust(&compiled.circuit, &compiled.schema, &compiled.program.views).files;
        let sources = files.iter().filter(|(path, _)| path.ends_with(".rs"));
        sources.map(|(path, text)| format!("// {path}\n{text}\n")).collect()
    });
}

#[test]
fn the_same_program_gives_the_same_bytes() {
    for (name, sql) in program_texts() {
        let emitted = || {
            let compiled = compiled(&name, &sql);
            emit::emit_rust(&compiled.circuit, &compiled.schema, &compiled.program.views).files
        };
        assert_eq!(emitted(), emitted(), "{name}");
    }
}
