//! Token streams as text.

use proc_macro2::TokenStream;

/// Formats items. Tokens that are no items would be a fault of ours: they are printed as they are, and rustc says where.
pub fn items(tokens: TokenStream) -> String {
    match syn::parse2::<syn::File>(tokens.clone()) {
        Ok(file) => spaced(&prettyplease::unparse(&file)),
        Err(error) => format!("// internal error: these tokens are no Rust: {error}\n{tokens}\n"),
    }
}

/// Puts an empty line before each function that follows something.
fn spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    let mut before = "";
    for line in text.lines() {
        let opens = ["/// ", "#[inline]", "fn ", "pub fn ", "const fn "]
            .iter()
            .any(|start| line.trim_start().starts_with(start));
        if opens && (before.ends_with('}') || before.ends_with(';')) {
            spaced.push('\n');
        }
        spaced.push_str(line);
        spaced.push('\n');
        before = line;
    }
    spaced
}

/// SQL text as it may stand in a comment: no control characters, and none that change the direction of writing, which
/// rustc refuses.
pub fn comment(text: &str) -> String {
    let hidden = |c: char| c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars().map(|c| if hidden(c) { ' ' } else { c }).collect::<String>().trim_end().to_string()
}
