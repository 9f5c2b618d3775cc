//! Curves over time as SVG or PNG, fit for print.

mod legend;
mod png;

use std::sync::OnceLock;

use plotters::{
    coord::{
        Shift,
        ranged1d::{DefaultFormatting, KeyPointHint, Ranged},
        types::RangedCoordf64,
    },
    prelude::*,
    style::{FontStyle, register_font},
};

use crate::{RecordError, Recording};

/// Letters for every machine, with or without fonts.
const FONT: &[u8] = include_bytes!("../../assets/plot.ttf");
const FAMILY: &str = "sans-serif";

/// One line of a plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name in the legend.
    pub label: String,
    /// Times \[s\], or what else the horizontal axis shows.
    pub time: Vec<f64>,
    /// Values; gaps where they are not finite.
    pub value: Vec<f64>,
}

/// How a plot looks.
#[derive(Clone, Debug, PartialEq)]
pub struct PlotOptions {
    /// Heading; none when empty.
    pub title: String,
    /// What the vertical axis shows, with its unit.
    pub label: String,
    /// Logarithmic vertical axis; values of zero or less are gaps then.
    pub log: bool,
    /// What the horizontal axis shows. Default `t [s]`.
    pub x_label: String,
    /// Logarithmic horizontal axis; points at zero or less are left out.
    pub log_x: bool,
    /// Points instead of lines.
    pub marks: bool,
    /// Points on the lines.
    pub dots: bool,
    /// Width and height in pixels. Default 900 x 540.
    pub size: (u32, u32),
}

impl Default for PlotOptions {
    fn default() -> Self {
        Self {
            title: String::new(),
            label: String::new(),
            log: false,
            x_label: "t [s]".into(),
            log_x: false,
            marks: false,
            dots: false,
            size: (900, 540),
        }
    }
}

impl Recording {
    /// The curve of a quantity; see [`Recording::quantity`]. Gives its unit too.
    pub fn curve(
        &self,
        what: &str,
        body: Option<&str>,
    ) -> Result<(Curve, &'static str), RecordError> {
        let (value, unit) = self.quantity(what, body)?;
        let label = body.map_or_else(|| what.to_owned(), |body| format!("{body}: {what}"));
        Ok((Curve { label, time: self.time().to_vec(), value }, unit))
    }
}

/// The plot as SVG text.
pub fn svg(curves: &[Curve], options: &PlotOptions) -> Result<String, RecordError> {
    let mut text = String::new();
    let area = SVGBackend::with_string(&mut text, options.size).into_drawing_area();
    draw(&area, curves, options)?;
    drop(area);
    Ok(text)
}

/// The plot as a PNG file, twice as fine as its size says.
pub fn png(curves: &[Curve], options: &PlotOptions) -> Result<Vec<u8>, RecordError> {
    let (width, height) = (2 * options.size.0, 2 * options.size.1);
    // Drawn twice as fine again and averaged: thick lines get no steps.
    let fine = (2 * width, 2 * height);
    let mut pixels = vec![255; 3 * fine.0 as usize * fine.1 as usize];
    let area = BitMapBackend::with_buffer(&mut pixels, fine).into_drawing_area();
    draw(&area, curves, options)?;
    drop(area);
    png::encode(&png::halved(&pixels, fine.0 as usize), width, height)
}

fn draw<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    curves: &[Curve],
    options: &PlotOptions,
) -> Result<(), RecordError> {
    static LETTERS: OnceLock<bool> = OnceLock::new();
    let known = LETTERS.get_or_init(|| register_font(FAMILY, FontStyle::Normal, FONT).is_ok());
    if !known {
        return Err(RecordError::Plot("the font is damaged".into()));
    }
    let Some((x, y)) = ranges(curves, options) else {
        let what = if options.log { "no positive value" } else { "no finite value" };
        return Err(RecordError::Plot(format!("{what} in any curve")));
    };
    // Exponents on a plain axis, with ticks at whole decades.
    let exponents: Vec<Curve> = curves.iter().map(|c| logarithm(c, options)).collect();
    paint(area, &exponents, options, (Axis::new(x, options.log_x), Axis::new(y, options.log)))
}

/// An axis of numbers, or of exponents with ticks at whole ones.
enum Axis {
    Plain(RangedCoordf64),
    Decades(f64, f64),
}

impl Axis {
    fn new((from, to): (f64, f64), log: bool) -> Self {
        if log { Self::Decades(from, to) } else { Self::Plain((from..to).into()) }
    }
}

impl Ranged for Axis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        match self {
            Self::Plain(plain) => plain.map(value, limit),
            Self::Decades(from, to) => {
                let share = (value - from) / (to - from);
                limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
            }
        }
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        match self {
            Self::Plain(plain) => plain.key_points(hint),
            Self::Decades(from, to) => {
                let step = (((to - from) / 9.0).ceil() as usize).max(1);
                (*from as i32..=*to as i32).step_by(step).map(f64::from).collect()
            }
        }
    }

    fn range(&self) -> std::ops::Range<f64> {
        match self {
            Self::Plain(plain) => plain.range(),
            Self::Decades(from, to) => *from..*to,
        }
    }
}

/// Powers of ten instead of numbers where an axis asks for them; gaps where there are none.
fn logarithm(curve: &Curve, options: &PlotOptions) -> Curve {
    let power = |&v: &f64| if v > 0.0 { v.log10() } else { f64::NAN };
    let exponents = |data: &[f64], log: bool| match log {
        true => data.iter().map(power).collect(),
        false => data.to_vec(),
    };
    Curve {
        label: curve.label.clone(),
        time: exponents(&curve.time, options.log_x),
        value: exponents(&curve.value, options.log),
    }
}

type Span = (f64, f64);

/// Span of both axes (of their exponents on a log axis), the vertical one with a little air;
/// `None` where there is nothing to draw.
fn ranges(curves: &[Curve], options: &PlotOptions) -> Option<(Span, Span)> {
    let span = |data: &mut dyn Iterator<Item = f64>, log: bool| {
        data.filter(|v| v.is_finite() && (!log || *v > 0.0))
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(v), b.max(v)))
    };
    let (t0, t1) = span(&mut curves.iter().flat_map(|c| c.time.iter().copied()), options.log_x);
    let (low, high) = span(&mut curves.iter().flat_map(|c| c.value.iter().copied()), options.log);
    if low > high || t0 > t1 {
        return None;
    }
    // Whole decades; less than one is too narrow to read.
    let decades = |low: f64, high: f64| {
        let (a, b) = (low.log10().floor(), high.log10().ceil());
        if b > a { (a, b) } else { (a - 1.0, a + 1.0) }
    };
    let x = match options.log_x {
        true => decades(t0, t1),
        false => (t0, if t1 > t0 { t1 } else { t0 + 1.0 }),
    };
    let y = if options.log {
        decades(low, high)
    } else {
        // A constant is not blown up to show its rounding.
        let pad = (0.06 * (high - low)).max(1e-9 * low.abs().max(high.abs())).max(1e-12);
        (low - pad, high + pad)
    };
    Some((x, y))
}

fn paint<B: DrawingBackend>(
    area: &DrawingArea<B, Shift>,
    curves: &[Curve],
    options: &PlotOptions,
    (x, y): (Axis, Axis),
) -> Result<(), RecordError> {
    let fail = |e: DrawingAreaErrorKind<B::ErrorType>| RecordError::Plot(e.to_string());
    area.fill(&WHITE).map_err(fail)?;
    // PNGs are drawn larger: letters and lines grow along.
    let scale = f64::from(area.dim_in_pixel().0) / f64::from(options.size.0);
    let px = |n: f64| (n * scale).round() as u32;
    let text = |n: f64| (FAMILY, n * scale).into_font();
    let (inner, names) = legend::split(area, curves, scale);
    let span = (x.range().start, x.range().end);
    let mut builder = ChartBuilder::on(&inner);
    builder
        .margin(px(14.0))
        .margin_right(px(26.0))
        .x_label_area_size(px(50.0))
        .y_label_area_size(px(86.0));
    if !options.title.is_empty() {
        builder.caption(&options.title, text(21.0));
    }
    let mut chart = builder.build_cartesian_2d(x, y).map_err(fail)?;
    chart
        .configure_mesh()
        .x_desc(&options.x_label)
        .y_desc(&options.label)
        .x_labels(8)
        .y_labels(8)
        .max_light_lines(0)
        .bold_line_style(RGBColor(224, 227, 232).stroke_width(px(1.0)))
        .axis_style(RGBColor(90, 96, 106).stroke_width(px(1.0)))
        .label_style(text(15.0))
        .axis_desc_style(text(16.0))
        .x_label_formatter(&|t| if options.log_x { power(*t) } else { number(*t) })
        .y_label_formatter(&|v| if options.log { power(*v) } else { number(*v) })
        .draw()
        .map_err(fail)?;
    for (i, curve) in curves.iter().enumerate() {
        let style = legend::color(i).stroke_width(px(legend::width(i, curves.len())));
        for run in runs(curve) {
            let spots = match (options.marks || options.dots, curves.len() > 1) {
                (true, _) => run.clone(),
                (false, true) => legend::marked(&run, (i, curves.len()), span),
                (false, false) => vec![],
            };
            if !options.marks {
                chart.draw_series(LineSeries::new(run, style)).map_err(fail)?;
            }
            let dot = |&at: &(f64, f64)| {
                let outline = legend::mark(i, 4.0 * scale);
                EmptyElement::at(at) + Polygon::new(outline, legend::color(i).filled())
            };
            chart.draw_series(spots.iter().map(dot)).map_err(fail)?;
        }
    }
    if let Some(place) = names {
        legend::draw(&place, curves, scale, !options.marks)?;
    }
    area.present().map_err(fail)
}

/// The curve cut where values are missing.
fn runs(curve: &Curve) -> Vec<Vec<(f64, f64)>> {
    let mut out: Vec<Vec<(f64, f64)>> = vec![Vec::new()];
    for (&t, &v) in curve.time.iter().zip(&curve.value) {
        if t.is_finite() && v.is_finite() {
            if let Some(run) = out.last_mut() {
                run.push((t, v));
            }
        } else {
            out.push(Vec::new());
        }
    }
    out.retain(|run| !run.is_empty());
    out
}

/// A tick, short: at most six digits, or as a power of ten.
fn number(v: f64) -> String {
    let size = v.abs();
    if size != 0.0 && !(1e-4..1e6).contains(&size) {
        return format!("{v:.2e}");
    }
    let text = format!("{v:.6}");
    let short = text.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.into() }
}

/// Ten to a whole power.
fn power(exponent: f64) -> String {
    let raised: Vec<char> = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().collect();
    let digits = format!("{}", exponent.round().abs());
    let sign = if exponent.round() < 0.0 { "⁻" } else { "" };
    let digits: String =
        digits.bytes().filter_map(|d| raised.get(usize::from(d.wrapping_sub(b'0')))).collect();
    format!("10{sign}{digits}")
}
