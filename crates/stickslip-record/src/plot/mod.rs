//! Curves over time as SVG or PNG, fit for print.

mod png;

use std::sync::OnceLock;

use plotters::{
    coord::{
        Shift,
        ranged1d::{AsRangedCoord, DefaultFormatting, KeyPointHint, Ranged, ValueFormatter},
    },
    prelude::*,
    style::{FontStyle, register_font},
};

use crate::{RecordError, Recording};

/// Letters for every machine, with or without fonts.
const FONT: &[u8] = include_bytes!("../../assets/plot.ttf");
const FAMILY: &str = "sans-serif";
/// Dark enough for paper, apart for every kind of color vision (Paul Tol's bright scheme); the last five are for
/// plots with many lines.
const COLORS: [RGBColor; 12] = [
    RGBColor(68, 119, 170),
    RGBColor(238, 102, 119),
    RGBColor(34, 136, 51),
    RGBColor(204, 187, 68),
    RGBColor(102, 204, 238),
    RGBColor(170, 51, 119),
    RGBColor(120, 120, 120),
    RGBColor(20, 20, 20),
    RGBColor(221, 119, 51),
    RGBColor(51, 34, 136),
    RGBColor(130, 130, 30),
    RGBColor(120, 60, 20),
];

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
    /// What the horizontal axis shows, with its unit. Default time.
    pub x_label: String,
    /// Logarithmic horizontal axis; values of zero or less are gaps then.
    pub log_x: bool,
    /// Whether values are marked by dots.
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
    // Exponents on a plain axis, with ticks at whole decades.
    let curves: Vec<Curve> = curves
        .iter()
        .map(|c| Curve {
            label: c.label.clone(),
            time: if options.log_x { logarithms(&c.time) } else { c.time.clone() },
            value: if options.log { logarithms(&c.value) } else { c.value.clone() },
        })
        .collect();
    let Some((x, y)) = ranges(&curves, options.log, options.log_x) else {
        let what = if options.log { "no positive value" } else { "no finite value" };
        return Err(RecordError::Plot(format!("{what} in any curve")));
    };
    let plain = |r: (f64, f64)| r.0..r.1;
    match (options.log_x, options.log) {
        (false, false) => paint(area, &curves, options, (plain(x), plain(y))),
        (false, true) => paint(area, &curves, options, (plain(x), Decades(y))),
        (true, false) => paint(area, &curves, options, (Decades(x), plain(y))),
        (true, true) => paint(area, &curves, options, (Decades(x), Decades(y))),
    }
}

/// An axis of exponents from the first to the second.
struct Decades((f64, f64));

impl Ranged for Decades {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let share = (value - self.0.0) / (self.0.1 - self.0.0);
        limit.0 + (share * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, _hint: H) -> Vec<f64> {
        let (from, to) = self.0;
        let step = (((to - from) / 9.0).ceil() as usize).max(1);
        (from as i32..=to as i32).step_by(step).map(f64::from).collect()
    }

    fn range(&self) -> std::ops::Range<f64> {
        self.0.0..self.0.1
    }
}

/// Powers of ten instead of values; gaps where there are none.
fn logarithms(values: &[f64]) -> Vec<f64> {
    values.iter().map(|&v| if v > 0.0 { v.log10() } else { f64::NAN }).collect()
}

/// Span of the horizontal axis, and span of the vertical one with a little air; `None` where there
/// is nothing to draw. On a log axis the values are exponents.
fn ranges(curves: &[Curve], log: bool, log_x: bool) -> Option<((f64, f64), (f64, f64))> {
    let (mut t0, mut t1) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for curve in curves {
        for &t in curve.time.iter().filter(|t| t.is_finite()) {
            (t0, t1) = (t0.min(t), t1.max(t));
        }
        for &v in curve.value.iter().filter(|v| v.is_finite()) {
            (low, high) = (low.min(v), high.max(v));
        }
    }
    if low > high || t0 > t1 {
        return None;
    }
    // Whole decades; less than one is too narrow to read.
    let decades = |low: f64, high: f64| {
        let (a, b) = (low.floor(), high.ceil());
        if b > a { (a, b) } else { (a - 1.0, a + 1.0) }
    };
    let x = match log_x {
        true => decades(t0, t1),
        false => (t0, if t1 > t0 { t1 } else { t0 + 1.0 }),
    };
    let y = if log {
        decades(low, high)
    } else {
        // A constant is not blown up to show its rounding.
        let pad = (0.06 * (high - low)).max(1e-9 * low.abs().max(high.abs())).max(1e-12);
        (low - pad, high + pad)
    };
    Some((x, y))
}

fn paint<B: DrawingBackend, X, Y>(
    area: &DrawingArea<B, Shift>,
    curves: &[Curve],
    options: &PlotOptions,
    (x, y): (X, Y),
) -> Result<(), RecordError>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: AsRangedCoord<Value = f64>,
    Y::CoordDescType: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    let fail = |e: DrawingAreaErrorKind<B::ErrorType>| RecordError::Plot(e.to_string());
    area.fill(&WHITE).map_err(fail)?;
    // PNGs are drawn larger: letters and lines grow along.
    let scale = f64::from(area.dim_in_pixel().0) / f64::from(options.size.0);
    let px = |n: f64| (n * scale).round() as u32;
    let text = |n: f64| (FAMILY, n * scale).into_font();
    let mut builder = ChartBuilder::on(area);
    builder
        .margin(px(14.0))
        .margin_right(px(26.0))
        .x_label_area_size(px(44.0))
        .y_label_area_size(px(78.0));
    if !options.title.is_empty() {
        builder.caption(&options.title, text(19.0));
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
        .label_style(text(13.0))
        .axis_desc_style(text(14.0))
        .x_label_formatter(&|t| if options.log_x { power(*t) } else { number(*t) })
        .y_label_formatter(&|v| if options.log { power(*v) } else { number(*v) })
        .draw()
        .map_err(fail)?;
    for (i, curve) in curves.iter().enumerate() {
        let style = COLORS[i % COLORS.len()].stroke_width(px(1.8));
        for run in runs(curve) {
            if options.dots {
                let dot = |p: &(f64, f64)| Circle::new(*p, px(3.2), style.filled());
                chart.draw_series(run.iter().map(dot)).map_err(fail)?;
            }
            chart.draw_series(LineSeries::new(run, style)).map_err(fail)?;
        }
        let sample = move |(x, y): (i32, i32)| {
            PathElement::new(vec![(x, y), (x + (22.0 * scale) as i32, y)], style)
        };
        // An empty series carries the entry of the legend.
        let none = std::iter::empty::<(f64, f64)>();
        let entry = chart.draw_series(LineSeries::new(none, style)).map_err(fail)?;
        entry.label(&curve.label).legend(sample);
    }
    if curves.len() > 1 {
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(RGBColor(205, 209, 216))
            .label_font(text(13.0))
            .legend_area_size(px(30.0))
            .margin(px(8.0))
            .draw()
            .map_err(fail)?;
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
