//! The file behind `--config`: the keys of `runtime_config` that this process obeys.

use super::{ConfigProblem, Problems, Section};
use serde_json::Value;

/// Settings of the process; the command line goes before the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeConfig {
    pub workers: Option<u64>,
    /// Below it lie the secrets of `${secret:kubernetes:NAME/KEY}`.
    pub secrets_dir: Option<String>,
    /// Bytes of one HTTP request's body.
    pub max_request_bytes: Option<u64>,
}

/// Keys of existing configurations that change nothing here but speed; they are taken so that a file can be shared.
const NO_EFFECT: [&str; 6] =
    ["name", "cpu_profiler", "http_workers", "io_workers", "max_parallel_connector_init", "checkpoint_during_suspend"];

const LATER: [&str; 18] = [
    "hosts",
    "storage",
    "fault_tolerance",
    "tracing",
    "tracing_endpoint_jaeger",
    "min_batch_size_records",
    "max_buffering_delay_usecs",
    "clock_resolution_usecs",
    "clock_timezone_offset",
    "max_rss_mb",
    "datafusion_memory_mb",
    "resources",
    "pin_cpus",
    "provisioning_timeout_secs",
    "logging",
    "env",
    "init_containers",
    "dev_tweaks",
];

impl RuntimeConfig {
    /// Reads the text of the file.
    ///
    /// # Errors
    /// Everything that is wrong with it, a line for each problem.
    pub fn parse(text: &str) -> Result<RuntimeConfig, String> {
        let value: Value = serde_json::from_str(text).map_err(|error| format!("not JSON: {error}"))?;
        let mut found: Vec<ConfigProblem> = Vec::new();
        let mut problems = Problems { relation: "", found: &mut found };
        let config = Section::new(&value, "config".to_owned(), &mut problems).map(|mut section| {
            let known = ["workers", "secrets_dir", "max_request_bytes"];
            section.check_keys(&[&known[..], &NO_EFFECT].concat(), &LATER);
            RuntimeConfig {
                workers: section.number("workers", 1),
                secrets_dir: section.text("secrets_dir").map(str::to_owned),
                max_request_bytes: section.number("max_request_bytes", 1),
            }
        });
        let lines = |problem: &ConfigProblem| match &problem.help {
            Some(help) => format!("{} ({help})", problem.message),
            None => format!("{}: {}", problem.path, problem.message),
        };
        match config {
            Some(config) if found.is_empty() => Ok(config),
            _ => Err(found.iter().map(lines).collect::<Vec<_>>().join("\n")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_errors_with_a_suggestion() {
        assert_eq!(RuntimeConfig::parse("{\"workers\": 2}").unwrap().workers, Some(2));
        let error = RuntimeConfig::parse("{\"wrokers\": 2}").unwrap_err();
        assert!(error.contains("wrokers") && error.contains("\"workers\""), "{error}");
        assert!(RuntimeConfig::parse("{\"workers\": 0}").is_err());
        assert!(RuntimeConfig::parse("{\"hosts\": 2}").unwrap_err().contains("not supported yet"));
        assert!(RuntimeConfig::parse("[]").is_err());
    }
}
