//! Films as MP4: H.264 by OpenH264, in the boxes of ISO 14496-12 and -15.

use openh264::{
    OpenH264API,
    encoder::{
        BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, Layer,
        QpRange, RateControlMode, UsageType, VuiConfig,
    },
    formats::YUVSource,
};

use crate::{Picture, RenderError, RenderOptions, film::Sink};

mod boxes;

fn wrong(reason: impl ToString) -> RenderError {
    RenderError::Encode { format: "H.264", reason: reason.to_string() }
}

/// A film being packed.
pub(crate) struct Mp4Sink {
    encoder: Encoder,
    track: boxes::Track,
    planes: Planes,
}

impl Mp4Sink {
    pub fn new(options: &RenderOptions, fps: f64) -> Result<Self, RenderError> {
        // Color is stored for two by two pixels: an odd row or column at the border is left out.
        let (width, height) = (options.width & !1, options.height & !1);
        let longest = width.max(height);
        if longest > 3840 || width.min(height) > 2160 {
            return Err(wrong(format!("{width} x {height} pixels, but 3840 x 2160 is the most")));
        }
        // Constant quality: the rate is only what the header says.
        let bits = (0.5 * (width * height) as f64 * fps).clamp(1e6, 5e7) as u32;
        let config = EncoderConfig::new()
            .max_frame_rate(FrameRate::from_hz(fps as f32))
            .bitrate(BitRate::from_bps(bits))
            .rate_control_mode(RateControlMode::Off)
            .usage_type(UsageType::CameraVideoRealTime)
            .complexity(Complexity::Low)
            .qp(QpRange::new(18, 26))
            .skip_frames(false)
            .scene_change_detect(false)
            .intra_frame_period(IntraFramePeriod::from_num_frames((4.0 * fps).ceil() as u32))
            .num_threads(1)
            .vui(VuiConfig::bt709());
        let encoder =
            Encoder::with_api_config(OpenH264API::from_source(), config).map_err(wrong)?;
        let planes = Planes { width, height, data: vec![0; width * height * 3 / 2] };
        Ok(Self { encoder, track: boxes::Track::new(width, height, fps), planes })
    }
}

impl Sink for Mp4Sink {
    fn frame(&mut self, picture: &Picture) -> Result<(), RenderError> {
        self.planes.fill(picture);
        let stream = self.encoder.encode(&self.planes).map_err(wrong)?;
        let key = matches!(stream.frame_type(), FrameType::IDR);
        let layers: Vec<_> = (0..stream.num_layers()).filter_map(|l| stream.layer(l)).collect();
        let units: Vec<&[u8]> = layers.iter().flat_map(units).collect();
        let packed = self.track.add(&units, key);
        if packed { Ok(()) } else { Err(wrong("a frame was left out")) }
    }

    fn finish(self) -> Result<Vec<u8>, RenderError> {
        self.track.file().ok_or_else(|| wrong("it gave no parameters, or too much for one file"))
    }
}

fn units<'a>(layer: &'a Layer<'_>) -> Vec<&'a [u8]> {
    (0..layer.nal_count()).filter_map(|n| layer.nal_unit(n)).collect()
}

/// A picture as brightness and color differences (BT.709, 16 to 235), color at half the size.
struct Planes {
    width: usize,
    height: usize,
    data: Vec<u8>,
}

impl Planes {
    /// ```text
    /// Y = 16 + 219 (0.2126 R + 0.7152 G + 0.0722 B)
    /// U = 128 + 224 (B - Y') / 1.8556,   V = 128 + 224 (R - Y') / 1.5748
    /// ```
    /// in fixed point with 16 bits.
    fn fill(&mut self, picture: &Picture) {
        let (w, h) = (self.width, self.height);
        let (bright, color) = self.data.split_at_mut(w * h);
        let (u, v) = color.split_at_mut(w * h / 4);
        let row = |y: usize| &picture.pixels[3 * y * picture.width..3 * (y * picture.width + w)];
        for y in 0..h {
            let out = &mut bright[y * w..(y + 1) * w];
            for (pixel, out) in row(y).chunks_exact(3).zip(out) {
                let [r, g, b] = [0, 1, 2].map(|c| i32::from(pixel[c]));
                *out = (16 + ((11_966 * r + 40_254 * g + 4_064 * b + 32_768) >> 16)) as u8;
            }
        }
        for y in (0..h).step_by(2) {
            let (upper, lower) = (row(y), row(y + 1));
            for x in (0..w).step_by(2) {
                let sum = |c: usize| {
                    let four = [
                        upper[3 * x + c],
                        upper[3 * x + 3 + c],
                        lower[3 * x + c],
                        lower[3 * x + 3 + c],
                    ];
                    four.iter().map(|&p| i32::from(p)).sum::<i32>()
                };
                let [r, g, b] = [sum(0), sum(1), sum(2)];
                let k = y / 2 * (w / 2) + x / 2;
                let round = |x: i32| (128 + ((x + (1 << 17)) >> 18)).clamp(0, 255) as u8;
                u[k] = round(-6_596 * r - 22_189 * g + 28_784 * b);
                v[k] = round(28_784 * r - 26_145 * g - 2_639 * b);
            }
        }
    }
}

impl YUVSource for Planes {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }

    fn y(&self) -> &[u8] {
        &self.data[..self.width * self.height]
    }

    fn u(&self) -> &[u8] {
        let n = self.width * self.height;
        &self.data[n..n + n / 4]
    }

    fn v(&self) -> &[u8] {
        let n = self.width * self.height;
        &self.data[n + n / 4..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gray has no color; white and black are at the ends of the range; red is where BT.709 says.
    #[test]
    fn colors_are_those_of_the_standard() {
        let cases = [
            ([0, 0, 0], [16, 128, 128]),
            ([255, 255, 255], [235, 128, 128]),
            ([128, 128, 128], [126, 128, 128]),
            ([255, 0, 0], [63, 102, 240]),
            ([0, 0, 255], [32, 240, 118]),
        ];
        for (rgb, [y, u, v]) in cases {
            let picture = Picture { width: 2, height: 2, pixels: rgb.repeat(4) };
            let mut planes = Planes { width: 2, height: 2, data: vec![0; 6] };
            planes.fill(&picture);
            let (fy, fu, fv) = (planes.y()[0], planes.u()[0], planes.v()[0]);
            let near = |a: u8, b: u8| a.abs_diff(b) <= 1;
            assert!(near(fy, y) && near(fu, u) && near(fv, v), "{rgb:?}: {fy} {fu} {fv}");
        }
    }
}
