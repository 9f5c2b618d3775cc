//! Numbers as people write them.

/// Three digits, without an exponent where it is easily read: 6.70, 0.0125, 490, 1.8e-15; what is
/// zero is 0.
pub fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        return if x.is_finite() { format!("{x:.1e}") } else { x.to_string() };
    }
    // Rounded first, so that 9.996 gets the digits of 10.0.
    let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
    let digits = 2 - rounded.abs().log10().floor() as i32;
    format!("{rounded:.*}", digits.max(0) as usize)
}

/// A number with its unit.
pub fn quantity(x: f64, unit: &str) -> String {
    format!("{} {unit}", short(x))
}

/// A time: 1.4 s, 77 ms, 106 us, 2 min 5 s.
pub fn seconds(t: f64) -> String {
    let two = |x: f64| if x < 9.95 { format!("{x:.1}") } else { format!("{x:.0}") };
    if t >= 99.5 {
        let whole = t.round();
        return format!("{:.0} min {:.0} s", (whole / 60.0).floor(), whole % 60.0);
    }
    let scales = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")];
    let fits = |s: &&(f64, &str)| t >= 0.9995 * s.0;
    match scales.iter().find(fits) {
        Some((scale, unit)) => format!("{} {unit}", two(t / scale)),
        None => format!("{} s", short(t)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let cases = [
            (6.7, "6.70"),
            (490.5, "490"),
            (-12.3456, "-12.3"),
            (9.996, "10.0"),
            (0.012_34, "0.0123"),
            (99_999.0, "100000"),
            (1.776e-15, "1.8e-15"),
            (0.0, "0"),
            (1e9, "1.0e9"),
            (f64::NAN, "NaN"),
        ];
        for (x, text) in cases {
            assert_eq!(short(x), text, "{x}");
        }
    }

    #[test]
    fn times_have_units_that_fit() {
        let cases = [
            (1.4, "1.4 s"),
            (0.077, "77 ms"),
            (105.5e-6, "106 us"),
            (9.97, "10 s"),
            (125.0, "2 min 5 s"),
            (0.000_999_9, "1.0 ms"),
            (0.0, "0 s"),
        ];
        for (t, text) in cases {
            assert_eq!(seconds(t), text, "{t}");
        }
    }
}
