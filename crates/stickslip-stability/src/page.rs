//! The answers as an HTML page without scripts, all in one file.

use std::fmt::Write;

use stickslip::{Model, State};

use crate::{
    draw::{force_diagram, picture, shown_mechanism},
    report::{BlockMotion, Stability},
};

const STYLE: &str = "\
body{font:16px/1.5 system-ui,sans-serif;color:#22262c;max-width:64rem;margin:2rem auto;padding:0 1.2rem}\
h1{font-size:1.7rem;margin:.2rem 0}h2{font-size:1.2rem;margin:2rem 0 .6rem}\
table{border-collapse:collapse;font-size:.92rem;margin:.4rem 0 1rem}\
th,td{border-bottom:1px solid #dfe3e8;padding:.3rem .8rem .3rem 0;text-align:left}\
th{color:#5a606a;font-weight:600}td{font-variant-numeric:tabular-nums}\
svg{max-width:100%;height:auto;border:1px solid #dfe3e8}p.note{color:#5a606a}\
.yes{color:#1d7a35;font-weight:600}.no{color:#b3372a;font-weight:600}";

/// Rows of a table that are shown; a wall has thousands.
const ROWS: usize = 40;

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn vector(v: &[f64; 3]) -> String {
    // no minus before what is rounded to zero
    let shown = |x: &f64| if x.abs() < 5e-5 { 0.0 } else { *x };
    let text: Vec<String> = v.iter().map(|x| format!("{:.4}", shown(x))).collect();
    text.join(", ")
}

/// A page with the answers, the drawing and the forces; `name` is that of the scene.
pub fn page(name: &str, model: &Model, state: &State, found: &Stability) -> String {
    let (class, verdict) = match found.stands {
        true => ("yes", "can rest"),
        false => ("no", "cannot rest"),
    };
    let mut body = format!(
        "<h1>{0}</h1>\n<p><span class=\"{class}\">{0} {verdict}.</span> {1} blocks touch at {2} \
         corners; what is left unbalanced at best is {3:.1e} of the load.</p>\n",
        escape(name),
        found.blocks,
        found.corners,
        found.imbalance
    );
    answers(found, &mut body);
    dynamic(found, &mut body);
    body.push_str("<h2>Forces and mechanism</h2>\n");
    body.push_str(&picture(model, state, found));
    body.push_str(
        "<p class=\"note\">Blue: the force in every joint at its centre of pressure, thin: at the \
         corners. Green: the thrust line, through blocks held in two joints. Red, dashed: how the \
         blocks start to move in a collapse. The forces are one set of many where the structure is \
         statically indeterminate.</p>\n",
    );
    body.push_str("<h2>Force diagram</h2>\n");
    body.push_str(&force_diagram(model, state, found));
    body.push_str(
        "<p class=\"note\">The forces in all joints from one pole. Those of an arch end on its load \
         line (red): neighbours differ by the weight of the stone between them.</p>\n",
    );
    tables(found, &mut body);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>{}: stability</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(name)
    )
}

/// The answers as lines of text.
pub fn lines(found: &Stability) -> Vec<String> {
    let mut out = Vec::new();
    if let Some(load) = &found.load {
        out.push(match load.factor {
            Some(factor) => format!("load: borne {factor:.6} times"),
            None => "load: borne however large".into(),
        });
    }
    for tilt in &found.tilt {
        let axis = vector(&tilt.axis);
        out.push(match tilt.angle {
            Some(angle) => {
                format!("tilt about ({axis}): {angle:.6} rad, {:.4} degrees", angle.to_degrees())
            }
            None => format!("tilt about ({axis}): stands at every angle up to a right one"),
        });
    }
    for push in &found.push {
        let along = vector(&push.direction);
        out.push(match push.force {
            Some(force) => format!("push on {} along ({along}): {force:.6} N", push.body),
            None => format!("push on {} along ({along}): borne however large", push.body),
        });
    }
    if let Some(friction) = &found.friction {
        out.push(match (friction.coefficient, friction.factor) {
            (Some(mu), _) => format!("least friction: {mu:.6}"),
            (None, Some(factor)) => format!("least friction: {factor:.6} times that of the scene"),
            (None, None) => "least friction: none is enough".into(),
        });
    }
    out
}

fn answers(found: &Stability, out: &mut String) {
    let lines = lines(found);
    if !lines.is_empty() {
        out.push_str("<h2>What brings it down</h2>\n<ul>\n");
        lines.iter().for_each(|l| out.push_str(&format!("<li>{}</li>\n", escape(l))));
        out.push_str("</ul>\n");
    }
    if found.ambiguous > 0 {
        let _ = writeln!(
            out,
            "<p class=\"note\">{} pairs touch at corners or parallel edges alone; no force was given \
             to them.</p>",
            found.ambiguous
        );
    }
}

fn dynamic(found: &Stability, out: &mut String) {
    let Some(run) = &found.dynamic else { return };
    let _ = writeln!(
        out,
        "<h2>What the simulator does</h2>\n<p>After {} s with a step of {} s, {}: the farthest point \
         went {:.2e} m.{}</p>",
        run.time,
        run.step,
        match run.moved.len() {
            0 => "all blocks are where they were".into(),
            n => format!("{n} of {} blocks have moved", found.blocks),
        },
        run.farthest,
        match found.agrees() {
            Some(false) if found.stands => {
                " The static answer is too kind: forces that would hold it exist, but Coulomb's \
                 friction, which does not follow the associated flow rule, does not choose them."
            }
            Some(false) => {
                " It moves too little in this time to be seen, or rests where the contacts are not."
            }
            _ => "",
        }
    );
    if let Some(ended) = &run.ended {
        let _ = writeln!(out, "<p>The run ended early: {}</p>", escape(ended));
    }
    let rows = run
        .moved
        .iter()
        .map(|m| vec![m.body.clone(), format!("{:.3e}", m.distance), format!("{:.3e}", m.turned)]);
    table(&["block", "centre moved [m]", "turned [rad]"], rows.collect(), out);
}

fn tables(found: &Stability, out: &mut String) {
    if !found.missing.is_empty() {
        out.push_str(
            "<h2>Forces that do not exist</h2>\n<p>What the contacts cannot supply:</p>\n",
        );
        let rows = found.missing.iter();
        let rows = rows.map(|m| vec![m.body.clone(), vector(&m.force), vector(&m.torque)]);
        table(&["block", "force [N]", "torque [N m]"], rows.collect(), out);
    }
    let motions: &[BlockMotion] = shown_mechanism(found);
    if !motions.is_empty() {
        out.push_str("<h2>Mechanism</h2>\n");
        let row = |m: &BlockMotion| {
            vec![m.body.clone(), vector(&m.velocity), vector(&m.angular_velocity)]
        };
        let head = ["block", "velocity [m/s]", "angular velocity [rad/s]"];
        table(&head, motions.iter().map(row).collect(), out);
    }
    out.push_str("<h2>Forces in the joints</h2>\n");
    let rows = found.forces.iter();
    let rows = rows.map(|f| vec![format!("{} - {}", f.a, f.b), vector(&f.force), vector(&f.point)]);
    table(&["joint", "force on the second [N]", "centre of pressure [m]"], rows.collect(), out);
}

fn table(head: &[&str], rows: Vec<Vec<String>>, out: &mut String) {
    if rows.is_empty() {
        return;
    }
    out.push_str("<table>\n<tr>");
    head.iter().for_each(|h| out.push_str(&format!("<th>{h}</th>")));
    out.push_str("</tr>\n");
    for row in rows.iter().take(ROWS) {
        out.push_str("<tr>");
        row.iter().for_each(|c| out.push_str(&format!("<td>{}</td>", escape(c))));
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
    if rows.len() > ROWS {
        let _ = writeln!(out, "<p class=\"note\">and {} more</p>", rows.len() - ROWS);
    }
}
