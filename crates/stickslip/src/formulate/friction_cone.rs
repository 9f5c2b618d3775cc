//! Directions of the linearised friction cone.

use stickslip_geometry::Vec3;

use crate::model::Dimension;

/// `n_directions` unit vectors spread evenly over the tangent plane (in 2D always two, `+t` and
/// `-t`). The first points *against* the slip the contact is about to have, so that sliding
/// friction opposes the slip exactly instead of the nearest of a few fixed directions.
pub fn directions(
    dimension: Dimension,
    normal: Vec3,
    slip: Vec3,
    n_directions: usize,
) -> Vec<Vec3> {
    Wheel::new(dimension, n_directions).at(normal, slip).collect()
}

/// The angles of the directions, the same for all contacts.
pub struct Wheel {
    dimension: Dimension,
    spokes: Vec<(f64, f64)>,
}

impl Wheel {
    /// For `n_directions` directions.
    pub fn new(dimension: Dimension, n_directions: usize) -> Self {
        let angle = |k: usize| std::f64::consts::TAU * k as f64 / n_directions as f64;
        let spokes = match dimension {
            Dimension::Two => vec![(1.0, 0.0), (-1.0, 0.0)],
            Dimension::Three => {
                (0..n_directions).map(|k| (angle(k).cos(), angle(k).sin())).collect()
            }
        };
        Self { dimension, spokes }
    }

    /// How many directions a contact has.
    pub fn len(&self) -> usize {
        self.spokes.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.spokes.is_empty()
    }

    /// The [`directions`] of one contact.
    pub fn at(&self, normal: Vec3, slip: Vec3) -> impl Iterator<Item = Vec3> + '_ {
        let [t, o] = self.dimension.tangents(normal, -slip);
        self.spokes.iter().map(move |(cos, sin)| t * *cos + o * *sin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The directions span the tangent plane positively: their sum vanishes, all are unit and
    /// orthogonal to the normal, and the first opposes the slip.
    #[test]
    fn directions_surround_the_normal_and_oppose_slip() {
        let n = Vec3::new(0.3, -0.2, 0.9).normalize();
        let slip = Vec3::new(1.0, 2.0, -0.5);
        for count in [3, 4, 7, 16] {
            let d = directions(Dimension::Three, n, slip, count);
            assert_eq!(d.len(), count);
            assert!(d.iter().sum::<Vec3>().length() < 1e-14);
            for x in &d {
                assert!((x.length() - 1.0).abs() < 1e-14 && x.dot(n).abs() < 1e-15);
            }
            let tangential = slip - n * n.dot(slip);
            assert!((d[0] + tangential.normalize()).length() < 1e-14);
        }
    }

    /// In the plane there are two, whatever is asked for.
    #[test]
    fn planar_cone_has_two_edges() {
        let d = directions(Dimension::Two, Vec3::Y, Vec3::X * 3.0, 7);
        assert_eq!(d, vec![-Vec3::X, Vec3::X]);
    }
}
