//! One moment of a run.

use stickslip::geometry::{Pose, Quat, Vec3};
use stickslip_record::{Replay, replay::ContactRow};

/// Where the bodies are, and the contacts of the step that led there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Moment {
    /// Pose of each body.
    pub poses: Vec<Pose>,
    /// Contacts with their forces.
    pub contacts: Vec<ContactRow>,
}

impl Moment {
    /// Frame `k` of a replay; the last one if it has not that many.
    pub fn frame(replay: &Replay, k: usize) -> Self {
        let k = k.min(replay.frames().saturating_sub(1));
        Self { poses: poses(replay, k), contacts: replay.contacts.frame(k) }
    }

    /// The run at a time \[s\]: poses between the frames before and after it, contacts of the
    /// later of them.
    pub fn at(replay: &Replay, time: f64) -> Self {
        let later = replay.time.partition_point(|&t| t < time);
        if later == 0 || later >= replay.frames() {
            return Self::frame(replay, later);
        }
        let (a, b) = (replay.time[later - 1], replay.time[later]);
        let s = if b > a { ((time - a) / (b - a)).clamp(0.0, 1.0) } else { 1.0 };
        let (before, after) = (poses(replay, later - 1), poses(replay, later));
        let poses = before.iter().zip(&after).map(|(p, q)| between(p, q, s)).collect();
        Self { poses, contacts: replay.contacts.frame(later) }
    }
}

fn poses(replay: &Replay, k: usize) -> Vec<Pose> {
    let n = replay.model.bodies.len();
    let place = replay.position.chunks_exact(3).skip(k * n);
    let turn = replay.orientation.chunks_exact(4).skip(k * n);
    let pose = |(x, q): (&[f64], &[f64])| Pose {
        position: Vec3::new(x[0], x[1], x[2]),
        orientation: Quat::from_xyzw(q[1], q[2], q[3], q[0]),
    };
    place.zip(turn).take(n).map(pose).collect()
}

/// Part `s` of the way; the rotation along the shorter arc.
fn between(p: &Pose, q: &Pose, s: f64) -> Pose {
    let same = if p.orientation.dot(q.orientation) < 0.0 { -q.orientation } else { q.orientation };
    let turn = p.orientation * (1.0 - s) + same * s;
    let turn = if turn.length_squared() > 1e-12 { turn.normalize() } else { q.orientation };
    Pose { position: p.position.lerp(q.position, s), orientation: turn }
}
