//! "Did you mean": the closest of the words that would have been right.

/// The candidate with the fewest single-letter changes from `word` (a swap of neighbours counts
/// as one), if they are at most a third of its letters, or one change in a short word.
pub fn closest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = 1 + word.chars().count() / 3;
    candidates
        .into_iter()
        .map(|c| (edits(&word.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(d, c)| *d <= limit && *d < c.chars().count())
        .min()
        .map(|(_, c)| c)
}

/// Damerau-Levenshtein distance, each pair of neighbours swapped at most once.
fn edits(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows: [Vec<usize>; 3] = [vec![], vec![], (0..=b.len()).collect()];
    for i in 1..=a.len() {
        rows.rotate_left(1);
        let mut row = vec![i];
        for j in 1..=b.len() {
            let same = a[i - 1] == b[j - 1];
            let replace = rows[1][j - 1] + usize::from(!same);
            let mut best = replace.min(rows[1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[0][j - 2] + 1);
            }
            row.push(best);
        }
        rows[2] = row;
    }
    rows[2][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_swap_is_one_change() {
        assert_eq!(edits("frictoin", "friction"), 1);
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("abc", ""), 3);
        assert_eq!(edits("same", "same"), 0);
    }

    #[test]
    fn far_words_are_not_suggested() {
        assert_eq!(closest("frictoin", ["friction", "force"]), Some("friction"));
        assert_eq!(closest("zzz", ["friction", "force"]), None);
        // One letter can become any other: that is no likeness.
        assert_eq!(closest("q", ["x", "y"]), None);
    }
}
