//! `POST /egress/{view}`: a view's changes as a stream of lines; `GET /view/{view}`: its contents at once.

use super::Server;
use super::error::ApiError;
use super::query::Parameters;
use crate::config::{OutputFormat, read_output_format};
use crate::controller::{Command, Relation, Shared, Update, delta_of, encoder};
use crate::format::Encoder;
use crate::format::json_output::JsonRows;
use crate::format::render::{Columns, ERROR_VIEW};
use crate::relation;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Query, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use feldc_engine::Batch;
use feldc_value::json::json_string;
use http_body::Frame;
use serde_json::json;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Silence is broken by an empty chunk, so that both sides notice a dead connection.
const SILENCE: Duration = Duration::from_secs(3);

/// Steps that wait for a slow reader before it holds the pipeline up, or misses some.
const STEPS_WAITING: usize = 16;

/// About so many bytes of text are one chunk.
const CHUNK_BYTES: usize = 1 << 20;

fn find(shared: &Shared, name: &str) -> Result<Relation, ApiError> {
    match relation::find_view(&shared.schema, name) {
        Ok(view) => Ok(Relation::View(view)),
        Err(_) if name.eq_ignore_ascii_case(ERROR_VIEW) => Ok(Relation::Errors),
        Err(help) => Err(ApiError::not_found("UnknownOutputStream", format!("there is no view {name:?}{help}"))),
    }
}

fn columns(shared: &Shared, relation: Relation) -> Columns {
    match relation {
        Relation::View(view) => Columns::of_view(&shared.schema.views[view]),
        Relation::Errors => Columns::of_errors(),
    }
}

fn must_be_kept(shared: &Shared, relation: Relation, name: &str) -> Result<(), ApiError> {
    match relation {
        Relation::View(view) if !shared.schema.views[view].materialized => {
            let message = format!("the contents of {name:?} are not kept; declare it with CREATE MATERIALIZED VIEW");
            Err(ApiError::bad_request("ViewNotMaterialized", message))
        }
        _ => Ok(()),
    }
}

fn ask(shared: &Shared, command: Command) -> Result<(), ApiError> {
    if shared.over.load(std::sync::atomic::Ordering::Acquire) {
        return Err(ApiError::terminating());
    }
    shared.update(|state| state.commands.push_back(command));
    Ok(())
}

/// `{"name", "columns", "types", "rows"}`: every row as an array in SQL column order, as often as it is there.
pub async fn contents(State(server): State<Arc<Server>>, Path(name): Path<String>) -> Result<Response, ApiError> {
    let shared = &server.shared;
    let relation = find(shared, &name)?;
    must_be_kept(shared, relation, &name)?;
    let (to, from) = oneshot::channel();
    ask(shared, Command::Contents(relation, to))?;
    let batch = from.await.map_err(|_| ApiError::terminating())?;
    let batch = batch.ok_or_else(|| ApiError::bad_request("ViewNotMaterialized", "the contents are not kept"))?;
    let columns = columns(shared, relation);
    let types: Vec<String> = columns.types.iter().map(|column| column.ty.to_string()).collect();
    let mut text = json!({ "name": name, "columns": columns.names, "types": types }).to_string();
    text.pop();
    text.push_str(",\"rows\":[");
    let mut rows = JsonRows::new(columns);
    let mut first = true;
    for (row, weight) in batch.iter() {
        for _ in 0..weight.max(0) {
            if !std::mem::take(&mut first) {
                text.push(',');
            }
            rows.write_array(row, &mut text);
        }
    }
    text.push_str("]}");
    Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
}

pub async fn egress(
    State(server): State<Arc<Server>>,
    Path(name): Path<String>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let shared = &server.shared;
    let relation = find(shared, &name)?;
    let mut parameters = Parameters::new(pairs);
    let backpressure = parameters.flag("backpressure", false)?;
    let snapshot = parameters.flag("send_snapshot", false)?;
    // A JSON chunk is an array whatever the client asks for.
    parameters.flag("array", true)?;
    if snapshot {
        must_be_kept(shared, relation, &name)?;
    }
    let format = read_format(parameters, &name)?;
    let permit = server.egress.clone().try_acquire_owned().map_err(|_| {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "TooManyStreams", "too many egress streams are open")
    })?;
    let (to, from) = mpsc::channel(STEPS_WAITING);
    ask(shared, Command::Attach { relation, snapshot, backpressure, to })?;
    let (lines, body) = mpsc::channel(1);
    let stream = Stream {
        relation,
        text: matches!(format, OutputFormat::Csv { .. }),
        encoder: encoder(columns(shared, relation), &format),
        number: 0,
        lines,
    };
    tokio::spawn(async move {
        stream.run(from).await;
        drop(permit);
    });
    Ok(([(header::CONTENT_TYPE, "application/x-ndjson")], Body::new(Lines(body))).into_response())
}

fn read_format(mut parameters: Parameters, view: &str) -> Result<OutputFormat, ApiError> {
    let name = parameters.take("format").unwrap_or_else(|| "json".to_owned());
    if name != "json" && name != "csv" {
        let message = format!("format={name}: the formats are json and csv");
        return Err(ApiError::bad_request("UnknownOutputFormat", message));
    }
    let format = parameters.format(view, "InvalidEncoderConfig", |section| read_output_format(&name, section))?;
    Ok(match format {
        OutputFormat::Json { buffer_size_records, .. } => OutputFormat::Json { array: true, buffer_size_records },
        csv @ OutputFormat::Csv { .. } => csv,
    })
}

/// One reader's stream of chunks.
struct Stream {
    relation: Relation,
    text: bool,
    encoder: Box<dyn Encoder>,
    number: u64,
    lines: mpsc::Sender<Bytes>,
}

impl Stream {
    /// Until the pipeline ends or the client goes.
    async fn run(mut self, mut updates: mpsc::Receiver<Update>) {
        loop {
            let update = tokio::time::timeout(SILENCE, updates.recv()).await;
            let sent = match update {
                Ok(None) => return,
                Ok(Some(Update::Snapshot(batch))) => self.send(&batch, true).await,
                Ok(Some(Update::Step(step))) => self.send(delta_of(self.relation, &step), false).await,
                Err(_) => self.line(None, false).await,
            };
            if sent.is_err() {
                return;
            }
        }
    }

    async fn send(&mut self, delta: &Batch, snapshot: bool) -> Result<(), Gone> {
        let mut text = String::new();
        self.encoder.encode(delta, &mut text);
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(self.chunk_end(rest));
            self.line(Some(chunk), snapshot).await?;
            rest = after;
        }
        Ok(())
    }

    /// A JSON chunk is one array, on its line; text is cut at line ends.
    fn chunk_end(&self, text: &str) -> usize {
        let from = if self.text { CHUNK_BYTES.min(text.len() - 1) } else { 0 };
        memchr::memchr(b'\n', &text.as_bytes()[from..]).map_or(text.len(), |length| from + length + 1)
    }

    async fn line(&mut self, data: Option<&str>, snapshot: bool) -> Result<(), Gone> {
        let mut line = format!("{{\"sequence_number\":{},\"snapshot\":{snapshot}", self.number);
        self.number += 1;
        if let Some(data) = data {
            match self.text {
                true => {
                    line.push_str(",\"text_data\":");
                    json_string(data, &mut line);
                }
                false => {
                    line.push_str(",\"json_data\":");
                    line.push_str(data.trim_ascii_end());
                }
            }
        }
        line.push_str("}\n");
        self.lines.send(line.into()).await.map_err(|_| Gone)
    }
}

/// The client has closed the connection.
struct Gone;

/// A body of lines as they come.
struct Lines(mpsc::Receiver<Bytes>);

impl http_body::Body for Lines {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(cx).map(|line| line.map(|line| Ok(Frame::data(line))))
    }
}
