//! Steps of settled scenes ask for no memory: workspaces are kept from step to step.

#![allow(clippy::unwrap_used, unsafe_code)] // an allocator is unsafe by its nature

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use stickslip::{
    BodyInit, Dimension, JointInit, ModelBuilder, Settings, Simulator,
    geometry::{Solid, Vec3},
    model::{Motor, MotorTarget},
};

/// Counts what its thread asks for.
struct Counting;

thread_local! {
    static ASKED: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    let _ = ASKED.try_with(|asked| asked.set(asked.get() + 1));
}

// SAFETY: hands everything on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.realloc(old, layout, size) }
    }

    unsafe fn dealloc(&self, old: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(old, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What one step asks for after a second.
fn allocations(builder: ModelBuilder) -> usize {
    let (model, state) = builder.build();
    let settings = Settings { threads: 1, ..Settings::default() };
    let mut sim = Simulator::new(model, state, settings).unwrap();
    for _ in 0..100 {
        sim.step().unwrap();
    }
    let before = ASKED.with(Cell::get);
    sim.step().unwrap();
    ASKED.with(Cell::get) - before
}

/// Seven links on hinges about axes that alternate, with springs and dampers in the joints if given; links
/// that stiff ones hold collide.
fn arm(spring: Option<[f64; 2]>) -> ModelBuilder {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let solid = Solid::cuboid(Vec3::new(0.09, 0.02, 0.02)).unwrap();
    let mut last = None;
    for k in 0..7 {
        let at = Vec3::X * (0.1 * f64::from(k));
        let mut link = BodyInit::new(&solid).mass(0.1).at(at + Vec3::X * 0.05);
        link.body.collides = spring.is_some_and(|[stiffness, _]| stiffness > 1.0);
        let link = builder.add(link).unwrap();
        let axis = if k % 2 == 0 { Vec3::Y } else { Vec3::Z };
        let mut hinge = JointInit::revolute(last, link).at(at).along(axis).limits(-3.0, 3.0);
        hinge.motor = spring.map(|[stiffness, damping]| {
            Motor::new(MotorTarget::Position { position: 0.0, stiffness, damping }, None)
        });
        builder.joint(hinge).unwrap();
        last = Some(link);
    }
    builder
}

/// Cubes on each other on a floor.
fn stack(n: usize) -> ModelBuilder {
    let mut builder = ModelBuilder::new(Dimension::Three);
    let floor = Solid::cuboid(Vec3::new(9.0, 9.0, 1.0)).unwrap();
    builder.add(BodyInit::new(&floor).fixed().at(-Vec3::Z * 0.5)).unwrap();
    for k in 0..n {
        let cube = BodyInit::new(&Solid::cuboid(Vec3::ONE).unwrap());
        builder.add(cube.at(Vec3::Z * (k as f64 + 0.5))).unwrap();
    }
    builder
}

#[test]
fn bodies_at_rest_ask_for_no_memory() {
    let before = ASKED.with(Cell::get);
    assert_eq!(allocations(stack(1)), 0, "one box");
    assert!(ASKED.with(Cell::get) > before, "what is not settled is counted");
    assert_eq!(allocations(stack(10)), 0, "ten boxes");
}

#[test]
fn arms_that_nothing_touches_ask_for_no_memory() {
    assert_eq!(allocations(arm(None)), 0, "swinging");
    assert_eq!(allocations(arm(Some([0.1, 0.01]))), 0, "swinging, with springs");
    assert_eq!(allocations(arm(Some([50.0, 5.0]))), 0, "held by stiff motors");
}
