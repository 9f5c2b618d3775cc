//! Contacts that rest are solved again without allocating.

#![allow(clippy::unwrap_used, unsafe_code)] // an allocator is unsafe by its nature

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use complementarity::problem::{ContactProblem, Law};
use complementarity::solver::NoWatch;
use complementarity::{Ask, Options, registry, residual};

/// Counts what this thread allocates.
struct Counting;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: passes everything on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = COUNT.try_with(|c| c.set(c.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Towers of unit cubes side by side, four contacts each between neighbours, that begin to fall.
fn towers(count: u32, height: u32, law: Law) -> ContactProblem {
    let mut problem = ContactProblem::new((6 * count * height) as usize);
    for body in 0..count * height {
        let below = (body % height > 0).then(|| body - 1);
        for (x, y) in [(0.5, 0.5), (0.5, -0.5), (-0.5, 0.5), (-0.5, -0.5)] {
            // rows over (v, w) of a cube for the point (x, y, z): normal z, tangents x and y
            let rows = |z: f64| {
                [
                    [0.0, 0.0, 1.0, y, -x, 0.0],
                    [1.0, 0.0, 0.0, 0.0, z, -y],
                    [0.0, 1.0, 0.0, -z, 0.0, x],
                ]
            };
            let mut columns: Vec<u32> = vec![];
            let mut j: Vec<f64> = vec![];
            columns.extend(below.into_iter().flat_map(|b| 6 * b..6 * b + 6));
            columns.extend(6 * body..6 * body + 6);
            for (upper, lower) in rows(-0.5).iter().zip(rows(0.5)) {
                if below.is_some() {
                    j.extend(lower.map(|x| -x));
                }
                j.extend(upper);
            }
            // all fall alike: only the lowest come nearer to anything
            let b = if below.is_some() { 0.0 } else { -0.1 };
            problem.push(law, &columns, &j, [b, 0.0, 0.0]).unwrap();
        }
    }
    problem
}

#[test]
fn a_settled_solve_allocates_nothing() {
    let polygon = Law::Polygon { mu: 0.5, corners: 7 };
    for (count, height, law) in [
        (1, 1, polygon),
        (1, 1, Law::Disc { mu: 0.5 }),
        (1, 10, polygon),
        (3, 5, polygon),
        (1, 14, Law::Disc { mu: 0.5 }),
    ] {
        let mut problem = towers(count, height, law);
        let mut solver = registry::make("auto", &Options::new()).unwrap();
        let ask = Ask::default();
        let mut start = solver.solve_contacts(&problem, &[], &ask, &mut NoWatch).unwrap().impulses;
        let mut counts = vec![];
        for step in 0..6 {
            // the load changes a little in every step
            let load = if step % 2 == 0 { 1.0 + 1e-6 } else { 1.0 / (1.0 + 1e-6) };
            for c in 0..problem.len() {
                problem.b_mut(c)[0] *= load;
            }
            let before = COUNT.with(Cell::get);
            let found = solver.solve_contacts(&problem, &start, &ask, &mut NoWatch).unwrap();
            counts.push(COUNT.with(Cell::get) - before);
            let how = (found.solver, found.iterations);
            assert_eq!(how, ("warm-start", count as usize), "{count} towers of {height}");
            let error = residual::contacts(&problem, &found.impulses);
            assert!(error < 1e-12, "{count} towers of {height}: {error}");
            start.copy_from_slice(&found.impulses);
            solver.reuse(found);
        }
        assert_eq!(counts[2..], [0; 4], "{count} towers of {height}, {law:?}: {counts:?}");
    }
}

/// A tower too tall for that is mended by a few factorizations.
#[test]
fn a_tall_tower_at_rest_costs_few_factorizations() {
    let mut problem = towers(1, 40, Law::Polygon { mu: 0.5, corners: 7 });
    let mut solver = registry::make("auto", &Options::new()).unwrap();
    let ask = Ask::default();
    let start = solver.solve_contacts(&problem, &[], &ask, &mut NoWatch).unwrap().impulses;
    for c in 0..problem.len() {
        problem.b_mut(c)[0] *= 1.0 + 1e-6;
    }
    let found = solver.solve_contacts(&problem, &start, &ask, &mut NoWatch).unwrap();
    let error = residual::contacts(&problem, &found.impulses);
    assert!(
        error < 1e-10 && found.iterations <= 8,
        "{error} {} {}",
        found.solver,
        found.iterations
    );
}
