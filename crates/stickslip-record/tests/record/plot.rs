use stickslip_record::{
    RecordOptions, Recorder, Recording, RunInfo,
    plot::{Curve, PlotOptions, png, svg},
};

use crate::support::{Scratch, boxes};

fn line(label: &str, f: impl Fn(f64) -> f64) -> Curve {
    let time: Vec<f64> = (0..=100).map(|k| f64::from(k) / 100.0).collect();
    let value = time.iter().map(|&t| f(t)).collect();
    Curve { label: label.into(), time, value }
}

/// All points that the SVG draws, line by line.
fn polylines(text: &str) -> Vec<Vec<(f64, f64)>> {
    let lines = text.split("<polyline ").skip(1);
    let number = |s: &str| s.parse::<f64>().unwrap();
    lines
        .map(|part| {
            let points = part.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
            let pair = |p: &str| p.split_once(',').map(|(x, y)| (number(x), number(y))).unwrap();
            points.split_whitespace().map(pair).collect()
        })
        .collect()
}

/// A straight line is straight on the page, and rises.
#[test]
fn curves_are_drawn_where_their_numbers_are() {
    let text = svg(&[line("ramp", |t| 2.0 * t)], &PlotOptions::default()).unwrap();
    let drawn = polylines(&text).into_iter().find(|l| l.len() > 50).unwrap();
    let (a, b) = (drawn[0], *drawn.last().unwrap());
    assert!(b.0 - a.0 > 600.0 && a.1 - b.1 > 300.0);
    for (x, y) in drawn {
        let expected = a.1 + (b.1 - a.1) * (x - a.0) / (b.0 - a.0);
        assert!((y - expected).abs() <= 2.0, "{y} against {expected}");
    }
}

/// On a log axis equal ratios are equal distances, far below what a residual can reach.
#[test]
fn residuals_of_any_size_show_on_a_log_axis() {
    let options = PlotOptions { log: true, label: "residual".into(), ..PlotOptions::default() };
    let curve = line("r", |t| 10_f64.powf(-14.0 + 10.0 * t));
    let text = svg(&[curve], &options).unwrap();
    let drawn = polylines(&text).into_iter().find(|l| l.len() > 50).unwrap();
    let middle = drawn[drawn.len() / 2].1;
    let (first, last) = (drawn[0].1, drawn.last().unwrap().1);
    assert!((middle - 0.5 * (first + last)).abs() <= 3.0, "{first} {middle} {last}");
    assert!(text.contains("10⁻¹⁴") && text.contains("residual"));
}

#[test]
fn what_cannot_be_drawn_is_told() {
    let nothing = line("nan", |_| f64::NAN);
    assert!(svg(&[nothing], &PlotOptions::default()).is_err());
    let options = PlotOptions { log: true, ..PlotOptions::default() };
    let error = svg(&[line("zero", |_| 0.0)], &options).unwrap_err().to_string();
    assert!(error.contains("positive"), "{error}");
    assert!(svg(&[], &PlotOptions::default()).is_err());
}

/// A constant stays a level line, gaps stay gaps, and PNG and SVG have their sizes.
#[test]
fn pictures_have_their_size_and_their_curves() {
    let curves = [
        line("constant", |_| 3.0),
        line("gap", |t| if (0.4..0.6).contains(&t) { f64::NAN } else { t }),
    ];
    let options = PlotOptions { title: "Test".into(), ..PlotOptions::default() };
    let text = svg(&curves, &options).unwrap();
    assert!(text.contains("width=\"900\" height=\"540\"") && text.contains("constant"));
    assert_eq!(polylines(&text).iter().filter(|l| l.len() > 15).count(), 3);
    let picture = png(&curves, &options).unwrap();
    assert_eq!(&picture[..8], b"\x89PNG\r\n\x1a\n");
    let word = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
    assert_eq!((word(16), word(20)), (1800, 1080));
    let mut rows = Vec::new();
    let packed = &picture[33 + 8..33 + 8 + word(33) as usize];
    std::io::copy(&mut flate2::read::ZlibDecoder::new(packed), &mut rows).unwrap();
    assert_eq!(rows.len(), 1080 * (1 + 3 * 1800));
    // Both colors of curves are somewhere on it.
    for color in [[68, 119, 170], [238, 102, 119]] {
        assert!(rows.windows(3).any(|w| w == color), "{color:?}");
    }
}

#[test]
fn a_recording_gives_its_curves() {
    let mut sim = boxes(2);
    let file = Scratch::new("curves.h5");
    let recorder =
        Recorder::attach(&file.0, &mut sim, &RunInfo::default(), RecordOptions::default()).unwrap();
    for _ in 0..20 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    let (z, unit) = recording.curve("position.z", Some("box 1")).unwrap();
    assert_eq!((z.label.as_str(), unit, z.value.len()), ("box 1: position.z", "m", 21));
    for what in ["energy", "momentum.z", "joint_error", "contacts", "residual", "penetration"] {
        assert_eq!(recording.curve(what, None).unwrap().0.value.len(), 21, "{what}");
    }
    svg(&[z], &PlotOptions::default()).unwrap();
}

/// Position, velocity and forces of joints are in the file by their names, and drawn.
#[test]
fn joints_are_recorded_with_their_forces() {
    use stickslip::{
        BodyInit, Dimension, JointInit, ModelBuilder, Simulator,
        geometry::{Solid, Vec3},
    };
    let mut builder = ModelBuilder::new(Dimension::Three);
    let arm = BodyInit::new(&Solid::cuboid(Vec3::splat(0.1)).unwrap()).mass(2.0);
    let arm = builder.add(arm.at(Vec3::X * 0.5)).unwrap();
    let hinge = JointInit::revolute(None, arm).named("hinge").along(-Vec3::Y);
    builder.joint(hinge.velocity_motor(0.0, f64::INFINITY)).unwrap();
    let (model, state) = builder.build();
    let mut sim = Simulator::new(model, state, crate::support::settings(0.01)).unwrap();
    let file = Scratch::new("joints.h5");
    let recorder =
        Recorder::attach(&file.0, &mut sim, &RunInfo::default(), RecordOptions::default()).unwrap();
    for _ in 0..300 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let recording = Recording::open(&file.0).unwrap();
    let value = |what: &str| recording.quantity(what, Some("hinge"));
    let (weight, unit) = value("joint_force.z").unwrap();
    assert_eq!((weight.len(), unit), (301, "N"));
    // The first row has no step behind it.
    assert!(weight[0].is_nan() && weight[1..].iter().all(|f| (f - 2.0 * 9.81).abs() < 1e-9));
    assert!((value("joint_motor").unwrap().0[300] - 9.81).abs() < 1e-9);
    assert!((value("joint_torque.norm").unwrap().0[300] - 9.81).abs() < 1e-9);
    assert!(value("joint_position").unwrap().0.iter().all(|q| q.abs() < 1e-9));
    assert!(value("joint_force").is_err() && value("joint_speed").is_err());
    let error = recording.quantity("joint_motor", Some("axle")).unwrap_err().to_string();
    assert!(error.contains("hinge"), "{error}");
}

/// Curves on top of each other are told apart: the first looks out from under the last, and each has
/// marks of its own at places of its own.
#[test]
fn curves_that_cover_each_other_are_told_apart() {
    let curves = ["one", "two", "three"].map(|name| line(name, |t| t * t));
    let text = svg(&curves, &PlotOptions::default()).unwrap();
    let attribute = |part: &str, key: &str| -> String {
        let rest = part.split(&format!("{key}=\"")).nth(1).unwrap();
        rest.split('"').next().unwrap().to_owned()
    };
    let long = |part: &&str| attribute(part, "points").split_whitespace().count() > 50;
    let drawn: Vec<&str> = text.split("<polyline ").skip(1).filter(long).collect();
    let widths: Vec<f64> =
        drawn.iter().map(|p| attribute(p, "stroke-width").parse().unwrap()).collect();
    assert!(widths.len() == 3 && widths[0] > widths[1] && widths[1] > widths[2], "{widths:?}");
    // Marks: filled polygons, of each color at least eight besides that of the legend.
    let mut places: Vec<(String, String)> = text
        .split("<polygon ")
        .skip(1)
        .map(|p| (attribute(p, "fill"), attribute(p, "points").split(' ').next().unwrap().into()))
        .collect();
    let all = places.len();
    places.sort();
    places.dedup_by(|a, b| a.1 == b.1);
    assert!(
        all >= 24 && places.len() == all,
        "{} of {all} marks at places of their own",
        places.len()
    );
}

/// The legend stands beside the curves, or below them where its words are long; never over them.
#[test]
fn the_legend_covers_no_curve() {
    for (name, beside) in [("short", true), ("words that are much too long to stand beside", false)]
    {
        let curves = [line(name, |t| t), line("another", |t| 1.0 - t)];
        let text = svg(&curves, &PlotOptions::default()).unwrap();
        let lines = polylines(&text);
        let points = || lines.iter().filter(|l| l.len() > 50).flatten();
        let (right, bottom) =
            points().fold((0.0_f64, 0.0_f64), |(x, y), p| (x.max(p.0), y.max(p.1)));
        let before = text.split(name).next().unwrap();
        let at = |key: &str| -> f64 {
            let tag = &before[before.rfind("<text").unwrap()..];
            tag.split(&format!(" {key}=\""))
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        };
        match beside {
            true => assert!(at("x") > right, "{} and {right}", at("x")),
            false => assert!(at("y") > bottom, "{} and {bottom}", at("y")),
        }
    }
}
