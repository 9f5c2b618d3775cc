//! Games of two players: solutions in which each of them mixes two moves.
//!
//! ```text
//! A = | 0  P |    x_i > 0 only where (P y)_i is least,
//!     | Q  0 |    y_j > 0 only where (Q x)_j is least
//! ```
//! Large random games nearly always have one (Barany, Vempala, Vetta 2007), while paths of pivots through
//! them vary in length by orders of magnitude. For two moves of the first player, the moves of the
//! second that are best against a mixture of them form the lower envelope of lines over the share of the
//! mixture. It has few corners, and at each the second is indifferent between two moves; whether the first can be made
//! so by mixing these is an equation for one share.

/// Comparisons after which the search is given up: seconds.
const WORK: usize = 6_000_000_000;

/// The costs of two players.
pub(super) struct Players {
    /// Index of each move of the first and of the second among all unknowns.
    moves: [Vec<usize>; 2],
    /// Costs of the second over its moves, for each move of the first, one after the other.
    second: Vec<f64>,
    /// Costs of the first over its moves, for each move of the second.
    first: Vec<f64>,
}

impl Players {
    /// `column(i)` holds the entries of column i of n; `None` where they are no game of two players.
    pub(super) fn new<'a>(n: usize, column: impl Fn(usize) -> &'a [f64]) -> Option<Self> {
        if n < 4 {
            return None;
        }
        let (one, two): (Vec<usize>, Vec<usize>) = (0..n).partition(|&k| column(0)[k] == 0.0);
        let costs = |own: &[usize], other: &[usize]| {
            let mut out = Vec::with_capacity(own.len() * other.len());
            for &i in own {
                let column = column(i);
                if own.iter().any(|&k| column[k] != 0.0) {
                    return None;
                }
                out.extend(other.iter().map(|&k| column[k]));
            }
            Some(out)
        };
        let (second, first) = (costs(&one, &two)?, costs(&two, &one)?);
        (one.len() > 1 && two.len() > 1).then_some(Self { moves: [one, two], second, first })
    }

    /// The four unknowns that are positive in such a solution.
    pub(super) fn mixed(&self) -> Option<Vec<usize>> {
        let m = self.moves[1].len();
        let against = |i: usize| &self.second[i * m..(i + 1) * m];
        let best: Vec<usize> = (0..self.moves[0].len()).map(|i| least(against(i))).collect();
        let mut work = 0;
        for a in 0..self.moves[0].len() {
            for b in 0..a {
                // the second's best move while the share of b grows from 0 to 1
                let (mut j, mut share) = (best[a], 0.0);
                while let Some((next, at)) = corner(against(a), against(b), j, share) {
                    if self.balances((a, b), (j, next)) {
                        let [one, two] = &self.moves;
                        return Some(vec![one[a], one[b], two[j], two[next]]);
                    }
                    (j, share) = (next, at);
                    work += m;
                }
                work += m;
                if work > WORK {
                    return None;
                }
            }
        }
        None
    }

    /// Whether a mixture of the moves j and k makes a and b the best of the first player, equally.
    fn balances(&self, (a, b): (usize, usize), (j, k): (usize, usize)) -> bool {
        let n = self.moves[0].len();
        let (with, without) = (&self.first[j * n..(j + 1) * n], &self.first[k * n..(k + 1) * n]);
        let (p, q) = (with[a] - with[b], without[a] - without[b]);
        if p * q >= 0.0 {
            return false;
        }
        let share = q / (q - p);
        let mix = |i: usize| share * with[i] + (1.0 - share) * without[i];
        let value = mix(a).min(mix(b));
        (0..n).all(|i| i == a || i == b || mix(i) >= value)
    }
}

fn least(costs: &[f64]) -> usize {
    let mut best = 0;
    for (k, x) in costs.iter().enumerate() {
        if *x < costs[best] {
            best = k;
        }
    }
    best
}

/// Where the line of j, lowest at the share `from`, meets a lower one first: which, and at what share
/// below 1. Line k is `(1 - s) u_k + s v_k`.
fn corner(u: &[f64], v: &[f64], j: usize, from: f64) -> Option<(usize, f64)> {
    let fall = v[j] - u[j];
    // the line that is met first is the one with the largest rate of approach over distance
    let (mut next, mut speed) = (j, 1.0);
    for (k, (u_k, v_k)) in u.iter().zip(v).enumerate() {
        let (approach, distance) = (fall - (v_k - u_k), u_k - u[j]);
        // meets at s = distance / approach < 1 / speed
        if approach > speed * distance && approach > 0.0 {
            // lines that meet before `from` are not ahead
            if distance >= from * approach && k != j {
                (next, speed) = (k, approach / distance.max(f64::MIN_POSITIVE));
            }
        }
    }
    (next != j).then(|| (next, 1.0 / speed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Matching pennies with a third move that costs both a lot: halves of the first two.
    #[test]
    fn two_moves_each_are_found() {
        let p = [[1.0, 2.0, 3.0], [2.0, 1.0, 3.0], [5.0, 5.0, 5.0]];
        let q = [[2.0, 1.0, 3.0], [1.0, 2.0, 3.0], [5.0, 5.0, 5.0]];
        let mut columns = vec![vec![0.0; 6]; 6];
        for i in 0..3 {
            for j in 0..3 {
                columns[3 + j][i] = p[i][j];
                columns[i][3 + j] = q[j][i];
            }
        }
        let players = Players::new(6, |i| &columns[i]).unwrap();
        let mut found = players.mixed().unwrap();
        found.sort_unstable();
        assert_eq!(found, [0, 1, 3, 4]);
        columns[0][1] = 1.0;
        assert!(Players::new(6, |i| &columns[i]).is_none());
    }

    #[test]
    fn the_envelope_is_walked_in_order() {
        let (u, v) = ([0.0, 1.0, 3.0], [4.0, 2.0, 0.0]);
        let (k, s) = corner(&u, &v, 0, 0.0).unwrap();
        assert!(k == 1 && (s - 1.0 / 3.0).abs() < 1e-15, "{k} {s}");
        let (k, s) = corner(&u, &v, 1, s).unwrap();
        assert!(k == 2 && (s - 0.5).abs() < 1e-15, "{k} {s}");
        assert_eq!(corner(&u, &v, 2, s), None);
    }
}
