//! Films as GIF.

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use crate::{Picture, RenderError, RenderOptions, film::Sink, palette::Palette};

pub(crate) struct GifSink {
    encoder: Encoder<Vec<u8>>,
    palette: Palette,
    last: Vec<u8>,
    fps: f64,
    frames: u64,
    /// Hundredths of a second shown so far.
    shown: u64,
}

fn wrong(error: gif::EncodingError) -> RenderError {
    RenderError::Encode { format: "GIF", reason: error.to_string() }
}

/// Marks a pixel that is as before.
const SAME: u8 = 255;

impl GifSink {
    pub fn new(palette: Palette, options: &RenderOptions, fps: f64) -> Result<Self, RenderError> {
        let mut colors: Vec<u8> = palette.colors.iter().flatten().copied().collect();
        colors.resize(3 * 256, 0);
        let (width, height) = (options.width as u16, options.height as u16);
        let mut encoder = Encoder::new(Vec::new(), width, height, &colors).map_err(wrong)?;
        encoder.set_repeat(Repeat::Infinite).map_err(wrong)?;
        Ok(Self { encoder, palette, last: Vec::new(), fps, frames: 0, shown: 0 })
    }
}

impl Sink for GifSink {
    fn frame(&mut self, picture: &Picture) -> Result<(), RenderError> {
        let index = |p: &[u8]| self.palette.index(p);
        let now: Vec<u8> = picture.pixels.chunks_exact(3).map(index).collect();
        let changed = |(k, &i): (usize, &u8)| match self.last.get(k) {
            Some(&before) if before == i => SAME,
            _ => i,
        };
        let buffer: Vec<u8> = now.iter().enumerate().map(changed).collect();
        self.last = now;
        // Times are whole hundredths of a second: they are rounded so that the sum is right.
        self.frames += 1;
        let due = (100.0 * self.frames as f64 / self.fps).round() as u64;
        let delay = (due - self.shown).clamp(1, u64::from(u16::MAX));
        self.shown += delay;
        let frame = Frame {
            width: picture.width as u16,
            height: picture.height as u16,
            delay: delay as u16,
            dispose: DisposalMethod::Keep,
            transparent: Some(SAME),
            buffer: buffer.into(),
            ..Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(wrong)
    }

    fn finish(self) -> Result<Vec<u8>, RenderError> {
        self.encoder
            .into_inner()
            .map_err(|e| RenderError::Encode { format: "GIF", reason: e.to_string() })
    }
}
