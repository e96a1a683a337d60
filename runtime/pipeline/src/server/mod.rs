//! The HTTP server: rows in, changes out, numbers and control.
//!
//! It only moves bytes between sockets and the controller's queues. Bodies are streams in both directions; memory is
//! bounded by the queues, the number of connections and the number of open egress streams.

mod control;
mod egress;
mod error;
mod ingress;
mod metrics;
mod query;

use crate::controller::Shared;
use crate::log::{self, Level};
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use error::ApiError;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// Open connections; further ones are told so, but for `/healthz`, which is answered whatever happens.
const CONNECTIONS_MAX: usize = 512;

/// Connections beyond that at a time, while they are told; still further ones wait in the system's queue.
const SPARE_CONNECTIONS: usize = 64;

/// Open egress streams; a further one is refused.
const EGRESS_MAX: usize = 64;

/// A client has so long to send its headers.
const HEADER_TIMEOUT: Duration = Duration::from_secs(30);

/// Likewise on a spare connection.
const SPARE_HEADER_TIMEOUT: Duration = Duration::from_secs(2);

/// Bytes of a request's headers.
const HEADER_BYTES_MAX: usize = 64 << 10;

/// What the handlers share.
pub struct Server {
    pub shared: Arc<Shared>,
    token: Option<String>,
    max_request_bytes: Option<u64>,
    egress: Arc<Semaphore>,
    /// Requests being answered.
    active: AtomicUsize,
}

impl Server {
    pub fn new(shared: Arc<Shared>, token: Option<String>, max_request_bytes: Option<u64>) -> Arc<Server> {
        let egress = Arc::new(Semaphore::new(EGRESS_MAX));
        Arc::new(Server { shared, token, max_request_bytes, egress, active: AtomicUsize::new(0) })
    }

    /// Waits until no request is being answered, at most so long.
    pub async fn settle(&self, most: Duration) {
        let pause = Duration::from_millis(20);
        for _ in 0..most.as_millis() / pause.as_millis() {
            if self.active.load(Ordering::Acquire) == 0 {
                break;
            }
            tokio::time::sleep(pause).await;
        }
    }

    fn authorize(&self, request: &Request) -> Result<(), ApiError> {
        let Some(token) = &self.token else { return Ok(()) };
        let given = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        // The scheme's name is case-insensitive (RFC 9110, section 11.1).
        let scheme = given.and_then(|value| value.split_once(' '));
        let given = scheme.filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer")).map_or("", |(_, token)| token);
        match request.uri().path() == "/healthz" || equal_in_constant_time(given.trim(), token) {
            true => Ok(()),
            false => Err(ApiError::invalid_token()),
        }
    }
}

/// The time taken tells nothing of where two tokens differ.
fn equal_in_constant_time(left: &str, right: &str) -> bool {
    let differences = left.bytes().zip(right.bytes()).fold(0, |all, (left, right)| all | (left ^ right));
    std::hint::black_box(differences) == 0 && left.len() == right.len()
}

fn router(server: Arc<Server>) -> Router {
    Router::new()
        .route("/healthz", get(control::healthz))
        .route("/status", get(control::status))
        .route("/start", get(control::start).post(control::start))
        .route("/pause", get(control::pause).post(control::pause))
        .route("/stats", get(control::stats))
        .route("/metadata", get(control::metadata))
        .route("/metrics", get(metrics::metrics))
        .route("/dead_letters", get(control::dead_letters))
        .route("/completion_status", get(ingress::completion_status))
        .route("/input_endpoints/{name}/{action}", get(control::input_endpoint).post(control::input_endpoint))
        .route("/output_endpoints/{name}/stats", get(control::output_endpoint))
        .route("/view/{view}", get(egress::contents))
        .route("/ingress/{table}", post(ingress::ingress))
        .route("/egress/{view}", post(egress::egress).get(egress::egress))
        .fallback(any(async |request: Request| ApiError::no_such_path(request.uri().path())))
        .with_state(server)
}

/// Accepts connections for ever.
pub async fn run(server: Arc<Server>, listener: TcpListener) {
    let router = router(server.clone());
    let connections = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let spares = Arc::new(Semaphore::new(SPARE_CONNECTIONS));
    loop {
        let (permit, spare) = match connections.clone().try_acquire_owned() {
            Ok(permit) => (permit, false),
            // The semaphore is never closed.
            Err(_) => match spares.clone().acquire_owned().await {
                Ok(permit) => (permit, true),
                Err(_) => return,
            },
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Out of file handles, mostly: others will be closed.
                log::say(Level::Warn, format_args!("cannot accept a connection: {error}"));
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        // Small answers go out at once.
        let _ = stream.set_nodelay(true);
        let (server, router) = (server.clone(), router.clone());
        tokio::spawn(async move {
            let service = hyper::service::service_fn(move |request| {
                let (server, router) = (server.clone(), router.clone());
                answer(server, router, request, spare)
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .keep_alive(!spare)
                .header_read_timeout(if spare { SPARE_HEADER_TIMEOUT } else { HEADER_TIMEOUT })
                .max_buf_size(HEADER_BYTES_MAX)
                .serve_connection(TokioIo::new(stream), service);
            if let Err(error) = connection.await {
                log::say(Level::Debug, format_args!("a connection ended: {error}"));
            }
            drop(permit);
        });
    }
}

async fn answer(
    server: Arc<Server>,
    router: Router,
    request: hyper::Request<hyper::body::Incoming>,
    spare: bool,
) -> Result<Response, std::convert::Infallible> {
    use hyper::service::Service as _;
    if spare && request.uri().path() != "/healthz" {
        return Ok(ApiError::too_many_connections().into_response());
    }
    let request = request.map(Body::new);
    if let Err(refused) = server.authorize(&request) {
        return Ok(refused.into_response());
    }
    log::say(Level::Debug, format_args!("{} {}", request.method(), request.uri()));
    server.active.fetch_add(1, Ordering::AcqRel);
    let _done = Done(&server.active);
    hyper_util::service::TowerToHyperService::new(router).call(request).await
}

/// Counts a request as answered, also when its client has gone.
struct Done<'a>(&'a AtomicUsize);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}

/// A JSON answer.
fn json(value: &serde_json::Value) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens() {
        assert!(equal_in_constant_time("abc", "abc"));
        for (left, right) in [("", "abc"), ("abc", ""), ("abd", "abc"), ("abcd", "abc"), ("ab", "abc")] {
            assert!(!equal_in_constant_time(left, right));
        }
    }
}
