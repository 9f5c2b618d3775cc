//! What may be changed between steps: gravity, and the surfaces of all bodies at once.

use std::collections::BTreeSet;

use super::{Dimension, Model, ModelError};
use crate::geometry::Vec3;

impl Model {
    /// Sets gravity \[m/s²\]; in 2D its z is left out. Bodies that sleep do not notice: make a new
    /// simulator from model and state.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), ModelError> {
        if !gravity.is_finite() {
            return Err(ModelError::NotFinite { body: "every body".into(), what: "gravity" });
        }
        self.gravity = match self.dimension {
            Dimension::Two => gravity.with_z(0.0),
            Dimension::Three => gravity,
        };
        Ok(())
    }

    /// Gives every contact this coefficient of friction (0 or more), whatever the rule by which those
    /// of two bodies combine, and whatever was set for single pairs.
    pub fn set_friction(&mut self, friction: f64) -> Result<(), ModelError> {
        let range = "0 or more";
        let wrong =
            |value| ModelError::Range { body: "every".into(), what: "friction", value, range };
        if !(friction >= 0.0 && friction.is_finite()) {
            return Err(wrong(friction));
        }
        let own = same(friction, |x| self.friction_rule.combine(x, x));
        self.bodies.iter_mut().for_each(|b| b.material.friction = own);
        self.overrides.values_mut().for_each(|pair| pair.friction = None);
        Ok(())
    }

    /// Gives every contact this coefficient of restitution (0 to 1), as
    /// [`set_friction`](Self::set_friction) does.
    pub fn set_restitution(&mut self, restitution: f64) -> Result<(), ModelError> {
        let (what, range) = ("restitution", "0 to 1");
        if !(0.0..=1.0).contains(&restitution) {
            return Err(ModelError::Range {
                body: "every".into(),
                what,
                value: restitution,
                range,
            });
        }
        let own = same(restitution, |x| self.restitution_rule.combine(x, x));
        self.bodies.iter_mut().for_each(|b| b.material.restitution = own);
        self.overrides.values_mut().for_each(|pair| pair.restitution = None);
        Ok(())
    }

    /// Friction and restitution of the contacts, each where all contacts have the same.
    pub fn common_material(&self) -> [Option<f64>; 2] {
        let (friction, restitution) = self.rules();
        let touching = || self.bodies.iter().filter(|b| b.collides).map(|b| b.material);
        let pairs = || self.overrides.values();
        [
            common(
                touching().map(|m| friction.combine(m.friction, m.friction)),
                pairs().filter_map(|p| p.friction),
            ),
            common(
                touching().map(|m| restitution.combine(m.restitution, m.restitution)),
                pairs().filter_map(|p| p.restitution),
            ),
        ]
    }
}

/// What a body must have for two of them to have `wanted` together: the same, or its root where a rule
/// multiplies.
fn same(wanted: f64, combine: impl Fn(f64) -> f64) -> f64 {
    if combine(wanted) == wanted { wanted } else { wanted.sqrt() }
}

/// The one value of all of them.
fn common(bodies: impl Iterator<Item = f64>, pairs: impl Iterator<Item = f64>) -> Option<f64> {
    let all: BTreeSet<u64> = bodies.chain(pairs).map(f64::to_bits).collect();
    match all.len() {
        1 => all.first().copied().map(f64::from_bits),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::{
        geometry::Solid,
        model::{BodyId, BodyInit, FrictionRule, ModelBuilder, PairOverride, RestitutionRule},
    };

    fn model(friction: FrictionRule, restitution: RestitutionRule) -> Model {
        let mut builder = ModelBuilder::new(Dimension::Three);
        builder.rules(friction, restitution);
        for (k, friction) in [0.1, 0.7, 0.3].into_iter().enumerate() {
            let solid = Solid::sphere(1.0).unwrap();
            let mut init = BodyInit::new(&solid).named(&format!("{k}"));
            init.body.material.friction = friction;
            builder.add(init).unwrap();
        }
        let pair =
            PairOverride { friction: Some(0.9), restitution: Some(0.8), ..Default::default() };
        builder.pair(BodyId::new(0), BodyId::new(1), pair);
        builder.build().0
    }

    /// Whatever the rule, every pair has what was asked for.
    #[test]
    fn every_pair_gets_the_coefficients() {
        use FrictionRule as F;
        use RestitutionRule as R;
        let rules = [
            (F::GeometricMean, R::Max),
            (F::Product, R::Product),
            (F::Min, R::Min),
            (F::Max, R::Mean),
            (F::Mean, R::Max),
        ];
        for (friction, restitution) in rules {
            let mut model = model(friction, restitution);
            assert_eq!(model.common_material()[0], None);
            model.set_friction(0.49).unwrap();
            model.set_restitution(0.25).unwrap();
            for (a, b) in [(0, 1), (1, 2), (0, 2)] {
                let found = model.material(BodyId::new(a), BodyId::new(b));
                assert!((found.friction - 0.49).abs() < 1e-15, "{friction:?}: {found:?}");
                assert!((found.restitution - 0.25).abs() < 1e-15, "{restitution:?}: {found:?}");
            }
            let [mu, e] = model.common_material().map(Option::unwrap);
            assert!((mu - 0.49).abs() < 1e-15 && (e - 0.25).abs() < 1e-15);
        }
    }

    /// What makes no sense changes nothing.
    #[test]
    fn wrong_values_are_refused() {
        let mut model = model(FrictionRule::Mean, RestitutionRule::Max);
        for wrong in [f64::NAN, -0.1, f64::INFINITY] {
            assert!(model.set_friction(wrong).is_err() && model.set_restitution(wrong).is_err());
            assert!(model.set_gravity(Vec3::new(0.0, wrong, 0.0)).is_err() || wrong == -0.1);
        }
        assert!(model.set_restitution(1.1).is_err());
        assert_eq!(model.common_material()[0], None);
        model.set_gravity(Vec3::new(1.0, 2.0, 3.0)).unwrap();
        assert_eq!(model.gravity(), Vec3::new(1.0, 2.0, 3.0));
    }
}
