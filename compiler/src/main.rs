//! The `feldc` command.
#![forbid(unsafe_code)]

use std::process::ExitCode;

/// Deeply nested SQL is walked recursively: the compiler runs on a thread with room for it.
const STACK_BYTES: usize = 256 << 20;

fn main() -> ExitCode {
    let compiler =
        std::thread::Builder::new().name("feldc".into()).stack_size(STACK_BYTES).spawn(feldc::driver::cli::main);
    match compiler.map(std::thread::JoinHandle::join) {
        Ok(Ok(code)) => code,
        Ok(Err(_)) => {
            eprintln!("feldc: internal error (this is a fault of feldc; please report the program that caused it)");
            ExitCode::from(101)
        }
        Err(error) => {
            eprintln!("feldc: cannot start a thread: {error}");
            ExitCode::from(2)
        }
    }
}
