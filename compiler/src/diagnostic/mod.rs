//! Diagnostics as data: what is wrong with a program, where, and what to do about it. No printing decisions here.

pub mod render;
pub mod source;
pub mod suggest;

pub use render::{Style, render};
pub use source::Source;
pub use suggest::closest;

use crate::plan::Span;
use feldc_value::error::clipped;

/// SQLSTATEs of compile-time errors (ISO/IEC 9075-2, clause 24, with PostgreSQL's subclasses).
pub mod code {
    pub const SYNTAX_ERROR: &str = "42601";
    pub const UNDEFINED_TABLE: &str = "42P01";
    pub const UNDEFINED_COLUMN: &str = "42703";
    pub const UNDEFINED_FUNCTION: &str = "42883";
    pub const UNDEFINED_OBJECT: &str = "42704";
    pub const AMBIGUOUS_COLUMN: &str = "42702";
    pub const DUPLICATE_TABLE: &str = "42P07";
    pub const DUPLICATE_COLUMN: &str = "42701";
    pub const DUPLICATE_ALIAS: &str = "42712";
    pub const DUPLICATE_OBJECT: &str = "42710";
    pub const DATATYPE_MISMATCH: &str = "42804";
    pub const CANNOT_COERCE: &str = "42846";
    pub const GROUPING_ERROR: &str = "42803";
    pub const INVALID_COLUMN_REFERENCE: &str = "42P10";
    pub const INVALID_TABLE_DEFINITION: &str = "42P16";
    pub const INVALID_FOREIGN_KEY: &str = "42830";
    pub const RESERVED_NAME: &str = "42939";
    pub const WRONG_OBJECT_TYPE: &str = "42809";
    pub const INVALID_PARAMETER: &str = "22023";
    pub const FEATURE_NOT_SUPPORTED: &str = "0A000";
    pub const TOO_COMPLEX: &str = "54001";
    pub const WARNING: &str = "01000";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

/// A stretch of the program and why it matters here; the text may be empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Diagnostic {
    pub severity: Severity,
    /// SQLSTATE; empty for notes.
    pub code: &'static str,
    /// Makes sense alone: lower case, no full stop.
    pub headline: String,
    pub primary: Label,
    pub labels: Vec<Label>,
    pub notes: Vec<String>,
    /// Something the reader can do.
    pub help: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, code: &'static str, headline: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic {
            severity,
            code,
            headline: clipped(headline.into()),
            primary: Label { span, text: String::new() },
            labels: vec![],
            notes: vec![],
            help: None,
        }
    }

    pub fn error(code: &'static str, headline: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, headline, span)
    }

    pub fn warning(headline: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code::WARNING, headline, span)
    }

    pub fn note(headline: impl Into<String>, span: Span) -> Diagnostic {
        Diagnostic::new(Severity::Note, "", headline, span)
    }

    /// `what` exists in the dialect but not in this version.
    pub fn unsupported(what: impl std::fmt::Display, span: Span) -> Diagnostic {
        Diagnostic::error(code::FEATURE_NOT_SUPPORTED, format!("{what} is not supported yet"), span)
            .label("not in this version")
    }

    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = clipped(text.into());
        self
    }

    /// A further place that explains the first.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: clipped(text.into()) });
        self
    }

    pub fn remark(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(clipped(text.into()));
        self
    }

    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(clipped(text.into()));
        self
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_quotations_are_cut_in_the_middle() {
        let long = |text: &str| format!("\"{}\" {text}", "é".repeat(100_000));
        let made = Diagnostic::error(code::SYNTAX_ERROR, long("headline"), Span::default())
            .label(long("label"))
            .also(Span::default(), long("place"))
            .remark(long("note"))
            .help(long("help"));
        let parts = [&made.headline, &made.primary.text, &made.labels[0].text, &made.notes[0], &made.help.unwrap()];
        for (part, end) in parts.into_iter().zip(["headline", "label", "place", "note", "help"]) {
            assert!(part.len() < 750 && part.starts_with("\"éé") && part.ends_with(&format!("é\" {end}")), "{part}");
            assert_eq!(part.matches("...").count(), 1);
        }
    }
}
