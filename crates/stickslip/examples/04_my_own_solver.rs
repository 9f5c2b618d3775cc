//! A solver of one's own in the loop: projected Gauss-Seidel on a frictionless problem. Copy this.

use stickslip::complementarity::{
    Problem, ProblemClass, Solution, SolveError, Solver, Status, Watch,
};
use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    settings::Friction,
};

struct MyPgs;

impl Solver for MyPgs {
    fn name(&self) -> &'static str {
        "my-pgs"
    }

    fn accepts(&self) -> &'static [ProblemClass] {
        &[ProblemClass::Lcp]
    }

    fn solve(
        &mut self,
        problem: &Problem,
        z0: &[f64],
        _: &mut dyn Watch,
    ) -> Result<Solution, SolveError> {
        let Problem::Lcp(lcp) = problem else {
            return Err(SolveError::Class { solver: "my-pgs", class: problem.class() });
        };
        let a = lcp.matrix.to_dense();
        let mut z = if z0.is_empty() { vec![0.0; lcp.b.len()] } else { z0.to_vec() };
        for _ in 0..500 {
            for i in 0..z.len() {
                let w = lcp.b[i] + (0..z.len()).map(|j| a.get(i, j) * z[j]).sum::<f64>();
                z[i] = f64::max(0.0, z[i] - w / a.get(i, i));
            }
        }
        // The loop measures the error itself; this is only the method's own opinion.
        Ok(Solution { z, status: Status::Solved, iterations: 500, solver: "my-pgs", fallbacks: 0 })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = ModelBuilder::new(Dimension::Three);
    scene.add(BodyInit::new(&Solid::half_space(Vec3::Z)?))?;
    scene.add(BodyInit::new(&Solid::cuboid(Vec3::ONE)?).at(Vec3::Z * 0.6))?;
    let (model, state) = scene.build();
    let settings = Settings { friction: Friction::None, ..Settings::default() };
    let mut sim = Simulator::new(model, state, settings)?;
    sim.pipeline.solver = Box::new(MyPgs);
    let mut worst = 0.0_f64;
    for _ in 0..100 {
        worst = worst.max(sim.step()?.solves.residual);
    }
    println!("the cube rests at {}; largest residual {worst:.1e}", sim.state.q[1].position);
    Ok(())
}
