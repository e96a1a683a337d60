//! `file_input`: a local file from its start to its end, or followed as it grows.
//!
//! The position is the byte offset. A followed file that shrinks was replaced: the connector fails rather than guess.

use super::{Input, InputTransport, Opening, Read};
use crate::config::Section;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};

pub const TRANSPORT: InputTransport = InputTransport {
    name: "file_input",
    keys: &["path", "buffer_size_bytes", "follow"],
    required: &["path"],
    needs_format: true,
    check,
    open,
};

/// Bytes of one read unless `buffer_size_bytes` says otherwise.
const BUFFER_BYTES: u64 = 256 << 10;

/// More than this at once helps nobody.
const BUFFER_BYTES_MAX: u64 = 64 << 20;

fn check(config: &mut Section<'_, '_>) {
    config.number("buffer_size_bytes", 1);
    config.flag("follow", false);
}

struct FileInput {
    file: File,
    /// The path as written in the program.
    shown: String,
    offset: u64,
    buffer_bytes: u64,
    follow: bool,
}

fn open(opening: Opening<'_>) -> Result<Box<dyn Input>, String> {
    let (config, shown) = (opening.config, opening.shown["path"].as_str().unwrap_or_default());
    let path = opening.base.join(config["path"].as_str().unwrap_or_default());
    let fault = |error| format!("cannot read the file {shown:?}{}: {error}", opening.within(shown));
    let file = File::open(&path).map_err(fault)?;
    if file.metadata().map_err(fault)?.is_dir() {
        return Err(format!("cannot read the file {shown:?}: it is a folder"));
    }
    opening.files.note(&path);
    let number = |key: &str| config[key].as_u64().or_else(|| config[key].as_str()?.parse().ok());
    Ok(Box::new(FileInput {
        file,
        shown: shown.to_owned(),
        offset: 0,
        buffer_bytes: number("buffer_size_bytes").unwrap_or(BUFFER_BYTES).min(BUFFER_BYTES_MAX),
        follow: config["follow"] == true || config["follow"] == "true",
    }))
}

impl FileInput {
    fn fault(&self, error: &std::io::Error) -> String {
        format!("cannot read the file {:?} at byte {}: {error}", self.shown, self.offset)
    }

    /// At the end of a followed file: is it still the same file?
    fn wait_for_more(&self) -> Result<Read, String> {
        let length = self.file.metadata().map_err(|error| self.fault(&error))?.len();
        match length < self.offset {
            false => Ok(Read::Idle),
            true => Err(format!("the followed file {:?} shrank from {} to {length} bytes", self.shown, self.offset)),
        }
    }
}

impl Input for FileInput {
    fn read(&mut self, buffer: &mut Vec<u8>) -> Result<Read, String> {
        let read = (&mut self.file).take(self.buffer_bytes).read_to_end(buffer);
        let count = read.map_err(|error| self.fault(&error))? as u64;
        self.offset += count;
        match (count, self.follow) {
            (0, false) => Ok(Read::End),
            (0, true) => self.wait_for_more(),
            _ => Ok(Read::Bytes),
        }
    }

    fn position(&self) -> Value {
        json!({ "offset": self.offset })
    }

    fn seek(&mut self, position: &Value) -> Result<(), String> {
        let offset = position["offset"].as_u64().ok_or_else(|| format!("not a place in a file: {position}"))?;
        let length = self.file.metadata().map_err(|error| self.fault(&error))?.len();
        if offset > length {
            return Err(format!("the file {:?} has only {length} of the {offset} bytes read before", self.shown));
        }
        self.file.seek(SeekFrom::Start(offset)).map_err(|error| self.fault(&error))?;
        self.offset = offset;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connector::FilesInUse;
    use std::io::Write;

    fn opened(path: &std::path::Path, follow: bool) -> Box<dyn Input> {
        let config = json!({ "path": path, "buffer_size_bytes": 4, "follow": follow });
        open(Opening {
            config: &config,
            shown: &config,
            base: std::path::Path::new("."),
            files: &FilesInUse::default(),
        })
        .unwrap()
    }

    #[test]
    fn follows_and_seeks() {
        let path = std::env::temp_dir().join(format!("feldc-file-input-{}", std::process::id()));
        std::fs::write(&path, "abcdef").unwrap();
        let mut input = opened(&path, true);
        let mut buffer = Vec::new();
        assert_eq!(input.read(&mut buffer), Ok(Read::Bytes));
        let position = input.position();
        assert_eq!(input.read(&mut buffer), Ok(Read::Bytes));
        assert_eq!((buffer.as_slice(), input.read(&mut buffer.clone())), (&b"abcdef"[..], Ok(Read::Idle)));
        File::options().append(true).open(&path).unwrap().write_all(b"gh").unwrap();
        assert_eq!(input.read(&mut buffer), Ok(Read::Bytes));
        assert_eq!(buffer, b"abcdefgh");
        std::fs::write(&path, "x").unwrap();
        assert!(input.read(&mut buffer).unwrap_err().contains("shrank"));
        assert!(opened(&path, false).seek(&position).is_err());
        std::fs::write(&path, "abcdef").unwrap();
        let mut input = opened(&path, false);
        input.seek(&position).unwrap();
        let mut rest = Vec::new();
        assert_eq!((input.read(&mut rest), input.read(&mut Vec::new())), (Ok(Read::Bytes), Ok(Read::End)));
        assert_eq!(rest, b"ef");
        std::fs::remove_file(&path).unwrap();
    }
}
