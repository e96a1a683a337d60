//! `feldc fuzz`: random changes through a program, and every view compared with its evaluation from scratch.
//!
//! A stream of changes is fed in steps, then everything is deleted; the same changes in one step; and row by row. A case that
//! makes a difference is shrunk and printed as a step script.

use super::cli::{self, Stop};
use super::udf::UdfArguments;
use super::{Compiled, front};
use crate::plan::Program;
use crate::steps::oracle::{self, Difference, Expected};
use crate::steps::piped::through_pipe;
use crate::steps::script::{print_line, program_lines};
use crate::steps::shrink::{self, Case};
use crate::steps::stream::Stream;
use crate::steps::{Change, Relation, Session, Tables};
use clap::Args;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

pub const HELP: &str = "Rows come from small domains, so that keys meet, with NULLs, copies, updates of keys and edge values. After each step every view,
error_view too, must hold what an evaluation from scratch gives that shares no operator with the engine. A difference is
shrunk to a step script on standard output, which `feldc test` runs; everything else is told on standard error.

Examples:
  feldc fuzz program.sql                       20 streams of 12 steps, from seed 1
  feldc fuzz program.sql --seed 7 --streams 1  one stream again
  feldc fuzz program.sql --time 60 --workers 4 > case.step

Exit codes: 0 no difference; 1 a difference, or the program has errors; 2 wrong usage.";

#[derive(Args)]
pub struct FuzzArguments {
    file: PathBuf,
    /// Seed of the first stream; each next one has the next seed
    #[arg(long, value_name = "N", default_value = "1")]
    seed: u64,
    /// Steps of each stream
    #[arg(long, value_name = "N", default_value = "12", value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Streams to try [default: 20; without limit with --time]
    #[arg(long, value_name = "N")]
    streams: Option<u64>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS")]
    time: Option<u64>,
    /// Workers of the program
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1024))]
    workers: u16,
    /// Build the program instead of interpreting it
    #[arg(long)]
    native: bool,
}

const STREAMS: u64 = 20;
/// Shrinking stops after so long, or so many cases.
const SHRINK_TIME: Duration = Duration::from_secs(30);
const SHRINK_CASES: usize = 3000;
/// An evaluation of the program as it was bound, before any rewrite, may visit about so many rows; a longer one starts from
/// the rewritten program.
const ROWS_MAX: f64 = 300_000.0;
const PROGRESS: Duration = Duration::from_secs(2);

pub(super) fn run(arguments: &FuzzArguments) -> Result<ExitCode, Stop> {
    let text = cli::read(&arguments.file)?;
    let mut compiled = cli::load(&arguments.file)?;
    // Errors are compared as data.
    compiled.schema.fail_on_error = false;
    // The evaluation from scratch cannot call them either, so a native build would not help.
    if let Some(refusal) =
        compiled.only_native("feldc fuzz has nothing to compare it with; write feldc test --native scripts")
    {
        return Err(cli::program_fault(format!("feldc: {refusal}")));
    }
    let (bound, _) = front(&arguments.file.display().to_string(), &text).map_err(cli::program_fault)?;
    let binary = match arguments.native {
        true => Some(cli::build_in_cache(&compiled, &arguments.file, &UdfArguments::default())?),
        false => None,
    };
    let fuzz = Fuzz { bound, any_failure: false, compiled, binary, workers: arguments.workers.into() };
    // A panic is a finding, told with its case.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| ()));
    let found = fuzz.search(arguments);
    let result = found.map(|(seed, case)| (seed, fuzz.smallest(case)));
    std::panic::set_hook(hook);
    let Some((seed, (case, finding))) = result else { return Ok(ExitCode::SUCCESS) };
    let file = arguments.file.display();
    cli::tell(format_args!(
        "feldc: {file}, seed {seed}: {finding}\nfeldc: the stream again: feldc fuzz {file} --seed {seed} --streams 1\n"
    ));
    cli::print(format_args!("{}", fuzz.script(&text, &case, seed, &finding)))?;
    Ok(ExitCode::from(1))
}

/// What is wrong with the views of a program after the changes of one random stream; `None` also for a program whose
/// evaluation from scratch would take too long.
pub fn first_difference(file: &str, text: &str, seed: u64, steps: u32) -> Option<String> {
    let mut compiled = super::compile(file, text).ok()?;
    compiled.schema.fail_on_error = false;
    let bound = front(file, text).ok()?.0;
    let fuzz = Fuzz { bound, any_failure: true, compiled, binary: None, workers: 1 };
    let mut cases = fuzz.cases(seed, steps);
    cases.truncate(2);
    let mut tables = Tables::new(&fuzz.compiled.schema);
    cases[1].iter().for_each(|step| tables.apply_all(step));
    // Everything of the stream that is not taken back: about as many rows as there are at any time.
    if oracle::rows_visited(&fuzz.compiled.program, &tables.rows) > ROWS_MAX {
        return None;
    }
    cases.iter().find_map(|case| fuzz.finding(case))
}

struct Fuzz {
    /// Before any rewrite.
    bound: Program,
    /// Of a row in which several expressions fail one failure is told: SQL does not say which. With this it only matters
    /// whether anything fails.
    any_failure: bool,
    compiled: Compiled,
    binary: Option<PathBuf>,
    workers: usize,
}

impl Fuzz {
    /// Tries streams until one makes a difference: its seed and the case.
    fn search(&self, arguments: &FuzzArguments) -> Option<(u64, Case)> {
        let start = Instant::now();
        let end = arguments.time.map(|seconds| start + Duration::from_secs(seconds));
        let streams = arguments.streams.unwrap_or(if end.is_some() { u64::MAX } else { STREAMS });
        let (mut steps, mut told) = (0, Instant::now());
        let mut tried = 0;
        while tried < streams && end.is_none_or(|end| Instant::now() < end) {
            let seed = arguments.seed.wrapping_add(tried);
            for case in self.cases(seed, arguments.steps) {
                steps += case.len();
                if self.finding(&case).is_some() {
                    cli::tell(format_args!("feldc: a difference with seed {seed}; looking for the smallest case\n"));
                    return Some((seed, case));
                }
            }
            tried += 1;
            if told.elapsed() > PROGRESS {
                told = Instant::now();
                cli::tell(format_args!("feldc: {tried} streams, {steps} steps, no difference so far\n"));
            }
        }
        let file = arguments.file.display();
        let views = cli::count(self.compiled.schema.views.len(), "view");
        let last = arguments.seed.wrapping_add(tried.saturating_sub(1));
        let first = arguments.seed;
        cli::tell(format_args!(
            "feldc: {file}: no difference in {views} after {steps} steps (seeds {first} to {last})\n"
        ));
        None
    }

    /// The changes of a stream in their steps with everything deleted at the end, in one step, and row by row.
    fn cases(&self, seed: u64, steps: u32) -> Vec<Case> {
        let append_only: Vec<bool> = self.compiled.program.tables.iter().map(|table| table.append_only).collect();
        let mut stream =
            Stream::new(&self.compiled.schema, seed).with_edges(seed.is_multiple_of(2)).append_only(append_only);
        let mut case: Case = (0..steps).map(|_| stream.step()).collect();
        case.push(stream.clear());
        if self.binary.is_some() {
            case.iter_mut().flatten().for_each(|change| self.send(change));
        }
        let all = case[..case.len() - 1].concat();
        let single = all.chunks(1).map(<[Change]>::to_vec).collect();
        vec![case, vec![all], single]
    }

    /// A row as it comes out of the pipe to a native program.
    fn send(&self, change: &mut Change) {
        if let Some(table) = self.compiled.schema.tables.iter().find(|table| table.name == change.relation) {
            let relation = Relation::of_table(table);
            change.row = relation.decode(&through_pipe(&relation, &relation.encode(&change.row)));
        }
    }

    fn session(&self) -> Result<Session, String> {
        match &self.binary {
            None => Ok(Session::new(&self.compiled.interpreted(), self.workers)),
            Some(binary) => Session::native(&self.compiled.schema, binary, self.workers),
        }
    }

    fn expected(&self, tables: &Tables, session: &Session) -> Expected {
        let rewritten = &self.compiled.program;
        let mut expected = oracle::expected(rewritten, &tables.rows, session);
        if oracle::rows_visited(&self.bound, &tables.rows) <= ROWS_MAX {
            let bound = oracle::expected(&self.bound, &tables.rows, session);
            // What nothing reads is not evaluated after the rewrites, and of copies of an expression not each is read. Where it
            // would have failed, its row stays.
            if bound.errors.is_empty() && expected.errors.is_empty() {
                expected.views = bound.views;
            }
        }
        expected
    }

    /// What is wrong after some step of a case.
    fn finding(&self, case: &Case) -> Option<String> {
        let checked = catch_unwind(AssertUnwindSafe(|| self.check(case)));
        checked.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("of unknown cause");
            Some(format!("internal error: {text}"))
        })
    }

    fn check(&self, case: &Case) -> Option<String> {
        let mut session = match self.session() {
            Ok(session) => session,
            Err(reason) => return Some(reason),
        };
        let mut tables = Tables::new(&self.compiled.schema);
        for (at, step) in case.iter().enumerate() {
            if let Err(fault) = session.step(step) {
                return Some(format!("step {} fails: {fault}", at + 1));
            }
            tables.apply_all(step);
            // Rows one by one are many steps; what is wrong stays wrong to the end, mostly.
            if at % (1 + case.len() / 20) != 0 && at + 1 < case.len() {
                continue;
            }
            let expected = self.expected(&tables, &session);
            let mut found = oracle::differences(&expected, &session);
            let errors = session.views().last().map(|view| view.name.as_str());
            if self.any_failure && expected.errors.is_empty() == session.errors().is_empty() {
                found.retain(|difference| Some(difference.view.as_str()) != errors);
            }
            if !found.is_empty() {
                let found: Vec<String> = found.iter().map(Difference::to_string).collect();
                return Some(format!("after step {}, {}", at + 1, found.join("\n")));
            }
        }
        None
    }

    /// The smallest case found in the time for it, and what is wrong with it.
    fn smallest(&self, case: Case) -> (Case, String) {
        let (start, mut cases) = (Instant::now(), 0);
        let case = shrink::shrink(&self.compiled.schema, case, |case| {
            cases += 1;
            (cases <= SHRINK_CASES && start.elapsed() < SHRINK_TIME).then(|| self.finding(case).is_some())
        });
        let finding = self.finding(&case).unwrap_or_else(|| "the difference does not show again".into());
        (case, finding)
    }

    /// A step script of the case. It expects what the evaluation from scratch gives, and in error_view what the program gives.
    fn script(&self, text: &str, case: &Case, seed: u64, finding: &str) -> String {
        let mut script = format!("# feldc fuzz, seed {seed}\n");
        finding.lines().for_each(|line| script += &format!("# {line}\n"));
        script += &program_lines(text);
        // Rows are printed by the schema alone, so this session need not be the one that fails.
        let mut session = Session::new(&self.compiled.interpreted(), 1);
        let mut before = Expected::nothing(self.compiled.schema.views.len());
        let mut tables = Tables::new(&self.compiled.schema);
        for step in case {
            script += "step\n";
            step.iter().for_each(|change| script += &format!("{}\n", print_line(change, session.tables())));
            tables.apply_all(step);
            let stepped = catch_unwind(AssertUnwindSafe(|| session.step(step)));
            let after = self.expected(&tables, &session);
            script += "----\n";
            let mut changes = oracle::changes(&before, &after, &session);
            let errors = session.views().last().map_or("", |view| view.name.as_str());
            if let Ok(Ok(given)) = stepped {
                changes.extend(given.into_iter().filter(|change| change.relation == errors));
            }
            changes.iter().for_each(|change| script += &format!("{}\n", print_line(change, session.views())));
            before = after;
        }
        script
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driver::compile;

    /// A program whose evaluation from scratch is that of another program.
    fn fuzz(sql: &str, meaning: &str) -> Fuzz {
        let mut compiled = compile("program.sql", sql).unwrap();
        compiled.program = compile("meaning.sql", meaning).unwrap().program;
        Fuzz { bound: front("meaning.sql", meaning).unwrap().0, any_failure: false, compiled, binary: None, workers: 1 }
    }

    const TABLE: &str = "CREATE TABLE t (k BIGINT, v DOUBLE);\n";

    #[test]
    fn a_right_program_makes_no_difference() {
        let sql = format!("{TABLE}CREATE VIEW s AS SELECT k, SUM(v) AS v FROM t GROUP BY k HAVING 1 / k > 0;");
        let fuzz = fuzz(&sql, &sql);
        for seed in 1..6 {
            assert!(fuzz.cases(seed, 6).iter().all(|case| fuzz.finding(case).is_none()));
        }
    }

    #[test]
    fn failures_of_what_nothing_reads_make_no_difference() {
        for query in [
            "SELECT k FROM t WHERE k > ALL (SELECT 6 / 0)",
            "SELECT k FROM t WHERE k NOT IN (SELECT 6 / 0 WHERE 1 NOT IN (SELECT k FROM t))",
            "SELECT k FROM t WHERE EXISTS (SELECT 1 FROM l)",
        ] {
            let local = "CREATE LOCAL VIEW l AS SELECT 1 / k AS unread FROM t;";
            let sql = format!("{TABLE}{local} CREATE VIEW s AS {query};");
            let fuzz = fuzz(&sql, &sql);
            for seed in 1..6 {
                assert_eq!(fuzz.cases(seed, 3).iter().find_map(|case| fuzz.finding(case)), None, "{query}");
            }
        }
    }

    #[test]
    fn a_wrong_program_is_shown_by_a_small_script() {
        let sql = format!("{TABLE}CREATE VIEW s AS SELECT k FROM t WHERE k > 2;");
        let fuzz = fuzz(&sql, &sql.replace('2', "3"));
        let case = (1..).flat_map(|seed| fuzz.cases(seed, 12)).find(|case| fuzz.finding(case).is_some()).unwrap();
        let (case, finding) = fuzz.smallest(case);
        let script = fuzz.script(&sql, &case, 1, &finding);
        let expected = format!(
            "# feldc fuzz, seed 1
# after step 1, view s differs from its evaluation from scratch
#   extra 1 x (3)
program
{sql}
step
t  +1 (3, 0.0)
----
"
        );
        assert_eq!(script, expected);
    }
}
