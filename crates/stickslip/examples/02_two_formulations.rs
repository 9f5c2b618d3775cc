//! The same peg over the same hole, by the standard model and by exact geometry.

use stickslip::{
    BodyInit, Dimension, ModelBuilder, Runner, Settings, Simulator,
    geometry::{Solid, Vec3},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (block, peg) = (Solid::cuboid(Vec3::ONE)?, Solid::cuboid(Vec3::splat(0.99999))?);
    for formulation in ["stewart-trinkle", "separation"] {
        let mut scene = ModelBuilder::new(Dimension::Three);
        for at in [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y] {
            scene.add(BodyInit::new(&block).at(at).fixed())?;
        }
        scene.add(BodyInit::new(&peg).named("peg").at(Vec3::Z * 1.5))?;
        let (model, state) = scene.build();
        let settings = Settings { formulation: formulation.into(), ..Settings::default() };
        let summary = Runner::new(Simulator::new(model, state, settings)?).run()?;
        let z = summary.bodies["peg"].position[2];
        let spurious = summary.diagnostics.sm_traps.unwrap_or_default();
        println!("{formulation:<16} peg at z = {z:.4} m, {spurious} spurious contacts");
    }
    Ok(())
}
