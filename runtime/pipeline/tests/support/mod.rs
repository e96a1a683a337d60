//! Starts the echo pipeline as a process, and speaks HTTP with it over a plain socket.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// A folder of its own for each test, removed at the end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("feldc-pipeline-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap_or_default()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(folder: &Path, schema: &feldc_pipeline::schema::Schema, options: &[&str]) -> Command {
    let path = folder.join("schema.json");
    std::fs::write(&path, serde_json::to_string(schema).unwrap()).unwrap();
    // Examples are built beside the tests by `cargo test`.
    let tests = std::env::current_exe().unwrap();
    let binary = tests.parent().unwrap().parent().unwrap().join("examples/echo");
    assert!(binary.exists(), "{} is missing: run `cargo build --examples` first", binary.display());
    let mut command = Command::new(binary);
    command.arg(path).args(["--base-dir", &folder.display().to_string(), "--workers", "2"]).args(options);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs to the end.
pub fn run(folder: &Folder, schema: &feldc_pipeline::schema::Schema, options: &[&str]) -> Output {
    command(&folder.0, schema, options).output().unwrap()
}

/// A pipeline that serves HTTP.
pub struct Server {
    pub child: Child,
    pub port: u16,
}

impl Server {
    pub fn start(folder: &Folder, schema: &feldc_pipeline::schema::Schema, options: &[&str]) -> Server {
        let port_file = folder.0.join("port");
        let mut command = command(&folder.0, schema, options);
        let child = command.args(["--port-file", &port_file.display().to_string()]).spawn().unwrap();
        let port = wait_for(|| std::fs::read_to_string(&port_file).ok()?.trim().parse().ok());
        Server { child, port }
    }

    pub fn connect(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        let length = body.len();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{headers}Content-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body).unwrap();
        BufReader::new(stream)
    }

    /// Status and body.
    pub fn call(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> (u16, String) {
        let mut reader = self.connect(method, path, headers, body);
        let (status, length) = read_head(&mut reader);
        let mut text = vec![0; length.expect("an answer with a length")];
        reader.read_exact(&mut text).unwrap();
        (status, String::from_utf8(text).unwrap())
    }

    pub fn get(&self, path: &str) -> serde_json::Value {
        let (status, body) = self.call("GET", path, "", b"");
        assert_eq!(status, 200, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    pub fn post(&self, path: &str, body: &str) -> (u16, serde_json::Value) {
        let (status, body) = self.call("POST", path, "", body.as_bytes());
        (status, serde_json::from_str(&body).unwrap())
    }

    /// Sends a signal, waits, and gives the exit code and what was said.
    pub fn stop(mut self, signal: &str) -> (Option<i32>, String) {
        Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        let status = self.child.wait().unwrap();
        let mut said = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (status.code(), said)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The status, and the length of the body when it is told.
pub fn read_head(reader: &mut impl BufRead) -> (u16, Option<usize>) {
    let mut line = String::new();
    reader.read_line(&mut line).unwrap();
    let status =
        line.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_else(|| panic!("no status: {line:?}"));
    let mut length = None;
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        if line.trim().is_empty() {
            return (status, length);
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok();
        }
    }
}

/// The next line of a chunked body whose chunks are lines.
pub fn read_chunk(reader: &mut impl BufRead) -> Option<serde_json::Value> {
    let mut size = String::new();
    reader.read_line(&mut size).unwrap();
    let size = usize::from_str_radix(size.trim(), 16).ok().filter(|size| *size > 0)?;
    let mut chunk = vec![0; size + 2];
    reader.read_exact(&mut chunk).unwrap();
    Some(serde_json::from_slice(&chunk[..size]).unwrap())
}

pub fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "nothing happened for 30 seconds");
        std::thread::sleep(Duration::from_millis(10));
    }
}
