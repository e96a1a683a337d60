//! "Did you mean": the known name nearest to a misspelled one.

/// The candidate with the fewest edits from `name`, if it is near enough to be a likely slip (a third of its letters,
/// at least one). Case is ignored; the first of equally near candidates wins.
pub fn closest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.to_lowercase().chars().collect();
    let limit = (name.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(&name, &candidate.to_lowercase().chars().collect::<Vec<_>>()), candidate))
        .filter(|(distance, candidate)| *distance <= limit && *distance < candidate.chars().count().max(name.len()))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Edits (insert, delete, replace, swap of neighbours) between two texts.
fn distance(a: &[char], b: &[char]) -> usize {
    // Longer texts than any sensible name: not worth a table.
    if a.len().max(b.len()) > 128 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        assert_eq!(closest("amout", ["customer", "amount"]), Some("amount"));
        assert_eq!(closest("conectors", ["connectors", "materialized"]), Some("connectors"));
        assert_eq!(closest("teh", ["the", "a"]), Some("the"));
        assert_eq!(closest("a", ["b", "c"]), None);
        assert_eq!(closest("price", ["quantity"]), None);
    }
}
