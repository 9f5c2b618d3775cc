//! Solutions with one or two positive unknowns, or two of each player, where no entry of A is negative.
//!
//! Such problems are games: with `C_ki = A_ki / -b_k` over the rows with b < 0, a solution is a
//! mixture of columns whose least entries are those of the mixed columns themselves,
//!
//! ```text
//! (C z)_k = 1 where z_k > 0,   (C z)_k >= 1 elsewhere.
//! ```
//! Random games have solutions on one or two columns almost surely as they grow (Barany, Vempala,
//! Vetta, Nash equilibria in random games, 2007), while paths of pivots through them get long.

use super::basis::Var;
use super::model::Model;
use super::path::{At, Point};
use super::players::Players;

/// Least entries of a column that a pair is compared with before all others.
const LEAST: usize = 8;

/// The basis of such a solution; `None` where there is none or the problem is not of that kind.
pub(crate) fn find(model: &Model) -> Option<Point> {
    let game = Game::new(model)?;
    let support = game.single().map(|i| vec![i]).or_else(|| game.pair()).or_else(|| {
        let players = Players::new(game.size(), |i| game.column(i))?;
        players.mixed()
    })?;
    Some(game.point(model.n(), &support))
}

/// Bases to begin other paths with: a column and the row in which it is least. Where the diagonal
/// vanishes, as in games of two players, the path from the all-slack basis is a ray at once.
pub(crate) fn starts(model: &Model, count: usize) -> Vec<Point> {
    let Some(game) = Game::new(model) else { return vec![] };
    let start = |i: usize| {
        let column = game.column(i);
        let least = (0..game.size()).filter(|&k| column[k] > 0.0);
        let least = least.min_by(|a, b| column[*a].total_cmp(&column[*b]));
        game.point(model.n(), &[i, least.unwrap_or(i)])
    };
    let step = (game.size() / count.max(1)).max(1);
    (0..game.size()).step_by(step).take(count).map(start).collect()
}

struct Game {
    /// The rows with b < 0.
    rows: Vec<usize>,
    /// C, column by column.
    c: Vec<f64>,
}

impl Game {
    /// `None` where A has negative entries, is mostly empty, or the unknowns other bounds than zero.
    fn new(model: &Model) -> Option<Self> {
        let n = model.n();
        let positive = || {
            let mut bounds = model.lower.iter().zip(&model.upper);
            bounds.all(|(l, u)| *l == 0.0 && *u == f64::INFINITY)
        };
        let full = 10 * model.a.values.len() > 4 * n * n;
        if !full || !positive() || model.a.values.iter().any(|x| *x < 0.0) {
            return None;
        }
        let rows: Vec<usize> = (0..n).filter(|&k| model.b[k] < 0.0).collect();
        let mut c = Vec::with_capacity(rows.len() * rows.len());
        let mut column = vec![0.0; n];
        for &i in &rows {
            column.fill(0.0);
            model.a.col(i).for_each(|(k, x)| column[k] = x);
            c.extend(rows.iter().map(|&k| column[k] / -model.b[k]));
        }
        c.iter().all(|x| x.is_finite()).then_some(Self { rows, c })
    }

    fn size(&self) -> usize {
        self.rows.len()
    }

    /// The basis with those columns.
    fn point(&self, n: usize, support: &[usize]) -> Point {
        let mut var: Vec<Var> = (0..n).map(Var::W).collect();
        for i in support.iter().map(|&i| self.rows[i]) {
            var[i] = Var::Z(i);
        }
        Point { var, at: vec![At::Lower; n] }
    }

    fn column(&self, i: usize) -> &[f64] {
        &self.c[i * self.size()..(i + 1) * self.size()]
    }

    /// A column whose least entry is its own.
    fn single(&self) -> Option<usize> {
        (0..self.size()).find(|&i| {
            let own = self.column(i)[i];
            own > 0.0 && self.column(i).iter().all(|x| *x >= own)
        })
    }

    /// Two columns that, mixed so that their own entries are equal, have no smaller ones.
    fn pair(&self) -> Option<Vec<usize>> {
        let least: Vec<Vec<usize>> = (0..self.size()).map(|i| least(self.column(i))).collect();
        let mut row = vec![0.0; self.size()];
        for i in 0..self.size() {
            let first = self.column(i);
            (0..i).for_each(|j| row[j] = self.column(j)[i]);
            for j in 0..i {
                let second = self.column(j);
                // share s of column i: s C_ii + (1 - s) C_ij = s C_ji + (1 - s) C_jj
                let (up, down) = (second[j] - row[j], first[i] - first[j]);
                if up * down <= 0.0 {
                    continue;
                }
                let s = up / (up + down);
                let mixed = |k: usize| s * first[k] + (1.0 - s) * second[k];
                let value = mixed(i).min(mixed(j));
                let holds = |k: usize| k == i || k == j || mixed(k) >= value;
                if value > 0.0
                    && least[i].iter().chain(&least[j]).all(|&k| holds(k))
                    && (0..self.size()).all(holds)
                {
                    return Some(vec![i, j]);
                }
            }
        }
        None
    }
}

/// Where the least entries are.
fn least(column: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..column.len()).collect();
    if order.len() > LEAST {
        order.select_nth_unstable_by(LEAST, |a, b| {
            column[*a].total_cmp(&column[*b]).then_with(|| a.cmp(b))
        });
        order.truncate(LEAST);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::{Dense, Lcp, Matrix, Problem};

    fn support(rows: &[&[f64]], b: &[f64]) -> Option<Vec<usize>> {
        let matrix = Matrix::Dense(Dense::from_rows(rows));
        let problem = Problem::Lcp(Lcp::new(matrix, b.to_vec()).unwrap());
        let point = find(&Model::new(&problem))?;
        Some((0..b.len()).filter(|&i| point.var[i] == Var::Z(i)).collect())
    }

    #[test]
    fn a_column_whose_own_entry_is_least_is_a_solution() {
        let rows: [&[f64]; 3] = [&[3.0, 2.0, 2.0], &[2.0, 1.0, 4.0], &[2.0, 3.0, 3.0]];
        assert_eq!(support(&rows, &[-1.0; 3]), Some(vec![1]));
        // the third row is met by nothing at all
        assert_eq!(support(&rows, &[-1.0, -1.0, 1.0]), Some(vec![1]));
    }

    /// z = (1/3, 1/3, 0): rows 0 and 1 meet 1, the third has more. No single column will do.
    #[test]
    fn two_columns_are_mixed() {
        let rows: [&[f64]; 3] = [&[2.0, 1.0, 1.0], &[1.0, 2.0, 1.0], &[3.0, 3.0, 4.0]];
        assert_eq!(support(&rows, &[-1.0; 3]), Some(vec![0, 1]));
    }

    #[test]
    fn other_problems_are_left_alone() {
        assert_eq!(support(&[&[1.0, -0.1], &[0.1, 1.0]], &[-1.0, -1.0]), None);
        // the identity: both unknowns are positive, and its zeros do not help
        assert_eq!(support(&[&[1.0, 0.0], &[0.0, 1.0]], &[-1.0, -1.0]), Some(vec![0, 1]));
        let three: [&[f64]; 3] = [&[2.0, 1.0, 1.0], &[1.0, 2.0, 1.0], &[1.0, 1.0, 2.0]];
        assert_eq!(support(&three, &[-1.0; 3]), None);
    }
}
