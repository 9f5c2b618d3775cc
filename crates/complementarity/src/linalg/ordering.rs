//! An order of elimination that keeps the factors sparse: minimum degree.

/// Order for a symmetric pattern given as adjacency lists (without the diagonal): at every step
/// the unknown with the fewest neighbours in what is left. Its neighbours then become a clique.
pub(crate) fn minimum_degree(neighbors: Vec<Vec<usize>>) -> Vec<usize> {
    match neighbors.len() {
        0..=BITS => by_bits(&neighbors),
        _ => by_lists(neighbors),
    }
}

/// Speed: up to here neighbors are kept as bits.
const BITS: usize = 1024;

/// Place in `left` of the first unknown with the fewest neighbours; `None` where what is left is
/// one clique: then any order will do.
fn next(left: &[usize], degree: &[usize]) -> Option<usize> {
    let (mut best, mut least) = (0, usize::MAX);
    for (at, &v) in left.iter().enumerate() {
        if degree[v] < least {
            (best, least) = (at, degree[v]);
        }
    }
    (least < left.len() - 1).then_some(best)
}

fn by_bits(neighbors: &[Vec<usize>]) -> Vec<usize> {
    let n = neighbors.len();
    let words = n.div_ceil(64);
    let mut bits = vec![0_u64; n * words];
    for (v, list) in neighbors.iter().enumerate() {
        list.iter().for_each(|&u| bits[v * words + u / 64] |= 1 << (u % 64));
    }
    let count = |row: &[u64]| row.iter().map(|w| w.count_ones() as usize).sum();
    let mut degree: Vec<usize> = bits.chunks(words.max(1)).map(count).collect();
    let mut left: Vec<usize> = (0..n).collect();
    let mut order = Vec::with_capacity(n);
    let mut clique = vec![0; words];
    while !left.is_empty() {
        let Some(best) = next(&left, &degree) else {
            order.append(&mut left);
            break;
        };
        let v = left.remove(best);
        clique.copy_from_slice(&bits[v * words..(v + 1) * words]);
        for (w, &members) in clique.iter().enumerate() {
            let mut members = members;
            while members != 0 {
                let u = 64 * w + members.trailing_zeros() as usize;
                members &= members - 1;
                let row = &mut bits[u * words..(u + 1) * words];
                row.iter_mut().zip(&clique).for_each(|(x, c)| *x |= c);
                row[u / 64] &= !(1 << (u % 64));
                row[v / 64] &= !(1 << (v % 64));
                degree[u] = count(row);
            }
        }
        order.push(v);
    }
    order
}

fn by_lists(mut neighbors: Vec<Vec<usize>>) -> Vec<usize> {
    let n = neighbors.len();
    // who was seen last by whom, so that no list names anybody twice
    let mut mark = vec![usize::MAX; n];
    for (v, list) in neighbors.iter_mut().enumerate() {
        list.retain(|&u| std::mem::replace(&mut mark[u], v) != v);
    }
    mark.fill(usize::MAX);
    let mut degree: Vec<usize> = neighbors.iter().map(Vec::len).collect();
    let mut left: Vec<usize> = (0..n).collect();
    let mut order = Vec::with_capacity(n);
    while !left.is_empty() {
        let Some(best) = next(&left, &degree) else {
            order.append(&mut left);
            break;
        };
        let v = left.remove(best);
        let clique = std::mem::take(&mut neighbors[v]);
        for &u in &clique {
            // marks of this step and this neighbor alone
            let stamp = order.len() * n + u;
            mark[u] = stamp;
            neighbors[u].retain(|&x| {
                mark[x] = stamp;
                x != v
            });
            neighbors[u].extend(clique.iter().filter(|&&x| mark[x] != stamp));
            degree[u] = neighbors[u].len();
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

#[cfg(test)]
mod tests {
    use super::*;

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

    /// `2 n` random edges, some of them twice.
    fn random_graph(n: usize, seed: &mut u64) -> Vec<Vec<usize>> {
        let mut neighbors = vec![vec![]; n];
        for _ in 0..2 * n {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (i, j) = ((*seed >> 33) as usize % n, (*seed >> 13) as usize % n);
            if i != j {
                neighbors[i].push(j);
                neighbors[j].push(i);
            }
        }
        neighbors
    }

    /// The cliques are those of elimination on the plain graph.
    #[test]
    fn cliques_hold_the_fill() {
        let mut seed = 7_u64;
        for n in [5, 12, 30] {
            let mut neighbors = random_graph(n, &mut seed);
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

    /// At every step nobody left has fewer neighbours than the one chosen, fill included.
    #[test]
    fn the_least_degree_comes_first() {
        let mut seed = 11_u64;
        for n in [1, 6, 15, 64, 65, 150] {
            let mut neighbors = random_graph(n, &mut seed);
            let order = by_bits(&neighbors);
            assert_eq!(order, by_lists(neighbors.clone()), "{n} unknowns, seed 11");
            for list in &mut neighbors {
                list.sort_unstable();
                list.dedup();
            }
            for (k, &v) in order.iter().enumerate() {
                let least = order[k..].iter().map(|&u| neighbors[u].len()).min();
                assert_eq!(Some(neighbors[v].len()), least, "{n} unknowns, seed 11, step {k}");
                let clique = std::mem::take(&mut neighbors[v]);
                for &u in &clique {
                    neighbors[u] = union_without(&neighbors[u], &clique, [u, v]);
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
