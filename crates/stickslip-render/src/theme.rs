//! Colors, in linear light.

/// Red, green, blue in linear light.
pub(crate) type Color = [f32; 3];

/// The colors of a picture that bodies do not bring; those of the viewer.
pub(crate) struct Theme {
    pub background: Color,
    pub horizon: Color,
    pub grid: Color,
    pub ground: Color,
    pub edge: Color,
    pub fixed: Color,
    /// Light from the sky and back from the earth.
    pub sky: Color,
    pub earth: Color,
    pub ambient: f32,
    pub sun: f32,
    /// How much darker ground is in shadow.
    pub shadow: f32,
}

impl Theme {
    pub fn new(dark: bool) -> Self {
        let c = |hex: u32| color(hex);
        if dark {
            return Self {
                background: c(0x0e1117),
                horizon: c(0x1b2230),
                grid: c(0x5d6880),
                ground: c(0x1a202b),
                edge: c(0x05070b),
                fixed: c(0x5c6677),
                sky: c(0xdfe8ff),
                earth: c(0x2a3140),
                ambient: 0.42,
                sun: 0.7,
                shadow: 0.55,
            };
        }
        Self {
            background: c(0xe9edf4),
            horizon: c(0xfafbfd),
            grid: c(0x8e99ad),
            ground: c(0xe1e5ec),
            edge: c(0x141a26),
            fixed: c(0xb9c0cc),
            sky: c(0xffffff),
            earth: c(0xa2aab8),
            ambient: 0.52,
            sun: 0.66,
            shadow: 0.42,
        }
    }
}

/// Told apart by people with any color vision; neighbours differ in lightness too.
const PALETTE: [u32; 10] = [
    0x4c7fe8, 0xf0a03c, 0x2fa886, 0xe0607e, 0x8a6fe0, 0x58b8d8, 0xc9b23a, 0xd47ac0, 0x6fa84a,
    0xe07a4a,
];

/// The color of a body that has none of its own.
pub(crate) fn palette(index: usize) -> Color {
    color(PALETTE[index % PALETTE.len()])
}

/// Unilateral, inter, cross, secondary.
pub(crate) fn contact(kind: u8) -> Color {
    const KINDS: [u32; 4] = [0x12b886, 0xf59f00, 0xd6409f, 0x8b93a3];
    color(KINDS[usize::from(kind).min(3)])
}

/// Joints.
pub(crate) fn joint() -> Color {
    color(0xff7a1a)
}

/// `0xrrggbb` in linear light.
pub(crate) fn color(hex: u32) -> Color {
    [16, 8, 0].map(|shift| linear(((hex >> shift) & 255) as f32 / 255.0))
}

/// The value of a color as style sheets write it (sRGB), in linear light.
pub(crate) fn linear(s: f32) -> f32 {
    let s = s.clamp(0.0, 1.0);
    if s <= 0.04045 { s / 12.92 } else { ((s + 0.055) / 1.055).powf(2.4) }
}

/// Between two colors.
pub(crate) fn mix(a: Color, b: Color, t: f32) -> Color {
    [0, 1, 2].map(|i| a[i] + (b[i] - a[i]) * t)
}

/// Steps of the table of [`Encoder`].
const STEPS: usize = 4096;

/// Linear light to the bytes of a picture (sRGB).
pub(crate) struct Encoder {
    bytes: Vec<u8>,
}

impl Encoder {
    pub fn new() -> Self {
        let byte = |k: usize| {
            let x = k as f32 / STEPS as f32;
            let s = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
            (255.0 * s + 0.5) as u8
        };
        Self { bytes: (0..=STEPS).map(byte).collect() }
    }

    pub fn encode(&self, color: Color) -> [u8; 3] {
        color.map(|x| self.bytes[(x.clamp(0.0, 1.0) * STEPS as f32 + 0.5) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte of a picture stands for the color that gives it back.
    #[test]
    fn colors_go_there_and_back() {
        let encoder = Encoder::new();
        for byte in 0..=255_u32 {
            let [r, g, b] = encoder.encode(color(byte << 16 | byte << 8 | byte));
            let far = u32::from(r).abs_diff(byte);
            assert!(far <= 1 && r == g && g == b, "{byte} became {r}");
        }
    }
}
