//! The functions that programs may call: the value crate's, and those of the crates that stand beside it because what
//! they stand on is heavy. One line here makes such a crate known to binder, interpreter and generated code.

use feldc_value::function::{Function, Nulls, PROGRAM, Param, Returns, Signature};
use feldc_value::registry::{self, Family, Library};
use feldc_value::{SqlError, SqlType, Value};
use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex, PoisonError};

static LIBRARY: LazyLock<Library> = LazyLock::new(|| {
    let mut families = registry::families();
    families.extend(feldc_regex::families());
    families.extend(feldc_gunzip::families());
    families.extend(feldc_hash::families());
    families.extend(feldc_time_format::families());
    families.extend(feldc_time_zone::families());
    Library::new(families)
});

/// Name, types of the parameters and the result, and NULL rule of a function that a program brings along.
type Declaration = (String, Vec<SqlType>, SqlType, Nulls);

/// Entries live as long as the process; there are only as many as programs declare.
static DECLARED: Mutex<BTreeMap<Declaration, &'static Function>> = Mutex::new(BTreeMap::new());

/// The entry of a function that a program brings along in Rust, the same one for the same declaration. `path` is that of its
/// Rust function below the module of such functions.
pub fn declared(
    name: &str,
    path: String,
    parameters: Vec<SqlType>,
    result: SqlType,
    nulls: Nulls,
) -> &'static Function {
    let key = (path, parameters, result, nulls);
    let mut declared = DECLARED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(function) = declared.get(&key) {
        return function;
    }
    let (path, parameters, ..) = key.clone();
    let function: &'static Function = Box::leak(Box::new(Function {
        name: name.to_string().leak(),
        library: PROGRAM,
        path: path.leak(),
        parameters: parameters.into_iter().map(Param::Is).collect::<Vec<_>>().leak(),
        variadic: false,
        returns: Returns::Is(result),
        nulls,
        typed: false,
        fallible: true,
        boxed: false,
        // Known only to compiled code, so that no constant is computed with it.
        deterministic: false,
        monotone: false,
        call: not_here,
        doc: "A function of the program, in Rust.",
    }));
    declared.insert(key, function);
    function
}

fn not_here(_: &[Value], _: &Signature<'_>) -> Result<Value, SqlError> {
    Err(SqlError::new("0A000", "a function in Rust can be called in a compiled pipeline only"))
}

pub fn families() -> &'static [Family] {
    LIBRARY.families()
}

/// Every entry, in order.
pub fn functions() -> impl Iterator<Item = &'static Function> {
    LIBRARY.functions()
}

/// The entries of a name, whatever its case, in order.
pub fn overloads(name: &str) -> impl Iterator<Item = &'static Function> {
    LIBRARY.overloads(name)
}

/// The names of functions, in alphabetical order.
pub fn names() -> impl Iterator<Item = &'static str> {
    LIBRARY.names()
}
