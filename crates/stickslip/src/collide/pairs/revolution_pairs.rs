//! Smooth cylinders and cones with polytopes, surfaces, capsules and each other.

use stickslip_geometry::{Convex, Vec3, tolerance::TOUCH};

use super::{
    Found, Sink,
    edge_edge::Segment,
    nearest::{core, least_inside, nearest},
    polytope_polytope::Solid,
    revolution::{OTHERS, Revolution, Spot, Touch, least_around},
    surface::Surface,
    vertex_face::{self, Above},
};
use crate::collide::{Feature, placed::Placed, settings::Rules};

/// Round-off of an applicability that is zero.
pub(super) const SURE: f64 = 1e-9;

/// What is common to the contacts of one pair; the solid of revolution comes first.
pub(crate) struct Context<'a, 'b, 'c> {
    /// How far to search \[m\].
    pub reach: f64,
    /// When a contact counts.
    pub rules: &'a Rules,
    /// Takes the contacts.
    pub sink: &'b mut Sink<'c>,
    /// Whether there is a primary contact, and one that holds without widened normal cones.
    pub found: [bool; 2],
}

impl Context<'_, '_, '_> {
    fn saw(&mut self, primary: bool, applicability: f64) {
        self.found[0] |= primary;
        self.found[1] |= primary && applicability >= -SURE;
    }

    /// A point of the body over, or beside, a face with unit normal `n`.
    fn on_face(&mut self, spot: &Spot, n: Vec3, at: &Above, feature: Feature, feasible: bool) {
        let psi = at.psi;
        let primary = spot.applicability >= self.rules.applicable && feasible;
        self.saw(primary, if at.beside > 0.0 { -1.0 } else { spot.applicability });
        self.sink.push(&Found {
            features: [spot.feature, feature],
            points: [spot.point, spot.point - n * psi],
            normal: -n,
            gap: psi,
            applicability: spot.applicability,
            primary,
        });
    }

    /// Both ends of where the body lies on an edge, which is `least` far. They tell nothing of how the two separate.
    fn along(
        &mut self,
        (revolved, edge): (&Revolution, &Segment),
        least: Option<&Touch>,
        feature: Feature,
    ) {
        for (k, touch) in revolved.along_edge(edge, self.reach, self.rules) {
            let apart = |x: &Touch| x.points[1].distance(touch.points[1]);
            if least.is_none_or(|x| apart(x) > TOUCH * revolved.size()) {
                self.keep(&touch, [Feature::Smooth(OTHERS + 1 + k), feature]);
            }
        }
    }

    /// An edge or corner of the other: left out where it does not face the body.
    fn touch(&mut self, touch: &Touch, features: [Feature; 2]) {
        if self.keep(touch, features) {
            self.saw(true, touch.applicability);
        }
    }

    fn keep(&mut self, touch: &Touch, features: [Feature; 2]) -> bool {
        let faces = touch.gap <= self.reach && touch.applicability >= self.rules.applicable;
        if faces {
            self.sink.push(&Found {
                features,
                points: touch.points,
                normal: touch.normal,
                gap: touch.gap,
                applicability: touch.applicability,
                primary: true,
            });
        }
        faces
    }
}

/// Contacts of a smooth cylinder or cone with a polytope.
pub(crate) fn polytope(revolved: &Revolution, solid: &Solid, context: &mut Context) {
    let (points, normals) = (&solid.placed.vertices, &solid.placed.normals);
    let lowest = |f: usize| {
        let p = revolved.convex.support(&revolved.placed.pose, -normals[f]);
        normals[f].dot(p - solid.on_face(f))
    };
    let flat = (0..normals.len()).map(lowest).fold(f64::NEG_INFINITY, f64::max);
    if flat > context.reach {
        return;
    }
    let touches = touches(revolved, solid, context);
    // An edge or corner that faces the body separates the two along its own normal.
    let facing = touches.iter().filter(|t| t.0.applicability >= 0.0);
    let depth = -facing.map(|t| t.0.gap).fold(flat, f64::max);
    let rules = context.rules.at_depth(depth.max(0.0));
    let reach = if depth > context.reach { context.reach + depth } else { context.reach };
    for (f, face) in solid.shape.faces.iter().enumerate() {
        let n = normals[f];
        let corner = |k: usize| points[face.vertices[k] as usize];
        for spot in revolved.spots(-n) {
            let count = face.vertices.len();
            if let Some(at) = vertex_face::above(spot.point, n, count, corner, reach)
                && at.psi <= context.reach
            {
                let feasible = rules.feasible(at.psi, at.beside);
                context.on_face(&spot, n, &at, Feature::Face(f as u32), feasible);
            }
        }
    }
    for (touch, feature) in &touches {
        if touch.gap >= -rules.epsilon {
            context.touch(touch, [Feature::Smooth(OTHERS), *feature]);
        }
    }
    for k in 0..solid.shape.edges.len() {
        let feature = Feature::Edge(k as u32);
        let least = touches.iter().find(|t| t.1 == feature).map(|t| &t.0);
        context.along((revolved, &solid.edge(k)), least, feature);
    }
}

/// Edges and corners of a polytope near the body.
fn touches(revolved: &Revolution, solid: &Solid, context: &Context) -> Vec<(Touch, Feature)> {
    let points = &solid.placed.vertices;
    let mut found = vec![];
    for k in 0..solid.shape.edges.len() {
        if let Some(touch) = revolved.edge(&solid.edge(k), context.reach, context.rules) {
            found.push((touch, Feature::Edge(k as u32)));
        }
    }
    for (k, &v) in points.iter().enumerate() {
        let ends = solid.shape.neighbors[k].iter().map(|&w| points[w as usize]);
        found.push((revolved.corner(v, ends), Feature::Vertex(k as u32)));
    }
    found.retain(|(t, _)| t.gap <= context.reach && t.applicability >= context.rules.applicable);
    found
}

/// Contacts of a smooth cylinder or cone with a surface.
pub(crate) fn surface(revolved: &Revolution, on: (&Surface, &Placed), context: &mut Context) {
    let (surface, pose) = (on.0, &on.1.pose);
    let facets = surface.facets(pose, &revolved.placed.bounds.inflated(context.reach));
    let mut seen: Vec<(u32, Feature)> = vec![];
    for facet in &facets {
        let n = facet.normal;
        for spot in revolved.spots(-n) {
            let corner = |k: usize| facet.corners[k];
            let Some(at) = vertex_face::above(spot.point, n, 3, corner, context.reach) else {
                continue;
            };
            // Over the triangle itself; what is beside it is over a neighbor, or meets its ridge.
            if at.beside == 0.0 && !seen.contains(&(facet.plane, spot.feature)) {
                seen.push((facet.plane, spot.feature));
                context.on_face(&spot, n, &at, Feature::Face(facet.plane), true);
            }
        }
    }
    for ridge in surface.ridges(pose, &facets) {
        let least = revolved.edge(&ridge.segment, context.reach, context.rules);
        if let Some(touch) = &least {
            context.touch(touch, [Feature::Smooth(OTHERS), Feature::Edge(ridge.id)]);
        }
        let edge = (revolved, &ridge.segment);
        context.along(edge, least.as_ref(), Feature::Edge(ridge.id));
    }
    for (id, v, around) in surface.tips(pose, &facets) {
        let touch = revolved.corner(v, around.into_iter());
        context.touch(&touch, [Feature::Smooth(OTHERS), Feature::Vertex(id)]);
    }
}

/// Contacts of a smooth cylinder or cone with a capsule.
pub(crate) fn capsule(revolved: &Revolution, other: (&Convex, &Placed), context: &mut Context) {
    let Convex::Capsule { half, radius } = other.0 else { return };
    let ends = core(other.1, *half);
    let axis = other.1.pose.vector(Vec3::Z);
    let at = |p: Vec3| nearest(revolved.convex, revolved.placed, p, revolved.size());
    let push = |context: &mut Context, p: Vec3, id: u32, faces: &dyn Fn(Vec3) -> f64| {
        let near = at(p);
        let touch = Touch {
            points: [near.point, p - near.normal * *radius],
            normal: near.normal,
            gap: near.distance - radius,
            applicability: faces(near.normal),
        };
        context.touch(&touch, [Feature::Smooth(OTHERS), Feature::Smooth(id)]);
    };
    push(context, ends[0], 0, &|n| axis.dot(n));
    push(context, ends[1], 1, &|n| -axis.dot(n));
    if let Some((s, near)) = least_inside(ends, context.reach + radius, at)
        // Along a flat end no inner point is least.
        && near.normal.dot(axis).abs() < 1e-7
        && at(ends[0]).distance > near.distance + 1e-12 * revolved.size()
    {
        push(context, ends[0].lerp(ends[1], s), 2, &|_| 1.0);
    }
    spots_on(revolved, other, context);
}

/// Rims and apex of a body against the nearest points of a capsule.
fn spots_on(revolved: &Revolution, other: (&Convex, &Placed), context: &mut Context) {
    let at = |p: Vec3| nearest(other.0, other.1, p, revolved.size());
    let mut push = |spot: &Spot| {
        let near = at(spot.point);
        if near.distance <= context.reach && spot.applicability >= context.rules.applicable {
            context.saw(true, spot.applicability);
            context.sink.push(&Found {
                features: [spot.feature, Feature::Smooth(OTHERS)],
                points: [spot.point, near.point],
                normal: -near.normal,
                gap: near.distance,
                applicability: spot.applicability,
                primary: true,
            });
        }
    };
    if let Some(tip) = revolved.apex(Vec3::Z)
        && let Some(spot) = revolved.apex(-at(tip.point).normal)
    {
        push(&spot);
    }
    for rim in revolved.rims() {
        let slope = |angle: f64| at(rim.point(angle)).normal.dot(rim.tangent(angle));
        for (k, angle) in least_around(slope).into_iter().enumerate() {
            let point = rim.point(angle);
            let normal = -at(point).normal;
            // Where the distance has a kink no point is least.
            if normal.dot(rim.tangent(angle)).abs() < 1e-7 {
                push(&rim.spot(angle, normal, k as u32));
            }
        }
    }
}
