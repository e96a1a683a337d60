//! Formats: bytes to rows and rows to bytes, driven by the schema's tables.
//!
//! A parser keeps what it needs between calls, so that records may cross the borders of the chunks in any way. A record
//! that cannot be taken is handed out as [`Rejected`]; the records around it are not affected.

pub mod csv_input;
pub mod csv_output;
pub mod json_input;
pub mod json_output;
pub mod patch;
pub mod record;
pub mod render;
pub mod resume;
pub mod scalar;
#[cfg(test)]
pub mod testing;

use feldc_engine::Batch;

/// No record may be longer, in bytes: what a stream without an end of record may cost in memory.
pub const RECORD_BYTES_MAX: usize = 64 << 20;

/// Of a rejected record so many bytes are kept.
pub const REJECTED_BYTES_MAX: usize = 16 << 10;

/// A record that was not taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rejected {
    /// Byte offset of the record's start in its stream.
    pub offset: u64,
    /// Line of the record's start, from 1.
    pub line: u64,
    /// The record as it came, at most [`REJECTED_BYTES_MAX`] of it.
    pub bytes: Vec<u8>,
    pub reason: String,
}

/// What a parser made of the bytes so far; the caller takes and clears it.
#[derive(Debug, Default)]
pub struct Parsed {
    pub rows: Batch,
    /// Updates of some columns, in order, between the rows.
    pub patches: Vec<patch::Patch>,
    pub rejected: Vec<Rejected>,
}

/// Bytes to rows of one table.
pub trait Parser: Send {
    /// Takes the next bytes of the stream. Rows have the table's physical layout.
    fn parse(&mut self, bytes: &[u8], parsed: &mut Parsed);

    /// The stream ends here: a record begun but not ended is rejected.
    fn finish(&mut self, parsed: &mut Parsed);
}

/// What became of a delta that was written out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Encoded {
    pub records: u64,
    /// Rows that the format cannot express; they are missing in the output.
    pub errors: Vec<String>,
}

/// Rows of one view to text.
pub trait Encoder: Send {
    /// Appends a delta (sorted and consolidated), deletions first, one record per unit of weight.
    fn encode(&mut self, delta: &Batch, out: &mut String) -> Encoded;
}

/// A row of a greater multiplicity is an error on output rather than that many lines.
pub const DUPLICATES_MAX: i64 = 1_000_000;
