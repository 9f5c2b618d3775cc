//! A ball (a disc in the plane) and any convex part: one contact at the nearest point.

use stickslip_geometry::Convex;

use super::{Found, Sink, nearest::nearest};
use crate::collide::{Feature, placed::Placed};

/// The contact of the ball `first` with `second`, if closer than `reach` \[m\].
pub(crate) fn contacts(
    first: &Placed,
    radius: f64,
    second: (&Convex, &Placed),
    reach: f64,
    sink: &mut Sink,
) {
    let c = first.pose.position;
    let at = nearest(second.0, second.1, c, radius);
    let gap = at.distance - radius;
    if gap <= reach {
        sink.push(&Found {
            features: [Feature::Smooth(0), at.feature],
            points: [c - at.normal * radius, at.point],
            normal: -at.normal,
            gap,
            applicability: 1.0,
            primary: true,
        });
    }
}
