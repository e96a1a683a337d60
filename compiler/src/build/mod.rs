//! Runs cargo on a generated crate: progress on the way, the finished binary at the end, and a plain word about whose
//! fault it is when there is none.

mod error;
mod functions;
mod messages;
mod place;
mod progress;

pub use error::{BuildError, FunctionFault};
pub use progress::Progress;

use crate::package::Package;
use messages::{Event, Outcome};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::time::Instant;
use std::{env, fs, io, thread};

/// Builds the crate and puts the binary into its folder.
///
/// Cargo runs in the process group of the caller, so that Ctrl-C at a terminal ends both; a caller that returns or
/// panics on the way ends it as well.
///
/// # Errors
/// See [`BuildError`].
pub fn build(package: &Package, report: &mut dyn FnMut(&Progress)) -> Result<PathBuf, BuildError> {
    let begin = Instant::now();
    // Once everything is downloaded cargo need not ask the network, and does not wait for it.
    let offline = package.cache.downloaded().exists();
    let mut outcome = run(package, offline, report)?;
    if offline && !outcome.finished() && outcome.wants_network() {
        outcome = run(package, false, report)?;
    }
    let built = outcome.binary(package)?;
    let binary = package.folder.join(&package.binary);
    install(&built, &binary).map_err(|error| BuildError::Io { intention: "write", path: binary.clone(), error })?;
    package.cache.note_build(&package.name, &package.folder);
    report(&Progress::Finished { binary: binary.clone(), took: begin.elapsed() });
    Ok(binary)
}

fn cargo() -> OsString {
    env::var_os("CARGO").filter(|cargo| !cargo.is_empty()).unwrap_or_else(|| "cargo".into())
}

fn run(package: &Package, offline: bool, report: &mut dyn FnMut(&Progress)) -> Result<Outcome, BuildError> {
    let program = cargo();
    let mut command = Command::new(&program);
    command.args(["build", "--release", "--message-format=json"]).args(offline.then_some("--offline"));
    command.current_dir(&package.folder).env("CARGO_TARGET_DIR", package.cache.target());
    // Cargo tells how many crates are done in its progress bar only.
    command.env("CARGO_TERM_PROGRESS_WHEN", "always").env("CARGO_TERM_PROGRESS_WIDTH", "120");
    command.env("CARGO_TERM_COLOR", "never");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => BuildError::NoCargo { program: program.clone() },
        _ => BuildError::Io { intention: "start", path: program.clone().into(), error },
    })?;
    let mut running = Running { child, ended: false };

    let (events, received) = channel();
    if let Some(output) = running.child.stdout.take() {
        read_parts(output, b"\n", events.clone(), messages::message);
    }
    if let Some(output) = running.child.stderr.take() {
        read_parts(output, b"\n\r", events, messages::status);
    }
    let mut outcome = Outcome::default();
    let mut throttle = progress::Throttle::new(&package.name);
    for event in received {
        if let Some(progress) = throttle.progress(&event) {
            report(&progress);
        }
        outcome.add(event);
    }
    let wait = |error| BuildError::Io { intention: "wait for", path: program.clone().into(), error };
    outcome.status = Some(running.wait().map_err(wait)?);
    Ok(outcome)
}

/// Reads to the end on a thread of its own, and sends what the parts between the separators mean.
fn read_parts(
    output: impl Read + Send + 'static,
    separators: &'static [u8],
    events: Sender<Event>,
    meaning: fn(&str) -> Option<Event>,
) {
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut part = Vec::new();
        loop {
            let Ok(buffer) = output.fill_buf() else { return };
            let ended = buffer.is_empty();
            let end = buffer.iter().position(|byte| separators.contains(byte));
            let taken = end.unwrap_or(buffer.len());
            part.extend_from_slice(&buffer[..taken]);
            output.consume(taken + usize::from(end.is_some()));
            if ended || end.is_some() {
                let event = meaning(&String::from_utf8_lossy(&part));
                part.clear();
                // Nobody listens when the build was given up.
                if event.is_some_and(|event| events.send(event).is_err()) || ended {
                    return;
                }
            }
        }
    });
}

/// A child process that does not outlive its owner.
struct Running {
    child: Child,
    ended: bool,
}

impl Running {
    fn wait(&mut self) -> io::Result<ExitStatus> {
        let status = self.child.wait()?;
        self.ended = true;
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

/// Copies the binary under a name of its own, then renames it: a running pipeline keeps the file it was started from.
fn install(built: &Path, binary: &Path) -> io::Result<()> {
    let draft = binary.with_file_name(format!(".draft-{}", std::process::id()));
    fs::copy(built, &draft)?;
    fs::rename(&draft, binary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::circuit::{Circuit, Kernel, Node, NodeId, Op};
    use crate::plan::{Expr, ExprKind, Span, TableId};
    use crate::{emit, package};
    use feldc_pipeline::schema::Schema;
    use feldc_value::function::{Function, Param, Returns};
    use feldc_value::{ColumnType, Part, RowField, SqlType};

    fn two_fields() -> SqlType {
        let field = |name| RowField { name: Part(name), columntype: ColumnType::new(SqlType::VARCHAR, false) };
        SqlType::row(vec![field("a"), field("b")])
    }

    /// A table and a map that calls the function on the table's columns.
    fn calling(function: &'static Function, nullable: bool) -> Option<[Node; 2]> {
        let repeats = if function.variadic { 2 } else { 0 };
        let types: Option<Vec<SqlType>> = (0..function.parameters.len() + repeats)
            .map(|argument| match function.parameter(argument)? {
                Param::Is(SqlType::Decimal { .. }) => Some(SqlType::Decimal { precision: 12, scale: 2 }),
                Param::Is(SqlType::Array(_)) => Some(SqlType::array(SqlType::BigInt)),
                Param::Is(SqlType::Map(_)) => Some(SqlType::map(SqlType::VARCHAR, SqlType::BigInt)),
                Param::Is(SqlType::Row(_)) => Some(two_fields()),
                Param::Is(ty) => Some(ty),
                Param::Same | Param::Any => Some(SqlType::BigInt),
            })
            .collect();
        let types = match function.returns {
            Returns::Shaped(derive) => derive(&types?).map(|shape| shape.arguments).ok()?,
            _ => types?,
        };
        let result = match function.result_type(&types).ok()? {
            SqlType::Null => SqlType::BigInt,
            SqlType::Array(_) => SqlType::array(SqlType::VARCHAR),
            SqlType::Map(_) => SqlType::map(SqlType::VARCHAR, SqlType::Decimal { precision: 5, scale: 1 }),
            SqlType::Row(_) => two_fields(),
            other => other,
        };
        let columns: Vec<ColumnType> = types.iter().map(|ty| ColumnType::new(*ty, nullable)).collect();
        let result = ColumnType::new(result, function.nullable(&vec![nullable; columns.len()]));
        let span = Span { line: 1, column: 1, ..Span::default() };
        let expr = |kind, ty| Expr { kind, ty, span };
        let slots = columns.iter().enumerate().map(|(slot, ty)| expr(ExprKind::Slot(slot), *ty)).collect();
        let call = expr(ExprKind::Call { function, arguments: slots }, result);
        let attempt = expr(ExprKind::Try(Box::new(call.clone())), ColumnType::new(result.ty, true));
        let layout = vec![result, attempt.ty];
        let kernel = Kernel { steps: vec![], outputs: vec![call, attempt] };
        let node = |op, layout| Node { op, layout, view: None, span };
        Some([
            node(Op::Table { table: TableId(0), stored: false }, columns),
            node(Op::Map { input: NodeId(0), kernel }, layout),
        ])
    }

    /// Generated calls agree with every function's signature.
    #[test]
    #[ignore = "builds the runtime: minutes at the first time"]
    fn every_function_compiles_in_a_kernel() {
        let mut nodes = Vec::new();
        for function in crate::library::functions() {
            for [table, mut map] in [false, true].into_iter().filter_map(|nullable| calling(function, nullable)) {
                if let Op::Map { input, .. } = &mut map.op {
                    *input = NodeId(nodes.len());
                }
                nodes.extend([table, map]);
            }
        }
        assert!(nodes.len() > 400, "only {} calls", nodes.len() / 2);
        let files = emit::emit_rust(&Circuit { nodes }, &Schema::default(), &[]);
        let folder = env::temp_dir().join(format!("feldc-functions-{}", std::process::id()));
        let package = package::write(&folder, "functions", &files).unwrap();
        let result = build(&package, &mut |progress| eprintln!("{progress}"));
        if let Err(error) = result {
            panic!("{error}");
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    #[ignore = "builds the runtime: minutes at the first time"]
    fn refused_code_is_our_fault_and_has_a_place() {
        let mut files = emit::emit_rust(&Circuit::default(), &Schema::default(), &[]);
        let kernel =
            "pub mod q3 {\n    /// Node 1, program line 3 column 9.\n    fn map_1() -> u8 {\n        \"\"\n    }\n}\n";
        files.files.insert("src/kernels.rs".into(), kernel.into());
        let folder = env::temp_dir().join(format!("feldc-refused-{}", std::process::id()));
        let package = package::write(&folder, "refused", &files).unwrap();
        let Err(BuildError::Refused { place, rendered, .. }) = build(&package, &mut |_| ()) else {
            panic!("the code was accepted");
        };
        assert_eq!(place.as_deref(), Some("program line 3 column 9 (view q3)"));
        assert!(rendered.contains("mismatched types"), "{rendered}");
        fs::remove_dir_all(folder).unwrap();
    }
}
