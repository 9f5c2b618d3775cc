//! Makes a scene that fails smaller, as long as it fails in the same way.

use super::{
    judge::{Finding, judge},
    make::Plan,
};

/// Runs that may be spent on one scene.
const RUNS: usize = 60;

/// The smallest scene found, and what is wrong with it.
pub fn shrink(plan: &Plan, finding: &Finding) -> (Plan, Finding) {
    let mut best = (plan.clone(), finding.clone());
    best.0.steps = finding.step.max(1);
    let mut runs = 0;
    let mut go_on = true;
    while go_on && runs < RUNS {
        go_on = false;
        for mut smaller in candidates(&best.0) {
            if runs == RUNS {
                break;
            }
            runs += 1;
            if let Some(found) = judge(&smaller)
                && found.kind == finding.kind
            {
                smaller.steps = found.step.max(1);
                best = (smaller, found);
                go_on = true;
                break;
            }
        }
    }
    best
}

/// Scenes with one thing less: a body, a joint, or a line of a body.
fn candidates(plan: &Plan) -> Vec<Plan> {
    let mut out = Vec::new();
    let movers = plan.bodies.iter().flatten().filter(|b| !b.fixed).count();
    for (k, body) in plan.bodies.iter().enumerate() {
        let removable = body.as_ref().is_some_and(|b| b.fixed || movers > 1);
        if removable {
            let mut smaller = plan.clone();
            smaller.bodies[k] = None;
            smaller.joints.retain(|j| !j.bodies.contains(&k));
            out.push(smaller);
        }
    }
    for k in 0..plan.joints.len() {
        let mut smaller = plan.clone();
        smaller.joints.remove(k);
        out.push(smaller);
    }
    for (k, body) in plan.bodies.iter().enumerate() {
        for line in 0..body.as_ref().map_or(0, |b| b.extras.len()) {
            let mut smaller = plan.clone();
            if let Some(body) = &mut smaller.bodies[k] {
                body.extras.remove(line);
            }
            out.push(smaller);
        }
    }
    out
}
