//! What a person reads while cargo builds: little, and never silence for long.

use super::messages::Event;
use std::fmt::{self, Display, Formatter};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A line for the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Progress {
    /// Another feldc is building; cargo waits for it.
    Waiting,
    Runtime {
        done: usize,
        of: usize,
    },
    Program,
    Finished {
        binary: PathBuf,
        took: Duration,
    },
}

impl Display for Progress {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Progress::Waiting => f.write_str("waiting for another build to finish"),
            Progress::Runtime { done, of } => {
                write!(f, "building the runtime (once per machine): {done}/{of} crates")
            }
            Progress::Program => f.write_str("compiling the program"),
            Progress::Finished { binary, took } => {
                write!(f, "built {} in {:.1} s", binary.display(), took.as_secs_f64())
            }
        }
    }
}

/// Time between two lines about the runtime.
const PAUSE: Duration = Duration::from_secs(5);

/// Chooses the events worth a line.
pub struct Throttle<'a> {
    program: &'a str,
    /// Some crate other than the program's is being compiled.
    runtime: bool,
    last: Option<Instant>,
}

impl<'a> Throttle<'a> {
    pub fn new(program: &'a str) -> Throttle<'a> {
        Throttle { program, runtime: false, last: None }
    }

    pub fn progress(&mut self, event: &Event) -> Option<Progress> {
        match event {
            Event::Blocked => Some(Progress::Waiting),
            Event::Compiling { name } if name == self.program => {
                self.runtime = false;
                Some(Progress::Program)
            }
            Event::Compiling { .. } => {
                self.runtime = true;
                None
            }
            // The program's own crate is the last one and not part of the runtime.
            Event::Done { crates, of } if self.runtime && self.last.is_none_or(|last| last.elapsed() >= PAUSE) => {
                self.last = Some(Instant::now());
                Some(Progress::Runtime { done: *crates, of: of.saturating_sub(1) })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_is_only_mentioned_while_it_is_built() {
        let mut throttle = Throttle::new("q3-1");
        let done = |crates| Event::Done { crates, of: 121 };
        let compiling = |name: &str| Event::Compiling { name: name.into() };
        assert_eq!(throttle.progress(&done(1)), None);
        assert_eq!(throttle.progress(&compiling("serde")), None);
        assert_eq!(throttle.progress(&done(57)), Some(Progress::Runtime { done: 57, of: 120 }));
        assert_eq!(throttle.progress(&done(58)), None);
        assert_eq!(throttle.progress(&compiling("q3-1")), Some(Progress::Program));
    }
}
