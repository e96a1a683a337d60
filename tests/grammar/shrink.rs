//! Makes an input small that shows a fault: statements and pieces are left out as long as the fault stays the same.

use super::mutate::pieces;

/// The smallest text found: `shows` is asked until it returns `None`, when time is up.
pub fn shrink(text: &str, mut shows: impl FnMut(&str) -> Option<bool>) -> String {
    let mut parts: Vec<String> = text.split_inclusive(';').map(str::to_string).collect();
    while let Some(true) = round(&mut parts, &mut shows) {}
    let mut parts = pieces(&parts.concat());
    while let Some(true) = round(&mut parts, &mut shows) {}
    parts.concat()
}

/// Leaves out runs of parts: half of them, a quarter, ..., each alone. Was one left out?
fn round(parts: &mut Vec<String>, shows: &mut impl FnMut(&str) -> Option<bool>) -> Option<bool> {
    let mut smaller = false;
    let mut length = parts.len().div_ceil(2);
    while length > 0 {
        let mut from = 0;
        while from < parts.len() {
            let to = (from + length).min(parts.len());
            let candidate: Vec<String> = parts[..from].iter().chain(&parts[to..]).cloned().collect();
            match shows(&candidate.concat())? {
                true => {
                    *parts = candidate;
                    smaller = true;
                }
                false => from += length,
            }
        }
        length /= 2;
    }
    Some(smaller)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_fault_needs_is_left() {
        let text = "CREATE TABLE t (a INT); CREATE VIEW v AS SELECT COUNT(a), MAX(b) FROM t WHERE a > 1; SELECT 1;";
        let small = shrink(text, |text| Some(text.contains("VIEW") && text.contains("MAX(")));
        assert_eq!(small, "VIEWMAX(");
        assert_eq!(shrink(text, |_| None), text);
    }
}
