//! The final circuit as the source of a Rust crate: schemas, kernels and wiring, and nothing that SQL did not decide.
//!
//! `kernels.rs` holds one function for each map and join, `circuit.rs` one builder call for each node, `schema.json`
//! what formats and the server need. The rest of the crate is `templates/pipeline`. The circuit's check has run before:
//! there is nothing left to refuse. Same input, same bytes: ordered maps, names from views, no clock and no paths.

mod call;
mod expression;
mod kernel;
mod literal;
mod names;
mod native;
mod output;
mod print;
mod rows;
mod scope;
mod signature;
#[cfg(test)]
mod testing;
mod udf;
mod wiring;

pub use udf::{BODIES, FUNCTIONS, called_functions, emit_functions, emit_stubs, stub};

use crate::circuit::{Circuit, Op};
use crate::plan::View;
use feldc_pipeline::schema::Schema;
use feldc_value::function::{CORE, PROGRAM};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The sources of a crate.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    /// Path below its root, with `/`, and contents.
    pub files: BTreeMap<String, String>,
    /// The crates of functions, beside the runtime, that the files call.
    pub libraries: BTreeSet<&'static str>,
    /// Lines of `Cargo.toml` about dependencies that the program brings along.
    pub dependencies: String,
}

const MAIN: &str = include_str!("../../../templates/pipeline/src/main.rs");

/// A program for [`emit_pool`].
pub struct PoolProgram<'a> {
    pub name: &'a str,
    pub circuit: &'a Circuit,
    pub schema: &'a Schema,
    pub views: &'a [View],
}

/// The sources of the crate that runs `circuit`, without `Cargo.toml` (which is `package`'s). `views` are those that the
/// circuit's [`crate::plan::ViewId`]s count; they give names and SQL text for comments.
pub fn emit_rust(circuit: &Circuit, schema: &Schema, views: &[View]) -> Sources {
    let mut files = program(circuit, schema, views, "src");
    files.insert("src/main.rs".into(), MAIN.into());
    Sources { files, libraries: libraries(circuit), dependencies: String::new() }
}

/// One crate of many programs, for tests: a module for each, and a `main` that runs the one its first argument names.
pub fn emit_pool(programs: &[PoolProgram]) -> Sources {
    let (mut files, mut libraries) = (BTreeMap::new(), BTreeSet::new());
    let mut taken = names::Taken::default();
    let (mut modules, mut arms) = (String::new(), String::new());
    for PoolProgram { name, circuit, schema, views } in programs {
        let module = taken.name(name);
        files.extend(program(circuit, schema, views, &format!("src/{module}")));
        libraries.extend(self::libraries(circuit));
        files.insert(format!("src/{module}/mod.rs"), "pub mod circuit;\npub mod kernels;\n".into());
        let _ = writeln!(modules, "mod {module};");
        let _ = writeln!(
            arms,
            "        {name:?} => glue::Program::new(include_str!(\"{module}/schema.json\"), {module}::circuit::build),"
        );
    }
    let main = include_str!("pool_main.txt").replace("// MODULES\n", &modules).replace("        // ARMS\n", &arms);
    files.insert("src/main.rs".into(), main);
    Sources { files, libraries, dependencies: String::new() }
}

/// The crates of functions that a circuit's kernels call, beside the one that all have.
fn libraries(circuit: &Circuit) -> BTreeSet<&'static str> {
    let libraries = functions(circuit).into_iter().map(|(library, _)| library);
    libraries.filter(|library| ![CORE, PROGRAM].contains(library)).collect()
}

/// The functions that a circuit's kernels call: crate, and path in it.
fn functions(circuit: &Circuit) -> BTreeSet<(&'static str, &'static str)> {
    let mut functions = BTreeSet::new();
    for node in &circuit.nodes {
        if let Op::Map { kernel, .. } | Op::Join { kernel, .. } | Op::RangeJoin { kernel, .. } = &node.op {
            kernel.exprs().for_each(|expr| call::collect_functions(expr, &mut functions));
        }
    }
    functions
}

fn program(circuit: &Circuit, schema: &Schema, views: &[View], folder: &str) -> BTreeMap<String, String> {
    let names = names::Names::new(circuit, schema, views);
    BTreeMap::from([
        (format!("{folder}/circuit.rs"), wiring::emit_circuit(circuit, views, &names)),
        (format!("{folder}/kernels.rs"), kernel::emit_kernels(circuit, &names)),
        (format!("{folder}/schema.json"), schema_json(schema)),
    ])
}

fn schema_json(schema: &Schema) -> String {
    // A schema holds strings, numbers and JSON values only, which always serialise.
    let text = serde_json::to_string_pretty(schema).unwrap_or_else(|error| format!("{{ \"error\": \"{error}\" }}"));
    text + "\n"
}
