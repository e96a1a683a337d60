//! The grammar fuzzer (`cargo xtask grammar`): random programs and programs made wrong, compiled in child processes. No
//! input may end a process, take too long or get a message without code and place; what compiles runs, interpreted, on some
//! random rows, and must hold what an evaluation from scratch gives.

mod child;
mod examine;
mod expression;
mod mutate;
mod program;
mod query;
mod shrink;
mod types;

use child::Examiner;
use examine::{Finding, Verdict};
use feldc::steps::stream::Random;
use program::Generator;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

const USAGE: &str = "usage: cargo xtask grammar [--minutes N] [--seed N] [--inputs N] [--print]

  --minutes N   stop after so long [default: 1]
  --seed N      seed of the first input; each next one has the next seed [default: 1]
  --inputs N    stop after so many inputs
  --print       only print the inputs

Each finding is shrunk and printed with its seed. Exit codes: 0 none; 1 some; 2 wrong usage.";

/// An input may take so long.
const LIMIT: Duration = Duration::from_secs(10);
const SHRINK_TIME: Duration = Duration::from_secs(60);
const PROGRESS: Duration = Duration::from_secs(10);

#[derive(Debug, PartialEq)]
struct Options {
    time: Duration,
    seed: u64,
    inputs: u64,
    print: bool,
}

impl Options {
    fn parse(words: &[String]) -> Option<Options> {
        let mut options = Options { time: Duration::from_secs(60), seed: 1, inputs: u64::MAX, print: false };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--minutes" => {
                    let minutes = words.next()?.parse::<f64>().ok().filter(|minutes| *minutes >= 0.0)?;
                    options.time = Duration::try_from_secs_f64(minutes * 60.0).ok()?;
                }
                "--seed" => options.seed = words.next()?.parse().ok()?,
                "--inputs" => options.inputs = words.next()?.parse().ok()?,
                "--print" => options.print = true,
                _ => return None,
            }
        }
        Some(options)
    }
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words == [child::WORD] {
        return child::serve().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let Some(options) = Options::parse(&words) else {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    };
    let search =
        Search { texts: texts(), start: Instant::now(), next: AtomicU64::new(0), state: Mutex::default(), options };
    if search.options.print {
        (0..search.options.inputs)
            .for_each(|at| println!("{}\n", search.input(search.options.seed.wrapping_add(at)).text));
        return ExitCode::SUCCESS;
    }
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| (0..workers).for_each(|_| drop(scope.spawn(|| search.work()))));
    let state = search.state.into_inner().expect("no worker panicked");
    eprintln!("grammar: {}", state.counts);
    match state.found.is_empty() {
        true => ExitCode::SUCCESS,
        false => {
            state.found.iter().for_each(|(key, count)| eprintln!("grammar: {count} x {key}"));
            ExitCode::FAILURE
        }
    }
}

/// The programs of the suites: what is mutated.
fn texts() -> Vec<String> {
    let root = feldc_tests::process::root();
    let mut texts = vec![];
    for folder in ["tests/programs", "tests/errors/bad", "tests/slt/scripts"] {
        let files = std::fs::read_dir(root.join(folder)).expect("the suites are there");
        let mut paths: Vec<_> = files.map(|file| file.expect("a readable folder").path()).collect();
        paths.sort();
        texts.extend(paths.iter().map(|path| program_in(path)).filter(|text| text.len() < 20_000));
    }
    texts
}

/// A program, or that of a step script.
fn program_in(path: &Path) -> String {
    let text = std::fs::read_to_string(path).expect("a readable program");
    let in_script = text.split_once("program\n").and_then(|(_, rest)| rest.split_once("\nstep"));
    match path.extension().is_some_and(|ending| ending == "step") {
        true => in_script.map_or(text.clone(), |(program, _)| program.to_string()),
        false => text,
    }
}

struct Input {
    text: String,
    /// Of the rows that it runs on.
    rows: Option<u64>,
}

#[derive(Default)]
struct State {
    counts: Counts,
    told: Duration,
    /// How often each fault was found, by its key.
    found: BTreeMap<String, u64>,
}

#[derive(Default)]
struct Counts {
    inputs: u64,
    compiled: u64,
    refused: u64,
    ran: u64,
}

impl std::fmt::Display for Counts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Counts { inputs, compiled, refused, ran } = self;
        write!(f, "{inputs} inputs: {compiled} compiled, of which {ran} ran; {refused} refused")
    }
}

struct Search {
    texts: Vec<String>,
    options: Options,
    start: Instant,
    next: AtomicU64,
    state: Mutex<State>,
}

impl Search {
    fn input(&self, seed: u64) -> Input {
        let mut random = Random::new(seed.rotate_left(32));
        let generated = Generator::new(seed).program();
        let text = match random.below(10) {
            0..=6 => generated,
            7 => mutate::mutate(&generated, &self.texts[0], &mut random),
            _ => {
                let text = random.pick(&self.texts).clone();
                mutate::mutate(&text, &generated, &mut random)
            }
        };
        Input { text, rows: random.chance(85).then_some(seed) }
    }

    /// Examines inputs until time is up.
    fn work(&self) {
        let mut examiner = Examiner::new(LIMIT);
        while self.start.elapsed() < self.options.time {
            let at = self.next.fetch_add(1, Ordering::Relaxed);
            if at >= self.options.inputs {
                break;
            }
            let seed = self.options.seed.wrapping_add(at);
            let input = self.input(seed);
            let verdict = examiner.examine(&input.text, input.rows);
            if let Some(finding) = self.count(verdict) {
                self.tell(seed, &input, &finding, &mut examiner);
            }
        }
    }

    /// A fault that was not found before.
    fn count(&self, verdict: Verdict) -> Option<Finding> {
        let mut state = self.state.lock().expect("no worker panicked");
        state.counts.inputs += 1;
        let elapsed = self.start.elapsed();
        if elapsed - state.told > PROGRESS {
            state.told = elapsed;
            eprintln!("grammar: {} s, {}; {} faults", elapsed.as_secs(), state.counts, state.found.len());
        }
        match verdict {
            Verdict::Refused => state.counts.refused += 1,
            Verdict::Compiled => state.counts.compiled += 1,
            Verdict::Ran => {
                state.counts.compiled += 1;
                state.counts.ran += 1;
            }
            Verdict::Fault(finding) => {
                let times = state.found.entry(finding.key.clone()).or_default();
                *times += 1;
                return (*times == 1).then_some(finding);
            }
        }
        None
    }

    fn tell(&self, seed: u64, input: &Input, finding: &Finding, examiner: &mut Examiner) {
        let start = Instant::now();
        let rows = input.rows;
        let small = shrink::shrink(&input.text, |text| {
            let same = |verdict| matches!(verdict, Verdict::Fault(other) if other.key == finding.key);
            (start.elapsed() < SHRINK_TIME).then(|| same(examiner.examine(text, rows)))
        });
        let again = match examiner.examine(&small, rows) {
            Verdict::Fault(again) => again.text,
            _ => finding.text.clone(),
        };
        println!("-- seed {seed}: {}\n-- {}\n{small}\n", finding.key, again.trim_end().replace('\n', "\n-- "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let parse = |line: &str| Options::parse(&line.split_whitespace().map(str::to_string).collect::<Vec<_>>());
        let options = parse("--minutes 0.5 --seed 7 --inputs 3").unwrap();
        assert_eq!(options, Options { time: Duration::from_secs(30), seed: 7, inputs: 3, print: false });
        for wrong in ["--minutes", "--minutes x", "--minutes -1", "--seed -1", "more"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_suites_are_mutated() {
        let texts = texts();
        assert!(texts.len() > 40 && texts.iter().all(|text| !text.contains("\nstep\n")));
    }
}
