//! The line protocol, in this process.

mod echo;

use feldc_pipeline::stdio::{End, serve};
use serde_json::Value;

fn check(fail_on_error: bool, input: &str, expected: &str) -> End {
    let program = echo::program(echo::schema(Value::Null, Value::Null, fail_on_error));
    let mut output = Vec::new();
    let end = serve(&program, 1, input.as_bytes(), &mut output).unwrap();
    assert_eq!(String::from_utf8(output).unwrap(), expected);
    end
}

#[test]
fn one_step_for_each_commit() {
    let input = r#"{"commit":0}
{"table":"t","insert":{"k":2,"v":"x","d":1234567890.10}}
{"insert":{"K":1},"table":"T"}
{"table":"u","insert":{"id":1,"name":"a"}}
{"commit":1}
{"table":"t","delete":{"k":1,"v":null}}
{"table":"u","insert":{"id":1,"name":"b"}}
{"table":"t","insert":[3,"y",0]}

{"commit":"two"}
"#;
    let expected = r#"{"committed":0}
{"view":"tv","insert":{"k":1,"v":null,"d":null}}
{"view":"tv","insert":{"k":2,"v":"x","d":1234567890.1}}
{"view":"uv","insert":{"id":1,"name":"a"}}
{"committed":1}
{"view":"tv","delete":{"k":1,"v":null,"d":null}}
{"view":"tv","insert":{"k":3,"v":"y","d":0}}
{"view":"uv","delete":{"id":1,"name":"a"}}
{"view":"uv","insert":{"id":1,"name":"b"}}
{"committed":"two"}
"#;
    assert_eq!(check(false, input, expected), End::Done);
}

#[test]
fn updates_name_some_columns() {
    let input = r#"{"table":"u","update":{"id":1,"name":"x"}}
{"table":"u","insert":{"id":2,"name":"a"}}
{"commit":0}
{"table":"u","update":{"id":2}}
{"table":"u","update":{"id":3}}
{"commit":1}
"#;
    let expected = r#"{"view":"uv","insert":{"id":1,"name":"x"}}
{"view":"uv","insert":{"id":2,"name":"a"}}
{"committed":0}
{"error":"table \"u\": an update names a key that is not there"}
"#;
    assert_eq!(check(false, input, expected), End::Done);
}

#[test]
fn bad_lines_answer_the_commit() {
    let input = r#"{"table":"tt","insert":{"k":1}}
{"table":"t","insert":{"k":2}}
{"table":"t","insert":{"k":"x"}}
{"commit":0}
{"table":"t","insert":{"k":3}
{"commit":1}
nonsense
{"commit":2}
{"tabel":"t","insert":{"k":3}}
{"commit":3}
{"commit":4} {"commit":5}
{"table":"t" "insert":{"k":3}}
{"commit":6}
"#;
    let expected = r#"{"view":"tv","insert":{"k":2,"v":null,"d":null}}
{"error":"line 1: no table \"tt\"; did you mean \"t\"?"}
{"error":"line 5: the line ends within the JSON object"}
{"error":"line 7: not JSON at byte 0: expected null, true or false"}
{"error":"line 9: expected either \"table\" with a change, or \"commit\""}
{"error":"line 11: text behind the JSON object; write one object on each line"}
{"error":"line 12: not JSON at byte 13: expected \",\" or \"}\""}
"#;
    assert_eq!(check(false, input, expected), End::Done);
}

#[test]
fn evaluation_errors_are_a_view() {
    let input = "{\"table\":\"t\",\"insert\":{\"k\":1,\"v\":\"boom\"}}\n{\"commit\":0}\n\
        {\"table\":\"t\",\"delete\":{\"k\":1,\"v\":\"boom\"}}\n{\"commit\":1}\n";
    let program = echo::program(echo::schema(Value::Null, Value::Null, false));
    let mut output = Vec::new();
    serve(&program, 1, input.as_bytes(), &mut output).unwrap();
    let output = String::from_utf8(output).unwrap();
    let lines: Vec<Value> = output.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4, "{output}");
    assert_eq!((&lines[0]["view"], &lines[0]["insert"]["table_or_view_name"]), (&"error_view".into(), &"tv".into()));
    assert_eq!(lines[0]["insert"], lines[2]["delete"]);
}

#[test]
fn evaluation_errors_stop_when_asked_to() {
    let input = "{\"table\":\"t\",\"insert\":{\"k\":1,\"v\":\"boom\"}}\n{\"commit\":0}\n{\"commit\":1}\n";
    let error = "{\"error\":\"division by zero (SQLSTATE 22012, in \\\"tv\\\", line 3 column 14)\"}\n";
    assert_eq!(check(true, input, error), End::Failed, "the later commit is not read");
}
