//! Surfaces and how two of them combine.

use serde::{Deserialize, Serialize};

use super::Mortar;

/// Surface of a body, or of a pair after combination.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coefficient of Coulomb friction.
    pub friction: f64,
    /// Coefficient of restitution, 0 (inelastic) to 1.
    pub restitution: f64,
    /// Rolling friction \[m\]: largest torque about the tangents of a contact over its normal force.
    pub rolling: f64,
    /// Torsional friction \[m\]: the same about the normal.
    pub torsional: f64,
}

/// What a `[[pair]]` entry sets for two bodies in place of the combined values.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PairOverride {
    /// Friction of the pair.
    pub friction: Option<f64>,
    /// Restitution of the pair.
    pub restitution: Option<f64>,
    /// Rolling friction of the pair \[m\].
    pub rolling: Option<f64>,
    /// Torsional friction of the pair \[m\].
    pub torsional: Option<f64>,
    /// Mortar where the two touch at time zero.
    pub mortar: Option<Mortar>,
}

/// How the friction coefficients of two bodies combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrictionRule {
    /// `sqrt(a b)`: a frictionless body stays frictionless, equal ones keep their value.
    #[default]
    GeometricMean,
    /// `a b`.
    Product,
    /// The smaller.
    Min,
    /// The larger.
    Max,
    /// `(a + b) / 2`.
    Mean,
}

impl FrictionRule {
    /// The coefficient of the pair.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            // Equal values are kept to the last bit, which sqrt(a a) need not do.
            Self::GeometricMean if a == b => a,
            Self::GeometricMean => (a * b).sqrt(),
            Self::Product => a * b,
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Mean => 0.5 * (a + b),
        }
    }
}

/// How the restitution coefficients of two bodies combine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RestitutionRule {
    /// The larger: a rubber ball bounces off any floor.
    #[default]
    Max,
    /// The smaller.
    Min,
    /// `(a + b) / 2`.
    Mean,
    /// `a b`.
    Product,
}

impl RestitutionRule {
    /// The coefficient of the pair.
    pub fn combine(self, a: f64, b: f64) -> f64 {
        match self {
            Self::Max => a.max(b),
            Self::Min => a.min(b),
            Self::Mean => 0.5 * (a + b),
            Self::Product => a * b,
        }
    }
}
