//! Steps in which nothing can be near: found once for many of them.
//!
//! ```text
//! searched at poses q0 up to R for each body, and nothing was near;
//! nothing is near at q where   |q - q0| + reach <= R   for every body,  reach: the largest of all bodies
//! ```
//!
//! The answer is that of the detector at `q` ([`crate::collide::margin`]: no body reaches farther than the one
//! that reaches farthest by itself), so that trajectories do not depend on when it was asked.

use std::sync::Arc;

use stickslip_geometry::{Pose, tolerance::ROUND_OFF};

use crate::{
    collide::{CollideError, Margin, Query, margin},
    model::{Model, Motion},
    settings::{Epsilon, Settings},
    state::State,
    step::Pipeline,
    substep::Substep,
};

/// What was last searched from afar.
#[derive(Debug)]
pub(crate) struct Clear {
    /// The scene.
    scene: Option<Arc<()>>,
    places: Vec<Pose>,
    query: Query,
    /// How far it was looked \[m\]; `None` where something was near.
    far: Option<f64>,
    /// How far to search next, in reaches. It doubles as long as nothing is found; below two there
    /// is nothing to gain.
    times: f64,
}

impl Default for Clear {
    fn default() -> Self {
        Self { scene: None, places: Vec::new(), query: Query::default(), far: None, times: 1.0 }
    }
}

impl Clear {
    /// Whether nothing can be near, the farthest reach being `reach`.
    fn holds(&self, model: &Model, state: &State, reach: f64) -> bool {
        let same = self.scene.as_ref().is_some_and(|scene| Arc::ptr_eq(scene, &model.token));
        let Some(far) = self.far else { return false };
        let stays = |((id, from), to): ((_, &Pose), &Pose)| {
            let body = model.body(id);
            if !body.collides || (body.motion == Motion::Static && from == to) {
                return true;
            }
            // A point of a body that turns goes along a chord.
            let turn = (from.orientation.conjugate() * to.orientation).xyz().length();
            let turning = if turn > 0.0 { 2.0 * turn * body.radius } else { 0.0 };
            from.position.distance(to.position) + turning + reach <= far
        };
        same && model.ids().zip(&self.places).zip(&state.q).all(stays)
    }
}

impl Pipeline {
    /// Stage 1 for a trial, which is shorter where bodies that may be pushed would turn too far; whether nothing is
    /// near, as [`Self::search`] tells.
    pub(crate) fn search_for(
        &mut self,
        length: &mut Substep,
        (model, state, settings): (&Model, &State, &Settings),
        (query, reaches): (&mut Query, &mut Margin),
    ) -> Result<bool, CollideError> {
        loop {
            let clear = self.search((model, state), settings, length.h, (query, reaches))?;
            if !length.turns_too_far((model, state), settings, &self.candidates) {
                return Ok(clear);
            }
        }
    }

    /// Stage 1; whether it was known beforehand that nothing is near. Then the query is not made.
    pub(crate) fn search(
        &mut self,
        (model, state): (&Model, &State),
        settings: &Settings,
        h: f64,
        (query, reaches): (&mut Query, &mut Margin),
    ) -> Result<bool, CollideError> {
        let may_skip = self.detector.is_exact() && settings.epsilon == Epsilon::Auto;
        if may_skip && (self.clear.far.is_some() || self.clear.times >= 2.0) {
            let reach = margin::largest(model, state, h);
            if self.clear.holds(model, state, reach) {
                self.candidates.clear();
                return Ok(true);
            }
            if self.clear.times >= 2.0 && self.look_far((model, state), settings, reach)? {
                return Ok(true);
            }
        }
        query.renew(reaches, (model, state), settings, h);
        self.detect(model, state, query)?;
        let near = !self.candidates.is_empty();
        self.clear.far = None;
        self.clear.times = if near { 1.0 } else { (2.0 * self.clear.times).min(2.0) };
        Ok(false)
    }

    /// Looks farther than one step reaches; whether nothing is near.
    fn look_far(
        &mut self,
        (model, state): (&Model, &State),
        settings: &Settings,
        reach: f64,
    ) -> Result<bool, CollideError> {
        let far = reach * self.clear.times;
        let mut query = std::mem::take(&mut self.clear.query);
        let own = |id| if model.body(id).motion == Motion::Static { 0.0 } else { far };
        query.reach.clear();
        query.reach.extend(model.ids().map(own));
        query.threads = settings.threads;
        let found = self.detect(model, state, &query);
        let near = !self.candidates.is_empty();
        let clear = &mut self.clear;
        clear.query = query;
        found?;
        clear.far = (!near).then_some(far);
        clear.times *= if near { 1.0 / 64.0 } else { 2.0 };
        clear.times = clear.times.min(1.0 / ROUND_OFF);
        if !near {
            clear.scene = Some(Arc::clone(&model.token));
            clear.places.clone_from(&state.q);
        }
        Ok(!near)
    }
}
