//! A formulation of one's own in the loop: no gap may be negative at the end of a step, without
//! friction. Copy this.
//!
//! With `W = M⁻¹ G` the velocities at the end of the step are `nu = nu_free + W p`, and the gaps
//! `psi / h + Gᵀ nu` are complementary to the impulses p: an LCP with `A = Gᵀ W`.

use stickslip::complementarity::{Lcp, Matrix, Problem, ProblemClass, problem::Dense};
use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    dynamics::{Jacobian, MassMatrix},
    formulate::{FormulateError, Formulation, Frame, Solve, StepMotion},
    geometry::{Solid, Vec3},
};

struct Frictionless;

impl Formulation for Frictionless {
    fn name(&self) -> &'static str {
        "frictionless"
    }

    fn class(&self, _: &Settings) -> ProblemClass {
        ProblemClass::Lcp
    }

    fn plan(&mut self, frame: &Frame, solve: &mut dyn Solve) -> Result<StepMotion, FormulateError> {
        let mut rows = Jacobian::new(frame.model);
        for contact in frame.contacts {
            rows.push_contact(frame.model, frame.state, contact, contact.normal);
        }
        let mass = MassMatrix::new(frame.model, frame.state);
        let (response, n) = (rows.weighted(&mass), rows.len());
        let gyroscopic = frame.settings.gyroscopic;
        let mut nu = mass.free_velocity(frame.model, frame.state, frame.h, gyroscopic);
        let (mut b, mut values) = (Vec::new(), Vec::new());
        for (j, contact) in frame.contacts.iter().enumerate() {
            b.push(rows.times(j, &nu) + rows.prescribed(j) + frame.closing(contact.gap));
            let mut column = vec![0.0; frame.model.n_dof()];
            response.add_transposed(j, 1.0, &mut column);
            values.extend((0..n).map(|i| rows.times(i, &column)));
        }
        let matrix = Matrix::Dense(Dense { rows: n, cols: n, values });
        let wrong = |source| FormulateError::Problem { formulation: "frictionless", source };
        let lcp = Lcp::new(matrix, b).map_err(wrong)?;
        // Zero: these unknowns have no name that would survive the step.
        let impulses = solve.solve(Problem::Lcp(lcp), vec![0; n])?.z;
        for (i, &p) in impulses.iter().enumerate() {
            response.add_transposed(i, p, &mut nu);
        }
        let contacts = frame.contacts.to_vec();
        Ok(StepMotion { nu, contacts, ..StepMotion::default() })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = ModelBuilder::new(Dimension::Three);
    scene.add(BodyInit::new(&Solid::half_space(Vec3::Z)?))?;
    let cube = BodyInit::new(&Solid::cuboid(Vec3::ONE)?).at(Vec3::Z).velocity(Vec3::X);
    let cube = scene.add(cube)?;
    let (model, state) = scene.build();
    let mut sim = Simulator::new(model, state, Settings::default())?;
    sim.pipeline.formulation = Box::new(Frictionless);
    for _ in 0..100 {
        sim.step()?;
    }
    let end = sim.state.pose(cube).position;
    let right = Vec3::new(1.0, 0.0, 0.5);
    assert!((end - right).length() < 1e-9, "the cube slides freely on the floor, but is at {end}");
    println!("the cube slid to {end}");
    Ok(())
}
