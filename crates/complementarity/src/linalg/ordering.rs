//! An order of elimination that keeps the factors sparse: minimum degree.

/// Order for a symmetric pattern given as adjacency lists (without the diagonal): at every step
/// the unknown with the fewest neighbours in what is left. Its neighbours then become a clique.
pub(crate) fn minimum_degree(mut neighbors: Vec<Vec<usize>>) -> Vec<usize> {
    let n = neighbors.len();
    for list in &mut neighbors {
        list.sort_unstable();
        list.dedup();
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut order = Vec::with_capacity(n);
    while !left.is_empty() {
        let mut best = 0;
        for (at, &v) in left.iter().enumerate() {
            if neighbors[v].len() < neighbors[left[best]].len() {
                best = at;
            }
        }
        let degree = neighbors[left[best]].len();
        if degree + 1 >= left.len() {
            // what is left is one clique: any order will do
            order.append(&mut left);
            break;
        }
        let v = left.remove(best);
        let clique = std::mem::take(&mut neighbors[v]);
        for &u in &clique {
            neighbors[u] = union_without(&neighbors[u], &clique, [u, v]);
        }
        order.push(v);
    }
    order
}

/// One step of elimination: the unknown, and its neighbours in what is left.
pub(crate) struct Step {
    pub(crate) unknown: usize,
    pub(crate) clique: Vec<usize>,
}

/// Minimum degree for unknowns of given `weight`, with the fill at every step. An unknown that is
/// `late` is not eliminated before its neighbours that are not.
///
/// What is left of the graph is kept as cliques: one for every eliminated unknown whose neighbours
/// have not been swallowed by a later one. Degrees are bounded from above by adding the cliques up
/// without what they share with the newest (Amestoy, Davis and Duff 1996).
pub(crate) fn eliminate(
    mut neighbors: Vec<Vec<usize>>,
    weight: &[usize],
    late: &[bool],
) -> Vec<Step> {
    for list in &mut neighbors {
        list.sort_unstable();
        list.dedup();
    }
    let n = neighbors.len();
    let degree = neighbors.iter().map(|l| l.iter().map(|&u| weight[u]).sum()).collect();
    let mut graph = Quotient {
        neighbors,
        cliques_of: vec![vec![]; n],
        cliques: vec![vec![]; n],
        degree,
        outside: vec![(usize::MAX, 0); n],
        mark: vec![usize::MAX; n],
    };
    let mut left: Vec<usize> = (0..n).collect();
    let mut steps = Vec::with_capacity(n);
    while !left.is_empty() {
        let mut best: Option<usize> = None;
        for (at, &v) in left.iter().enumerate() {
            let smaller = best.is_none_or(|b| graph.degree[v] < graph.degree[left[b]]);
            if smaller && (!late[v] || graph.around(v).all(|u| late[u])) {
                best = Some(at);
            }
        }
        // the order of what is left is kept, so that ties are broken the same way always
        let unknown = left.remove(best.unwrap_or(0));
        graph.eliminate(unknown, weight);
        steps.push(Step { unknown, clique: graph.cliques[unknown].clone() });
    }
    steps
}

/// The graph of what is left: neighbours, and cliques of eliminated unknowns.
struct Quotient {
    neighbors: Vec<Vec<usize>>,
    cliques_of: Vec<Vec<usize>>,
    cliques: Vec<Vec<usize>>,
    degree: Vec<usize>,
    /// Weight of a clique outside the newest one, with the step it was counted in.
    outside: Vec<(usize, usize)>,
    mark: Vec<usize>,
}

impl Quotient {
    fn around(&self, v: usize) -> impl Iterator<Item = usize> + '_ {
        let inside = self.cliques_of[v].iter().flat_map(|&e| self.cliques[e].iter().copied());
        self.neighbors[v].iter().copied().chain(inside).filter(move |&u| u != v)
    }

    fn eliminate(&mut self, p: usize, weight: &[usize]) {
        let mut clique: Vec<usize> = self.around(p).collect();
        clique.sort_unstable();
        clique.dedup();
        let swallowed = std::mem::take(&mut self.cliques_of[p]);
        for e in swallowed {
            // members of the clique forget it below; nobody else is in it
            self.cliques[e].clear();
        }
        self.neighbors[p].clear();
        clique.iter().for_each(|&i| self.mark[i] = p);
        let whole: usize = clique.iter().map(|&i| weight[i]).sum();
        for &i in &clique {
            let (mark, cliques) = (&self.mark, &self.cliques);
            self.neighbors[i].retain(|&u| u != p && mark[u] != p);
            self.cliques_of[i].retain(|&e| !cliques[e].is_empty());
            for &e in &self.cliques_of[i] {
                if self.outside[e].0 != p {
                    self.outside[e] = (p, cliques[e].iter().map(|&u| weight[u]).sum());
                }
                self.outside[e].1 -= weight[i];
            }
        }
        for &i in &clique {
            let own: usize = self.neighbors[i].iter().map(|&u| weight[u]).sum();
            let others: usize = self.cliques_of[i].iter().map(|&e| self.outside[e].1).sum();
            self.degree[i] = own + others + whole - weight[i];
            self.cliques_of[i].push(p);
        }
        self.cliques[p] = clique;
    }
}

/// Union of two sorted lists, without two members.
fn union_without(a: &[usize], b: &[usize], drop: [usize; 2]) -> Vec<usize> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let next = match (a.get(i), b.get(j)) {
            (Some(&x), Some(&y)) => {
                i += usize::from(x <= y);
                j += usize::from(y <= x);
                x.min(y)
            }
            (Some(&x), None) => {
                i += 1;
                x
            }
            (None, Some(&y)) => {
                j += 1;
                y
            }
            (None, None) => break,
        };
        if !drop.contains(&next) {
            out.push(next);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The cliques are those of elimination on the plain graph.
    #[test]
    fn cliques_hold_the_fill() {
        let mut seed = 7_u64;
        for n in [5, 12, 30] {
            let mut neighbors = vec![vec![]; n];
            for _ in 0..2 * n {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let (i, j) = ((seed >> 33) as usize % n, (seed >> 13) as usize % n);
                if i != j {
                    neighbors[i].push(j);
                    neighbors[j].push(i);
                }
            }
            let steps = eliminate(neighbors.clone(), &vec![1; n], &vec![false; n]);
            for list in &mut neighbors {
                list.sort_unstable();
                list.dedup();
            }
            for step in steps {
                let clique = std::mem::take(&mut neighbors[step.unknown]);
                assert_eq!(step.clique, clique, "{n} unknowns, seed 7");
                for &u in &clique {
                    neighbors[u] = union_without(&neighbors[u], &clique, [u, step.unknown]);
                }
            }
        }
    }

    #[test]
    fn a_star_is_eliminated_from_its_tips() {
        let star = vec![vec![1, 2, 3, 4], vec![0], vec![0], vec![0], vec![0]];
        let order = minimum_degree(star);
        let hub = order.iter().position(|&v| v == 0).unwrap();
        assert!(hub >= 3, "{order:?}");
    }
}
