//! `stickslip stability`: whether the bodies of a scene can rest as they are.

use std::path::{Path, PathBuf};

use clap::Args;
use stickslip::{Dimension, geometry::Vec3};
use stickslip_scene::Scene;
use stickslip_stability::{Cone, Load, Options, Stability, StabilityError, analyze, lines, page};

use super::select::Select;
use crate::{failure::Failure, output};

/// Say whether the bodies of a scene can rest as they are, and what brings them down.
///
/// Forces at the corners of all contact polygons must balance gravity and loads within friction: a
/// convex program. Beside its answer stands what the simulator does. Exit codes: 0 the scene rests,
/// 1 it cannot, or the simulator moves it, 2 bad input.
#[derive(Debug, Args)]
pub struct Judge {
    #[command(flatten)]
    select: Select,
    /// How far gravity can turn about an axis, both ways: x, y, z or three numbers
    #[arg(long, value_name = "AXIS", allow_hyphen_values = true)]
    tilt: Vec<String>,
    /// How many times a load can be borne; several act together: stone-5=0,0,-100, or at a point
    /// stone-5=0,0,-100@0.1,0,1
    #[arg(long, value_name = "BODY=FORCE[@POINT]", allow_hyphen_values = true)]
    load: Vec<String>,
    /// How hard a body can be pushed in a direction, each by itself: stone-5=1,0,0
    #[arg(long, value_name = "BODY=DIRECTION[@POINT]", allow_hyphen_values = true)]
    push: Vec<String>,
    /// The least friction with which it can rest
    #[arg(long)]
    friction_critical: bool,
    /// Pyramids with that many edges in place of the cones of friction: a linear program
    #[arg(long, value_name = "EDGES")]
    pyramid: Option<usize>,
    /// Bodies no farther apart than this touch, in metres; by default a millionth of the radius of
    /// the smallest block
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    gap: Option<f64>,
    /// For how long the simulator runs, in seconds; 0: not at all
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, allow_hyphen_values = true)]
    simulate: f64,
    /// Print one JSON object on standard output in place of the text
    #[arg(long)]
    json: bool,
    /// Write a page with forces, thrust line and mechanism
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Judge {
    pub fn execute(&self) -> Result<(), Failure> {
        if let Some(html) = &self.html {
            output::distinct(&[html], &[Path::new(&self.select.scene)])?;
        }
        let scene = self.select.open(self.json)?;
        let options = self.options(&scene)?;
        let found = analyze(&scene.model, &scene.state, &scene.settings, &options);
        let found = found.map_err(|e| match e {
            StabilityError::Program(_) => Failure::Simulation(e.to_string()),
            _ => Failure::Input(format!("{}: {e}", self.select.scene)),
        })?;
        if let Some(html) = &self.html {
            let text = page(&scene.name, &scene.model, &scene.state, &found);
            std::fs::write(html, text).map_err(|e| {
                Failure::Simulation(format!("{}: cannot be written: {e}", html.display()))
            })?;
        }
        if self.json {
            let json = serde_json::to_string(&found)
                .map_err(|error| Failure::Simulation(format!("cannot write JSON: {error}")))?;
            output::print(&format!("{json}\n"))?;
        } else {
            output::print(&self.text(&scene.name, &found))?;
        }
        match (found.stands, found.agrees()) {
            (false, _) => Err(Failure::Answer(format!("{} cannot rest", scene.name))),
            (true, Some(false)) => {
                Err(Failure::Answer(format!("{} could rest, but does not", scene.name)))
            }
            (true, _) => Ok(()),
        }
    }

    fn options(&self, scene: &Scene) -> Result<Options, Failure> {
        let dimension = scene.model.dimension();
        let forces = |texts: &[String], option: &str| {
            texts.iter().map(|text| load(text, option, dimension)).collect::<Result<Vec<_>, _>>()
        };
        Ok(Options {
            tilt: self.tilt.iter().map(|t| axis(t)).collect::<Result<_, _>>()?,
            loads: forces(&self.load, "--load")?,
            pushes: forces(&self.push, "--push")?,
            friction: self.friction_critical,
            cone: self.pyramid.map_or(Cone::Quadratic, Cone::Pyramid),
            gap: self.gap,
            simulate: Some(self.simulate).filter(|&t| t != 0.0),
        })
    }

    fn text(&self, name: &str, found: &Stability) -> String {
        let verdict = if found.stands { "can rest" } else { "cannot rest" };
        let mut out = format!(
            "{name} {verdict}: {} blocks, {} corners in contact, imbalance {:.1e}\n",
            found.blocks, found.corners, found.imbalance
        );
        let more = |out: &mut String, count: usize| {
            if count > SHOWN {
                out.push_str(&format!("    and {} more\n", count - SHOWN));
            }
        };
        if !found.stands {
            out.push_str("  forces that do not exist:\n");
            for m in found.missing.iter().take(SHOWN) {
                let (force, torque) = (numbers(&m.force), numbers(&m.torque));
                out.push_str(&format!("    {}: force {force} N, torque {torque} N m\n", m.body));
            }
            more(&mut out, found.missing.len());
        }
        lines(found).iter().for_each(|line| out.push_str(&format!("  {line}\n")));
        if found.ambiguous > 0 {
            let n = found.ambiguous;
            out.push_str(&format!(
                "  {n} pairs touch at corners alone: no force was given to them\n"
            ));
        }
        if let Some(run) = &found.dynamic {
            out.push_str(&format!(
                "  simulated for {} s: {} of {} blocks moved, the farthest point by {:.2e} m\n",
                run.time,
                run.moved.len(),
                found.blocks,
                run.farthest
            ));
            for m in run.moved.iter().take(SHOWN) {
                let (distance, turned) = (m.distance, m.turned);
                out.push_str(&format!("    {}: {distance:.2e} m, {turned:.2e} rad\n", m.body));
            }
            more(&mut out, run.moved.len());
            run.ended.iter().for_each(|e| out.push_str(&format!("  the run ended early: {e}\n")));
        }
        if let Some(html) = &self.html {
            out.push_str(&format!("  wrote {}\n", html.display()));
        }
        out
    }
}

/// Blocks that are listed one by one.
const SHOWN: usize = 8;

fn numbers(v: &[f64; 3]) -> String {
    format!("({:.4}, {:.4}, {:.4})", v[0] + 0.0, v[1] + 0.0, v[2] + 0.0)
}

/// Two numbers in the plane, three in space.
fn vector(text: &str, count: &[usize]) -> Option<Vec3> {
    let parts: Option<Vec<f64>> = text.split(',').map(|x| x.trim().parse().ok()).collect();
    let parts = parts.filter(|p| count.contains(&p.len()))?;
    let part = |k: usize| parts.get(k).copied().unwrap_or(0.0);
    Some(Vec3::new(part(0), part(1), part(2)))
}

fn axis(text: &str) -> Result<Vec3, Failure> {
    match text {
        "x" => Ok(Vec3::X),
        "y" => Ok(Vec3::Y),
        "z" => Ok(Vec3::Z),
        _ => vector(text, &[3]).ok_or_else(|| {
            Failure::Input(format!(
                "--tilt {text}: x, y, z or three numbers such as 1,0,0 are needed"
            ))
        }),
    }
}

fn load(text: &str, option: &str, dimension: Dimension) -> Result<Load, Failure> {
    let count: &[usize] = if dimension == Dimension::Two { &[2] } else { &[3] };
    let example = if dimension == Dimension::Two { "0,-100" } else { "0,0,-100" };
    let wrong = || {
        Failure::Input(format!(
            "{option} {text}: BODY=FORCE or BODY=FORCE@POINT is needed, such as stone-5={example}"
        ))
    };
    // a name may hold any sign but these two
    let (body, rest) = text.rsplit_once('=').ok_or_else(wrong)?;
    let (force, at) = match rest.split_once('@') {
        Some((force, at)) => (force, Some(vector(at, count).ok_or_else(wrong)?)),
        None => (rest, None),
    };
    let force = vector(force, count).ok_or_else(wrong)?;
    Ok(Load { body: body.into(), force, at })
}
