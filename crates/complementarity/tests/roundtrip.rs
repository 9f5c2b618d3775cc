//! Every kind of problem in every format that can hold it: what comes back is what was written.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::path::PathBuf;

use complementarity::file::{self, Content};
use complementarity::problem::{Csc, Dense, Factored, Global};
use complementarity::{
    Cone, ConeRows, ContactProblem, ContactRows, Law, Lcp, Matrix, Mlcp, Problem,
};

/// A folder that vanishes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("roundtrip-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const INF: f64 = f64::INFINITY;

/// Numbers with digits to the last bit.
fn odd(k: usize) -> f64 {
    ((k * k + 1) as f64).sqrt() / 3.0 - 2.0
}

fn dense(n: usize) -> Matrix {
    Matrix::Dense(Dense { rows: n, cols: n, values: (0..n * n).map(odd).collect() })
}

fn sparse(n: usize) -> Csc {
    let entries: Vec<_> = (0..2 * n).map(|k| ((k * 7 + 1) % n, k % n, odd(k))).collect();
    Csc::from_triplets(n, n, &entries)
}

fn factored(n: usize) -> Matrix {
    let side = |k: usize| Csc::from_triplets(n, 4, &[(0, 0, odd(k)), (n - 1, 3, odd(k + 1))]);
    let (left, right) = (side(1), side(5).transpose());
    Matrix::Factored(Box::new(Factored { left, right, d_block: sparse(n) }))
}

fn vector(n: usize) -> Vec<f64> {
    (0..n).map(|k| odd(k + 40)).collect()
}

fn cones(d: usize, n: usize) -> Vec<ConeRows> {
    let rolling = |k: usize| if d == 5 { 0.01 * odd(k + 60) } else { 0.0 };
    (0..n)
        .map(|k| ConeRows { rows: k * d..(k + 1) * d, mu: odd(k + 30), rolling: rolling(k) })
        .collect()
}

fn lcps() -> Vec<Content> {
    let contact = |slip| ContactRows { normal: 0, friction: 1..5, slip, mu: 0.3 };
    let lcp = |m: Matrix| Lcp::new(m, vector(6)).unwrap();
    let bounded = |l: [f64; 3], u: [f64; 3]| {
        Problem::Mlcp(Mlcp::new(dense(3), vector(3), l.to_vec(), u.to_vec()).unwrap())
    };
    vec![
        Problem::Lcp(lcp(dense(6))).into(),
        Problem::Lcp(lcp(Matrix::Sparse(sparse(6))).with_contacts(vec![contact(Some(5))])).into(),
        Problem::Lcp(lcp(factored(6)).with_contacts(vec![contact(None)])).into(),
        bounded([0.0, -INF, 0.0], [INF; 3]).into(),
        bounded([-INF, -INF, 0.0], [INF; 3]).into(),
        bounded([-1.0, -INF, 0.5], [2.0, 0.25, INF]).into(),
        Problem::Lcp(Lcp::new(Matrix::Dense(Dense::zeros(0, 0)), vec![]).unwrap()).into(),
    ]
}

fn cone_problems() -> Vec<Content> {
    let mut out: Vec<Content> = vec![];
    for d in [2, 3, 5] {
        let n = 2 * d;
        for matrix in [dense(n), Matrix::Sparse(sparse(n)), factored(n)] {
            out.push(Problem::Cone(Cone::new(matrix, vector(n), cones(d, 2)).unwrap()).into());
        }
        let mass =
            Csc::from_triplets(4, 4, &(0..4).map(|i| (i, i, odd(20 + i))).collect::<Vec<_>>());
        let h = Csc::from_triplets(4, n, &[(0, 0, odd(3)), (3, n - 1, odd(4)), (2, 1, odd(9))]);
        let global = Global::new(mass, h, vector(4), vector(n), cones(d, 2)).unwrap();
        out.push(Content::Global(global));
    }
    out
}

/// A cone problem with rows outside its contacts.
fn with_joints() -> Content {
    let contacts = vec![ConeRows { rows: 2..5, mu: 0.5, rolling: 0.0 }];
    let cone = Cone::new(dense(6), vector(6), contacts).unwrap();
    let (mut lower, upper) = (vec![-INF; 6], vec![INF; 6]);
    lower[5] = 0.0;
    Problem::Cone(cone.with_bounds(lower, upper).unwrap()).into()
}

/// Contacts with every law, one of them without a velocity.
fn blocks() -> Content {
    let mut out = ContactProblem::new(7);
    let rows = |m: usize| (0..m).map(odd).collect::<Vec<f64>>();
    out.push(Law::FRICTIONLESS, &[1, 4], &rows(2), [odd(1); 3]).unwrap();
    out.push(Law::Disc { mu: 0.3 }, &[6, 0, 2], &rows(9), [odd(2), odd(3), odd(5)]).unwrap();
    out.push(Law::Disc { mu: 0.2 }, &[3], &rows(2), [odd(2), odd(4), 0.0]).unwrap();
    let motor = Law::Interval { lower: -2.0, upper: 3.5, compliance: 1e-3 };
    out.push(motor, &[], &[], [odd(6), 0.0, 0.0]).unwrap();
    Content::Contacts(out)
}

/// Contacts come back as they were from archives, and as the problem that solvers get from other files.
#[test]
fn contacts_are_kept_block_by_block() {
    let folder = Folder::new("blocks");
    let path = folder.0.join("contacts.npz");
    let mut pyramids = ContactProblem::new(3);
    let law = Law::Polygon { mu: 0.7, corners: 5 };
    pyramids.push(law, &[2, 1], &[1.0, 0.5, 0.25, 2.0, -1.0, 0.75], [-1.0, 0.1, 0.2]).unwrap();
    for content in
        [blocks(), Content::Contacts(pyramids), Content::Contacts(ContactProblem::new(0))]
    {
        file::save(&path, &content).unwrap();
        assert_eq!(file::load(&path).unwrap(), content);
        assert_eq!(content.class_name(), "contacts");
        assert_eq!(numbers(&file::read(&path).unwrap().into()), numbers(&content));
        let market = folder.0.join("reduced.mtx");
        if let Ok(()) = file::save(&market, &content) {
            let (a, b) = (numbers(&file::load(&market).unwrap()), numbers(&content));
            assert_eq!((a.0, a.1), (b.0, b.1));
        }
    }
}

/// A, b, bounds, contacts.
type Numbers = (Dense, Vec<f64>, (Vec<f64>, Vec<f64>), Option<usize>);

/// The numbers of a problem, whatever the storage.
fn numbers(content: &Content) -> Numbers {
    let p = content.clone().into_problem().unwrap();
    (p.matrix().to_dense(), p.b().to_vec(), p.bounds(), p.n_contacts())
}

#[test]
fn archives_keep_everything() {
    let folder = Folder::new("npz");
    let all = lcps().into_iter().chain(cone_problems()).chain([with_joints(), blocks()]);
    for (k, content) in all.enumerate() {
        let path = folder.0.join(format!("{k}.npz"));
        file::save(&path, &content).unwrap();
        assert_eq!(file::load(&path).unwrap(), content, "{k}");
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn collections_keep_everything() {
    use complementarity::file::Named;
    let folder = Folder::new("h5");
    let all = lcps().into_iter().chain(cone_problems()).chain([with_joints(), blocks()]);
    let all: Vec<Named> =
        all.enumerate().map(|(k, content)| Named { name: format!("p{k:02}"), content }).collect();
    let path = folder.0.join("all.h5");
    file::save_all(&path, &all).unwrap();
    assert_eq!(file::load_all(&path).unwrap(), all);
    // one wanted, many there
    let error = file::read(&path).unwrap_err().to_string();
    assert!(error.contains(&format!("{} problems", all.len())), "{error}");
    // equal names are told apart
    file::save_all(&path, &[all[0].clone(), all[0].clone()]).unwrap();
    let names: Vec<String> = file::load_all(&path).unwrap().into_iter().map(|n| n.name).collect();
    assert_eq!(names, ["p00", "p00-2"]);
    assert!(file::save_all(&folder.0.join("all.npz"), &all).is_err());
}

/// The text formats know no factors: the numbers are the same.
#[test]
fn text_files_keep_what_they_can_say() {
    let folder = Folder::new("dat");
    for (k, content) in lcps().into_iter().enumerate() {
        let family = content.class_name();
        let path = folder.0.join(format!("{k}_{family}.dat"));
        if k == 5 {
            // bounds other than zero have no place in the format
            let error = file::save(&path, &content).unwrap_err().to_string();
            assert!(error.contains("cannot hold"), "{error}");
            continue;
        }
        file::save(&path, &content).unwrap();
        let (a, b) = (numbers(&file::load(&path).unwrap()), numbers(&content));
        assert_eq!((a.0, a.1, a.2), (b.0, b.1, b.2), "{k}");
    }
    for (k, content) in cone_problems().into_iter().enumerate() {
        let global = matches!(content, Content::Global(_));
        let path = folder.0.join(format!("{}FC3D_{k}.dat", if global { "G" } else { "" }));
        file::save(&path, &content).unwrap();
        let back = file::load(&path).unwrap();
        assert_eq!(numbers(&back), numbers(&content), "{k}");
        assert_eq!(back.class_name(), content.class_name());
    }
    assert!(file::save(&folder.0.join("FC3D.dat"), &with_joints()).is_err());
}

#[test]
fn market_files_keep_the_numbers() {
    let folder = Folder::new("mtx");
    for (k, content) in lcps().into_iter().chain(cone_problems()).enumerate() {
        let path = folder.0.join(format!("{k}.mtx"));
        file::save(&path, &content).unwrap();
        let (a, b) = (numbers(&file::load(&path).unwrap()), numbers(&content));
        assert_eq!((a.0, a.1, a.2), (b.0, b.1, b.2), "{k}");
        assert!(file::is_known(&path) && !file::is_known(&folder.0.join(format!("{k}_b.mtx"))));
    }
}

#[cfg(feature = "hdf5")]
#[test]
fn fclib_files_keep_both_forms() {
    let folder = Folder::new("fclib");
    for (k, content) in cone_problems().into_iter().enumerate() {
        let path = folder.0.join(format!("{k}.hdf5"));
        file::save(&path, &content).unwrap();
        let back = file::load(&path).unwrap();
        assert_eq!(back.class_name(), content.class_name());
        assert_eq!(numbers(&back), numbers(&content), "{k}");
    }
    let path = folder.0.join("no.hdf5");
    for content in [with_joints(), lcps().remove(0)] {
        assert!(file::save(&path, &content).is_err());
    }
}

/// `v = M⁻¹ (H p + f)` and `u = Hᵀ v + w` is what the local form gives for u.
#[test]
fn velocities_of_the_global_form_agree_with_the_local_one() {
    for content in cone_problems() {
        let Content::Global(global) = content else { continue };
        let p = vector(global.w.len());
        let v = global.velocities(&p).unwrap();
        let mut u = global.w.clone();
        global.h.transpose().add_times(&v, &mut u);
        for (x, y) in u.iter().zip(global.condensed().unwrap().w(&p)) {
            assert!((x - y).abs() < 1e-12, "{x} {y}");
        }
    }
}
