//! Step scripts, interpreted, with one worker and with three. `FELDC_ACCEPT=1` rewrites the expectations.

use feldc_tests::process::{feldc, root};
use std::process::Command;

#[test]
fn step_scripts() {
    for workers in ["1", "3"] {
        let mut command = Command::new(feldc());
        command.args(["test", "tests/slt/scripts", "--workers", workers]).current_dir(root());
        if std::env::var_os("FELDC_ACCEPT").is_some() {
            command.arg("--accept");
        }
        let output = command.output().expect("feldc starts");
        assert!(output.status.success(), "with {workers} worker(s):\n{}", String::from_utf8_lossy(&output.stdout));
    }
}
