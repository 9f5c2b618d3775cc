//! Joint trajectories: interpolated from waypoint to waypoint.

/// How a coordinate goes from one waypoint to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Blend {
    /// At constant speed.
    Linear,
    /// At rest at every waypoint, speed and acceleration continuous: the quintic
    /// `10 s³ - 15 s⁴ + 6 s⁵`.
    #[default]
    Smooth,
}

/// Positions of some joint coordinates at a time.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoint {
    /// Time \[s\].
    pub time: f64,
    /// Positions \[m or rad\].
    pub position: Vec<f64>,
}

/// Where some coordinates should be over time; before the first waypoint and after the last they
/// rest there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trajectory {
    waypoints: Vec<Waypoint>,
    blend: Blend,
}

/// Position, velocity and acceleration asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Desired {
    /// \[m or rad\].
    pub position: f64,
    /// \[m/s or rad/s\].
    pub velocity: f64,
    /// \[m/s² or rad/s²\].
    pub acceleration: f64,
}

impl Trajectory {
    /// Through these waypoints, which are sorted by time.
    pub fn new(mut waypoints: Vec<Waypoint>, blend: Blend) -> Self {
        waypoints.sort_by(|a, b| a.time.total_cmp(&b.time));
        Self { waypoints, blend }
    }

    /// From `start` at time `from` to `goal` at time `to`, smoothly.
    pub fn between(start: Vec<f64>, goal: Vec<f64>, from: f64, to: f64) -> Self {
        let at = |time, position| Waypoint { time, position };
        Self::new(vec![at(from, start), at(to, goal)], Blend::Smooth)
    }

    /// Resting at one place.
    pub fn hold(position: Vec<f64>) -> Self {
        Self::new(vec![Waypoint { time: 0.0, position }], Blend::Smooth)
    }

    /// The waypoints, in the order of their times.
    pub fn waypoints(&self) -> &[Waypoint] {
        &self.waypoints
    }

    /// How it goes between waypoints.
    pub fn blend(&self) -> Blend {
        self.blend
    }

    /// What is wrong with it: no waypoint, numbers that are not finite, two waypoints at one time.
    pub fn check(&self) -> Result<(), String> {
        if self.waypoints.is_empty() {
            return Err("the path has no waypoint".into());
        }
        let finite = |w: &Waypoint| w.time.is_finite() && w.position.iter().all(|x| x.is_finite());
        if !self.waypoints.iter().all(finite) {
            return Err("times and positions of the path must be finite".into());
        }
        match self.waypoints.windows(2).find(|w| w[0].time >= w[1].time) {
            Some(w) => Err(format!("the path has two waypoints at {} s", w[0].time)),
            None => Ok(()),
        }
    }

    /// What is asked of coordinate `i` at a time; zero where the trajectory does not name it.
    pub fn at(&self, i: usize, time: f64) -> Desired {
        let value = |w: &Waypoint| w.position.get(i).copied().unwrap_or(0.0);
        let resting = |w: &Waypoint| Desired { position: value(w), ..Desired::default() };
        let next = self.waypoints.partition_point(|w| w.time <= time);
        match (next.checked_sub(1).map(|k| &self.waypoints[k]), self.waypoints.get(next)) {
            (None, None) => Desired::default(),
            (None, Some(w)) | (Some(w), None) => resting(w),
            (Some(a), Some(b)) => {
                let (span, change) = (b.time - a.time, value(b) - value(a));
                let s = (time - a.time) / span;
                let (p, v, acc) = match self.blend {
                    Blend::Linear => (s, 1.0, 0.0),
                    Blend::Smooth => (
                        s * s * s * (10.0 + s * (6.0 * s - 15.0)),
                        30.0 * s * s * (1.0 - s) * (1.0 - s),
                        60.0 * s * (1.0 - s) * (1.0 - 2.0 * s),
                    ),
                };
                Desired {
                    position: value(a) + change * p,
                    velocity: change * v / span,
                    acceleration: change * acc / (span * span),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Velocity and acceleration are the derivatives of the position, and the ends are at rest.
    #[test]
    fn derivatives_match_differences() {
        let t = Trajectory::between(vec![0.0, 1.0], vec![2.0, -1.0], 1.0, 3.0);
        for k in 1..20 {
            let (time, e) = (1.0 + 0.1 * f64::from(k), 1e-5);
            for i in 0..2 {
                let [a, b, c] = [-e, 0.0, e].map(|e| t.at(i, time + e));
                assert!(((c.position - a.position) / (2.0 * e) - b.velocity).abs() < 1e-8);
                assert!(((c.velocity - a.velocity) / (2.0 * e) - b.acceleration).abs() < 1e-8);
            }
        }
        assert_eq!(t.at(0, 0.0), Desired::default());
        assert_eq!(t.at(0, 9.0), Desired { position: 2.0, ..Desired::default() });
        assert_eq!(t.at(1, 3.0).velocity, 0.0);
    }

    /// Several waypoints: each is met at its time, linear speed in between.
    #[test]
    fn waypoints_are_met() {
        let at = |time, x| Waypoint { time, position: vec![x] };
        let t = Trajectory::new(vec![at(2.0, 5.0), at(0.0, 1.0), at(1.0, 3.0)], Blend::Linear);
        assert_eq!([0.0, 0.5, 1.0, 2.0].map(|x| t.at(0, x).position), [1.0, 2.0, 3.0, 5.0]);
        assert_eq!(t.at(0, 0.5).velocity, 2.0);
    }
}
