//! Writers of mesh formats that hold scenes.
#![allow(clippy::unwrap_used, dead_code)]

use std::fmt::Write;

use stickslip_geometry::TriMesh;

pub fn off(m: &TriMesh) -> Vec<u8> {
    let mut s = format!("OFF # made by a test\n{} {} 0\n", m.vertices.len(), m.triangles.len());
    for v in &m.vertices {
        writeln!(s, "{} {} {}", v.x, v.y, v.z).unwrap();
    }
    for [a, b, c] in &m.triangles {
        writeln!(s, "3 {a} {b} {c}").unwrap();
    }
    s.into_bytes()
}

/// COLLADA with the mesh in a node within a node that has these transforms.
pub fn dae(m: &TriMesh, up: &str, meter: f64, transforms: &str) -> Vec<u8> {
    let numbers: Vec<String> =
        m.vertices.iter().flat_map(|v| v.to_array()).map(|x| x.to_string()).collect();
    let indices: Vec<String> = m.triangles.iter().flatten().map(|k| format!("{k} 0")).collect();
    format!(
        r##"<?xml version="1.0"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="u" meter="{meter}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count="{}">{}</float_array><technique_common>
<accessor source="#a" count="{}" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="{}"><input semantic="VERTEX" source="#v" offset="0"/>
<input semantic="NORMAL" source="#n" offset="1"/><p>{}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node>{transforms}<node>
<instance_geometry url="#g"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##,
        numbers.len(),
        numbers.join(" "),
        m.vertices.len(),
        m.triangles.len(),
        indices.join(" ")
    )
    .into_bytes()
}

/// Binary glTF with 16-bit indices, in a node that shifts by (1, 2, 3).
pub fn glb(m: &TriMesh) -> Vec<u8> {
    let mut data: Vec<u8> = m
        .vertices
        .iter()
        .flat_map(|v| v.to_array())
        .flat_map(|x| (x as f32).to_le_bytes())
        .collect();
    let split = data.len();
    data.extend(m.triangles.iter().flatten().flat_map(|k| (*k as u16).to_le_bytes()));
    data.resize(data.len().next_multiple_of(4), 0);
    let (vertices, corners) = (m.vertices.len(), 3 * m.triangles.len());
    let mut json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"mesh":0,"translation":[1,2,3]}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "buffers":[{{"byteLength":{}}}],
        "bufferViews":[{{"buffer":0,"byteLength":{split}}},{{"buffer":0,"byteOffset":{split},"byteLength":{}}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{vertices},"type":"VEC3"}},
        {{"bufferView":1,"componentType":5123,"count":{corners},"type":"SCALAR"}}]}}"#,
        data.len(),
        2 * corners
    );
    while json.len() % 4 != 0 {
        json.push(' ');
    }
    let mut bytes = b"glTF".to_vec();
    bytes.extend(2_u32.to_le_bytes());
    bytes.extend(((28 + json.len() + data.len()) as u32).to_le_bytes());
    for (kind, chunk) in [(0x4E4F_534A_u32, json.as_bytes()), (0x004E_4942, &data[..])] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(chunk);
    }
    bytes
}

pub fn msh(m: &TriMesh) -> Vec<u8> {
    let counts = [m.vertices.len(), 0, 0, m.triangles.len()];
    let mut bytes: Vec<u8> = counts.iter().flat_map(|n| (*n as u32).to_le_bytes()).collect();
    bytes.extend(
        m.vertices.iter().flat_map(|v| v.to_array()).flat_map(|x| (x as f32).to_le_bytes()),
    );
    bytes.extend(m.triangles.iter().flatten().flat_map(|k| k.to_le_bytes()));
    bytes
}
