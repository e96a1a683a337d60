//! `GET /metrics`: the numbers in the Prometheus text format.

use super::Server;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use std::fmt::Write;
use std::sync::Arc;

/// Name, kind and help of each metric, and where it stands in the statistics.
type Metric = (&'static str, &'static str, &'static str, &'static str);

const GLOBAL: &[Metric] = &[
    ("feldc_rss_bytes", "gauge", "Resident memory.", "rss_bytes"),
    ("feldc_cpu_msecs_total", "counter", "CPU time in milliseconds.", "cpu_msecs"),
    ("feldc_buffered_input_records", "gauge", "Records waiting for a step.", "buffered_input_records"),
    ("feldc_buffered_input_bytes", "gauge", "Bytes waiting for a step.", "buffered_input_bytes"),
    ("feldc_input_records_total", "counter", "Records received.", "total_input_records"),
    ("feldc_input_bytes_total", "counter", "Bytes received.", "total_input_bytes"),
    ("feldc_processed_records_total", "counter", "Records that went through a step.", "total_processed_records"),
    ("feldc_rejected_records_total", "counter", "Records that were not taken.", "rejected_records"),
    ("feldc_steps_total", "counter", "Steps begun.", "total_initiated_steps"),
    ("feldc_error_view_rows", "gauge", "Rows of error_view.", "error_view_rows"),
    ("feldc_output_stall_msecs_total", "counter", "Time for which outputs held up the engine.", "output_stall_msecs"),
    ("feldc_pipeline_complete", "gauge", "1 when every input has ended and is processed.", "pipeline_complete"),
];

const INPUT: &[Metric] = &[
    ("feldc_input_connector_records_total", "counter", "Records received by a connector.", "total_records"),
    ("feldc_input_connector_bytes_total", "counter", "Bytes received by a connector.", "total_bytes"),
    (
        "feldc_input_connector_buffered_records",
        "gauge",
        "Records of a connector waiting for a step.",
        "buffered_records",
    ),
    ("feldc_input_connector_parse_errors_total", "counter", "Records of a connector not taken.", "num_parse_errors"),
];

const OUTPUT: &[Metric] = &[
    ("feldc_output_connector_records_total", "counter", "Records written by a connector.", "transmitted_records"),
    ("feldc_output_connector_bytes_total", "counter", "Bytes written by a connector.", "transmitted_bytes"),
    ("feldc_output_connector_queued_records", "gauge", "Changes waiting for a connector.", "queued_records"),
    ("feldc_output_connector_encode_errors_total", "counter", "Rows that could not be written.", "num_encode_errors"),
];

pub async fn metrics(State(server): State<Arc<Server>>) -> Response {
    let stats = server.shared.stats();
    let mut text = String::new();
    for metric in GLOBAL {
        family(metric, &mut text);
        sample(metric.0, "", &stats["global_metrics"][metric.3], &mut text);
    }
    for (metrics, list) in [(INPUT, &stats["inputs"]), (OUTPUT, &stats["outputs"])] {
        for metric in metrics {
            family(metric, &mut text);
            for connector in list.as_array().into_iter().flatten() {
                let name = connector["endpoint_name"].as_str().unwrap_or_default();
                sample(metric.0, name, &connector["metrics"][metric.3], &mut text);
            }
        }
    }
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

/// Writing to memory does not fail.
fn family((name, kind, help, _): &Metric, text: &mut String) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn sample(name: &str, endpoint: &str, value: &Value, text: &mut String) {
    let number = match value {
        Value::Bool(flag) => u64::from(*flag).to_string(),
        other => other.to_string(),
    };
    let _ = match endpoint {
        "" => writeln!(text, "{name} {number}"),
        // The debug form escapes what the format wants escaped.
        _ => writeln!(text, "{name}{{endpoint={endpoint:?}}} {number}"),
    };
}
