//! The file around the frames: one track in one chunk, its index in front, so that a browser
//! can play it while it loads.

/// The frames of a track, and what its index needs.
pub(crate) struct Track {
    width: u16,
    height: u16,
    fps: f64,
    /// Sequence and picture parameter sets.
    sets: [Option<Vec<u8>>; 2],
    /// All frames, each unit behind its length.
    data: Vec<u8>,
    sizes: Vec<u32>,
    /// Numbers of the frames that need no other, from 1.
    keys: Vec<u32>,
}

/// Units of time in a frame.
const FRAME: u32 = 1000;

impl Track {
    pub fn new(width: usize, height: usize, fps: f64) -> Self {
        let (width, height) = (width as u16, height as u16);
        Self {
            width,
            height,
            fps,
            sets: [None, None],
            data: Vec::new(),
            sizes: Vec::new(),
            keys: Vec::new(),
        }
    }

    /// Adds a frame: its units as the encoder gives them, behind start codes. Whether it has a
    /// picture.
    pub fn add(&mut self, units: &[&[u8]], key: bool) -> bool {
        let before = self.data.len();
        for unit in units {
            // 0 0 1 or 0 0 0 1
            let zeros = unit.iter().take_while(|b| **b == 0).count();
            let unit = unit.get(zeros + 1..).unwrap_or(&[]);
            match unit.first().map(|b| b & 31) {
                Some(7) => self.sets[0] = Some(unit.to_vec()),
                Some(8) => self.sets[1] = Some(unit.to_vec()),
                Some(_) => {
                    self.data.extend((unit.len() as u32).to_be_bytes());
                    self.data.extend(unit);
                }
                None => {}
            }
        }
        let size = self.data.len() - before;
        if size > 0 {
            self.sizes.push(size as u32);
            if key {
                self.keys.push(self.sizes.len() as u32);
            }
        }
        size > 0
    }

    /// The whole file; none without a frame, or beyond 4 GiB.
    pub fn file(&self) -> Option<Vec<u8>> {
        let [Some(sps), Some(pps)] = &self.sets else { return None };
        let mut out = boxed(b"ftyp", |b| {
            b.extend(b"isom\0\0\x02\0isomiso2avc1mp41");
        });
        // The index has the same length whatever the offset it holds.
        let offset = out.len() + self.index(sps, pps, 0).len() + 8;
        let end = u32::try_from(self.data.len() + 8).ok()?;
        out.extend(self.index(sps, pps, u32::try_from(offset).ok()?));
        out.extend(end.to_be_bytes());
        out.extend(b"mdat");
        out.extend(&self.data);
        Some(out)
    }

    /// Units of time in a second.
    fn scale(&self) -> u32 {
        (self.fps * f64::from(FRAME)).round() as u32
    }

    fn duration(&self) -> u32 {
        self.sizes.len() as u32 * FRAME
    }

    fn index(&self, sps: &[u8], pps: &[u8], offset: u32) -> Vec<u8> {
        boxed(b"moov", |b| {
            b.extend(boxed(b"mvhd", |b| {
                words(b, &[0, 0, 0, self.scale(), self.duration(), 0x1_0000, 0x0100_0000, 0, 0]);
                words(b, &MATRIX);
                words(b, &[0, 0, 0, 0, 0, 0, 2]);
            }));
            b.extend(boxed(b"trak", |b| {
                b.extend(boxed(b"tkhd", |b| {
                    words(b, &[7, 0, 0, 1, 0, self.duration(), 0, 0, 0, 0]);
                    words(b, &MATRIX);
                    words(b, &[u32::from(self.width) << 16, u32::from(self.height) << 16]);
                }));
                b.extend(boxed(b"mdia", |b| self.media(b, sps, pps, offset)));
            }));
        })
    }

    fn media(&self, b: &mut Vec<u8>, sps: &[u8], pps: &[u8], offset: u32) {
        b.extend(boxed(b"mdhd", |b| {
            // Language: undetermined.
            words(b, &[0, 0, 0, self.scale(), self.duration(), 0x55c4_0000]);
        }));
        b.extend(boxed(b"hdlr", |b| {
            words(b, &[0, 0]);
            b.extend(b"vide");
            words(b, &[0, 0, 0]);
            b.extend(b"film\0");
        }));
        b.extend(boxed(b"minf", |b| {
            b.extend(boxed(b"vmhd", |b| words(b, &[1, 0, 0])));
            b.extend(boxed(b"dinf", |b| {
                b.extend(boxed(b"dref", |b| {
                    words(b, &[0, 1]);
                    b.extend(boxed(b"url ", |b| words(b, &[1])));
                }));
            }));
            b.extend(boxed(b"stbl", |b| self.table(b, sps, pps, offset)));
        }));
    }

    fn table(&self, b: &mut Vec<u8>, sps: &[u8], pps: &[u8], offset: u32) {
        let count = self.sizes.len() as u32;
        b.extend(boxed(b"stsd", |b| {
            words(b, &[0, 1]);
            b.extend(boxed(b"avc1", |b| self.description(b, sps, pps)));
        }));
        b.extend(boxed(b"stts", |b| words(b, &[0, 1, count, FRAME])));
        b.extend(boxed(b"stss", |b| {
            words(b, &[0, self.keys.len() as u32]);
            words(b, &self.keys);
        }));
        b.extend(boxed(b"stsc", |b| words(b, &[0, 1, 1, count, 1])));
        b.extend(boxed(b"stsz", |b| {
            words(b, &[0, 0, count]);
            words(b, &self.sizes);
        }));
        b.extend(boxed(b"stco", |b| words(b, &[0, 1, offset])));
    }

    fn description(&self, b: &mut Vec<u8>, sps: &[u8], pps: &[u8]) {
        words(b, &[0, 1, 0, 0, 0, 0]);
        b.extend(self.width.to_be_bytes());
        b.extend(self.height.to_be_bytes());
        // 72 dots an inch.
        words(b, &[72 << 16, 72 << 16, 0]);
        b.extend(1_u16.to_be_bytes());
        b.extend([0; 32]);
        b.extend([0, 24, 0xff, 0xff]);
        b.extend(boxed(b"avcC", |b| {
            let byte = |i: usize| sps.get(i).copied().unwrap_or(0);
            // Lengths of four bytes, one set of each kind.
            b.extend([1, byte(1), byte(2), byte(3), 0xff, 0xe1]);
            b.extend((sps.len() as u16).to_be_bytes());
            b.extend(sps);
            b.push(1);
            b.extend((pps.len() as u16).to_be_bytes());
            b.extend(pps);
        }));
    }
}

/// No rotation.
const MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

fn words(out: &mut Vec<u8>, numbers: &[u32]) {
    numbers.iter().for_each(|n| out.extend(n.to_be_bytes()));
}

/// A box with its length and name.
fn boxed(name: &[u8; 4], fill: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = vec![0; 4];
    out.extend(name);
    fill(&mut out);
    let length = (out.len() as u32).to_be_bytes();
    out[..4].copy_from_slice(&length);
    out
}
