//! Which key was meant. The same as `js/config/similar.ts`.

/// The nearest of the known keys, if it is near enough to be a mistyping: one letter in three.
pub(super) fn nearest<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let letters = plain(key);
    let near = known.iter().map(|name| (distance(&letters, &plain(name)), *name));
    let (distance, name) = near.min_by_key(|&(distance, _)| distance)?;
    (distance * 3 <= letters.len()).then_some(name)
}

/// So that `maxKeys` and `max-keys` are `max_keys`.
fn plain(key: &str) -> Vec<char> {
    key.to_lowercase().chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect()
}

/// How many letters must be changed, added, left out, or swapped with their neighbour: the optimal string
/// alignment distance.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = changed.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    const KNOWN: [&str; 4] = ["kind", "permits", "max_keys", "per_ms"];

    #[test]
    fn a_mistyped_key_finds_the_one_that_was_meant() {
        for (key, meant) in [
            ("permit", "permits"),
            ("premits", "permits"),
            ("Kind", "kind"),
            ("knid", "kind"),
            ("maxKeys", "max_keys"),
            ("max-keys", "max_keys"),
            ("perMs", "per_ms"),
        ] {
            assert_eq!(nearest(key, &KNOWN), Some(meant), "{key}");
        }
    }

    #[test]
    fn a_key_of_another_sort_finds_none() {
        for key in ["", "x", "rate", "colour", "mind you"] {
            assert_eq!(nearest(key, &KNOWN), None, "{key}");
        }
    }

    #[test]
    fn a_long_key_costs_no_more_than_its_length() {
        assert_eq!(nearest(&"permits".repeat(1_000), &KNOWN), None);
    }
}
