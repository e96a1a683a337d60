//! Configuration: the connectors of tables and views, and the process's own file.
//!
//! Every unknown key is an error with a suggestion. All problems are found at once, by the same code at compile time
//! (`feldc check`) and at start.

pub mod reference;
pub mod runtime;
mod section;

pub use section::{ConfigProblem, Problems, Section};

use crate::connector::{INPUTS, InputTransport, LATER, OUTPUTS, OutputTransport};
use crate::format::csv_input::{CsvInput, Trim};
use crate::format::json_input::{JsonInput, UpdateFormat};
use crate::schema::Schema;
use serde_json::Value;
use std::path::Path;

/// What a full queue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub queued_records: u64,
    pub queued_bytes: u64,
    /// At most so many records of the connector enter one step.
    pub batch_records: Option<u64>,
    /// The same for each worker, when `batch_records` is not given.
    pub worker_batch_records: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        let queued_records = 1_000_000;
        let queued_bytes = 1000 * queued_records;
        Limits { queued_records, queued_bytes, batch_records: None, worker_batch_records: 10_000 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputFormat {
    Json(JsonInput),
    Csv(CsvInput),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OutputFormat {
    Json { array: bool, buffer_size_records: u64 },
    Csv { delimiter: u8 },
}

/// A source of one table.
#[derive(Clone, Debug)]
pub struct InputConnector {
    /// `<table>.<name>`
    pub endpoint: String,
    pub table: usize,
    pub paused: bool,
    pub labels: Vec<String>,
    /// Starts paused, until every connector with one of these labels has reached its end.
    pub start_after: Vec<String>,
    pub limits: Limits,
    /// So many rejected records are tolerated; one more fails the connector.
    pub max_errors: Option<u64>,
    pub transport: &'static InputTransport,
    /// `transport.config`, references resolved at start.
    pub config: Value,
    /// The same as written, for messages.
    pub shown: Value,
    pub format: Option<InputFormat>,
}

/// A sink of one view.
#[derive(Clone, Debug)]
pub struct OutputConnector {
    /// `<view>.<name>`
    pub endpoint: String,
    pub view: usize,
    pub queued_records: u64,
    pub transport: &'static OutputTransport,
    pub config: Value,
    pub shown: Value,
    pub format: Option<OutputFormat>,
}

/// All connectors of a program.
#[derive(Clone, Debug, Default)]
pub struct Connectors {
    pub inputs: Vec<InputConnector>,
    pub outputs: Vec<OutputConnector>,
}

/// What is wrong with the connectors of `schema`, found without resolving references or touching the world.
pub fn validate_connectors(schema: &Schema) -> Vec<ConfigProblem> {
    read_connectors(schema, None).1
}

/// The connectors of `schema`. `secrets`: resolve references, secrets below this folder.
pub fn read_connectors(schema: &Schema, secrets: Option<&Path>) -> (Connectors, Vec<ConfigProblem>) {
    let (mut connectors, mut found) = (Connectors::default(), Vec::new());
    for (table, relation) in schema.tables.iter().enumerate() {
        let mut problems = Problems { relation: &relation.name, found: &mut found };
        each_connector(&relation.connectors, secrets, &mut problems, |object, shown, name, problems| {
            let endpoint = format!("{}.{name}", relation.name);
            connectors.inputs.extend(read_input(object, shown, endpoint, table, problems));
        });
    }
    for (view, relation) in schema.views.iter().enumerate() {
        let mut problems = Problems { relation: &relation.name, found: &mut found };
        each_connector(&relation.connectors, secrets, &mut problems, |object, shown, name, problems| {
            let endpoint = format!("{}.{name}", relation.name);
            let output = read_output(object, shown, endpoint, view, relation.materialized, problems);
            connectors.outputs.extend(output);
        });
    }
    check_labels(schema, &connectors, &mut found);
    (connectors, found)
}

/// Calls `read` with each connector's object (references resolved), path, and name.
fn each_connector(
    connectors: &Value,
    secrets: Option<&Path>,
    problems: &mut Problems<'_>,
    mut read: impl FnMut(&Value, (&Value, String), &str, &mut Problems<'_>),
) {
    let items = match connectors {
        Value::Null => return,
        Value::Array(items) => items,
        _ => return problems.add("connectors", "expected an array of connectors".to_owned(), None),
    };
    let mut names: Vec<String> = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let path = format!("connectors[{index}]");
        let mut malformed = Vec::new();
        let parts = [&item["transport"]["config"], &item["format"]["config"]];
        parts.into_iter().for_each(|part| reference::check(part, &mut malformed));
        let is_malformed = !malformed.is_empty();
        malformed.into_iter().for_each(|message| problems.add(&path, message, None));
        let resolved = match secrets {
            Some(secrets) if !is_malformed => resolve_parts(item, secrets),
            _ => Ok(item.clone()),
        };
        let object = match resolved {
            Ok(object) => object,
            Err(message) => {
                problems.add(&path, message, None);
                continue;
            }
        };
        let name = item["name"].as_str().map_or_else(|| format!("unnamed-{index}"), str::to_owned);
        if names.contains(&name) {
            problems.add(&format!("{path}.name"), format!("two connectors are called {name:?}"), None);
        }
        read(&object, (item, path), &name, problems);
        names.push(name);
    }
}

fn resolve_parts(item: &Value, secrets: &Path) -> Result<Value, String> {
    let mut item = item.clone();
    for part in ["transport", "format"] {
        if let Some(config) = item.get_mut(part).and_then(|part| part.get_mut("config")) {
            *config = reference::resolve(config, secrets)?;
        }
    }
    Ok(item)
}

const COMMON_KEYS: [&str; 4] = ["name", "transport", "format", "max_queued_records"];
const INPUT_KEYS: [&str; 8] = [
    "paused",
    "labels",
    "start_after",
    "max_queued_bytes",
    "max_batch_size",
    "max_worker_batch_size",
    "max_errors",
    "on_error",
];
const INPUT_KEYS_LATER: [&str; 2] = ["soft_delete", "preprocessor"];
const OUTPUT_KEYS: [&str; 1] = ["send_snapshot"];
const OUTPUT_KEYS_LATER: [&str; 6] = [
    "index",
    "enable_output_buffer",
    "max_output_buffer_time_millis",
    "max_output_buffer_size_records",
    "postprocessor",
    "max_queued_bytes",
];

fn read_input(
    object: &Value,
    (shown, path): (&Value, String),
    endpoint: String,
    table: usize,
    problems: &mut Problems<'_>,
) -> Option<InputConnector> {
    let mut section = Section::new(object, path, problems)?;
    section.check_keys(&[&COMMON_KEYS[..], &INPUT_KEYS].concat(), &INPUT_KEYS_LATER);
    section.text("name");
    let queued_records = section.number("max_queued_records", 1).unwrap_or(Limits::default().queued_records);
    let limits = Limits {
        queued_records,
        queued_bytes: section.number("max_queued_bytes", 1).unwrap_or(queued_records.saturating_mul(1000)),
        batch_records: section.number("max_batch_size", 1),
        worker_batch_records: section.number("max_worker_batch_size", 1).unwrap_or(10_000),
    };
    let stop = section.choice("on_error", &[("skip", false), ("stop", true)], &[]).unwrap_or(false);
    let max_errors = section.number("max_errors", 0);
    let transport = read_transport(&mut section, INPUTS, |transport| transport.name, "input")?;
    read_transport_config(&mut section, transport.keys, transport.required, transport.check);
    let format = match transport.needs_format {
        true => read_format(&mut section, &["json", "csv"], read_input_format),
        false => no_format(&mut section),
    };
    Some(InputConnector {
        endpoint,
        table,
        paused: section.flag("paused", false),
        labels: section.texts("labels"),
        start_after: section.texts("start_after"),
        limits,
        max_errors: if stop { Some(0) } else { max_errors },
        transport,
        config: object["transport"]["config"].clone(),
        shown: shown["transport"]["config"].clone(),
        format,
    })
}

fn read_output(
    object: &Value,
    (shown, path): (&Value, String),
    endpoint: String,
    view: usize,
    materialized: bool,
    problems: &mut Problems<'_>,
) -> Option<OutputConnector> {
    let mut section = Section::new(object, path, problems)?;
    section.check_keys(&[&COMMON_KEYS[..], &OUTPUT_KEYS].concat(), &OUTPUT_KEYS_LATER);
    section.text("name");
    // A connector of the program is there from the first step, so the snapshot it asks for is empty.
    if section.flag("send_snapshot", false) && !materialized {
        let help = Some("declare it with CREATE MATERIALIZED VIEW".to_owned());
        section.problem("send_snapshot", "a snapshot needs a materialized view".to_owned(), help);
    }
    let queued_records = section.number("max_queued_records", 1).unwrap_or(Limits::default().queued_records);
    let transport = read_transport(&mut section, OUTPUTS, |transport| transport.name, "output")?;
    read_transport_config(&mut section, transport.keys, transport.required, transport.check);
    let format = match transport.needs_format {
        true => read_format(&mut section, &["json", "csv"], read_output_format),
        false => no_format(&mut section),
    };
    let config = object["transport"]["config"].clone();
    let shown = shown["transport"]["config"].clone();
    Some(OutputConnector { endpoint, view, queued_records, transport, config, shown, format })
}

fn read_transport<T>(
    section: &mut Section<'_, '_>,
    known: &'static [T],
    name_of: fn(&T) -> &'static str,
    direction: &str,
) -> Option<&'static T> {
    if section.value("transport").is_none() {
        let help = Some("write \"transport\": {\"name\": ..., \"config\": {...}}".to_owned());
        section.problem("transport", "the connector has no transport".to_owned(), help);
        return None;
    }
    let mut transport = section.inner("transport")?;
    transport.check_keys(&["name", "config"], &[]);
    let Some(name) = transport.text("name") else {
        transport.problem("name", "the transport has no name".to_owned(), None);
        return None;
    };
    if let Some(found) = known.iter().find(|candidate| name_of(candidate) == name) {
        return Some(found);
    }
    let names: Vec<&str> = known.iter().map(name_of).collect();
    let message = match LATER.contains(&name) {
        true => format!("transport {name:?} is not supported yet"),
        false => format!("{name:?} is not an {direction} transport"),
    };
    let help = match crate::suggest::nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("{direction} transports: {}", names.join(", ")),
    };
    transport.problem("name", message, Some(help));
    None
}

fn read_transport_config(
    section: &mut Section<'_, '_>,
    keys: &[&str],
    required: &[&str],
    check: fn(&mut Section<'_, '_>),
) {
    let Some(mut transport) = section.inner("transport") else { return };
    let Some(mut config) = transport.inner("config") else { return };
    config.check_keys(keys, &[]);
    for key in required {
        match config.value(key) {
            None => config.problem(key, format!("{key:?} is missing"), None),
            Some(_) => _ = config.text(key),
        }
    }
    check(&mut config);
}

fn no_format<T>(section: &mut Section<'_, '_>) -> Option<T> {
    if section.value("format").is_some() {
        section.problem("format", "this transport takes no format".to_owned(), Some("leave it out".to_owned()));
    }
    None
}

fn read_format<T>(
    section: &mut Section<'_, '_>,
    names: &[&str],
    read: fn(&str, &mut Section<'_, '_>) -> T,
) -> Option<T> {
    if section.value("format").is_none() {
        let help = Some("write \"format\": {\"name\": \"json\"} or {\"name\": \"csv\"}".to_owned());
        section.problem("format", "the connector has no format".to_owned(), help);
        return None;
    }
    let mut format = section.inner("format")?;
    format.check_keys(&["name", "config"], &[]);
    if format.value("name").is_none() {
        format.problem("name", "the format has no name".to_owned(), Some(format!("one of: {}", names.join(", "))));
        return None;
    }
    let choices: Vec<(&str, &str)> = names.iter().map(|name| (*name, *name)).collect();
    let name = format.choice("name", &choices, &["parquet", "avro", "raw"])?.to_owned();
    let mut config = format.inner("config")?;
    Some(read(&name, &mut config))
}

/// The settings of input format `name`, which is `json` or `csv`.
pub fn read_input_format(name: &str, config: &mut Section<'_, '_>) -> InputFormat {
    match name {
        "csv" => InputFormat::Csv(read_csv(config)),
        _ => InputFormat::Json(read_json(config)),
    }
}

const FLAVORS_LATER: [&str; 10] = [
    "debezium_mysql",
    "debezium_postgres",
    "snowflake",
    "kafka_connect_json_converter",
    "pandas",
    "blockchain",
    "c_hex",
    "postgres",
    "datagen",
    "parquet_converter",
];

fn read_json(config: &mut Section<'_, '_>) -> JsonInput {
    config.check_keys(&["update_format", "json_flavor", "array", "lines"], &[]);
    config.choice("json_flavor", &[("default", ())], &FLAVORS_LATER);
    let formats = [
        ("insert_delete", UpdateFormat::InsertDelete),
        ("raw", UpdateFormat::Raw),
        ("weighted", UpdateFormat::Weighted),
    ];
    let update_format = config.choice("update_format", &formats, &["debezium", "snowflake", "redis"]);
    JsonInput {
        update_format: update_format.unwrap_or_default(),
        array: config.flag("array", false),
        single_line: config.choice("lines", &[("multiple", false), ("single", true)], &[]).unwrap_or(false),
    }
}

fn read_csv(config: &mut Section<'_, '_>) -> CsvInput {
    let keys = ["delimiter", "headers", "quote", "escape", "double_quote", "quoting", "comment", "flexible", "trim"];
    config.check_keys(&keys, &[]);
    let default = CsvInput::default();
    let trims = [("none", Trim::None), ("fields", Trim::Fields), ("headers", Trim::Headers), ("all", Trim::All)];
    CsvInput {
        delimiter: config.byte("delimiter").unwrap_or(default.delimiter),
        headers: config.flag("headers", default.headers),
        quote: config.byte("quote").unwrap_or(default.quote),
        escape: config.byte("escape"),
        double_quote: config.flag("double_quote", default.double_quote),
        quoting: config.flag("quoting", default.quoting),
        comment: config.byte("comment"),
        flexible: config.flag("flexible", default.flexible),
        trim: config.choice("trim", &trims, &[]).unwrap_or_default(),
    }
}

/// The settings of output format `name`, which is `json` or `csv`.
pub fn read_output_format(name: &str, config: &mut Section<'_, '_>) -> OutputFormat {
    if name == "csv" {
        config.check_keys(&["delimiter", "buffer_size_records"], &[]);
        config.number("buffer_size_records", 1);
        return OutputFormat::Csv { delimiter: config.byte("delimiter").unwrap_or(b',') };
    }
    config.check_keys(&["update_format", "json_flavor", "array", "buffer_size_records"], &["key_fields"]);
    config.choice("json_flavor", &[("default", ())], &FLAVORS_LATER);
    config.choice("update_format", &[("insert_delete", ())], &["debezium", "snowflake", "redis"]);
    OutputFormat::Json {
        array: config.flag("array", false),
        buffer_size_records: config.number("buffer_size_records", 1).unwrap_or(10_000),
    }
}

/// `start_after` must name a label that some connector carries, else it would wait for ever.
fn check_labels(schema: &Schema, connectors: &Connectors, found: &mut Vec<ConfigProblem>) {
    let labels: Vec<&str> = connectors.inputs.iter().flat_map(|input| &input.labels).map(String::as_str).collect();
    for input in &connectors.inputs {
        for label in input.start_after.iter().filter(|label| !labels.contains(&label.as_str())) {
            let near = crate::suggest::nearest(label, labels.iter().copied());
            let help = near.map(|near| format!("did you mean {near:?}?"));
            let mut problems = Problems { relation: &schema.tables[input.table].name, found };
            problems.add("start_after", format!("no connector has the label {label:?}"), help);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::testing::table;
    use serde_json::json;

    /// The problems of table `t`'s connectors, as `path: message (help)`.
    fn problems(connectors: Value) -> Vec<String> {
        let table = crate::schema::Table { connectors, ..table(false) };
        let schema = Schema { tables: vec![table], ..Schema::default() };
        let shown = |problem: ConfigProblem| {
            format!("{}: {} ({})", problem.path, problem.message, problem.help.unwrap_or_default())
        };
        validate_connectors(&schema).into_iter().map(shown).collect()
    }

    #[test]
    fn good_connectors_have_no_problems() {
        let good = json!([
            {
                "name": "a", "paused": true, "labels": ["x"], "max_queued_records": 10, "max_batch_size": 5, "on_error": "stop",
                "transport": { "name": "file_input", "config": { "path": "${env:PATH_OF_A}", "follow": true } },
                "format": { "name": "json", "config": { "update_format": "${env:FORMAT}", "array": true, "lines": "single" } },
                "soft_delete": false
            },
            { "start_after": "x", "transport": { "name": "empty_input" } }
        ]);
        assert_eq!(problems(good), Vec::<String>::new());
        assert_eq!(problems(json!([])), Vec::<String>::new());
        assert_eq!(problems(Value::Null), Vec::<String>::new());
    }

    #[test]
    fn every_problem_is_told_with_its_path() {
        let bad = json!([
            {
                "nmae": "a", "paused": "maybe", "max_batch_size": 0, "soft_delete": true, "start_after": "nobody",
                "transport": { "name": "file_input", "config": { "paht": "x", "path": "${env:}", "follow": 1 } },
                "format": { "name": "json", "config": { "update_format": "insert_delet", "json_flavor": "pandas" } }
            },
            { "transport": { "name": "file_imput" } },
            { "transport": { "name": "kafka_input" } },
            { "transport": { "name": "file_input", "config": {} }, "format": { "name": "csv", "config": { "quote": "ab" } } },
            7
        ]);
        let expected = [
            "connectors[0]: \"${env:}\" is not a reference to an environment variable; write ${env:NAME} ()",
            "connectors[0].nmae: unknown key \"nmae\" (did you mean \"name\"?)",
            "connectors[0].soft_delete: \"soft_delete\" is not supported yet (leave the key out)",
            "connectors[0].max_batch_size: 0 is too small (at least 1) ()",
            "connectors[0].transport.config.paht: unknown key \"paht\" (did you mean \"path\"?)",
            "connectors[0].transport.config.follow: expected true or false, found 1 ()",
            "connectors[0].format.config.json_flavor: \"pandas\" is not supported yet (one of: default)",
            "connectors[0].format.config.update_format: unknown value \"insert_delet\" (did you mean \"insert_delete\"?)",
            "connectors[0].paused: expected true or false, found a string ()",
            "connectors[1].transport.name: \"file_imput\" is not an input transport (did you mean \"file_input\"?)",
            "connectors[2].transport.name: transport \"kafka_input\" is not supported yet (input transports: file_input, empty_input)",
            "connectors[3].transport.config.path: \"path\" is missing ()",
            "connectors[3].format.config.quote: expected one ASCII character, found \"ab\" ()",
            "connectors[4]: expected an object, found 7 ()",
            "start_after: no connector has the label \"nobody\" ()",
        ];
        let mut found = problems(bad);
        let mut expected = expected.map(str::to_owned).to_vec();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
}
