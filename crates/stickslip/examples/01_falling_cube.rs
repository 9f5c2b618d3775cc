//! A cube falls on a floor: the smallest program.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Runner, Settings, Simulator,
    geometry::{Solid, Vec3},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut scene = ModelBuilder::new(Dimension::Three);
    scene.add(BodyInit::new(&Solid::half_space(Vec3::Z)?).named("floor"))?;
    scene.add(BodyInit::new(&Solid::cuboid(Vec3::ONE)?).named("cube").at(Vec3::Z * 2.0))?;
    let (model, state) = scene.build();

    let summary = Runner::new(Simulator::new(model, state, Settings::default())?).run()?;
    println!("the cube ends at {:?}", summary.bodies["cube"].position);
    println!("deepest penetration: {:?} m", summary.diagnostics.max_penetration);
    Ok(())
}
