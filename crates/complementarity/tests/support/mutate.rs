//! Damages files the way that finds the mistakes of readers: numbers become absurd ones, words and
//! lines trade places, bits flip, ends are cut off.

#![allow(dead_code)] // every test uses a part

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Seed of all cases; the case is a number on top.
pub const SEED: u64 = 20261116;

/// How many cases a test runs: `STICKSLIP_CORPUS`, or some that fit into a gate.
pub fn cases(usual: u64) -> u64 {
    std::env::var("STICKSLIP_CORPUS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Random numbers (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(case: u64) -> Self {
        Self(SEED ^ case.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

const NUMBERS: [&str; 22] = [
    "0",
    "-1",
    "1",
    "-0.0",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e300",
    "1e-320",
    "1e8",
    "1e16",
    "4294967295",
    "2147483648",
    "9223372036854775807",
    "99999999999999999999",
    "100000000",
    "",
    "1e",
    "0x1f",
    "1_000",
];

/// Where runs of bytes of a kind begin and end.
fn runs(bytes: &[u8], kind: fn(u8) -> bool) -> Vec<(usize, usize)> {
    let mut out = vec![];
    let mut from = None;
    for (i, &b) in bytes.iter().enumerate().chain([(bytes.len(), &0)]) {
        match (from, i < bytes.len() && kind(b)) {
            (None, true) => from = Some(i),
            (Some(a), false) => {
                out.push((a, i));
                from = None;
            }
            _ => {}
        }
    }
    out
}

fn is_number(b: u8) -> bool {
    b.is_ascii_digit() || matches!(b, b'.' | b'-')
}

fn is_word(b: u8) -> bool {
    b.is_ascii_alphabetic() || b == b'_'
}

fn is_line(b: u8) -> bool {
    b != b'\n'
}

fn splice(bytes: &[u8], (from, to): (usize, usize), new: &[u8]) -> Vec<u8> {
    [&bytes[..from], new, &bytes[to..]].concat()
}

/// One damage.
fn once(bytes: &[u8], r: &mut Random) -> Vec<u8> {
    let n = bytes.len();
    if n == 0 {
        return vec![r.next() as u8];
    }
    let span = |r: &mut Random| {
        let from = r.below(n);
        (from, (from + 1 + r.below(16)).min(n))
    };
    let pick = |r: &mut Random, kind: fn(u8) -> bool| {
        let all = runs(bytes, kind);
        (!all.is_empty()).then(|| all[r.below(all.len())])
    };
    match r.below(12) {
        0..=3 => match pick(r, is_number) {
            Some(place) => splice(bytes, place, NUMBERS[r.below(NUMBERS.len())].as_bytes()),
            None => splice(bytes, span(r), b"1e308"),
        },
        4 | 5 => match (pick(r, is_word), pick(r, is_word)) {
            (Some(place), Some((a, b))) => splice(bytes, place, &bytes[a..b]),
            _ => splice(bytes, span(r), b""),
        },
        6 | 7 => match (pick(r, is_line), pick(r, is_line)) {
            (Some(place), Some((a, b))) => match r.below(3) {
                0 => splice(bytes, place, b""),
                1 => splice(bytes, place, &bytes[a..b]),
                _ => splice(bytes, (place.0, place.0), &[&bytes[a..b], b"\n"].concat()),
            },
            _ => splice(bytes, span(r), b""),
        },
        8 => {
            let mut out = bytes.to_vec();
            out[r.below(n)] ^= 1 << r.below(8);
            out
        }
        9 => {
            let (from, to) = span(r);
            let noise: Vec<u8> = (0..r.below(16)).map(|_| r.next() as u8).collect();
            splice(bytes, (from, to), &noise)
        }
        10 => bytes[..r.below(n)].to_vec(),
        _ => {
            // Little-endian words are sizes as often as not.
            let mut out = bytes.to_vec();
            let word = [0, 1, u32::MAX, 1 << 31, 1_000_000, 1 << 24][r.below(6)].to_le_bytes();
            let at = r.below(n);
            out.iter_mut().skip(at).zip(word).for_each(|(b, w)| *b = w);
            out
        }
    }
}

/// The file of a case: one to three damages to one of the originals.
pub fn damaged(originals: &[Vec<u8>], case: u64) -> Vec<u8> {
    let mut r = Random::new(case);
    let mut out = originals[r.below(originals.len())].clone();
    for _ in 0..=r.below(3) {
        out = once(&out, &mut r);
    }
    out
}

/// Reads every case; a panic is told with its case, and the memory ever used stays below 1 GB.
pub fn read_all(originals: &[Vec<u8>], count: u64, read: impl Fn(&[u8])) {
    for case in 0..count {
        let bytes = damaged(originals, case);
        let done = catch_unwind(AssertUnwindSafe(|| read(&bytes)));
        assert!(done.is_ok(), "seed {SEED}, case {case}: {:?}", String::from_utf8_lossy(&bytes));
    }
    // Where the system tells.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|l| l.split_whitespace().next()).and_then(|k| k.parse().ok());
    assert!(kilobytes.unwrap_or(0_u64) < 1_000_000, "{kilobytes:?} kB were used");
}
