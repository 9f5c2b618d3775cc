//! Pairs of parts that may touch, without their features.

use stickslip_geometry::Convex;

use super::Contact;
use crate::model::{BodyId, Model};

/// A convex part of a body: the body and the number of the part.
pub type PartId = (BodyId, u32);

/// What may touch during a step, for formulations that find the features of convex parts themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidates {
    /// Pairs of polytopes (polygons in 2D) that may touch: the smaller body first, sorted, each
    /// once.
    pub pairs: Vec<[PartId; 2]>,
    /// Potential contacts of all other pairs: with balls, capsules, cylinders, cones, half-spaces
    /// and surfaces.
    pub contacts: Vec<Contact>,
}

impl Candidates {
    /// Forgets all; keeps the memory.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.contacts.clear();
    }

    /// Whether nothing is near.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty() && self.contacts.is_empty()
    }

    /// Adds a contact, or the pair of its parts if both have corners. [`Candidates::sort`] when all
    /// are added.
    pub fn add(&mut self, model: &Model, contact: Contact) {
        let pair = contact.parts();
        if !pair.iter().all(|&part| has_corners(model, part)) {
            self.contacts.push(contact);
        } else if self.pairs.last() != Some(&pair) {
            self.pairs.push(pair);
        }
    }

    /// The pairs of parts that may touch, sorted, each as often as it has contacts.
    pub(crate) fn parts(&self) -> Vec<[PartId; 2]> {
        let contacts = self.contacts.iter().map(Contact::parts);
        let mut parts: Vec<_> = self.pairs.iter().copied().chain(contacts).collect();
        parts.sort_unstable();
        parts
    }

    /// Sorts the pairs and drops those that are there twice.
    pub fn sort(&mut self) {
        self.pairs.sort_unstable();
        self.pairs.dedup();
    }
}

/// Whether the part is a polytope or a polygon.
fn has_corners(model: &Model, (body, part): PartId) -> bool {
    let part = model.body(body).shape.parts().get(part as usize);
    part.is_some_and(|p| matches!(p.convex, Convex::Polytope(_) | Convex::Polygon(_)))
}

#[cfg(test)]
mod tests {
    use stickslip_geometry::{Dimension, Quat, Shape, Solid, Vec3, overlap};

    use super::*;
    use crate::{
        collide::{CollisionDetector, Exact, Query},
        model::{BodyInit, ModelBuilder},
        state::State,
        testing::Random,
    };

    fn solid(random: &mut Random, dimension: Dimension, k: usize) -> Solid {
        let hull = |random: &mut Random, n: usize| {
            let points: Vec<Vec3> =
                (0..n).map(|_| random.vector(dimension).normalize() * 0.5).collect();
            match dimension {
                Dimension::Two => Solid::polygon(&convex_order(points)).unwrap(),
                Dimension::Three => Solid::convex(&points).unwrap(),
            }
        };
        match k % 5 {
            0 if dimension == Dimension::Two => Solid::disc(0.4).unwrap(),
            0 => Solid::sphere(0.4).unwrap(),
            1 if dimension == Dimension::Three => {
                let [a, b] = [10, 60].map(|n| hull(random, n));
                let beside = |x: f64| stickslip_geometry::Pose::new(Vec3::X * x, Quat::IDENTITY);
                Solid::compound(&[(beside(-0.3), a), (beside(0.3), b)]).unwrap()
            }
            _ => hull(random, 12),
        }
    }

    fn convex_order(mut points: Vec<Vec3>) -> Vec<Vec3> {
        points.sort_by(|a, b| a.y.atan2(a.x).total_cmp(&b.y.atan2(b.x)));
        points
    }

    fn scene(random: &mut Random, dimension: Dimension, n: usize) -> (Model, State) {
        let mut builder = ModelBuilder::new(dimension);
        let floor = match dimension {
            Dimension::Two => Solid::half_plane(Vec3::Y).unwrap(),
            Dimension::Three => Solid::half_space(Vec3::Z).unwrap(),
        };
        builder.add(BodyInit::new(&floor).fixed()).unwrap();
        for k in 0..n {
            let solid = solid(random, dimension, k);
            let angle = random.spin(dimension) * 3.0;
            let init = BodyInit::new(&solid).at(random.vector(dimension) * 2.0);
            builder.add(init.turned(Quat::from_scaled_axis(angle)).angle(angle.z)).unwrap();
        }
        builder.build()
    }

    fn candidates(detector: &mut Exact, world: (&Model, &State), query: &Query) -> Candidates {
        let mut found = Candidates::default();
        detector.candidates(world.0, world.1, query, &mut found).unwrap();
        found
    }

    /// Pairs without features are those that have features within reach, whatever the detector
    /// remembers and on any number of threads; all other contacts are the same.
    #[test]
    fn candidates_are_the_pairs_with_contacts() {
        for seed in 0..12 {
            let mut random = Random::new(seed);
            let dimension = if seed % 3 == 0 { Dimension::Two } else { Dimension::Three };
            let (model, mut state) = scene(&mut random, dimension, 25);
            let mut kept = Exact::default();
            let mut pairs = 0;
            for step in 0..15 {
                let reach = [1e-4, 0.02, 0.2][step % 3];
                let mut query = Query { reach: vec![reach; model.bodies().len()], threads: 1 };
                let found = candidates(&mut kept, (&model, &state), &query);
                let told = format!("seed {seed}, step {step}");
                assert_eq!(found, candidates(&mut Exact::default(), (&model, &state), &query));
                query.threads = 2;
                assert_eq!(found, candidates(&mut kept, (&model, &state), &query), "{told}");
                let mut derived = Candidates::default();
                let contacts = Exact::default().detect(&model, &state, &query).unwrap();
                contacts.into_iter().for_each(|c| derived.add(&model, c));
                derived.sort();
                assert_eq!(found.contacts, derived.contacts, "{told}");
                for pair in &derived.pairs {
                    assert!(found.pairs.contains(pair), "{told}: {pair:?} is left out");
                }
                for &pair in &found.pairs {
                    let distance = distance(&model, &state, pair);
                    assert!(distance < 2.0 * reach * (1.0 + 1e-5), "{told}: {distance}");
                }
                pairs += found.pairs.len();
                for q in &mut state.q[1..] {
                    q.position += random.vector(dimension) * 0.05;
                    let turn = Quat::from_scaled_axis(random.spin(dimension) * 0.1);
                    q.orientation = (turn * q.orientation).normalize();
                }
            }
            assert!(pairs > 30, "seed {seed}: {pairs} pairs");
        }
    }

    fn distance(model: &Model, state: &State, pair: [PartId; 2]) -> f64 {
        let [a, b] = pair.map(|(body, k)| {
            let Shape::Parts(parts) = &model.body(body).shape else { panic!("no parts") };
            let part = &parts[k as usize];
            (&part.convex, state.pose(body).compose(&part.pose))
        });
        -overlap::depth(model.dimension(), a.0, &a.1, b.0, &b.1)
    }
}
