//! Two spinning planks: the overlap that linearised rotations leave after one step.

use stickslip::{Dimension, Simulator, geometry::Vec3, oracle, settings::Epsilon};

use crate::{
    Context, ExperimentError, Report,
    draw::{Window, snapshot},
    report::{curve, number, over},
    scene::{rectangle, settings, simulate, wrong},
};

/// Steps and areas of figure 5.25.
const PRINTED: [(f64, f64); 6] =
    [(0.01, 0.000025), (0.1, 0.0025), (0.2, 0.01), (0.3, 0.0223), (0.4, 0.0395), (0.5, 0.0612)];

fn stepped(h: f64, implicit: bool) -> Result<Simulator, ExperimentError> {
    let plank = |width: f64, y: f64| {
        rectangle(width, 0.5).map(|b| b.friction(0.0).at(Vec3::Y * y).spin(Vec3::Z))
    };
    let mut s = settings("separation", h);
    s.implicit = implicit;
    s.rotation_tolerance = f64::INFINITY;
    // A fixed contact distance, as in the thesis: steps are not cut.
    s.epsilon = Epsilon::Fixed(1.0);
    let mut sim =
        simulate(Dimension::Two, Vec3::ZERO, vec![plank(3.0, 0.0)?, plank(1.0, 0.5)?], s)?;
    sim.step().map_err(wrong)?;
    Ok(sim)
}

pub fn run(c: &Context) -> Result<Report, ExperimentError> {
    (c.note)("rotation");
    let mut report = Report::about(
        "A plank lies on another, both turning at 1 rad/s. Contact points and normals are those of \
         the start of the step, so that the planks overlap at its end, the more the longer the \
         step. Taking the geometry at the end removes the overlap.",
    );
    report.set("ω = 1 rad/s for both, no gravity, no friction, one step, as printed.");
    report.set("Planks of 3 x 0.5 m and 1 x 0.5 m (ours: the sizes that give the printed areas).");
    report.set(
        "Semi-implicit: `separation` with rotation_tolerance = inf; implicit: `implicit = true`; \
         epsilon = 1 m.",
    );
    let (mut rows, mut semi, mut end) = (Vec::new(), Vec::new(), Vec::new());
    let (mut agree, mut gone) = (true, 0.0_f64);
    let window = Window { x: (-1.8, 1.8), y: (-1.2, 1.6) };
    for (h, area) in PRINTED {
        let (a, b) = (stepped(h, false)?, stepped(h, true)?);
        let [x, y] = [&a, &b].map(|s| oracle::measure(&s.model, &s.state));
        let digits = if h < 0.05 { 5e-7 } else { 5e-5 };
        agree &= (x.volume - area).abs() <= digits;
        gone = gone.max(y.depth);
        rows.push(vec![
            number(h),
            format!("{area}"),
            format!("{:.6}", x.volume),
            number(y.volume),
            number(y.depth),
        ]);
        semi.push(x.volume);
        end.push(y.volume.max(1e-18));
        if h == 0.5 {
            report.picture("semi", "semi-implicit, h = 0.5 s".into(), snapshot(&a, window));
            report.picture("implicit", "implicit, h = 0.5 s".into(), snapshot(&b, window));
        }
    }
    let h: Vec<f64> = PRINTED.iter().map(|p| p.0).collect();
    let printed = PRINTED.iter().map(|p| p.1).collect();
    let curves = vec![
        curve("thesis", h.clone(), printed),
        curve("semi-implicit", h.clone(), semi),
        curve("implicit", h, end),
    ];
    let options =
        over("Overlap after one step, two planks at 1 rad/s", "h [s]", "area [m²]", (true, true));
    report.figure("areas", "Area of overlap after one step", curves, options);
    let head =
        ["h [s]", "printed [m²]", "semi-implicit [m²]", "implicit [m²]", "implicit depth [m]"];
    report.table("areas-table", "Areas of overlap", &head, rows);
    report.claim(
        "Areas 0.000025, 0.0025, 0.01, 0.0223, 0.0395, 0.0612 for h = 0.01 ... 0.5 s.",
        format!("all six {} to the printed digits", if agree { "agree" } else { "do not agree" }),
        agree,
    );
    report.claim(
        "The error comes from the semi-implicit scheme, not from PEG.",
        format!("with the geometry at the end of the step the largest depth is {} m", number(gone)),
        gone < 1e-9,
    );
    Ok(report)
}
