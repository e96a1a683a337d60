//! The numbers of a running pipeline, in the shape that existing tools read.

use super::Shared;
use super::inputs::{InputState, State};
use super::outputs::OutputQueue;
use crate::format::Rejected;
use serde_json::{Value, json};

impl Shared {
    /// Paused, Running or Terminated.
    pub fn state_name(&self) -> &'static str {
        let state = self.lock();
        match state.paused {
            _ if state.failure.is_some() || self.over.load(std::sync::atomic::Ordering::Acquire) => "Terminated",
            true => "Paused",
            false => "Running",
        }
    }

    /// The answer to `/stats`.
    pub fn stats(&self) -> Value {
        let complete = self.is_complete();
        let completed = self.completed_step();
        let name = self.state_name();
        let outputs: Vec<Value> = self.outputs.iter().map(|output| output_stats(output)).collect();
        let stall: u64 = self.outputs.iter().map(|output| output.stats().stall_micros / 1000).sum();
        let state = self.lock();
        let sum = |number: fn(&InputState) -> u64| state.inputs.iter().map(number).sum::<u64>();
        let done = completed.map_or(0, |step| step + 1) == state.steps;
        let (rss_bytes, cpu_msecs) = process_usage();
        json!({
            "global_metrics": {
                "state": name,
                "bootstrap_in_progress": false,
                "transaction_status": "NoTransaction",
                "transaction_id": 0,
                "rss_bytes": rss_bytes,
                "cpu_msecs": cpu_msecs,
                "uptime_msecs": self.started.elapsed().as_millis() as u64,
                "start_time": self.started_secs,
                "incarnation_uuid": self.incarnation,
                "storage_bytes": 0,
                "buffered_input_records": sum(|input| input.buffered_records),
                "buffered_input_bytes": sum(|input| input.buffered_bytes),
                "total_input_records": sum(|input| input.total_records),
                "total_input_bytes": sum(|input| input.total_bytes),
                "total_processed_records": state.processed_records,
                "total_processed_bytes": state.processed_bytes,
                "total_completed_records": if done { state.processed_records } else { self.completed_records(&state, completed) },
                "output_stall_msecs": stall,
                "total_initiated_steps": state.steps,
                "total_completed_steps": completed.map_or(0, |step| step + 1),
                "rejected_records": self.dead_letters.total(),
                "error_view_rows": state.error_rows,
                "pipeline_complete": complete,
            },
            "suspend_error": Value::Null,
            "inputs": state.inputs.iter().map(|input| input_stats(input, &self.schema.tables[input.table].name)).collect::<Vec<_>>(),
            "outputs": outputs,
        })
    }

    /// Records of completed steps, as far as the inputs still know.
    fn completed_records(&self, state: &State, completed: Option<u64>) -> u64 {
        state.inputs.iter().map(|input| input.taken_until(completed)).sum()
    }
}

/// One entry of `inputs`.
pub fn input_stats(input: &InputState, stream: &str) -> Value {
    let failed = input.failure.is_some();
    json!({
        "endpoint_name": input.endpoint,
        "config": { "stream": stream, "transport": input.config },
        "metrics": {
            "total_bytes": input.total_bytes,
            "total_records": input.total_records,
            "buffered_records": input.buffered_records,
            "buffered_bytes": input.buffered_bytes,
            "num_transport_errors": u64::from(failed),
            "num_parse_errors": input.parse_errors,
            "end_of_input": input.end_of_input,
        },
        "fatal_error": input.failure,
        "parse_errors": input.messages.iter().map(message).collect::<Vec<_>>(),
        "health": { "status": if failed { "Unhealthy" } else { "Healthy" }, "description": input.failure },
        "status": input.status(),
        "paused": input.paused,
        "position": input.position,
    })
}

fn message(rejected: &Rejected) -> Value {
    json!({ "offset": rejected.offset, "line": rejected.line, "message": rejected.reason })
}

/// One entry of `outputs`.
pub fn output_stats(output: &OutputQueue) -> Value {
    let stats = output.stats();
    let failed = stats.failure.is_some();
    json!({
        "endpoint_name": output.endpoint,
        "config": { "transport": output.config },
        "metrics": {
            "transmitted_records": stats.transmitted_records,
            "transmitted_bytes": stats.transmitted_bytes,
            "queued_records": stats.queued_records,
            "queued_batches": stats.queued_batches,
            "num_encode_errors": stats.encode_errors,
            "num_transport_errors": u64::from(failed),
            "total_processed_steps": output.completed().map_or(0, |step| step + 1),
        },
        "fatal_error": stats.failure,
        "encode_errors": stats.messages,
        "health": { "status": if failed { "Unhealthy" } else { "Healthy" }, "description": stats.failure },
    })
}

/// Resident memory in bytes and CPU time in milliseconds; zeros where the system does not tell.
fn process_usage() -> (u64, u64) {
    const PAGE: u64 = 4096;
    const TICK_MS: u64 = 10;
    let number = |text: Option<&str>| text.and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    let memory = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let times = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the command, in parentheses, may hold blanks: fields are counted from behind it.
    let mut fields = times.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11);
    let (user, system) = (number(fields.next()), number(fields.next()));
    (number(memory.split_whitespace().nth(1)) * PAGE, (user + system) * TICK_MS)
}
