//! What tells curves apart where they cover each other: color, width and marks of their own shape at
//! places of their own; and the legend, beside the curves or below them.

use plotters::{coord::Shift, prelude::*};

use super::{Curve, FAMILY};
use crate::RecordError;

/// Dark enough for paper, apart for every kind of color vision (Paul Tol's bright scheme, then
/// darker ones for plots of many curves).
const COLORS: [RGBColor; 14] = [
    RGBColor(68, 119, 170),
    RGBColor(238, 102, 119),
    RGBColor(34, 136, 51),
    RGBColor(204, 187, 68),
    RGBColor(102, 204, 238),
    RGBColor(170, 51, 119),
    RGBColor(120, 120, 120),
    RGBColor(0, 0, 0),
    RGBColor(20, 60, 110),
    RGBColor(150, 40, 50),
    RGBColor(10, 80, 30),
    RGBColor(130, 115, 20),
    RGBColor(40, 120, 150),
    RGBColor(240, 150, 60),
];

/// Marks on a curve of many points.
const MARKS: usize = 8;
/// Longest label beside the curves \[letters\]; longer ones go below.
const BESIDE: usize = 30;
/// Height of a line of the legend, width of a letter \[pixels\].
const LINE: f64 = 22.0;
const LETTER: f64 = 8.1;

/// The color of a curve.
pub(super) fn color(i: usize) -> RGBColor {
    COLORS[i % COLORS.len()]
}

/// The width of curve `i` of `n`: what is drawn first looks out from under what covers it.
pub(super) fn width(i: usize, n: usize) -> f64 {
    match n {
        0 | 1 => 1.9,
        _ => 1.5 + 3.0 * (n - 1 - i) as f64 / (n - 1) as f64,
    }
}

/// The outline of mark `i` around the origin, of radius `r` \[pixels\].
pub(super) fn mark(i: usize, r: f64) -> Vec<(i32, i32)> {
    let regular = |n: usize, turn: f64| -> Vec<(f64, f64)> {
        let angle = |k: usize| std::f64::consts::TAU * (k as f64 / n as f64 + turn);
        (0..n).map(|k| (angle(k).cos(), angle(k).sin())).collect()
    };
    let points = match i % 6 {
        0 => regular(16, 0.0),
        1 => regular(4, 0.125),
        2 => regular(3, 0.75),
        3 => regular(4, 0.0),
        4 => regular(3, 0.25),
        _ => (0..10)
            .map(|k| {
                let (angle, far) = (0.25 * k as f64, if k % 2 == 0 { 1.25 } else { 0.5 });
                let turn = std::f64::consts::TAU * (angle / 2.5 - 0.25);
                (far * turn.cos(), far * turn.sin())
            })
            .collect(),
    };
    points.into_iter().map(|(x, y)| ((r * x).round() as i32, (r * y).round() as i32)).collect()
}

/// The points of a run of curve `i` of `n` that get a mark: all of a few, else some at places of its
/// own, so that a curve on top of another does not hide all of the other's.
pub(super) fn marked(
    run: &[(f64, f64)],
    (i, n): (usize, usize),
    span: (f64, f64),
) -> Vec<(f64, f64)> {
    if run.len() <= MARKS {
        return run.to_vec();
    }
    let place = |j: usize| {
        let share = (j as f64 + (i as f64 + 0.5) / n.max(1) as f64) / MARKS as f64;
        span.0 + share * (span.1 - span.0)
    };
    let first = |x: f64| run.iter().find(|p| p.0 >= x).filter(|_| run[0].0 <= x);
    (0..MARKS).filter_map(|j| first(place(j))).copied().collect()
}

/// Cuts the room for the legend off; the curves get the rest.
pub(super) fn split<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    curves: &[Curve],
    scale: f64,
) -> (DrawingArea<B, Shift>, Option<DrawingArea<B, Shift>>) {
    if curves.len() < 2 {
        return (area.clone(), None);
    }
    let (width, height) = area.dim_in_pixel();
    let longest = curves.iter().map(|c| c.label.chars().count()).max().unwrap_or(0);
    if longest <= BESIDE {
        let room = ((longest as f64 * LETTER + 64.0) * scale) as u32;
        let (left, right) = area.split_horizontally(width.saturating_sub(room));
        return (left, Some(right));
    }
    let room = ((curves.len() as f64 * LINE + 12.0) * scale) as u32;
    let (top, bottom) = area.split_vertically(height.saturating_sub(room.min(height / 2)));
    (top, Some(bottom))
}

/// A line for each curve: as it is drawn, and its label.
pub(super) fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    curves: &[Curve],
    scale: f64,
    lines: bool,
) -> Result<(), RecordError> {
    let fail = |e: DrawingAreaErrorKind<B::ErrorType>| RecordError::Plot(e.to_string());
    let px = |x: f64| (x * scale).round() as i32;
    let below = curves.iter().any(|c| c.label.chars().count() > BESIDE);
    let (_, height) = area.dim_in_pixel();
    // Many curves in a low plot stand closer together.
    let step = LINE.min((f64::from(height) / scale - 12.0) / curves.len() as f64);
    for (i, curve) in curves.iter().enumerate() {
        let (x, y) = (
            px(if below { 84.0 } else { 8.0 }),
            px(if below { 8.0 } else { 26.0 } + step * i as f64),
        );
        let style = color(i).stroke_width(px(width(i, curves.len())) as u32);
        if lines {
            area.draw(&PathElement::new(vec![(x, y), (x + px(30.0), y)], style)).map_err(fail)?;
        }
        let outline = mark(i, 4.5 * scale).into_iter().map(|(a, b)| (x + px(15.0) + a, y + b));
        area.draw(&Polygon::new(outline.collect::<Vec<_>>(), color(i).filled())).map_err(fail)?;
        let font = (FAMILY, 15.0_f64.min(0.85 * step) * scale).into_font();
        area.draw(&Text::new(curve.label.as_str(), (x + px(38.0), y - px(7.0)), font))
            .map_err(fail)?;
    }
    Ok(())
}
