//! A formulation of one's own in the loop: no gap may be negative at the end of a step, without
//! friction. Copy this.
//!
//! With `W = M⁻¹ G` the velocities at the end of the step are `nu = nu_free + W p`, and the gaps
//! `psi / h + Gᵀ nu` are complementary to the impulses p: an LCP with `A = Gᵀ W`.

use stickslip::complementarity::{Lcp, Matrix, Problem, ProblemClass, Solution, problem::Dense};
use stickslip::{
    BodyInit, Dimension, ModelBuilder, Settings, Simulator,
    formulate::{FormulateError, Formulation, Frame, Jacobian, MassMatrix, Pass, StepMotion},
    geometry::{Solid, Vec3},
};

#[derive(Default)]
struct Frictionless {
    /// `M⁻¹ G` of the problem handed out last, row by row.
    response: Option<Jacobian>,
}

impl Frictionless {
    fn motion(frame: &Frame, response: &Jacobian, impulses: &[f64]) -> Pass {
        let mass = MassMatrix::new(frame.model, frame.state);
        let gyroscopic = frame.settings.gyroscopic;
        let mut nu = mass.free_velocity(frame.model, frame.state, frame.h, gyroscopic);
        for (i, &p) in impulses.iter().enumerate() {
            response.add_transposed(i, p, &mut nu);
        }
        let contacts = frame.contacts.to_vec();
        Pass::Done(StepMotion { nu, contacts, ..StepMotion::default() })
    }
}

impl Formulation for Frictionless {
    fn name(&self) -> &'static str {
        "frictionless"
    }

    fn class(&self, _: &Settings) -> ProblemClass {
        ProblemClass::Lcp
    }

    fn formulate(
        &mut self,
        frame: &Frame,
        last: Option<&Solution>,
    ) -> Result<Pass, FormulateError> {
        if let (Some(solution), Some(response)) = (last, self.response.take()) {
            return Ok(Self::motion(frame, &response, &solution.z));
        }
        let mut rows = Jacobian::new(frame.model);
        for contact in frame.contacts {
            rows.push_contact(frame.model, frame.state, contact, contact.normal);
        }
        let mass = MassMatrix::new(frame.model, frame.state);
        let (response, n) = (rows.weighted(&mass), rows.len());
        if n == 0 {
            return Ok(Self::motion(frame, &response, &[]));
        }
        let free = mass.free_velocity(frame.model, frame.state, frame.h, frame.settings.gyroscopic);
        let (mut b, mut values) = (Vec::new(), Vec::new());
        for (j, contact) in frame.contacts.iter().enumerate() {
            b.push(rows.times(j, &free) + rows.drive(j) + frame.closing(contact.gap));
            let mut column = vec![0.0; frame.model.n_dof()];
            response.add_transposed(j, 1.0, &mut column);
            values.extend((0..n).map(|i| rows.times(i, &column)));
        }
        let matrix = Matrix::Dense(Dense { rows: n, cols: n, values });
        let wrong = |source| FormulateError::Problem { formulation: "frictionless", source };
        let lcp = Lcp::new(matrix, b).map_err(wrong)?;
        self.response = Some(response);
        // Zero: these unknowns have no name that would survive the step.
        Ok(Pass::Solve { problem: Problem::Lcp(lcp), keys: vec![0; n] })
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = ModelBuilder::new(Dimension::Three);
    scene.add(BodyInit::new(&Solid::half_space(Vec3::Z)?))?;
    let cube = BodyInit::new(&Solid::cuboid(Vec3::ONE)?).at(Vec3::Z).velocity(Vec3::X);
    let cube = scene.add(cube)?;
    let (model, state) = scene.build();
    let mut sim = Simulator::new(model, state, Settings::default())?;
    sim.pipeline.formulation = Box::<Frictionless>::default();
    for _ in 0..100 {
        sim.step()?;
    }
    let end = sim.state.pose(cube).position;
    let right = Vec3::new(1.0, 0.0, 0.5);
    assert!((end - right).length() < 1e-9, "the cube slides freely on the floor, but is at {end}");
    println!("the cube slid to {end}");
    Ok(())
}
