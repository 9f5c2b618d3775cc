//! How the programs answer the questions.

use std::f64::consts::FRAC_PI_2;

use stickslip::{
    BodyId, Model, Settings, State,
    geometry::{Quat, Vec3},
    step::SetupError,
};

use crate::{
    dynamic::{self, PointForce},
    program::{Cone, Friction, ProgramError, Solved, greatest_factor, least_imbalance},
    question::{Load, Options, StabilityError, check, gap},
    report::{
        BlockMotion, CornerForce, FrictionAnswer, LoadAnswer, Missing, PairForce, PushAnswer,
        Stability, TiltAnswer,
    },
    structure::{Loads, Structure},
};

/// Imbalance below which a structure is in equilibrium: ten times what the interior-point method
/// leaves of structures that stand.
const BALANCED: f64 = 1e-8;
/// Halvings of a bisection over angles.
const HALVINGS: usize = 32;

/// Answers what is asked of the bodies as they are placed. Velocities are taken to be zero.
pub fn analyze(
    model: &Model,
    state: &State,
    settings: &Settings,
    options: &Options,
) -> Result<Stability, StabilityError> {
    check(model, options)?;
    let structure = Structure::new(model, state, settings, gap(model, options))?;
    let case = Case::new(structure, options)?;
    let base = case.balance(model.gravity(), Friction::Times(1.0))?;
    let stands = base.value <= BALANCED;
    let s = &case.structure;
    let mut answer = Stability {
        stands,
        imbalance: base.value,
        blocks: s.blocks.len(),
        corners: s.corners.len(),
        ambiguous: s.ambiguous,
        forces: case.forces(&base),
        missing: if stands { Vec::new() } else { case.missing(&base) },
        mechanism: if stands { Vec::new() } else { case.mechanism(&base.rows) },
        tilt: Vec::new(),
        load: None,
        push: Vec::new(),
        friction: None,
        dynamic: None,
    };
    if !options.loads.is_empty() {
        answer.load = case.load()?;
    }
    if stands {
        for axis in options.tilt.iter().map(|a| a.normalize()) {
            answer.tilt.extend([case.tilt(axis)?, case.tilt(-axis)?]);
        }
        for push in &options.pushes {
            answer.push.push(case.push(push)?);
        }
    }
    if options.friction {
        answer.friction = Some(case.critical_friction()?);
    }
    if let Some(time) = options.simulate {
        let loads = options.loads.iter().map(|l| case.point_force(l)).collect::<Result<_, _>>()?;
        let run = dynamic::simulate(model, state, settings, time, loads);
        answer.dynamic = Some(run.map_err(|e: SetupError| StabilityError::Setup(e.to_string()))?);
    }
    Ok(answer)
}

/// Whether forces within friction balance the bodies as they are placed, and the imbalance that is
/// left at best ([`Stability::imbalance`]).
pub fn can_rest(
    model: &Model,
    state: &State,
    settings: &Settings,
) -> Result<(bool, f64), StabilityError> {
    let found = analyze(model, state, settings, &Options::default())?;
    Ok((found.stands, found.imbalance))
}

/// A structure with its constant loads.
struct Case<'a> {
    structure: Structure<'a>,
    cone: Cone,
    /// The loads of [`Options::loads`] on every block.
    live: Loads,
    /// Mean load of a block \[N\].
    unit: f64,
}

impl<'a> Case<'a> {
    fn new(structure: Structure<'a>, options: &Options) -> Result<Self, StabilityError> {
        let live = vec![(Vec3::ZERO, Vec3::ZERO); structure.blocks.len()];
        let mut case = Self { structure, cone: options.cone, live, unit: 1.0 };
        for load in &options.loads {
            let k = case.block(&load.body)?;
            let (force, torque) = case.structure.at(case.structure.blocks[k], load.force, load.at);
            case.live[k].0 += force;
            case.live[k].1 += torque;
        }
        let all = case.loads(case.structure.model.gravity(), 1.0);
        let sum: f64 = all.iter().map(|l| l.0.length()).sum();
        case.unit = (sum / all.len().max(1) as f64).max(f64::MIN_POSITIVE);
        for push in &options.pushes {
            case.block(&push.body)?;
        }
        Ok(case)
    }

    /// Place of a body among the blocks.
    fn block(&self, name: &str) -> Result<usize, StabilityError> {
        let model = self.structure.model;
        let Some(id) = model.find(name) else {
            let known: Vec<&str> = model.bodies().iter().map(|b| b.name.as_str()).collect();
            let known = known.join(", ");
            return Err(StabilityError::UnknownBody { name: name.into(), known });
        };
        let place = self.structure.blocks.iter().position(|&b| b == id);
        place.ok_or_else(|| StabilityError::Fixed { name: name.into() })
    }

    fn point_force(&self, load: &Load) -> Result<PointForce, StabilityError> {
        let body = self.structure.blocks[self.block(&load.body)?];
        let pose = self.structure.state.pose(body);
        let point = load.at.map_or(Vec3::ZERO, |at| pose.inverse_point(at));
        Ok(PointForce { body, force: load.force, point })
    }

    /// Gravity, constant forces, and a multiple of the live loads.
    fn loads(&self, gravity: Vec3, factor: f64) -> Loads {
        let mut all = self.structure.dead_loads(gravity);
        for (sum, live) in all.iter_mut().zip(&self.live) {
            sum.0 += live.0 * factor;
            sum.1 += live.1 * factor;
        }
        all
    }

    fn balance(&self, gravity: Vec3, friction: Friction) -> Result<Solved, ProgramError> {
        let s = &self.structure;
        let loads = s.scaled(&self.loads(gravity, 1.0));
        least_imbalance(s, &loads, self.unit, (friction, self.cone))
    }

    fn grow(&self, dead: &Loads, live: &Loads) -> Result<Option<Solved>, ProgramError> {
        let s = &self.structure;
        let (dead, live) = (s.scaled(dead), s.scaled(live));
        greatest_factor(s, (&dead, &live), self.unit, (Friction::Times(1.0), self.cone))
    }

    fn load(&self) -> Result<Option<LoadAnswer>, ProgramError> {
        let dead = self.loads(self.structure.model.gravity(), 0.0);
        let found = self.grow(&dead, &self.live)?;
        Ok(found.map(|solved| LoadAnswer {
            factor: Some(solved.value).filter(|v| v.is_finite()),
            mechanism: self.mechanism(&solved.rows),
        }))
    }

    fn push(&self, push: &Load) -> Result<PushAnswer, StabilityError> {
        let (s, k) = (&self.structure, self.block(&push.body)?);
        let dead = self.loads(s.model.gravity(), 1.0);
        let direction = push.force.normalize();
        let mut live = vec![(Vec3::ZERO, Vec3::ZERO); s.blocks.len()];
        live[k] = s.at(s.blocks[k], direction * self.unit, push.at);
        let found = self.grow(&dead, &live)?;
        let solved = found.as_ref();
        Ok(PushAnswer {
            body: push.body.clone(),
            direction: direction.to_array(),
            force: solved.map(|x| x.value * self.unit).filter(|v| v.is_finite()),
            mechanism: solved.map_or(Vec::new(), |x| self.mechanism(&x.rows)),
        })
    }

    /// Gravity alone scales with the cosine of the angle, so that its tangent is the factor of a
    /// program; other forces stay as they are, and the angle is found by bisection.
    fn tilt(&self, axis: Vec3) -> Result<TiltAnswer, ProgramError> {
        let (s, g) = (&self.structure, self.structure.model.gravity());
        let constant = |l: &(Vec3, Vec3)| l.0 != Vec3::ZERO || l.1 != Vec3::ZERO;
        let mut others = self.loads(Vec3::ZERO, 1.0);
        let across = g.dot(axis).abs() <= 1e-12 * g.length();
        let (angle, mechanism) = if across && !others.iter().any(constant) {
            let dead = s.dead_loads(g);
            others.clone_from(&s.dead_loads(axis.cross(g)));
            let found = self.grow(&dead, &others)?;
            let angle = found.as_ref().map(|x| x.value.atan()).filter(|a| *a < FRAC_PI_2);
            (angle, found.map_or(Vec::new(), |x| self.mechanism(&x.rows)))
        } else {
            let turned = |angle: f64| Quat::from_axis_angle(axis, angle) * g;
            let angle = bisect(FRAC_PI_2, |angle| {
                let found = self.balance(turned(angle), Friction::Times(1.0))?;
                Ok(found.value > BALANCED)
            })?;
            match angle {
                None => (None, Vec::new()),
                Some(angle) => {
                    let beyond = self.balance(turned(angle + 1e-3), Friction::Times(1.0))?;
                    (Some(angle), self.mechanism(&beyond.rows))
                }
            }
        };
        Ok(TiltAnswer { axis: axis.to_array(), angle, mechanism })
    }

    fn critical_friction(&self) -> Result<FrictionAnswer, ProgramError> {
        let corners = &self.structure.corners;
        let (low, high) = corners.iter().fold((f64::INFINITY, 0.0_f64), |(low, high), c| {
            (low.min(c.friction), high.max(c.friction))
        });
        let g = self.structure.model.gravity();
        let same = high - low <= 1e-12 * high;
        // without any friction there is nothing to multiply
        let friction = |x: f64| match same {
            true => Friction::Uniform(x),
            false => Friction::Times(x),
        };
        let none = FrictionAnswer { factor: None, coefficient: None };
        if self.balance(g, Friction::Unlimited)?.value > BALANCED {
            return Ok(none);
        }
        let rests = |angle: f64| Ok(self.balance(g, friction(angle.tan()))?.value <= BALANCED);
        let Some(least) = bisect(FRAC_PI_2 - 1e-3, rests)?.map(f64::tan) else { return Ok(none) };
        Ok(match same {
            true => FrictionAnswer {
                factor: Some(least / high).filter(|f| f.is_finite()),
                coefficient: Some(least),
            },
            false => FrictionAnswer { factor: Some(least), coefficient: None },
        })
    }

    /// The forces by pairs of bodies, those that act.
    fn forces(&self, solved: &Solved) -> Vec<PairForce> {
        let s = &self.structure;
        let name = |id: BodyId| s.model.body(id).name.clone();
        let mut all: Vec<(PairForce, [BodyId; 2], f64)> = Vec::new();
        for (corner, f) in s.corners.iter().zip(&solved.forces) {
            let force = corner.axes.iter().zip(f).map(|(axis, x)| *axis * *x * self.unit);
            let force: Vec3 = force.sum();
            if all.last().is_none_or(|(_, bodies, _)| *bodies != corner.bodies) {
                let [a, b] = corner.bodies.map(name);
                let pair = PairForce { a, b, point: [0.0; 3], force: [0.0; 3], corners: vec![] };
                all.push((pair, corner.bodies, 0.0));
            }
            let Some((pair, _, weight)) = all.last_mut() else { continue };
            *weight += f[0];
            pair.force = (Vec3::from_array(pair.force) + force).to_array();
            pair.point = (Vec3::from_array(pair.point) + corner.point * f[0]).to_array();
            let (point, force) = (corner.point.to_array(), force.to_array());
            pair.corners.push(CornerForce { point, force });
        }
        // The corners carry what mortar presses together as well.
        for bond in s.model.bonds() {
            let [_, Some((_, pull))] = s.model.bond_wrenches(s.state, bond) else { continue };
            let joined =
                |(_, bodies, _): &&mut (_, [BodyId; 2], f64)| bodies.map(Some) == bond.bodies;
            let Some((pair, _, weight)) = all.iter_mut().find(joined) else { continue };
            let share = pull.force.length() / self.unit;
            *weight -= share;
            pair.force = (Vec3::from_array(pair.force) + pull.force).to_array();
            let point = bond.ends(s.state)[0];
            pair.point = (Vec3::from_array(pair.point) - point * share).to_array();
        }
        all.into_iter()
            .filter(|(_, _, weight)| weight.abs() > 1e-9)
            .map(|(pair, _, weight)| PairForce { point: pair.point.map(|x| x / weight), ..pair })
            .collect()
    }

    fn missing(&self, solved: &Solved) -> Vec<Missing> {
        let s = &self.structure;
        let loads = s.scaled(&self.loads(s.model.gravity(), 1.0));
        let size = loads.iter().map(|w| w * w).sum::<f64>().sqrt();
        let rows: Vec<f64> = solved.rows.iter().map(|r| r * size).collect();
        let largest = rows.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        let blocks = s.blocks.iter().zip(s.resultants(&rows)).zip(rows.chunks(s.width()));
        blocks
            .filter(|(_, rows)| rows.iter().any(|r| r.abs() > 1e-3 * largest))
            .map(|((&id, (force, torque)), _)| Missing {
                body: s.model.body(id).name.clone(),
                force: force.to_array(),
                torque: torque.to_array(),
            })
            .collect()
    }

    /// Velocities, the fastest point of any block at 1 m/s; blocks at rest are left out.
    fn mechanism(&self, rows: &[f64]) -> Vec<BlockMotion> {
        let s = &self.structure;
        let velocities = s.velocities(rows);
        let speed =
            |id: BodyId, (v, w): (Vec3, Vec3)| v.length() + w.length() * s.model.body(id).radius;
        let all = s.blocks.iter().zip(&velocities);
        let fastest = all.clone().map(|(&id, &v)| speed(id, v)).fold(0.0, f64::max);
        all.filter(|&(&id, &v)| fastest > 0.0 && speed(id, v) > 1e-6 * fastest)
            .map(|(&id, &(v, w))| BlockMotion {
                body: s.model.body(id).name.clone(),
                velocity: (v / fastest).to_array(),
                angular_velocity: (w / fastest).to_array(),
            })
            .collect()
    }
}

/// Where a fact that is false at zero becomes true for good; zero if it is true there, `None` if it
/// is false up to `most`.
fn bisect(
    most: f64,
    fact: impl Fn(f64) -> Result<bool, ProgramError>,
) -> Result<Option<f64>, ProgramError> {
    if fact(0.0)? {
        return Ok(Some(0.0));
    }
    if !fact(most)? {
        return Ok(None);
    }
    let (mut low, mut high) = (0.0, most);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        match fact(middle)? {
            true => high = middle,
            false => low = middle,
        }
    }
    Ok(Some(0.5 * (low + high)))
}
