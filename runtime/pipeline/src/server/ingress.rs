//! `POST /ingress/{table}`: the body's records into a table, as they arrive; and completion tokens.

use super::error::ApiError;
use super::query::Parameters;
use super::{Server, json};
use crate::config::{InputFormat, read_input_format};
use crate::controller::{Shared, parser};
use crate::format::{Parsed, Parser, Rejected};
use crate::relation;
use axum::body::{Body, HttpBody};
use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde_json::json;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// So many rejected records are listed in an answer; all are counted.
const ERRORS_LISTED: usize = 1000;

/// A body may stand still for so long.
const BODY_TIMEOUT: Duration = Duration::from_secs(600);

pub async fn ingress(
    State(server): State<Arc<Server>>,
    Path(name): Path<String>,
    Query(pairs): Query<Vec<(String, String)>>,
    body: Body,
) -> Result<Response, ApiError> {
    let shared = &server.shared;
    let table = relation::find_table(&shared.schema, &name)
        .map_err(|help| ApiError::not_found("UnknownInputStream", format!("there is no table {name:?}{help}")))?;
    let mut parameters = Parameters::new(pairs);
    let force = parameters.flag("force", false)?;
    let format = read_format(parameters, &shared.schema.tables[table].name)?;
    let upload = Upload {
        shared,
        index: shared.lock().ingress(table),
        force,
        parser: parser(&shared.schema.tables[table], &format),
        parsed: shared.parsed(table),
        errors: Vec::new(),
        error_count: 0,
    };
    upload.run(body, server.max_request_bytes).await
}

fn read_format(mut parameters: Parameters, table: &str) -> Result<InputFormat, ApiError> {
    let format = parameters.take("format").unwrap_or_else(|| "json".to_owned());
    match format.as_str() {
        "json" | "csv" => {
            parameters.format(table, "InvalidParserConfig", |section| read_input_format(&format, section))
        }
        _ => {
            let message = format!("format={format}: the formats are json and csv");
            Err(ApiError::bad_request("UnknownInputFormat", message))
        }
    }
}

/// One request's rows on their way into the queue.
struct Upload<'a> {
    shared: &'a Shared,
    index: usize,
    force: bool,
    parser: Box<dyn Parser>,
    parsed: Parsed,
    errors: Vec<Rejected>,
    error_count: u64,
}

impl Upload<'_> {
    async fn run(mut self, mut body: Body, most: Option<u64>) -> Result<Response, ApiError> {
        let mut total = 0u64;
        wait_for_room(self.shared, self.index, self.force).await?;
        while let Some(bytes) = next_bytes(&mut body).await? {
            total += bytes.len() as u64;
            if most.is_some_and(|most| total > most) {
                let message = "the body is longer than max_request_bytes; the rows before that were taken";
                return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "RequestTooLarge", message));
            }
            self.parser.parse(&bytes, &mut self.parsed);
            self.push(bytes.len() as u64);
            wait_for_room(self.shared, self.index, self.force).await?;
        }
        self.parser.finish(&mut self.parsed);
        self.push(0);
        self.answer()
    }

    fn push(&mut self, bytes: u64) {
        self.error_count += self.parsed.rejected.len() as u64;
        let room = ERRORS_LISTED - self.errors.len();
        self.errors.extend(self.parsed.rejected.iter().take(room).cloned());
        self.shared.push(self.index, &mut self.parsed, bytes);
    }

    /// Rows of later requests may be counted in: the token then waits for a little more than it has to.
    fn token(&self) -> String {
        let records = self.shared.lock().inputs[self.index].total_records;
        format!("{}.{}.{records}", self.shared.incarnation, self.index)
    }

    fn answer(self) -> Result<Response, ApiError> {
        let token = self.token();
        if self.error_count == 0 {
            return Ok(json(&json!({ "token": token })));
        }
        let first = self
            .errors
            .first()
            .map(|error| format!("; the first at byte {}, line {}: {}", error.offset, error.line, error.reason));
        let message =
            format!("{} records were rejected, the others were taken{}", self.error_count, first.unwrap_or_default());
        let listed = self.errors.iter().map(|error| {
            json!({
                "offset": error.offset,
                "line": error.line,
                "record": String::from_utf8_lossy(&error.bytes),
                "description": error.reason,
            })
        });
        let details = json!({ "num_errors": self.error_count, "errors": listed.collect::<Vec<_>>(), "token": token });
        Err(ApiError::bad_request("ParseErrors", message).with(details))
    }
}

/// The socket is read on only while the queue has room: that is what slows the client down.
async fn wait_for_room(shared: &Shared, index: usize, force: bool) -> Result<(), ApiError> {
    loop {
        let progress = shared.progress.notified();
        tokio::pin!(progress);
        progress.as_mut().enable();
        {
            let state = shared.lock();
            if state.draining || state.failure.is_some() || shared.over.load(std::sync::atomic::Ordering::Acquire) {
                return Err(ApiError::terminating());
            }
            let input = &state.inputs[index];
            if (state.paused || input.paused) && !force {
                let message = "the pipeline is paused; start it, or send force=true to queue the rows";
                return Err(ApiError::new(StatusCode::CONFLICT, "PipelinePaused", message));
            }
            if !input.is_full() {
                return Ok(());
            }
        }
        progress.await;
    }
}

/// The next piece of the body; `None` at its end.
async fn next_bytes(body: &mut Body) -> Result<Option<axum::body::Bytes>, ApiError> {
    loop {
        let frame = std::future::poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx));
        let frame = tokio::time::timeout(BODY_TIMEOUT, frame).await.map_err(|_| {
            ApiError::new(StatusCode::REQUEST_TIMEOUT, "RequestTimeout", "the body stood still for too long")
        })?;
        match frame {
            None => return Ok(None),
            Some(Err(error)) => {
                return Err(ApiError::bad_request("InvalidRequest", format!("the body ended early: {error}")));
            }
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if data.is_empty() => (),
                Ok(data) => return Ok(Some(data)),
                // Trailers say nothing to us.
                Err(_) => (),
            },
        }
    }
}

/// `GET /completion_status?token=`: are the rows of that upload in every output?
pub async fn completion_status(
    State(server): State<Arc<Server>>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let shared = &server.shared;
    let mut parameters = Parameters::new(pairs);
    let token = parameters.take("token");
    parameters.finish(&["token"])?;
    let token = token.ok_or_else(|| ApiError::bad_request("InvalidParameter", "the parameter \"token\" is missing"))?;
    let mut parts = token.splitn(3, '.');
    let incarnation = parts.next().unwrap_or_default();
    let numbers = (parts.next().and_then(|part| part.parse().ok()), parts.next().and_then(|part| part.parse().ok()));
    let (Some(index), Some(record)): (Option<usize>, Option<u64>) = numbers else {
        return Err(ApiError::bad_request("InvalidParameter", format!("{token:?} is not a completion token")));
    };
    if incarnation != shared.incarnation {
        let message = "the token is of an earlier run of the pipeline";
        return Err(ApiError::new(StatusCode::GONE, "PipelineRestarted", message));
    }
    let completed = shared.completed_step();
    let step = {
        let mut state = shared.lock();
        if index >= state.inputs.len() {
            let message = "the token names an input that is not there";
            return Err(ApiError::new(StatusCode::GONE, "UnknownEndpointInCompletionToken", message));
        }
        state.step_of(index, record, completed)
    };
    let done = step.is_some() && step <= completed;
    Ok(json(&json!({ "status": if done { "complete" } else { "inprogress" }, "step": step })))
}
