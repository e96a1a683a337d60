//! State, numbers and control of the pipeline and its connectors.

use super::error::ApiError;
use super::query::Parameters;
use super::{Server, json};
use crate::controller::stats::{input_stats, output_stats};
use crate::published::published;
use crate::suggest;
use axum::extract::{Path, Query, State};
use axum::response::Response;
use serde_json::{Value, json};
use std::sync::Arc;

pub async fn healthz() -> Response {
    json(&json!({ "status": "healthy" }))
}

pub async fn status(State(server): State<Arc<Server>>) -> Response {
    let name = server.shared.state_name();
    json(&json!({ "runtime_status": name, "runtime_status_details": "", "runtime_desired_status": name }))
}

pub async fn start(State(server): State<Arc<Server>>) -> Response {
    server.shared.update(|state| state.paused = false);
    json(&json!("The pipeline is running"))
}

pub async fn pause(State(server): State<Arc<Server>>) -> Response {
    server.shared.update(|state| state.paused = true);
    json(&json!("Pipeline paused"))
}

pub async fn stats(State(server): State<Arc<Server>>) -> Response {
    json(&server.shared.stats())
}

pub async fn metadata(State(server): State<Arc<Server>>) -> Response {
    json(&published(&server.shared.schema))
}

/// The rejected records that are kept, oldest first; `endpoint=` chooses one connector.
pub async fn dead_letters(
    State(server): State<Arc<Server>>,
    Query(pairs): Query<Vec<(String, String)>>,
) -> Result<Response, ApiError> {
    let mut parameters = Parameters::new(pairs);
    let endpoint = parameters.take("endpoint");
    parameters.finish(&["endpoint"])?;
    let letters = server.shared.dead_letters.list(endpoint.as_deref());
    let listed: Vec<Value> = letters.iter().map(|letter| letter.to_json()).collect();
    Ok(json(&json!({ "total": server.shared.dead_letters.total(), "dead_letters": listed })))
}

pub async fn input_endpoint(
    State(server): State<Arc<Server>>,
    Path((name, action)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let shared = &server.shared;
    let index = {
        let state = shared.lock();
        let names = state.inputs.iter().map(|input| input.endpoint.as_str());
        find(names, &name).map_err(|help| unknown("UnknownInputEndpoint", "input", &name, &help))?
    };
    match action.as_str() {
        "start" => shared.update(|state| state.inputs[index].paused = false),
        "pause" => shared.update(|state| state.inputs[index].paused = true),
        "stats" => {
            let state = shared.lock();
            let input = &state.inputs[index];
            return Ok(json(&input_stats(input, &shared.schema.tables[input.table].name)));
        }
        "completion_token" => {
            let total = shared.lock().inputs[index].total_records;
            return Ok(json(&json!({ "token": format!("{}.{index}.{total}", shared.incarnation) })));
        }
        _ => {
            let message = format!("{action:?} is not an action; there are start, pause, stats and completion_token");
            return Err(ApiError::bad_request("InvalidConnectorAction", message));
        }
    }
    Ok(json(&json!({})))
}

pub async fn output_endpoint(
    State(server): State<Arc<Server>>,
    Path(name): Path<String>,
) -> Result<Response, ApiError> {
    let outputs = &server.shared.outputs;
    let index = find(outputs.iter().map(|output| output.endpoint.as_str()), &name)
        .map_err(|help| unknown("UnknownOutputEndpoint", "output", &name, &help))?;
    Ok(json(&output_stats(&outputs[index])))
}

fn find<'a>(names: impl Iterator<Item = &'a str> + Clone, name: &str) -> Result<usize, String> {
    names.clone().position(|known| known == name).ok_or_else(|| match suggest::nearest(name, names) {
        Some(near) => format!("; did you mean {near:?}?"),
        None => "; /stats lists all".to_owned(),
    })
}

fn unknown(code: &'static str, direction: &str, name: &str, help: &str) -> ApiError {
    ApiError::not_found(code, format!("there is no {direction} connector {name:?}{help}"))
}
