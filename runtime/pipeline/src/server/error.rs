//! Error answers: `{"message", "error_code", "details"}` with the codes that existing clients know.

use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use feldc_value::error::clipped;
use serde_json::{Value, json};

/// A request that was refused.
#[derive(Debug)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    message: String,
    details: Value,
}

impl ApiError {
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError { status, code, message: clipped(message.into()), details: json!({}) }
    }

    pub fn with(self, details: Value) -> ApiError {
        ApiError { details, ..self }
    }

    pub fn bad_request(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::BAD_REQUEST, code, message)
    }

    pub fn not_found(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::NOT_FOUND, code, message)
    }

    pub fn unavailable(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }

    pub fn invalid_token() -> ApiError {
        let message = "the request carries no valid token; send the header \"Authorization: Bearer TOKEN\"";
        ApiError::new(StatusCode::UNAUTHORIZED, "InvalidApiKey", message)
    }

    pub fn terminating() -> ApiError {
        ApiError::unavailable("Terminating", "the pipeline is stopping and takes no more requests")
    }

    pub fn too_many_connections() -> ApiError {
        let message = "too many connections are open: close idle ones, then try again";
        ApiError::unavailable("TooManyConnections", message)
    }

    pub fn no_such_path(path: &str) -> ApiError {
        ApiError::not_found("UnknownPath", format!("there is nothing at {path:?}"))
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = json!({ "message": self.message, "error_code": self.code, "details": self.details });
        (self.status, [(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
    }
}
