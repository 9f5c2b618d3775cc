//! Files as AMPL and Pyomo write them.

#![allow(clippy::unwrap_used)] // helpers of tests may

use std::process::Command;

use complementarity::Status;
use complementarity::nonlinear::{Map, NonlinearSettings, differences};
use complementarity::solver::NoWatch;
use complementarity_ampl::{Model, Nl};

/// Header of n variables and m constraints.
fn header(n: usize, m: usize) -> String {
    format!(
        "g3 1 1 0\t# problem unknown\n {n} {m} 0 0 0 \t# vars, constraints, objectives, ranges, eqns\n \
         {m} 0 0 {m} 0 0\t# nonlinear constraints, objectives; ccons: lin, nonlin, nd, nzlb\n 0 0\n \
         {n} 0 0\n 0 0 0 1\n 0 0 0 0 0\n {} 0\n 0 0\n 0 0 0 0 0\n",
        n * m
    )
}

/// Josephy's problem: x_i >= 0 complements a quadratic.
fn josephy() -> String {
    // a a^2 + b ab + c b^2 + linear part + constant, per row
    let rows = [
        ([3.0, 2.0, 2.0], [0.0, 0.0, 1.0, 3.0], -6.0),
        ([2.0, 0.0, 1.0], [1.0, 0.0, 3.0, 2.0], -2.0),
        ([3.0, 1.0, 2.0], [0.0, 0.0, 2.0, 3.0], -1.0),
        ([1.0, 0.0, 3.0], [0.0, 0.0, 2.0, 3.0], -3.0),
    ];
    let mut text = header(4, 4);
    for (i, (square, _, constant)) in rows.iter().enumerate() {
        text += &format!("C{i}\no54\n4\n");
        text += &format!("o2\nn{}\no5\nv0\nn2\n", square[0]);
        text += &format!("o2\nn{}\no2\nv0 #x1\nv1 #x2\n", square[1]);
        text += &format!("o2\nn{}\no5\nv1\nn2\nn{constant}\n", square[2]);
    }
    text +=
        "x4\n0 1.0\n1 0.5\n2 1.0\n3 1.0\nr\n5 1 1\n5 1 2\n5 1 3\n5 1 4\nb\n2 0\n2 0\n2 0\n2 0\n";
    text += "k3\n4\n8\n12\n";
    for (i, (_, linear, _)) in rows.iter().enumerate() {
        text += &format!("J{i} 4\n");
        linear.iter().enumerate().for_each(|(j, a)| text += &format!("{j} {a}\n"));
    }
    text
}

#[test]
fn josephy_is_read_differentiated_and_solved() {
    let model = Model::new(Nl::read(&josephy()).unwrap()).unwrap();
    let z = [1.3, 0.4, 0.2, 0.7];
    let (exact, near) = (model.jacobian(&z).to_dense(), differences(&model, &z).to_dense());
    for (x, y) in exact.values.iter().zip(&near.values) {
        assert!((x - y).abs() < 1e-8, "{x} {y}");
    }
    let found = model.solve(&NonlinearSettings::default(), &mut NoWatch).unwrap();
    assert_eq!(found.status, Status::Solved);
    for (x, y) in found.z.iter().zip([1.5_f64.sqrt(), 0.0, 0.0, 0.5]) {
        assert!((x - y).abs() < 1e-8, "{:?}", found.z);
    }
}

/// x >= 0 complements y - 1; an equation y = exp(x) - d takes the variable that is left. d = 2 x is
/// a defined variable.
fn mixed() -> String {
    header(2, 2)
        + "V2 1 0\n0 2\nn0\nC0\nn-1\nC1\no54\n3\no44\nv0\no16\nv2\no16\nv1\n\
           r\n5 1 1\n4 0\nb\n2 0\n3\nk1\n1\nJ0 1\n1 1\n"
}

#[test]
fn equations_take_the_variables_that_are_left() {
    let model = Model::new(Nl::read(&mixed()).unwrap()).unwrap();
    let found = model.solve(&NonlinearSettings::default(), &mut NoWatch).unwrap();
    assert_eq!(found.status, Status::Solved);
    // either x = 0 and y = 1, or y = 1 and exp(x) - 2 x = 1
    let (x, y) = (found.z[0], found.z[1]);
    assert!((y - 1.0).abs() < 1e-8 && (x.exp() - 2.0 * x - 1.0).abs() < 1e-8, "{x} {y}");
}

/// What is wrong is said with the line.
#[test]
fn mistakes_say_where() {
    let read = |text: &str| Nl::read(text).unwrap_err().to_string();
    assert!(read("3 1 1 0\n").contains("line 1: an .nl file begins with g"));
    assert!(read("").contains("the file ends before the header"));
    assert!(read(&(header(2, 1) + "C0\no99\n")).contains("line 12: operator o99"));
    assert!(read(&(header(2, 1) + "C0\nv7\n")).contains("line 12: variable 7 is used before"));
    assert!(read(&(header(2, 1) + "C5\nn0\n")).contains("line 11: there is no constraint 5"));
    assert!(read(&(header(2, 1) + "r\n5 1 9\n")).contains("complements variable 9 of 2"));
    assert!(read(&(header(2, 1) + "b\n0 3 1\n")).contains("bounds 3 > 1"));
    assert!(read(&(header(2, 1) + "C0\no54\n")).contains("ends before the number of operands"));
    assert!(read(&(header(2, 1) + "C0\nnnan\n")).contains("line 12: \"nan\" is no number"));
    assert!(read(&(header(2, 1) + "C0\nn-inf\n")).contains("line 12: -inf is not finite"));
    assert!(read(&(header(2, 1) + "r\n4 inf\n")).contains("line 12: inf is not finite"));
    assert!(read(&(header(2, 1) + "b\n4 -inf\n")).contains("line 12: -inf is not finite"));
    assert!(read(&(header(2, 1) + "J0 1\n0 inf\n")).contains("line 12: variable 0 with inf"));
    assert!(read(&(header(2, 1) + "x1\n0 nan\n")).contains("line 12: \"nan\" is no number"));
    assert!(read(&header(99_999, 1)).contains("in so short a file"));
    let model = |tail: &str| match Model::new(Nl::read(&(header(1, 1) + tail)).unwrap()) {
        Err(error) => error.to_string(),
        Ok(_) => panic!("{tail} was accepted"),
    };
    assert!(model("C0\nv0\nr\n3\nb\n3\n").contains("0 equations are left for 1 variables"));
    assert!(model("C0\nv0\nr\n2 1\nb\n3\n").contains("constraint 0 is an inequality"));
}

/// The same file as AMPL's `solve` writes it: numbers as they lie in memory. Reads the segments of the text
/// from their definition, not from the reader under test.
fn binary(text: &str) -> Vec<u8> {
    let mut out = vec![];
    let mut segment = ' ';
    for (k, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap().trim();
        if k < 10 {
            let first = if k == 0 { line.replacen('g', "b", 1) } else { format!(" {line}") };
            out.extend(format!("{first}\n").bytes());
            continue;
        }
        let letter = line.chars().next().filter(|c| c.is_alphabetic());
        let numbers: Vec<&str> = line.trim_start_matches(char::is_alphabetic).split(' ').collect();
        let double = |out: &mut Vec<u8>, k: usize| {
            out.extend(numbers[k].parse::<f64>().unwrap().to_le_bytes());
        };
        let int = |out: &mut Vec<u8>, k: usize| {
            out.extend(numbers[k].parse::<i32>().unwrap().to_le_bytes());
        };
        match (letter, segment) {
            (Some('n'), _) => {
                out.push(b'n');
                double(&mut out, 0);
            }
            (Some(letter), _) => {
                out.push(letter as u8);
                if !"rb".contains(letter) {
                    (0..numbers.len()).for_each(|k| int(&mut out, k));
                }
                segment = letter;
            }
            (None, 'r' | 'b') => {
                out.push(line.as_bytes()[0]);
                for k in 1..numbers.len() {
                    if numbers[0] == "5" { int(&mut out, k) } else { double(&mut out, k) }
                }
            }
            (None, 'J' | 'x' | 'V') => {
                int(&mut out, 0);
                double(&mut out, 1);
            }
            // columns, and numbers of operands
            (None, _) => int(&mut out, 0),
        }
    }
    out
}

#[test]
fn binary_files_say_the_same() {
    for text in [josephy(), mixed()] {
        let bytes = binary(&text);
        let same = Nl::from_bytes(&bytes).unwrap();
        assert_eq!(format!("{same:?}"), format!("{:?}", Nl::read(&text).unwrap()));
        // cut anywhere it is refused, or what is left is whole
        for end in 0..bytes.len() {
            let Err(error) = Nl::from_bytes(&bytes[..end]) else { continue };
            let place = error.to_string();
            assert!(["byte", "record", "line"].iter().any(|w| place.starts_with(w)), "{place}");
        }
    }
    let swapped = mixed().replace(" 0 0 0 1\n 0 0 0 0 0", " 0 0 2 1\n 0 0 0 0 0");
    let error = Nl::from_bytes(&binary(&swapped)).unwrap_err().to_string();
    assert!(error.contains("big-endian"), "{error}");
}

/// No damaged file brings the reader down. Seed 7.
#[test]
fn damaged_files_are_refused_or_read() {
    let mut seed = 7_u64;
    let mut draw = |end: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % end.max(1)
    };
    let texts = [josephy(), mixed()];
    let originals = texts.iter().flat_map(|t| [t.clone().into_bytes(), binary(t)]);
    for original in originals {
        for _ in 0..400 {
            let mut bytes = original.clone();
            for _ in 0..1 + draw(4) {
                let at = draw(bytes.len());
                match draw(3) {
                    0 => bytes[at] = b"0123456789-.ovnCVJrbx \n"[draw(23)],
                    1 => drop(bytes.drain(at..(at + 1 + draw(20)).min(bytes.len()))),
                    _ => bytes.insert(at, b"0123456789\nov"[draw(13)]),
                }
            }
            if let Ok(model) = Nl::from_bytes(&bytes).map(Model::new)
                && let Ok(model) = model
            {
                let mut f = vec![0.0; model.size()];
                model.value(&model.nl().start, &mut f);
                model.jacobian(&model.nl().start);
            }
        }
    }
}

/// The program as AMPL calls it.
#[test]
fn the_program_writes_a_sol_file() {
    let folder = std::env::temp_dir().join(format!("complementarity-ampl-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let stub = folder.join("my.model");
    std::fs::write(folder.join("my.model.nl"), josephy()).unwrap();
    let program = env!("CARGO_BIN_EXE_complementarity-ampl");
    let run = |words: &[&str]| {
        let done = Command::new(program).arg(&stub).args(words).output().unwrap();
        let text = [done.stdout, done.stderr].map(|b| String::from_utf8(b).unwrap()).concat();
        (done.status.success(), text)
    };
    let (fine, text) = run(&["-AMPL", "tolerance=1e-9"]);
    assert!(fine && text.contains("solved: residual"), "{text}");
    let sol = std::fs::read_to_string(folder.join("my.model.sol")).unwrap();
    let lines: Vec<&str> = sol.lines().collect();
    assert_eq!(lines[2..7], ["Options", "3", "1", "1", "0"]);
    assert_eq!(lines[7..11], ["4", "0", "4", "4"]);
    assert!((lines[11].parse::<f64>().unwrap() - 1.5_f64.sqrt()).abs() < 1e-8, "{sol}");
    assert_eq!(lines[15], "objno 0 0");
    let (fine, text) = run(&["-AMPL", "tolerance=7"]);
    assert!(!fine && text.contains("tolerance = 7, but it must be in (0, 1)"), "{text}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// x² + 1 = 0 from ever new starts takes forever; Ctrl-C ends it at once, and no answer is left.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_the_program() {
    use std::os::unix::process::ExitStatusExt;

    // A shell starts what runs in its background with the signal ignored, and children inherit that.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    if ignored.is_some_and(|mask| u64::from_str_radix(mask.trim(), 16).unwrap_or(0) & 2 != 0) {
        eprintln!("skipped: this process ignores Ctrl-C");
        return;
    }
    let folder =
        std::env::temp_dir().join(format!("complementarity-signal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = header(1, 1) + "C0\no5\nv0\nn2\nr\n4 -1\nb\n3\nk0\nJ0 1\n0 0\n";
    std::fs::write(folder.join("never.nl"), text).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_complementarity-ampl"))
        .arg(folder.join("never"))
        .args(["-AMPL", "restarts=1000000000"])
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().signal(), Some(2));
    assert!(!folder.join("never.sol").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}
