//! Rejected input records, kept with their place, bytes and reason until newer ones need the room.

use crate::format::Rejected;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

/// So many records and bytes are kept; the counters go on counting.
const RECORDS_MAX: usize = 1000;
const BYTES_MAX: usize = 8 << 20;

/// One rejected record.
#[derive(Clone, Debug)]
pub struct DeadLetter {
    /// Number of the record among all that were rejected, from 0.
    pub index: u64,
    /// Milliseconds since 1970.
    pub timestamp_ms: u64,
    pub endpoint: String,
    pub rejected: Rejected,
}

impl DeadLetter {
    pub fn to_json(&self) -> Value {
        json!({
            "index": self.index,
            "timestamp": self.timestamp_ms,
            "connector": self.endpoint,
            "offset": self.rejected.offset,
            "line": self.rejected.line,
            "record": String::from_utf8_lossy(&self.rejected.bytes),
            "reason": self.rejected.reason,
        })
    }
}

#[derive(Debug, Default)]
struct Kept {
    letters: VecDeque<DeadLetter>,
    bytes: usize,
    total: u64,
}

/// The rejected records of all connectors.
#[derive(Debug, Default)]
pub struct DeadLetters {
    kept: Mutex<Kept>,
}

impl DeadLetters {
    pub fn add(&self, endpoint: &str, rejected: Vec<Rejected>) {
        if rejected.is_empty() {
            return;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as u64);
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        for rejected in rejected {
            kept.bytes += rejected.bytes.len();
            let index = kept.total;
            kept.total += 1;
            kept.letters.push_back(DeadLetter { index, timestamp_ms: now, endpoint: endpoint.to_owned(), rejected });
            while kept.letters.len() > RECORDS_MAX || kept.bytes > BYTES_MAX {
                let oldest = kept.letters.pop_front().map_or(0, |letter| letter.rejected.bytes.len());
                kept.bytes -= oldest;
            }
        }
    }

    /// Records rejected so far, including those no longer kept.
    pub fn total(&self) -> u64 {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    /// Those kept, oldest first, of one connector or of all.
    pub fn list(&self, endpoint: Option<&str>) -> Vec<DeadLetter> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = |letter: &&DeadLetter| endpoint.is_none_or(|endpoint| letter.endpoint == endpoint);
        kept.letters.iter().filter(wanted).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_newest_and_counts_all() {
        let letters = DeadLetters::default();
        let rejected = |size: usize| Rejected { offset: 0, line: 1, bytes: vec![b'x'; size], reason: String::new() };
        letters.add("t.a", (0..RECORDS_MAX + 5).map(|_| rejected(1)).collect());
        assert_eq!((letters.total(), letters.list(None).len()), (RECORDS_MAX as u64 + 5, RECORDS_MAX));
        assert_eq!(letters.list(None)[0].index, 5);
        letters.add("t.b", vec![rejected(BYTES_MAX)]);
        assert_eq!((letters.list(None).len(), letters.list(Some("t.a")).len()), (1, 0));
    }
}
