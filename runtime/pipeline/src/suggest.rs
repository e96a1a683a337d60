//! "Did you mean": the known name nearest to one that is not known.

/// The nearest of `known` when it is near enough to be a likely slip.
pub fn nearest<'a>(wrong: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wrong = wrong.to_lowercase();
    let limit = (wrong.chars().count() / 3).max(1);
    let with_distance = known.into_iter().map(|name| (distance(&wrong, &name.to_lowercase()), name));
    with_distance.filter(|(distance, _)| *distance <= limit).min().map(|(_, name)| name)
}

/// Edits (insert, delete, replace, swap of neighbours) between two texts.
fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut previous = None;
    for (i, from) in left.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, &to) in right.iter().enumerate() {
            let mut edits = (row[j] + usize::from(from != to)).min(row[j + 1] + 1).min(next[j] + 1);
            if j > 0 && previous == Some(to) && right[j - 1] == from {
                edits = edits.min(before[j - 1] + 1);
            }
            next.push(edits);
        }
        before = std::mem::replace(&mut row, next);
        previous = Some(from);
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_slips_and_nothing_else() {
        let known = ["update_format", "array", "lines"];
        assert_eq!(nearest("updateformat", known), Some("update_format"));
        assert_eq!(nearest("arary", known), Some("array"));
        assert_eq!(nearest("LINES", known), Some("lines"));
        assert_eq!(nearest("delimiter", known), None);
        assert_eq!(nearest("", known), None);
    }
}
