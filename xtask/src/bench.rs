//! Side-by-side benchmarks with the peers: to be filled.

pub fn run(_arguments: &[&str]) -> Result<(), String> {
    Err("no benchmark yet".into())
}
