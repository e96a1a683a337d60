//! Side-by-side benchmarks: our engine with generated kernels, the `dbsp` crate, `differential-dataflow`; the same rows and
//! batches, alternating runs, ratios. Also what rustc costs for the same views.
//!
//! The peers live in `tests/peers`, a workspace of its own, built the first time (about half an hour of CPU).

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const WORKLOADS: &[&str] = &["filter", "group", "join", "tpch"];
const ROUNDS: usize = 3;

/// One program of one engine on one workload: the words of its command.
struct Contender {
    engine: &'static str,
    workload: &'static str,
    workers: usize,
    command: Vec<String>,
}

pub fn run(arguments: &[&str]) -> Result<(), String> {
    let rounds = if arguments.contains(&"--quick") { 1 } else { ROUNDS };
    let only: Vec<&str> = arguments.iter().copied().filter(|word| !word.starts_with("--")).collect();
    let peers = crate::root().join("tests/peers");
    let target = peers.join("target");
    let target = std::env::var_os("FELDC_BENCH_TARGET").map_or(target, PathBuf::from);
    let feldc = build_feldc(&target)?;
    for workload in WORKLOADS {
        let (sql, crate_folder) = (peers.join(format!("sql/{workload}.sql")), peers.join("generated").join(workload));
        let arguments =
            ["compile".as_ref(), sql.as_os_str(), "--emit=crate".as_ref(), "-o".as_ref(), crate_folder.as_os_str()];
        crate::run(Command::new(&feldc).args(arguments).stdout(Stdio::null()))?;
    }
    crate::run(cargo(&peers, &target).args(["build", "--release", "--bins"]))?;
    crate::run(cargo(&peers.join("ours"), &target).args(["build", "--release"]))?;
    if !arguments.contains(&"--no-compile") {
        compile_times(&peers, &target, &feldc)?;
    }
    if arguments.contains(&"--compile-only") {
        return Ok(());
    }
    let contenders: Vec<Contender> = contenders(&target.join("release"))
        .into_iter()
        .filter(|contender| only.is_empty() || only.contains(&contender.workload))
        .collect();
    let mut results: BTreeMap<(String, usize, String), Vec<Value>> = BTreeMap::new();
    for round in 1..=rounds {
        for contender in &contenders {
            eprintln!("bench: round {round}: {} {} x{}", contender.engine, contender.workload, contender.workers);
            let key = (contender.workload.to_string(), contender.workers, contender.engine.to_string());
            results.entry(key).or_default().push(measure(contender)?);
        }
    }
    report(&results)
}

fn cargo(folder: &Path, target: &Path) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(folder).env("CARGO_TARGET_DIR", target);
    command
}

fn build_feldc(target: &Path) -> Result<PathBuf, String> {
    let target = target.join("feldc");
    crate::run(cargo(&crate::root(), &target).args(["build", "--release", "--package", "feldc"]))?;
    Ok(target.join("release/feldc"))
}

fn contenders(release: &Path) -> Vec<Contender> {
    let binary = |name: &str| release.join(name).display().to_string();
    let mut contenders = Vec::new();
    for &workload in WORKLOADS {
        for workers in [1, 2] {
            let count = workers.to_string();
            let ours = vec![binary("bench-ours"), workload.to_string(), count.clone()];
            contenders.push(Contender { engine: "feldc", workload, workers, command: ours });
            contenders.push(Contender {
                engine: "dbsp",
                workload,
                workers,
                command: vec![binary(workload), count.clone()],
            });
            if matches!(workload, "group" | "join") {
                let command = vec![binary("bench-dd"), workload.to_string(), count];
                contenders.push(Contender { engine: "differential-dataflow", workload, workers, command });
            }
        }
    }
    contenders
}

fn measure(contender: &Contender) -> Result<Value, String> {
    let (program, arguments) = contender.command.split_first().expect("a command has a program");
    let output = Command::new(program).args(arguments).stderr(Stdio::inherit()).output();
    let output = output.map_err(|error| format!("cannot start {program}: {error}"))?;
    if !output.status.success() {
        return Err(format!("{} on {} failed ({})", contender.engine, contender.workload, output.status));
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    serde_json::from_str(text.trim()).map_err(|error| format!("{program} printed no report: {error}: {text}"))
}

/// The least (or greatest) of a figure over the rounds.
fn best(rounds: &[Value], field: &str, most: bool) -> f64 {
    let values = rounds.iter().filter_map(|round| round[field].as_f64());
    values.fold(if most { 0.0 } else { f64::INFINITY }, if most { f64::max } else { f64::min })
}

fn report(results: &BTreeMap<(String, usize, String), Vec<Value>>) -> Result<(), String> {
    println!(
        "| workload | workers | engine | rows/s | rows per CPU s | peak MB | step p50 us | p99 us | CPU vs ours |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for ((workload, workers, engine), rounds) in results {
        let ours = &results[&(workload.clone(), *workers, "feldc".to_string())];
        if rounds[0]["checksum"] != ours[0]["checksum"] {
            return Err(format!(
                "{engine} and feldc disagree on {workload}: {} and {}",
                rounds[0]["checksum"], ours[0]["checksum"]
            ));
        }
        let per_cpu = best(rounds, "rows_per_cpu_s", true);
        println!(
            "| {workload} | {workers} | {engine} | {:.2}M | {:.2}M | {:.0} | {:.1} | {:.1} | {:.1}x |",
            rounds[0]["rows"].as_f64().unwrap_or(0.0) / best(rounds, "wall_s", false) / 1e6,
            per_cpu / 1e6,
            best(rounds, "peak_mb", false),
            best(rounds, "p50_us", false),
            best(rounds, "p99_us", false),
            best(ours, "rows_per_cpu_s", true) / per_cpu,
        );
    }
    Ok(())
}

/// CPU seconds of all children ended so far.
fn children_cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|word| word.parse::<f64>().ok()).unwrap_or(0.0);
    // Fields 16 and 17 of proc(5), in hundredths of a second.
    (ticks(13) + ticks(14)) / 100.0
}

/// Wall and CPU seconds of a command.
fn timed(command: &mut Command) -> Result<(f64, f64), String> {
    let (before, cpu) = (Instant::now(), children_cpu_s());
    crate::run(command.stdout(Stdio::null()).stderr(Stdio::null()))?;
    Ok((before.elapsed().as_secs_f64(), children_cpu_s() - cpu))
}

/// The same four TPC-H views: the program crate alone on `dbsp`, and `feldc compile` after an edit.
fn compile_times(peers: &Path, target: &Path, feldc: &Path) -> Result<(), String> {
    let cache = target.join("pipelines");
    let folder = target.join("edited");
    std::fs::create_dir_all(&folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let text = std::fs::read_to_string(peers.join("sql/tpch.sql"))
        .map_err(|error| format!("cannot read tpch.sql: {error}"))?;
    let program = folder.join("tpch.sql");
    let mut ours = Vec::new();
    for edit in 0..4 {
        let edited = text.replace("l_quantity < 24", &format!("l_quantity < {}", 24 + edit));
        std::fs::write(&program, edited).map_err(|error| format!("cannot write {}: {error}", program.display()))?;
        let mut command = Command::new(feldc);
        command.arg("compile").arg(&program).arg("-o").arg(folder.join("out")).env("FELDC_CACHE", &cache);
        let time = timed(&mut command)?;
        // The first run builds the runtime and the program from nothing.
        if edit > 0 {
            ours.push(time);
        } else {
            println!("feldc compile, first on this machine: {:.1} s wall, {:.1} s CPU", time.0, time.1);
        }
    }
    println!("feldc compile after an edit of one view (three edits, wall s / CPU s): {ours:.2?}");
    let source = peers.join("dbsp/src/bin/tpch.rs");
    let touch = |path: &Path| -> Result<(), String> {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        std::fs::write(path, text).map_err(|error| error.to_string())
    };
    touch(&source)?;
    let theirs = timed(cargo(peers, target).args(["build", "--release", "--bin", "tpch"]))?;
    println!("dbsp, the program crate alone (wall s / CPU s): {theirs:.2?}");
    let least = ours.iter().map(|time| time.1).fold(f64::INFINITY, f64::min);
    println!("rustc CPU of dbsp / of feldc compile: {:.1}", theirs.1 / least);
    Ok(())
}
