//! Contacts in parts that share no body: recursive bisection of the graph of bodies.
//!
//! The bodies of a problem are split in two halves with about as many contacts each, each half in two
//! again, and so on. Contacts between the two halves of a split are its *separator*. Those of a half touch
//! bodies of that half alone, so that both halves may be swept at the same time, and the separator after
//! them: every order in which a part comes after its halves gives the same bits. The partition depends on
//! the problem alone.
//!
//! A split takes bodies in the order of their distance in the graph from one at its rim, nearest first
//! (George and Liu 1979), as many as have half of the contacts; then bodies change sides that have more
//! contacts with the other one.

use std::ops::Range;

use super::blocks::WINDOW;
use crate::problem::ContactProblem;

/// Speed: contacts from which on a problem is split; a sweep over less takes 0.1 ms. This and the numbers below
/// choose an order of the sweeps, and no other solution.
pub(super) const MANY: usize = 1000;
/// Speed: contacts up to which a half is not split again, some 20 microseconds of a sweep.
const FEW: usize = 200;
/// Speed: how often the bodies of a split are asked whether to change sides.
const SMOOTHING: usize = 4;
/// Speed: searches for a body at the rim, each from the last body that the one before found.
const SEARCHES: usize = 3;
/// Speed: a half may have one in so many contacts more than the other.
const UNEVEN: i64 = 10;

/// A problem's contacts and velocities by parts.
#[derive(Clone, Debug, Default)]
pub(super) struct Partition {
    pub(super) root: Part,
    /// Contacts part by part, those of halves before those between them; in a part as in the problem.
    pub(super) contacts: Vec<u32>,
    /// Where every velocity that a contact touches stands now: those of a part are one range.
    pub(super) place: Vec<u32>,
}

/// Some bodies and the contacts between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Part {
    /// Without those of its halves, in [`Partition::contacts`].
    pub(super) contacts: Range<usize>,
    /// Places of its velocities, with those of its halves, and with the room that windows of less than six
    /// velocities need.
    pub(super) places: Range<usize>,
    pub(super) halves: Option<Box<[Part; 2]>>,
}

impl Partition {
    /// All contacts in one part, as they are.
    pub(super) fn whole(&mut self, problem: &ContactProblem) {
        let (contacts, velocities) = (problem.len(), problem.velocities());
        self.root = Part { contacts: 0..contacts, places: 0..velocities + WINDOW, halves: None };
        self.contacts.clear();
        self.contacts.extend(0..contacts as u32);
        self.place.clear();
        self.place.extend(0..velocities as u32);
    }

    /// Splits a problem.
    pub(super) fn split(&mut self, problem: &ContactProblem) {
        let graph = Graph::new(problem);
        let n = graph.bodies.len();
        self.contacts.clear();
        self.place.clear();
        self.place.resize(problem.velocities(), 0);
        let mut splitter = Splitter {
            graph: &graph,
            order: (0..n as u32).collect(),
            side: vec![Side::Neither; n],
            weight: vec![0; n],
            seen: Vec::with_capacity(n),
            found: vec![0; n],
            searches: 0,
            places: 0,
            out: self,
        };
        let root = splitter.divide(0..n, (0..problem.len() as u32).collect());
        self.root = root;
    }
}

/// Which bodies contacts touch, and by that which are neighbors. A body is a run of velocities that are
/// touched together.
#[derive(Clone, Debug, Default)]
struct Graph {
    /// The velocities of every body.
    bodies: Vec<Range<u32>>,
    /// Bodies of contact c, each once: `touched[first[c]..first[c + 1]]`.
    first: Vec<u32>,
    touched: Vec<u32>,
    /// Neighbors of body b, as often as they touch: `neighbors[around[b]..around[b + 1]]`.
    around: Vec<u32>,
    neighbors: Vec<u32>,
}

impl Graph {
    fn new(problem: &ContactProblem) -> Self {
        let mut graph = Self::default();
        let (mut windows, mut first) = (Vec::new(), vec![0]);
        for c in 0..problem.len() {
            let from = windows.len();
            for &v in problem.columns(c) {
                let holds = |&first: &u32| v >= first && v - first < WINDOW as u32;
                if !windows[from..].iter().any(holds) {
                    windows.push(v);
                }
            }
            first.push(windows.len() as u32);
        }
        let mut begins = vec![false; problem.velocities()];
        windows.iter().for_each(|&v| begins[v as usize] = true);
        let mut body_of = vec![0; problem.velocities()];
        for (v, _) in (0..).zip(&begins).filter(|x| *x.1) {
            match graph.bodies.last_mut().filter(|last| v < last.end) {
                Some(last) => last.end = v + WINDOW as u32,
                None => graph.bodies.push(v..v + WINDOW as u32),
            }
            body_of[v as usize] = graph.bodies.len() as u32 - 1;
        }
        for range in first.windows(2) {
            let from = graph.touched.len();
            graph.first.push(from as u32);
            for &v in &windows[range[0] as usize..range[1] as usize] {
                let body = body_of[v as usize];
                if !graph.touched[from..].contains(&body) {
                    graph.touched.push(body);
                }
            }
        }
        graph.first.push(graph.touched.len() as u32);
        graph.connect();
        graph
    }

    /// Finds the neighbors.
    fn connect(&mut self) {
        let n = self.bodies.len();
        let contacts = 0..self.first.len() as u32 - 1;
        let pairs: Vec<[u32; 2]> = contacts
            .flat_map(|c| self.touched(c).windows(2).map(|w| [w[0], w[1]]))
            .flat_map(|[a, b]| [[a, b], [b, a]])
            .collect();
        self.around = vec![0; n + 1];
        pairs.iter().for_each(|[a, _]| self.around[*a as usize + 1] += 1);
        (0..n).for_each(|b| self.around[b + 1] += self.around[b]);
        let mut next = self.around.clone();
        self.neighbors = vec![0; pairs.len()];
        for [a, b] in pairs {
            self.neighbors[next[a as usize] as usize] = b;
            next[a as usize] += 1;
        }
    }

    fn touched(&self, contact: u32) -> &[u32] {
        let c = contact as usize;
        &self.touched[self.first[c] as usize..self.first[c + 1] as usize]
    }

    fn neighbors(&self, body: u32) -> &[u32] {
        let b = body as usize;
        &self.neighbors[self.around[b] as usize..self.around[b + 1] as usize]
    }
}

/// Where a body is in the present split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    /// Not part of it.
    Neither,
    First,
    Second,
}

/// A partition in the making.
struct Splitter<'a> {
    graph: &'a Graph,
    /// The bodies; those of a part are a range.
    order: Vec<u32>,
    side: Vec<Side>,
    /// Contacts of every body in the present split, twice; those of two bodies count half.
    weight: Vec<i64>,
    /// Bodies in the order in which the last search found them.
    seen: Vec<u32>,
    /// The last search that found each, and the number of searches.
    found: Vec<u32>,
    searches: u32,
    /// Places given so far.
    places: usize,
    out: &'a mut Partition,
}

impl Splitter<'_> {
    /// The part of some bodies and of the contacts between them.
    fn divide(&mut self, bodies: Range<usize>, contacts: Vec<u32>) -> Part {
        let begin = self.places;
        let (mut own, mut halves) = (contacts, None);
        if let Some((cut, [first, second, separator])) = self.split(bodies.clone(), &own) {
            let first = self.divide(bodies.start..cut, first);
            halves = Some(Box::new([first, self.divide(cut..bodies.end, second)]));
            own = separator;
        } else {
            self.place(bodies);
        }
        let from = self.out.contacts.len();
        self.out.contacts.extend(own);
        Part { contacts: from..self.out.contacts.len(), places: begin..self.places, halves }
    }

    /// Gives places to the velocities of bodies that are not split any more.
    fn place(&mut self, bodies: Range<usize>) {
        self.order[bodies.clone()].sort_unstable();
        for &b in &self.order[bodies] {
            for v in self.graph.bodies[b as usize].clone() {
                if let Some(place) = self.out.place.get_mut(v as usize) {
                    *place = self.places as u32;
                }
                self.places += 1;
            }
        }
    }

    /// Splits bodies in two, where that is worth while: the first of the second half, and the contacts of
    /// the first half, of the second, and between them.
    fn split(&mut self, bodies: Range<usize>, contacts: &[u32]) -> Option<(usize, [Vec<u32>; 3])> {
        if contacts.len() <= FEW || bodies.len() < 2 {
            return None;
        }
        self.bisect(bodies.clone(), contacts);
        let mut lists = [const { Vec::new() }; 3];
        for &c in contacts {
            let mut sides = self.graph.touched(c).iter().map(|&b| self.side[b as usize]);
            let side = sides.next();
            let list = match side {
                _ if sides.any(|other| Some(other) != side) => 2,
                Some(Side::First) => 0,
                Some(_) => 1,
                None => 2,
            };
            lists[list].push(c);
        }
        let side = &mut self.side;
        self.order[bodies.clone()].sort_by_key(|&b| side[b as usize] == Side::Second);
        let is_first = |&b: &u32| side[b as usize] == Side::First;
        let cut = bodies.start + self.order[bodies.clone()].partition_point(is_first);
        self.order[bodies].iter().for_each(|&b| side[b as usize] = Side::Neither);
        // bodies that all touch the same one cannot be told apart, and contacts of one body alone cannot be split
        let split = 2 * lists[2].len() < contacts.len();
        let both = lists[..2].iter().all(|half| half.len() < contacts.len());
        (split && both).then_some((cut, lists))
    }

    /// Chooses a side for every body.
    fn bisect(&mut self, bodies: Range<usize>, contacts: &[u32]) {
        for &b in &self.order[bodies.clone()] {
            (self.side[b as usize], self.weight[b as usize]) = (Side::Second, 0);
        }
        for &c in contacts {
            let touched = self.graph.touched(c);
            // half a contact for each of two bodies
            let share = if touched.len() == 1 { 2 } else { 1 };
            touched.iter().for_each(|&b| self.weight[b as usize] += share);
        }
        let mut rim = self.order[bodies.start];
        for _ in 0..SEARCHES {
            self.search(rim, bodies.clone());
            rim = self.seen.last().copied().unwrap_or(rim);
        }
        let Self { graph, seen, side, weight, .. } = self;
        let total: i64 = seen.iter().map(|&b| weight[b as usize]).sum();
        let mut first = 0;
        for &b in seen.iter() {
            // the body at half of the weight goes where it leaves the halves more even: one that has more than
            // half of all is left with at most half of what the others have, so that splits end soon
            if 2 * first + weight[b as usize] > total {
                break;
            }
            side[b as usize] = Side::First;
            first += weight[b as usize];
        }
        for _ in 0..SMOOTHING {
            for &b in seen.iter() {
                let own = side[b as usize];
                let on =
                    |s: Side| graph.neighbors(b).iter().filter(|&&n| side[n as usize] == s).count();
                let (other, change) = match own {
                    Side::First => (Side::Second, -weight[b as usize]),
                    _ => (Side::First, weight[b as usize]),
                };
                let even = (2 * (first + change) - total).abs() * UNEVEN <= total;
                if even && on(other) > on(own) {
                    (side[b as usize], first) = (other, first + change);
                }
            }
        }
    }

    /// Lists the bodies of a part by their distance from one of them.
    fn search(&mut self, from: u32, bodies: Range<usize>) {
        let Self { graph, order, side, seen, found, searches, .. } = self;
        *searches += 1;
        seen.clear();
        let mut next = 0;
        // bodies that nothing connects with the others come after them
        for &root in std::iter::once(&from).chain(&order[bodies]) {
            if std::mem::replace(&mut found[root as usize], *searches) != *searches {
                seen.push(root);
            }
            while let Some(&b) = seen.get(next) {
                next += 1;
                for &n in graph.neighbors(b) {
                    let inside = side[n as usize] != Side::Neither;
                    if inside && std::mem::replace(&mut found[n as usize], *searches) != *searches {
                        seen.push(n);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::problem::Law;

    fn contact(problem: &mut ContactProblem, bodies: &[u32], width: u32) {
        let columns: Vec<u32> = bodies.iter().flat_map(|b| b * width..b * width + width).collect();
        let rows = vec![1.0; columns.len()];
        problem.push(Law::FRICTIONLESS, &columns, &rows, [-1.0, 0.0, 0.0]).unwrap();
    }

    /// Bodies on a grid, each in contact with the next ones and those at the bottom with the ground.
    fn grid([l, m, n]: [u32; 3], width: u32) -> ContactProblem {
        let mut problem = ContactProblem::new((l * m * n * width) as usize);
        let at = |i: u32, j: u32, k: u32| (k * m + j) * l + i;
        for (k, j, i) in
            (0..n).flat_map(|k| (0..m).flat_map(move |j| (0..l).map(move |i| (k, j, i))))
        {
            let own = at(i, j, k);
            let next = [(i + 1 < l, 1), (j + 1 < m, l), (k + 1 < n, l * m)];
            for (_, step) in next.iter().filter(|x| x.0) {
                contact(&mut problem, &[own, own + step], width);
            }
            if k == 0 {
                contact(&mut problem, &[own], width);
            }
        }
        problem
    }

    fn partition(problem: &ContactProblem) -> Partition {
        let mut partition = Partition::default();
        partition.split(problem);
        check(problem, &partition);
        partition
    }

    /// Every contact is in one part, velocities keep apart, and a part touches its own places alone.
    fn check(problem: &ContactProblem, partition: &Partition) {
        let mut all = partition.contacts.clone();
        all.sort_unstable();
        assert!(all.iter().copied().eq(0..problem.len() as u32));
        let touched: BTreeSet<u32> =
            (0..problem.len()).flat_map(|c| problem.columns(c)).copied().collect();
        let places: BTreeSet<u32> = touched.iter().map(|&v| partition.place[v as usize]).collect();
        assert_eq!(places.len(), touched.len());
        assert_eq!(inside(problem, partition, &partition.root), problem.len());
    }

    /// The number of contacts of a part, halves and all.
    fn inside(problem: &ContactProblem, partition: &Partition, part: &Part) -> usize {
        for &c in &partition.contacts[part.contacts.clone()] {
            for &v in problem.columns(c as usize) {
                assert!(part.places.contains(&(partition.place[v as usize] as usize)));
            }
        }
        let Some(halves) = &part.halves else { return part.contacts.len() };
        let [first, second] = &**halves;
        assert_eq!(part.places, first.places.start..second.places.end);
        assert_eq!(first.places.end, second.places.start);
        halves.iter().map(|half| inside(problem, partition, half)).sum::<usize>()
            + part.contacts.len()
    }

    /// The parts, with the number of their contacts.
    fn all<'a>(
        problem: &ContactProblem,
        partition: &Partition,
        part: &'a Part,
    ) -> Vec<(&'a Part, usize)> {
        let halves = part.halves.iter().flat_map(|halves| halves.iter());
        let mut list: Vec<_> = halves.flat_map(|half| all(problem, partition, half)).collect();
        list.push((part, inside(problem, partition, part)));
        list
    }

    /// A grid falls into even parts with small separators; bodies of three velocities, whose windows
    /// overlap, and contacts of many bodies, stay together.
    #[test]
    fn parts_hold_every_contact_once_and_share_no_body() {
        for size in [[12, 12, 4], [5, 5, 30], [40, 30, 1], [1000, 1, 1]] {
            let problem = grid(size, 6);
            let partition = partition(&problem);
            let parts = all(&problem, &partition, &partition.root);
            assert!(parts.len() > 6, "{size:?}: {}", parts.len());
            for (part, contacts) in parts {
                let Some(halves) = &part.halves else {
                    assert!(contacts <= FEW);
                    continue;
                };
                assert!(5 * part.contacts.len() < contacts, "{size:?}: {part:?} of {contacts}");
                for half in halves.iter() {
                    let half = inside(&problem, &partition, half);
                    assert!(3 * half > contacts, "{size:?}: {half} of {contacts}");
                }
            }
        }
        let planar = grid([30, 30, 1], 3);
        partition(&planar);
        let mut tied = grid([30, 30, 1], 6);
        (0..900).for_each(|b| contact(&mut tied, &[b, (b + 450) % 900, (b + 700) % 900], 6));
        tied.push(Law::FRICTIONLESS, &[], &[], [-1.0, 0.0, 0.0]).unwrap();
        partition(&tied);
    }

    /// Bodies that all touch one are not split; islands are, without a separator. A body with nearly all contacts
    /// is a half: with the others in it the recursion did not end.
    #[test]
    fn a_body_that_touches_all_holds_them_together() {
        let mut tray = ContactProblem::new(6 * 1001);
        (0..1000).for_each(|b| contact(&mut tray, &[b, 1000], 6));
        partition(&tray);
        let mut heavy = ContactProblem::new(12);
        (0..=MANY).for_each(|k| contact(&mut heavy, &[u32::from(k > 0)], 6));
        let parts = partition(&heavy).root.halves.unwrap().map(|p| (p.contacts.len(), p.halves));
        assert_eq!(parts, [(1, None), (MANY, None)]);
        let mut islands = ContactProblem::new(6 * 1000);
        (0..1000).for_each(|b| contact(&mut islands, &[b], 6));
        let partition = partition(&islands);
        for (part, _) in all(&islands, &partition, &partition.root) {
            assert!(part.halves.is_none() || part.contacts.is_empty());
        }
    }
}
