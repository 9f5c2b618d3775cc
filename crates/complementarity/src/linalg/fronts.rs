//! The fronts of a multifrontal factorisation: which unknowns are eliminated together, what each
//! such group still touches, and which front takes what another leaves.

use super::ordering::eliminate;

/// One front.
#[derive(Clone, Debug, Default)]
pub(crate) struct Front {
    /// Unknowns eliminated here, then the unknowns they still touch.
    pub(crate) unknowns: Vec<usize>,
    /// How many are eliminated here.
    pub(crate) own: usize,
    /// Fronts whose remainder is added here, with the places of their unknowns in this one.
    pub(crate) children: Vec<(usize, Vec<usize>)>,
}

impl Front {
    /// Number of its unknowns, and of those eliminated here.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.unknowns.len(), self.own)
    }

    /// Writes where each of its unknowns stands.
    pub(crate) fn mark(&self, place: &mut [usize]) {
        self.unknowns.iter().enumerate().for_each(|(at, &v)| place[v] = at);
    }
}

/// Adds a small square matrix into a front.
pub(super) fn add(block: &[f64], places: &[usize], front: &mut [f64], size: usize) {
    for (column, &j) in block.chunks_exact(places.len().max(1)).zip(places) {
        let target = &mut front[j * size..(j + 1) * size];
        column.iter().zip(places).for_each(|(x, &i)| target[i] += x);
    }
}

/// All fronts, in the order of elimination.
pub(crate) struct Fronts {
    pub(crate) fronts: Vec<Front>,
    /// The front that eliminates each unknown.
    pub(crate) front_of: Vec<usize>,
}

/// Speed: fronts that eliminate more than this are not made larger for the sake of fewer fronts.
const LARGE: usize = 64;

impl Fronts {
    /// For groups of unknowns that are eliminated together and the graph of these groups. A front
    /// is joined with the one it passes its remainder to where the unknowns that it then holds
    /// needlessly are below the part `slack` of it: larger fronts are faster than sparser ones.
    pub(crate) fn new(
        groups: &[Vec<usize>],
        graph: Vec<Vec<usize>>,
        late: &[bool],
        slack: f64,
    ) -> Self {
        let weight: Vec<usize> = groups.iter().map(Vec::len).collect();
        let steps = eliminate(graph, &weight, late);
        let mut step_of = vec![0; groups.len()];
        steps.iter().enumerate().for_each(|(k, s)| step_of[s.unknown] = k);
        let mut sets: Vec<Sets> = steps
            .into_iter()
            .map(|s| {
                let mut below = s.clique;
                below.sort_by_key(|&g| step_of[g]);
                (vec![s.unknown], below)
            })
            .collect();
        join(&mut sets, &step_of, &weight, slack);
        let mut front_of = vec![usize::MAX; weight.iter().sum()];
        let mut fronts: Vec<Front> = vec![];
        for (own, below) in sets.into_iter().filter(|s| !s.0.is_empty()) {
            let mut unknowns: Vec<usize> = vec![];
            own.iter().for_each(|&g| unknowns.extend(&groups[g]));
            unknowns.iter().for_each(|&v| front_of[v] = fronts.len());
            let own = unknowns.len();
            below.iter().for_each(|&g| unknowns.extend(&groups[g]));
            fronts.push(Front { unknowns, own, children: vec![] });
        }
        let mut place = vec![usize::MAX; front_of.len()];
        for k in 0..fronts.len() {
            let below = fronts[k].unknowns[fronts[k].own..].to_vec();
            let Some(&next) = below.first() else { continue };
            let parent = &mut fronts[front_of[next]];
            parent.mark(&mut place);
            parent.children.push((k, below.iter().map(|&v| place[v]).collect()));
        }
        Self { fronts, front_of }
    }
}

/// Groups eliminated in a front, and groups that these still touch.
type Sets = (Vec<usize>, Vec<usize>);

fn join(sets: &mut [Sets], step_of: &[usize], weight: &[usize], slack: f64) {
    let size = |set: &[usize]| set.iter().map(|&g| weight[g]).sum::<usize>();
    for k in 0..sets.len() {
        let Some(&next) = sets[k].1.first() else { continue };
        let parent = step_of[next];
        let (below, own) = (size(&sets[k].1), size(&sets[k].0));
        let above = size(&sets[parent].0) + size(&sets[parent].1);
        let extra = (above - below) * own;
        let small = (extra as f64) < slack * (own * (own + above)) as f64;
        if extra == 0 || (small && own <= LARGE) {
            let mut own = std::mem::take(&mut sets[k].0);
            own.append(&mut sets[parent].0);
            sets[parent].0 = own;
            sets[k].1.clear();
        }
    }
}
