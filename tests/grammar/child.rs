//! Processes that examine one program after the other: a crash or a hang ends only the process.

use super::examine::{self, Finding, Verdict};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The argument that makes this program such a process.
pub const WORD: &str = "--examine";
/// Address space of a process, in KiB.
const MEMORY_KB: u32 = 6 << 20;

/// As `feldc` has it.
const STACK_BYTES: usize = 256 << 20;

/// Reads programs from standard input until it ends, and writes a line with the verdict on each.
///
/// A program is a line `SEED LENGTH` (the seed is `-` for one that is not to run) and so many bytes.
///
/// # Errors
/// When the parent is gone.
pub fn serve() -> std::io::Result<()> {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(answer_all)?;
    thread.join().unwrap_or_else(|_| Err(std::io::Error::other("the examination panicked")))
}

fn answer_all() -> std::io::Result<()> {
    examine::keep_panics();
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let mut head = String::new();
    while input.read_line(&mut head)? > 0 {
        let (seed, length) = head.trim().split_once(' ').expect("the parent writes two words");
        let mut bytes = vec![0; length.parse().expect("a number")];
        input.read_exact(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let verdict = examine::examine(&text, seed.parse().ok());
        writeln!(output, "{}", verdict.encode())?;
        output.flush()?;
        head.clear();
    }
    Ok(())
}

/// A process, started when it is needed and again after its end.
pub struct Examiner {
    process: Option<Process>,
    pub limit: Duration,
}

struct Process {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
}

impl Examiner {
    pub fn new(limit: Duration) -> Examiner {
        Examiner { process: None, limit }
    }

    pub fn examine(&mut self, text: &str, seed: Option<u64>) -> Verdict {
        let process = self.process.get_or_insert_with(Process::start);
        let seed = seed.map_or("-".to_string(), |seed| seed.to_string());
        // A process that is gone shows when nothing comes back.
        let _ = process.stdin.write_all(format!("{seed} {}\n{text}", text.len()).as_bytes());
        let _ = process.stdin.flush();
        let answer = process.lines.recv_timeout(self.limit);
        match answer.map(|line| Verdict::decode(&line)) {
            Ok(Some(verdict)) => verdict,
            Ok(None) => panic!("the examining process writes something else than verdicts"),
            Err(RecvTimeoutError::Timeout) => {
                self.process.take().map(Process::kill);
                Verdict::Fault(Finding::new("hang", "", format!("no answer after {} s", self.limit.as_secs())))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let (status, said) = self.process.take().map(Process::kill).unwrap_or_default();
                let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().to_string();
                Verdict::Fault(Finding::new("crash", &format!("{status} {first}"), format!("{status}: {said}")))
            }
        }
    }
}

impl Drop for Examiner {
    fn drop(&mut self) {
        self.process.take().map(Process::kill);
    }
}

impl Process {
    fn start() -> Process {
        let program = std::env::current_exe().expect("this program has a path");
        let limited = format!("ulimit -v {MEMORY_KB}; exec \"$0\" {WORD}");
        let mut child = Command::new("sh")
            .args(["-c", &limited])
            .arg(program)
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("sh starts");
        let (sender, lines) = channel();
        let output = BufReader::new(child.stdout.take().expect("piped"));
        std::thread::spawn(move || output.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
        let stdin = child.stdin.take().expect("piped");
        Process { child, stdin, lines }
    }

    /// How it ended, and what it said on standard error.
    fn kill(mut self) -> (String, String) {
        // One that has ended by itself cannot be killed.
        let _ = self.child.kill();
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            let _ = stderr.read_to_string(&mut said);
        }
        (status, said)
    }
}
