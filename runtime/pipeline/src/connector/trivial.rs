//! `empty_input`, which ends at once, and `null_output`, which forgets what it gets: for benchmarks and tests.

use super::{Input, InputTransport, Output, OutputTransport, Read};
use serde_json::{Value, json};

pub const EMPTY_INPUT: InputTransport = InputTransport {
    name: "empty_input",
    keys: &[],
    required: &[],
    needs_format: false,
    check: |_| (),
    open: |_| Ok(Box::new(Empty)),
};

pub const NULL_OUTPUT: OutputTransport = OutputTransport {
    name: "null_output",
    keys: &[],
    required: &[],
    needs_format: false,
    check: |_| (),
    open: |_| Ok(Box::new(Null)),
};

struct Empty;

impl Input for Empty {
    fn read(&mut self, _: &mut Vec<u8>) -> Result<Read, String> {
        Ok(Read::End)
    }

    fn position(&self) -> Value {
        json!({})
    }

    fn seek(&mut self, _: &Value) -> Result<(), String> {
        Ok(())
    }
}

struct Null;

impl Output for Null {
    fn write(&mut self, _: &[u8]) -> Result<(), String> {
        Ok(())
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
}
