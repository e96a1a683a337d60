//! A pipeline. What the SQL decides is in `circuit`, `kernels` and `schema.json`; all else is the runtime's.

mod circuit;
mod kernels;

use feldc_pipeline::glue;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    glue::run(glue::Program::new(include_str!("schema.json"), circuit::build), &arguments)
}
