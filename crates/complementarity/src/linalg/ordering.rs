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
pub(crate) fn eliminate(
    mut neighbors: Vec<Vec<usize>>,
    weight: &[usize],
    late: &[bool],
) -> Vec<Step> {
    for list in &mut neighbors {
        list.sort_unstable();
        list.dedup();
    }
    let degree_of = |list: &[usize]| list.iter().map(|&u| weight[u]).sum::<usize>();
    let mut degree: Vec<usize> = neighbors.iter().map(|n| degree_of(n)).collect();
    let mut left: Vec<usize> = (0..neighbors.len()).collect();
    let mut steps = Vec::with_capacity(left.len());
    while !left.is_empty() {
        let ready = |v: usize| !late[v] || neighbors[v].iter().all(|&u| late[u]);
        let mut best: Option<usize> = None;
        for (at, &v) in left.iter().enumerate() {
            if best.is_none_or(|b| degree[v] < degree[left[b]]) && ready(v) {
                best = Some(at);
            }
        }
        let unknown = left.remove(best.unwrap_or(0));
        let clique = std::mem::take(&mut neighbors[unknown]);
        for &u in &clique {
            neighbors[u] = union_without(&neighbors[u], &clique, [u, unknown]);
            degree[u] = degree_of(&neighbors[u]);
        }
        steps.push(Step { unknown, clique });
    }
    steps
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

    #[test]
    fn a_star_is_eliminated_from_its_tips() {
        let star = vec![vec![1, 2, 3, 4], vec![0], vec![0], vec![0], vec![0]];
        let order = minimum_degree(star);
        let hub = order.iter().position(|&v| v == 0).unwrap();
        assert!(hub >= 3, "{order:?}");
    }
}
