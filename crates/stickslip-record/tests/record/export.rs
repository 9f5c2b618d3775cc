use std::io::Read;

use serde_json::Value;
use stickslip_record::{
    RecordOptions, Recorder, Recording, Replay, ReplayHook, RunInfo, export,
    replay::{Message, html},
};

use crate::support::{Scratch, boxes, planar};

fn run(mut sim: stickslip::Simulator, steps: usize) -> Replay {
    let hook = ReplayHook::new("test", &sim);
    sim.pipeline.hooks.push(Box::new(hook.clone()));
    for _ in 0..steps {
        sim.step().unwrap();
    }
    hook.replay()
}

/// Header and arrays of a container, read as FORMAT.md says.
fn decode(bytes: &[u8]) -> (Value, &[u8]) {
    assert_eq!(&bytes[..8], b"STICKSLP");
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!(word(8), 1);
    let start = 16 + word(12);
    assert_eq!(start % 8, 0);
    (serde_json::from_slice(&bytes[16..start]).unwrap(), &bytes[start..])
}

fn doubles(header: &Value, data: &[u8], name: &str) -> Vec<f64> {
    let info = &header["arrays"][name];
    assert_eq!(info["type"], "f64", "{name}");
    let at = info["offset"].as_u64().unwrap() as usize;
    assert_eq!(at % 8, 0);
    let count: u64 =
        info["shape"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).product();
    let bytes = &data[at..at + 8 * count as usize];
    bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

#[test]
fn the_container_holds_the_replay() {
    let replay = run(boxes(4), 30);
    let bytes = replay.container(Message::Recording, 0).unwrap();
    let (header, data) = decode(&bytes);
    assert_eq!(header["format"], "stickslip-replay");
    assert_eq!(header["bodies"].as_array().unwrap().len(), 5);
    assert_eq!(header["shapes"].as_array().unwrap().len(), 2, "equal boxes share one shape");
    assert_eq!(header["shapes"][0]["type"], "half-space");
    assert_eq!(doubles(&header, data, "position"), replay.position);
    assert_eq!(doubles(&header, data, "time"), replay.time);
    let energy: Vec<f64> = replay.series.iter().map(|row| row[0]).collect();
    assert_eq!(doubles(&header, data, "series/energy"), energy);
    // A live message has the frames after the first ones, and no scene.
    let later = replay.container(Message::Frames, 21).unwrap();
    let (header, data) = decode(&later);
    assert!(header.get("bodies").is_none() && header["message"] == "frames");
    assert_eq!(doubles(&header, data, "time"), replay.time[21..]);
}

#[test]
fn the_page_holds_every_recording() {
    let replays = [run(boxes(2), 5), run(planar(), 9)];
    let text = html(&replays).unwrap();
    let mark = "<script type=\"application/x-stickslip\" data-encoding=\"gzip\">";
    let parts: Vec<&str> = text.split(mark).skip(1).collect();
    assert_eq!(parts.len(), 2);
    for (part, replay) in parts.iter().zip(&replays) {
        let code = part.split("</script>").next().unwrap();
        let packed = from_base64(code);
        let mut plain = Vec::new();
        flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut plain).unwrap();
        let (header, data) = decode(&plain);
        assert_eq!(header["dimension"], replay.model.dimension);
        assert_eq!(doubles(&header, data, "orientation"), replay.orientation);
    }
}

fn from_base64(text: &str) -> Vec<u8> {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = Vec::new();
    for four in text.trim().as_bytes().chunks(4) {
        let value = |c: u8| letters.bytes().position(|l| l == c).unwrap_or(0) as u32;
        let word = four.iter().fold(0, |w, &c| w << 6 | value(c));
        let pad = four.iter().filter(|&&c| c == b'=').count();
        out.extend(&word.to_be_bytes()[1..4 - pad]);
    }
    out
}

/// A recording gives the same replay as looking on.
#[test]
fn a_recording_replays_what_was_seen() {
    let mut sim = boxes(4);
    let file = Scratch::new("replay.h5");
    let info = RunInfo { name: "test".into(), ..RunInfo::default() };
    let options = RecordOptions { penetration: Some(false), ..RecordOptions::default() };
    let hook = ReplayHook::new("test", &sim);
    sim.pipeline.hooks.push(Box::new(hook.clone()));
    let recorder = Recorder::attach(&file.0, &mut sim, &info, options).unwrap();
    for _ in 0..25 {
        sim.step().unwrap();
    }
    recorder.finish().unwrap();
    let (mut read, mut seen) = (Recording::open(&file.0).unwrap().replay().unwrap(), hook.replay());
    // NaN is unequal to itself; compare the bits.
    let bits = |replay: &mut Replay| -> Vec<u64> {
        let all = std::mem::take(&mut replay.series);
        all.iter().flatten().map(|v| v.to_bits()).collect()
    };
    assert_eq!(bits(&mut read), bits(&mut seen));
    assert_eq!(read, seen);
}

#[test]
fn csv_reads_back_to_the_same_numbers() {
    let replay = run(boxes(2), 12);
    let text = export::csv(&replay);
    let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split(',').collect()).collect();
    assert_eq!(lines.len(), 14);
    let column = lines[0].iter().position(|c| *c == "box 2.position.z").unwrap();
    for k in 0..13 {
        let z: f64 = lines[k + 1][column].parse().unwrap();
        assert_eq!(z, replay.position[3 * (3 * k + 2) + 2]);
        assert_eq!(lines[k + 1].len(), lines[0].len());
    }
}

/// The file is a glTF by its own rules: lengths, offsets, counts, node references.
#[test]
fn gltf_is_well_formed_and_moves_the_bodies() {
    let replay = run(boxes(3), 20);
    let bytes = export::gltf(&replay).unwrap();
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let text = &bytes[20..20 + word(12)];
    assert_eq!(&bytes[16..20], b"JSON");
    let binary = &bytes[20 + word(12) + 8..];
    let document: Value = serde_json::from_slice(text).unwrap();
    let list = |key: &str| document[key].as_array().unwrap().clone();
    assert_eq!(document["buffers"][0]["byteLength"].as_u64().unwrap() as usize, binary.len());
    for accessor in list("accessors") {
        let view = &list("bufferViews")[accessor["bufferView"].as_u64().unwrap() as usize];
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let count = accessor["count"].as_u64().unwrap();
        assert_eq!(view["byteLength"].as_u64().unwrap(), 4 * width * count);
        let end = view["byteOffset"].as_u64().unwrap() + view["byteLength"].as_u64().unwrap();
        assert!(end as usize <= binary.len());
    }
    let nodes = list("nodes");
    let named = |name: &str| nodes.iter().position(|n| n["name"] == name).unwrap();
    assert!(nodes[0]["children"].as_array().unwrap().len() == 4);
    for node in &nodes {
        for child in node["children"].as_array().into_iter().flatten() {
            assert!((child.as_u64().unwrap() as usize) < nodes.len());
        }
        if let Some(mesh) = node["mesh"].as_u64() {
            assert!((mesh as usize) < list("meshes").len());
        }
    }
    // Three boxes, two channels each; the floor stands still.
    let channels = document["animations"][0]["channels"].as_array().unwrap();
    assert_eq!(channels.len(), 6);
    assert!(channels.iter().all(|c| c["target"]["node"] != named("floor")));
    let last = channels
        .iter()
        .find(|c| c["target"]["node"] == named("box 2") && c["target"]["path"] == "translation")
        .unwrap();
    let sampler =
        &document["animations"][0]["samplers"][last["sampler"].as_u64().unwrap() as usize];
    let output = sampler["output"].as_u64().unwrap() as usize;
    let view = list("accessors")[output]["bufferView"].as_u64().unwrap() as usize;
    let at = list("bufferViews")[view]["byteOffset"].as_u64().unwrap() as usize + 4 * (3 * 20 + 2);
    let z = f32::from_le_bytes(binary[at..at + 4].try_into().unwrap());
    assert_eq!(z, replay.position[3 * (4 * 20 + 2) + 2] as f32);
}
