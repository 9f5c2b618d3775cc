//! Which joints make a tree, and which close loops in it.

use complementarity::sets::Sets;
use smallvec::SmallVec;

use super::tree::RowGroup;

/// A spanning forest of the bodies, the world being the root where it can.
pub(super) struct Forest {
    /// The group that holds each body to its parent (`None`: to the world).
    pub(super) holds: Vec<Option<(usize, Option<usize>)>>,
    /// Parents before children.
    pub(super) order: Vec<usize>,
    /// Groups that are not part of the forest.
    pub(super) closing: Vec<usize>,
    /// Number of the first row of each group.
    pub(super) first: Vec<usize>,
}

impl Forest {
    pub(super) fn new(n: usize, width: usize, groups: &[RowGroup]) -> Self {
        let ends: Vec<SmallVec<[usize; 2]>> = groups.iter().map(|g| g.bodies(width)).collect();
        let mut touching: Vec<SmallVec<[usize; 4]>> = vec![SmallVec::new(); n];
        for (g, ends) in ends.iter().enumerate() {
            ends.iter().for_each(|&k| touching[k].push(g));
        }
        let mut used = vec![false; groups.len()];
        let (mut holds, mut seen, mut order) =
            (vec![None; n], vec![false; n], Vec::with_capacity(n));
        // Bodies held by the world come first, then one root for every floating mechanism.
        let rigid: Vec<bool> = groups.iter().map(RowGroup::is_rigid).collect();
        for g in 0..groups.len() {
            if let [k] = ends[g][..]
                && rigid[g]
                && !seen[k]
                && groups[g].rows.len() <= 6
            {
                (seen[k], used[g], holds[k]) = (true, true, Some((g, None)));
                order.push(k);
            }
        }
        let mut next = 0;
        for root in 0..=n {
            while next < order.len() {
                let parent = order[next];
                next += 1;
                for &g in &touching[parent] {
                    let [a, b] = ends[g][..] else { continue };
                    let child = if a == parent { b } else { a };
                    if rigid[g] && !used[g] && !seen[child] && groups[g].rows.len() <= 6 {
                        (seen[child], used[g]) = (true, true);
                        holds[child] = Some((g, Some(parent)));
                        order.push(child);
                    }
                }
            }
            if root < n && !seen[root] {
                seen[root] = true;
                order.push(root);
            }
        }
        if rigid.contains(&false) {
            hang_softly(groups, &ends, (&mut used, &mut holds));
            order = parents_first(&holds);
        }
        let closing = (0..groups.len()).filter(|&g| !used[g]).collect();
        let mut first = Vec::with_capacity(groups.len() + 1);
        first.push(0);
        groups.iter().for_each(|g| first.push(first[first.len() - 1] + g.rows.len()));
        Self { holds, order, closing, first }
    }

    /// The bodies that rows connect, closing rows included, and which of these sets each is in.
    pub(super) fn components(
        &self,
        groups: &[RowGroup],
        width: usize,
    ) -> (Vec<Vec<usize>>, Vec<usize>) {
        let n = self.holds.len();
        let mut sets = Sets::new(n);
        for (k, hold) in self.holds.iter().enumerate() {
            if let Some((_, Some(parent))) = *hold {
                sets.join(k, parent);
            }
        }
        for &g in &self.closing {
            sets.join_all(groups[g].bodies(width).into_iter());
        }
        let (mut components, mut place) = (Vec::new(), vec![usize::MAX; n]);
        for &k in &self.order {
            let root = sets.root(k);
            if place[root] == usize::MAX {
                place[root] = components.len();
                components.push(Vec::new());
            }
            components[place[root]].push(k);
        }
        (components, (0..n).map(|k| place[sets.root(k)]).collect())
    }
}

/// What holds each body.
type Holds = Vec<Option<(usize, Option<usize>)>>;

/// Hangs roots that nothing holds on what springs tie them to, where that makes no loop.
fn hang_softly(
    groups: &[RowGroup],
    ends: &[SmallVec<[usize; 2]>],
    (used, holds): (&mut [bool], &mut Holds),
) {
    let root = |holds: &Holds, mut k: usize| {
        while let Some((_, Some(parent))) = holds[k] {
            k = parent;
        }
        k
    };
    for g in 0..groups.len() {
        if used[g] || groups[g].is_rigid() || groups[g].rows.len() > 6 {
            continue;
        }
        let hung = match ends[g][..] {
            [k] if holds[k].is_none() => Some((k, None)),
            [a, b] if root(holds, a) == root(holds, b) => None,
            [a, b] if holds[b].is_none() => Some((b, Some(a))),
            [a, b] if holds[a].is_none() => Some((a, Some(b))),
            _ => None,
        };
        if let Some((k, parent)) = hung {
            (used[g], holds[k]) = (true, Some((g, parent)));
        }
    }
}

/// All bodies, parents before children.
fn parents_first(holds: &Holds) -> Vec<usize> {
    let mut children = vec![Vec::new(); holds.len()];
    let mut order = Vec::with_capacity(holds.len());
    for (k, hold) in holds.iter().enumerate() {
        match hold {
            Some((_, Some(parent))) => children[*parent].push(k),
            _ => order.push(k),
        }
    }
    let mut next = 0;
    while let Some(&k) = order.get(next) {
        next += 1;
        order.extend_from_slice(&children[k]);
    }
    order
}
