//! A pipeline for tests of the process: `echo SCHEMA.json [OPTIONS]` passes each table on as a view.

#[path = "../tests/echo/mod.rs"]
mod echo;

use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().collect();
    if arguments.len() < 2 {
        eprintln!("usage: echo SCHEMA.json [OPTIONS]");
        return ExitCode::from(2);
    }
    let path = arguments.remove(1);
    let schema = std::fs::read_to_string(&path).map_err(|error| error.to_string());
    match schema.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string())) {
        Ok(schema) => feldc_pipeline::glue::run(echo::program(schema), &arguments),
        Err(error) => {
            eprintln!("{path}: {error}");
            ExitCode::from(2)
        }
    }
}
