//! `file_output`: changes written to a local file, which is emptied at start; missing folders are created.

use super::{Opening, Output, OutputTransport};
use std::fs::File;
use std::io::Write;

pub const TRANSPORT: OutputTransport = OutputTransport {
    name: "file_output",
    keys: &["path"],
    required: &["path"],
    needs_format: true,
    check: |_| (),
    open,
};

struct FileOutput {
    file: File,
    shown: String,
}

fn open(opening: Opening<'_>) -> Result<Box<dyn Output>, String> {
    let shown = opening.shown["path"].as_str().unwrap_or_default().to_owned();
    let path = opening.base.join(opening.config["path"].as_str().unwrap_or_default());
    let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let fault = |error| format!("cannot create the file {shown:?}{}: {error}", opening.within(&shown));
    // Emptied only once it is known to be no other connector's: an input's rows would be lost.
    let file = folder.and_then(|()| File::options().write(true).create(true).truncate(false).open(&path));
    let file = file.map_err(fault)?;
    if opening.files.note(&path) {
        return Err(format!("another connector uses the file {shown:?}; give this output a file of its own"));
    }
    if file.metadata().map_err(fault)?.is_file() {
        file.set_len(0).map_err(fault)?;
    }
    Ok(Box::new(FileOutput { file, shown }))
}

impl Output for FileOutput {
    /// Each step's changes come as one piece, so a buffer would save nothing.
    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.file.write_all(bytes).map_err(|error| format!("cannot write to the file {:?}: {error}", self.shown))
    }

    fn flush(&mut self) -> Result<(), String> {
        self.file.flush().map_err(|error| format!("cannot write to the file {:?}: {error}", self.shown))
    }
}
