//! Starts the real `feldc` command and talks to it as a user would.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::OnceLock;

/// The repository's root.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the tests lie in the workspace").to_path_buf()
}

/// The `feldc` binary of this checkout, built once in each test process.
pub fn feldc() -> &'static Path {
    static BINARY: OnceLock<PathBuf> = OnceLock::new();
    BINARY.get_or_init(|| {
        let built =
            Command::new(env!("CARGO")).args(["build", "--quiet", "--package", "feldc"]).current_dir(root()).status();
        assert!(built.expect("cargo starts").success(), "feldc builds");
        let test = std::env::current_exe().expect("a test has a path");
        let folder = test.parent().and_then(Path::parent).expect("target/PROFILE/deps/TEST");
        folder.join(format!("feldc{}", std::env::consts::EXE_SUFFIX))
    })
}

/// Runs `feldc` to its end.
pub fn run(arguments: &[&str]) -> Output {
    Command::new(feldc()).args(arguments).stdin(Stdio::null()).output().expect("feldc starts")
}

/// Runs `feldc` with `input` on standard input; standard output.
pub fn run_with(arguments: &[&str], input: &str) -> String {
    let mut command = Command::new(feldc());
    command.args(arguments);
    talk(&mut command, input)
}

/// Runs a command with `input` on standard input; standard output. Standard error is passed on.
pub fn talk(command: &mut Command, input: &str) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the command starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_string();
    let writer = std::thread::spawn(move || drop(stdin.write_all(input.as_bytes())));
    let mut output = String::new();
    child.stdout.take().expect("piped").read_to_string(&mut output).expect("UTF-8");
    child.wait().expect("the command ends");
    writer.join().expect("the writer ends");
    output
}

/// A running pipeline with its HTTP address; killed when dropped.
pub struct Pipeline {
    pub child: Child,
    pub address: String,
}

impl Pipeline {
    /// Starts `feldc run` with these arguments and waits until it prints its address on standard error.
    pub fn start(arguments: &[&str]) -> Pipeline {
        let mut child = Command::new(feldc())
            .arg("run")
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("feldc starts");
        let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines();
        let address = loop {
            let line = lines.next().expect("the pipeline prints its address before it ends").expect("UTF-8");
            if let Some((_, rest)) = line.split_once("http://") {
                break rest.split(|c: char| c.is_whitespace() || c == '/').next().expect("not empty").to_string();
            }
        };
        std::thread::spawn(move || lines.for_each(|line| eprintln!("pipeline: {}", line.unwrap_or_default())));
        Pipeline { child, address }
    }

    /// One HTTP request over a connection of its own: status and body.
    pub fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.request_with(method, path, body, "")
    }

    /// `headers`: further header lines, each ended by CR LF.
    pub fn request_with(&self, method: &str, path: &str, body: &str, headers: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).expect("the pipeline listens");
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n"
        );
        stream.write_all(head.as_bytes()).expect("writes");
        stream.write_all(body.as_bytes()).expect("writes");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("reads");
        let status = answer.split_whitespace().nth(1).and_then(|word| word.parse().ok()).expect("a status line");
        let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_string())
    }

    /// Sends a signal by name (`TERM`, `INT`, `KILL`) and returns the exit code (`None` when killed).
    pub fn signal(&mut self, name: &str) -> Option<i32> {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().expect("kill starts").success());
        self.child.wait().expect("the pipeline ends").code()
    }
}

impl Drop for Pipeline {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
