//! Springs and dampers between bodies of a tree in a stage of an implicit method.
//!
//! ```text
//! (M + sum of g c gᵀ) a = f + sum of g c gᵀ a_last,   c = h (d + h k),   g: the row in joint coordinates
//! a <- a + w p,   w = M⁻¹ g,   p = gᵀ (a_last - a) / (1 / c + gᵀ w)      row by row, M with those before
//! ```

use super::{Coordinates, Implicit, JointSpace, Parent, Placed, Screw, Workspace};
use crate::{model::ForceRow, state::State};

/// A row that was taken in: itself, `M⁻¹` of it, and one over its compliance with all of it.
struct Taken {
    w: Vec<f64>,
    part: f64,
}

impl JointSpace<'_> {
    /// Changes accelerations of a round by how the springs and dampers between the links yield to them over the
    /// stage; `None` where gears would have to yield with them.
    pub(super) fn yield_to(
        &self,
        (x, t): (&Coordinates, f64),
        stage: &Implicit,
        work: &mut Workspace,
        a: &mut [f64],
    ) -> Option<()> {
        let Self { model, tree, .. } = *self;
        let now = self.state_at((x, &work.placed), t);
        let elements = model.force_elements().iter();
        let between = elements.filter(|f| tree.spring_at(model, f).is_none());
        let mut taken: Vec<Taken> = Vec::new();
        for row in between.flat_map(|f| model.force_rows(&now, f)) {
            let c = stage.h * (row.damping + stage.h * row.stiffness);
            if c <= 0.0 {
                continue;
            }
            if !tree.gears.is_empty() {
                return None;
            }
            let g = self.along(&row, &now, &work.placed);
            let mut w = Vec::new();
            let Workspace { placed, held, sweep, .. } = &mut *work;
            held.solve_into(tree, placed, (&g, &[], false), sweep, &mut w);
            for before in &taken {
                let share = dot(&before.w, &g) * before.part;
                w.iter_mut().zip(&before.w).for_each(|(w, v)| *w -= v * share);
            }
            let part = 1.0 / (1.0 / c + dot(&g, &w));
            let lack: f64 =
                g.iter().zip(stage.last.iter().zip(&*a)).map(|(g, (l, a))| g * (l - a)).sum();
            a.iter_mut().zip(&w).for_each(|(a, w)| *a += w * (lack * part));
            taken.push(Taken { w, part });
        }
        Some(())
    }

    /// A row of force in joint coordinates.
    fn along(&self, row: &ForceRow, now: &State, placed: &Placed) -> Vec<f64> {
        let mut g = vec![0.0; self.tree.n];
        for (body, unit) in (0..2).filter_map(|side| row.wrench(now, side)) {
            let Some(mut k) = self.tree.find(body) else { continue };
            let arm = placed.links[k].pose.position - placed.origin;
            let push = Screw::new(unit.torque + arm.cross(unit.force), unit.force);
            loop {
                let link = &placed.links[k];
                for axis in &placed.axes[link.first..link.end] {
                    g[axis.at] += axis.twist.dot(&push);
                }
                let Parent::Link(parent) = self.tree.links[k].parent else { break };
                k = parent;
            }
        }
        g
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
