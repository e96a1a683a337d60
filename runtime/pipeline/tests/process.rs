//! The pipeline as a process: files, HTTP, signals, exit codes.

mod echo;
mod support;

use serde_json::{Value, json};
use std::fmt::Write as _;
use support::{Folder, Server, read_chunk, read_head, run, wait_for};

fn file(name: &str, path: &str, format: Value) -> Value {
    json!([{ "name": "f", "transport": { "name": name, "config": { "path": path } }, "format": format }])
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn file_to_file() {
    let folder = Folder::new();
    let mut rows = String::new();
    (0..50_000).for_each(|k| writeln!(rows, "{k},name {k},{k}.25").unwrap());
    rows.push_str("x,bad,1\n50000,last,1");
    folder.write("in.csv", rows);
    let mut input = file("file_input", "in.csv", json!({ "name": "csv" }));
    let mut output = file("file_output", "out/rows.json", json!({ "name": "json" }));
    // Queues that are full nearly always: slow, but nothing is lost or stuck.
    input[0]["max_queued_records"] = json!(100);
    input[0]["max_batch_size"] = json!(50);
    output[0]["max_queued_records"] = json!(1);
    let schema = echo::schema(input, output, false);
    let result = run(&folder, &schema, &["--until-complete", "--no-http"]);
    assert!(result.status.success(), "{result:?}");
    let written = folder.read("out/rows.json");
    assert_eq!(lines(&written).len(), 50_001);
    assert_eq!(lines(&written)[7], r#"{"insert":{"k":7,"v":"name 7","d":7.25}}"#);
    assert_eq!(lines(&written)[50_000], r#"{"insert":{"k":50000,"v":"last","d":1}}"#);
}

#[test]
fn an_output_never_empties_the_file_of_another_connector() {
    let folder = Folder::new();
    folder.write("in.csv", "1,a,2\n");
    let schema = echo::schema(
        file("file_input", "in.csv", json!({ "name": "csv" })),
        file("file_output", "./in.csv", json!({ "name": "csv" })),
        false,
    );
    let result = run(&folder, &schema, &["--until-complete", "--no-http"]);
    let said = String::from_utf8(result.stderr).unwrap();
    assert!(result.status.code() == Some(2) && said.contains("another connector uses the file"), "{said}");
    assert_eq!(folder.read("in.csv"), "1,a,2\n");
}

#[test]
fn printed_and_failing_runs() {
    let folder = Folder::new();
    folder.write("in.json", "{\"insert\":{\"k\":1,\"v\":\"a\"}}\n{\"insert\":{\"k\":2,\"v\":\"boom\"}}\noops\n");
    let input = file("file_input", "in.json", json!({ "name": "json" }));
    let result = run(&folder, &echo::schema(input.clone(), Value::Null, false), &["--until-complete", "--print"]);
    let said = String::from_utf8(result.stderr).unwrap();
    assert!(said.contains("1 input records were rejected") && said.contains("t.f, line 3"), "{said}");
    assert!(said.contains("1 rows failed to evaluate"), "{said}");
    let printed = String::from_utf8(result.stdout).unwrap();
    assert_eq!((result.status.code(), lines(&printed).len()), (Some(0), 2), "{printed}");
    assert_eq!(lines(&printed)[0], r#"{"view":"tv","insert":{"k":1,"v":"a","d":null}}"#);

    let result = run(&folder, &echo::schema(input.clone(), Value::Null, true), &["--until-complete"]);
    let said = String::from_utf8(result.stderr).unwrap();
    assert!(result.status.code() == Some(1) && said.contains("division by zero"), "{said}");

    let mut strict = input;
    strict[0]["on_error"] = json!("stop");
    let result = run(&folder, &echo::schema(strict, Value::Null, false), &["--until-complete"]);
    let said = String::from_utf8(result.stderr).unwrap();
    assert!(result.status.code() == Some(1) && said.contains("line 3"), "{said}");
}

#[test]
fn wrong_usage_is_told_before_anything_runs() {
    let folder = Folder::new();
    let missing = file("file_input", "no.csv", json!({ "name": "csv" }));
    let unknown = file("file_input", "no.csv", json!({ "name": "json", "config": { "arary": true } }));
    let unset = file("file_input", "${env:FELDC_SURELY_NOT_SET}", json!({ "name": "csv" }));
    for (connectors, part) in [(missing, "no.csv"), (unknown, "did you mean \"array\""), (unset, "is not set")] {
        let result = run(&folder, &echo::schema(connectors, Value::Null, false), &["--until-complete"]);
        let said = String::from_utf8(result.stderr).unwrap();
        assert!(result.status.code() == Some(2) && said.contains(part), "{said}");
    }
    let result = run(&folder, &echo::schema(Value::Null, Value::Null, false), &["--wrokers", "2"]);
    assert_eq!(result.status.code(), Some(2));
    let help = run(&folder, &echo::schema(Value::Null, Value::Null, false), &["--help"]);
    assert!(help.status.success() && String::from_utf8(help.stdout).unwrap().contains("Exit codes"));
}

#[test]
fn ingress_views_and_errors() {
    let folder = Folder::new();
    let server = Server::start(&folder, &echo::schema(Value::Null, Value::Null, false), &[]);
    let rows = "{\"insert\":{\"k\":1,\"v\":\"a\",\"d\":1.5}}\n{\"insert\":{\"k\":2}}";
    let (status, reply) = server.post("/ingress/t?format=json", rows);
    assert_eq!(status, 200, "{reply}");
    let completion = format!("/completion_status?token={}", reply["token"].as_str().unwrap());
    wait_for(|| (server.get(&completion)["status"] == "complete").then_some(()));
    assert_eq!(server.get("/view/TV")["rows"], json!([[1, "a", 1.5], [2, null, null]]));

    let array = "[{\"insert\":{\"k\":3}},{\"insert\":{\"k\":\"x\"}},{\"insert\":{\"k\":4,\"v\":\"boom\"}}]";
    let (status, reply) = server.post("/ingress/t?format=json&array=true", array);
    assert_eq!(
        (status, &reply["error_code"], &reply["details"]["num_errors"]),
        (400, &json!("ParseErrors"), &json!(1))
    );
    wait_for(|| (server.get("/view/tv")["rows"].as_array().unwrap().len() == 3).then_some(()));
    wait_for(|| (server.get("/view/error_view")["rows"][0][0] == "tv").then_some(()));
    let letters = server.get("/dead_letters");
    assert_eq!(letters["dead_letters"][0]["record"], "{\"insert\":{\"k\":\"x\"}}");

    for (path, status, code) in [
        ("/ingress/tt?format=json", 404, "UnknownInputStream"),
        ("/ingress/t?format=xml", 400, "UnknownInputFormat"),
        ("/ingress/t?format=json&update_format=rwa", 400, "InvalidParserConfig"),
        ("/egress/nope", 404, "UnknownOutputStream"),
        ("/egress/uv?send_snapshot=true", 400, "ViewNotMaterialized"),
        ("/egress/tv?fromat=json", 400, "InvalidEncoderConfig"),
        ("/input_endpoints/t.f/pause", 404, "UnknownInputEndpoint"),
        ("/nothing", 404, "UnknownPath"),
    ] {
        let (found, reply) = server.post(path, "");
        assert_eq!((found, &reply["error_code"]), (status, &json!(code)), "{path}: {reply}");
        assert!(reply["message"].is_string() && reply["details"].is_object());
    }
    let stats = server.get("/stats");
    assert_eq!(stats["global_metrics"]["total_processed_records"], 4);
    assert_eq!(stats["inputs"][0]["metrics"]["num_parse_errors"], 1);
    let (status, metrics) = server.call("GET", "/metrics", "", b"");
    assert!(status == 200 && metrics.contains("feldc_rejected_records_total 1"), "{metrics}");
    assert_eq!(server.get("/metadata")["inputs"][0]["name"], "t");
    assert_eq!(server.stop("-TERM").0, Some(0));
}

#[test]
fn egress_streams_changes() {
    let folder = Folder::new();
    let server = Server::start(&folder, &echo::schema(Value::Null, Value::Null, false), &[]);
    server.post("/ingress/t?format=csv", "1,a,1\n2,b,2\n");
    wait_for(|| (server.get("/view/tv")["rows"].as_array().unwrap().len() == 2).then_some(()));
    let mut stream = server.connect("POST", "/egress/tv?format=json&send_snapshot=true&backpressure=true", "", b"");
    assert_eq!(read_head(&mut stream).0, 200);
    let snapshot = read_chunk(&mut stream).unwrap();
    assert_eq!((&snapshot["snapshot"], snapshot["json_data"].as_array().unwrap().len()), (&json!(true), 2));
    server.post("/ingress/t?format=json", "{\"delete\":{\"k\":1,\"v\":\"a\",\"d\":1}}");
    let change = read_chunk(&mut stream).unwrap();
    assert_eq!(change["json_data"], json!([{ "delete": { "k": 1, "v": "a", "d": 1 } }]));
    let silence = read_chunk(&mut stream).unwrap();
    assert_eq!(silence, json!({ "sequence_number": 2, "snapshot": false }));
    assert_eq!(server.stop("-INT").0, Some(0));
    assert_eq!(read_chunk(&mut stream), None);
}

#[test]
fn paused_pipelines_take_no_steps_and_drain_on_signal() {
    let folder = Folder::new();
    let output = file("file_output", "out.csv", json!({ "name": "csv" }));
    let server = Server::start(&folder, &echo::schema(Value::Null, output, false), &[]);
    wait_for(|| (server.get("/stats")["global_metrics"]["total_completed_steps"] == 1).then_some(()));
    server.get("/pause");
    assert_eq!(server.get("/status")["runtime_status"], "Paused");
    assert_eq!(server.post("/ingress/t?format=csv", "1,a,1\n").1["error_code"], "PipelinePaused");
    assert_eq!(server.post("/ingress/t?format=csv&force=true", "1,\"a,b\",1\n").0, 200);
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(folder.read("out.csv"), "");
    assert_eq!(server.stop("-TERM").0, Some(0));
    assert_eq!(folder.read("out.csv"), "1,\"a,b\",1,1\n");
}

#[test]
fn a_growing_file_is_followed_and_started_after_another() {
    let folder = Folder::new();
    folder.write("first.csv", "1,a,1\n");
    folder.write("second.csv", "2,b,2\n");
    let config =
        |path: &str, follow: bool| json!({ "name": "file_input", "config": { "path": path, "follow": follow } });
    let inputs = json!([
        { "name": "a", "labels": ["first"], "paused": true, "transport": config("first.csv", false), "format": { "name": "csv" } },
        { "name": "b", "start_after": "first", "transport": config("second.csv", true), "format": { "name": "csv" } },
    ]);
    let server = Server::start(&folder, &echo::schema(inputs, Value::Null, false), &[]);
    let rows = || server.get("/view/tv")["rows"].as_array().unwrap().len();
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert_eq!(rows(), 0);
    server.get("/input_endpoints/t.a/start");
    wait_for(|| (rows() == 2).then_some(()));
    let mut second = std::fs::OpenOptions::new().append(true).open(folder.0.join("second.csv")).unwrap();
    std::io::Write::write_all(&mut second, b"3,c,3\n").unwrap();
    wait_for(|| (rows() == 3).then_some(()));
    assert_eq!(server.get("/input_endpoints/t.b/stats")["status"], "Running");
}

#[test]
fn a_token_guards_everything_but_health() {
    let folder = Folder::new();
    let server = Server::start(&folder, &echo::schema(Value::Null, Value::Null, false), &["--token", "secret"]);
    assert_eq!(server.call("GET", "/healthz", "", b"").0, 200);
    assert_eq!(server.call("GET", "/stats", "", b"").0, 401);
    assert_eq!(server.call("GET", "/stats", "Authorization: Bearer secreT\r\n", b"").0, 401);
    assert_eq!(server.call("GET", "/stats", "Authorization: Bearer secret\r\n", b"").0, 200);
}

#[test]
fn idle_connections_do_not_keep_health_checks_out() {
    let folder = Folder::new();
    let server = Server::start(&folder, &echo::schema(Value::Null, Value::Null, false), &[]);
    let idle: Vec<_> =
        (0..520).map(|_| std::net::TcpStream::connect(("127.0.0.1", server.port)).expect("a connection")).collect();
    assert_eq!(server.call("GET", "/healthz", "", b"").0, 200);
    let (status, body) = server.call("GET", "/stats", "", b"");
    assert_eq!(status, 503, "{body}");
    assert!(body.contains("TooManyConnections"), "{body}");
    drop(idle);
    wait_for(|| (server.call("GET", "/stats", "", b"").0 == 200).then_some(()));
}
