//! Pixels.

use std::path::Path;

use crate::RenderError;

/// A picture: rows from top to bottom, red, green, blue for each pixel (sRGB).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Three bytes a pixel.
    pub pixels: Vec<u8>,
}

impl Picture {
    /// Red, green, blue of the pixel in column `x` of row `y`, which must be in the picture.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        let i = 3 * (y * self.width + x);
        [self.pixels[i], self.pixels[i + 1], self.pixels[i + 2]]
    }

    /// The picture as a PNG file.
    pub fn png(&self) -> Result<Vec<u8>, RenderError> {
        let wrong =
            |e: png::EncodingError| RenderError::Encode { format: "PNG", reason: e.to_string() };
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, self.width as u32, self.height as u32);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        let mut writer = encoder.write_header().map_err(wrong)?;
        writer.write_image_data(&self.pixels).map_err(wrong)?;
        writer.finish().map_err(wrong)?;
        Ok(out)
    }

    /// Writes the picture as a PNG file.
    pub fn save(&self, path: &Path) -> Result<(), RenderError> {
        let bytes = self.png()?;
        stickslip_record::write_whole(path, &bytes)
            .map_err(|source| RenderError::Io { path: path.to_owned(), source })
    }
}
