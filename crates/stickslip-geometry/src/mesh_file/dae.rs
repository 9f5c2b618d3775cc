//! COLLADA: the triangles and polygons of every geometry that the scene shows, where it shows
//! them, in metres and with z up. Skins, cameras, lights and materials are passed over.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

use super::{Fault, Place, Raw, number};
use crate::{Mat3, Vec3};

/// Nodes within nodes up to this depth; deeper ones refer to themselves.
const DEEPEST: usize = 64;
/// Nodes shown, those shown twice counted twice.
const MOST: usize = 100_000;

/// `R x + t`, with any matrix R.
#[derive(Clone, Copy)]
struct Affine {
    linear: Mat3,
    shift: Vec3,
}

impl Affine {
    const IDENTITY: Self = Self { linear: Mat3::IDENTITY, shift: Vec3::ZERO };

    fn after(&self, inner: &Self) -> Self {
        Self { linear: self.linear * inner.linear, shift: self.linear * inner.shift + self.shift }
    }
}

pub(super) fn parse(text: &str) -> Result<Raw, Fault> {
    let text = text.trim_start_matches('\u{feff}');
    let document = Document::parse(text).map_err(|e| {
        let place = Place::Line(e.pos().row as usize);
        Fault::new(place, format!("not XML: {e}"), "give a COLLADA file")
    })?;
    let (ids, raw) = (BTreeMap::new(), Raw::default());
    let mut reader = Reader { document: &document, ids, raw, visits: 0 };
    for node in document.descendants() {
        if let Some(id) = node.attribute("id") {
            reader.ids.insert(id, node);
        }
    }
    let top = reader.axes()?;
    let scenes: Vec<Node<'_, '_>> = document
        .descendants()
        .filter(|n| n.has_tag_name_here("instance_visual_scene"))
        .filter_map(|n| reader.target(n))
        .collect();
    for scene in scenes {
        reader.nodes(scene, &top, 0)?;
    }
    if reader.raw.faces.is_empty() {
        // A file without scene shows all it has.
        for mesh in document.descendants().filter(|n| n.has_tag_name_here("mesh")) {
            reader.mesh(mesh, &top)?;
        }
    }
    Ok(reader.raw)
}

/// Names without their namespace.
trait Named {
    fn has_tag_name_here(&self, name: &str) -> bool;
}

impl Named for Node<'_, '_> {
    fn has_tag_name_here(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

struct Reader<'a> {
    document: &'a Document<'a>,
    ids: BTreeMap<&'a str, Node<'a, 'a>>,
    raw: Raw,
    visits: usize,
}

/// What a primitive's indices mean: how many per corner, and which names the position.
struct Layout {
    stride: usize,
    offset: usize,
    /// Number in `raw` of the first vertex.
    base: u32,
}

impl<'a> Reader<'a> {
    fn place(&self, node: Node<'a, 'a>) -> Place {
        Place::Line(self.document.text_pos_at(node.range().start).row as usize)
    }

    fn target(&self, node: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
        let id = node.attribute("url").or_else(|| node.attribute("source"))?;
        self.ids.get(id.strip_prefix('#').unwrap_or(id)).copied()
    }

    fn numbers(&self, node: Node<'a, 'a>) -> Result<Vec<f64>, Fault> {
        let place = self.place(node);
        node.text().unwrap_or_default().split_whitespace().map(|w| number(w, place)).collect()
    }

    /// From the units and axes of the file to metres and z up.
    fn axes(&self) -> Result<Affine, Fault> {
        let find = |name| self.document.descendants().find(|n| n.has_tag_name_here(name));
        let meter = match find("unit") {
            Some(unit) => match unit.attribute("meter") {
                Some(text) => number(text.trim(), self.place(unit))?,
                None => 1.0,
            },
            None => 1.0,
        };
        let up = find("up_axis").and_then(|n| n.text()).map_or("Y_UP", str::trim);
        let turn = match up {
            "Z_UP" => Mat3::IDENTITY,
            "X_UP" => Mat3::from_cols(Vec3::Z, Vec3::Y, -Vec3::X),
            _ => Mat3::from_cols(Vec3::X, Vec3::Z, -Vec3::Y),
        };
        Ok(Affine { linear: turn * meter, shift: Vec3::ZERO })
    }

    /// All that hangs from a node or scene.
    fn nodes(&mut self, node: Node<'a, 'a>, outer: &Affine, depth: usize) -> Result<(), Fault> {
        self.visits += 1;
        if depth > DEEPEST || self.visits > MOST {
            let what = format!("nodes lie more than {DEEPEST} deep, or there are more than {MOST}");
            return Err(Fault::new(self.place(node), what, "remove nodes that contain themselves"));
        }
        let mut here = *outer;
        for child in node.children().filter(Node::is_element) {
            if let Some(step) = self.transform(child)? {
                here = here.after(&step);
            }
        }
        for child in node.children().filter(Node::is_element) {
            match (child.tag_name().name(), self.target(child)) {
                ("node", _) => self.nodes(child, &here, depth + 1)?,
                ("instance_node", Some(other)) => self.nodes(other, &here, depth + 1)?,
                ("instance_geometry" | "instance_controller", Some(other)) => {
                    // A controller's skin names the geometry it deforms.
                    let skin = other.children().find(|c| c.has_tag_name_here("skin"));
                    let geometry = skin.and_then(|s| self.target(s)).unwrap_or(other);
                    for mesh in geometry.children().filter(|c| c.has_tag_name_here("mesh")) {
                        self.mesh(mesh, &here)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The transform that an element is, if it is one.
    fn transform(&self, node: Node<'a, 'a>) -> Result<Option<Affine>, Fault> {
        let name = node.tag_name().name();
        let count = match name {
            "matrix" => 16,
            "translate" | "scale" => 3,
            "rotate" => 4,
            _ => return Ok(None),
        };
        let v = self.numbers(node)?;
        if v.len() != count {
            let what = format!("<{name}> with {} numbers", v.len());
            return Err(Fault::new(self.place(node), what, format!("it has {count}")));
        }
        let column = |k: usize| Vec3::new(v[k], v[4 + k], v[8 + k]);
        let still = Affine::IDENTITY;
        Ok(Some(match name {
            "matrix" => Affine {
                linear: Mat3::from_cols(column(0), column(1), column(2)),
                shift: column(3),
            },
            "translate" => Affine { shift: Vec3::new(v[0], v[1], v[2]), ..still },
            "scale" => Affine { linear: Mat3::from_diagonal(Vec3::new(v[0], v[1], v[2])), ..still },
            _ => {
                let axis = Vec3::new(v[0], v[1], v[2]).normalize_or(Vec3::Z);
                Affine { linear: Mat3::from_axis_angle(axis, v[3].to_radians()), ..still }
            }
        }))
    }

    fn mesh(&mut self, mesh: Node<'a, 'a>, at: &Affine) -> Result<(), Fault> {
        let base = self.raw.vertices.len() as u32;
        let Some(vertices) = mesh.children().find(|c| c.has_tag_name_here("vertices")) else {
            return Ok(());
        };
        let input = vertices.children().find(|c| c.attribute("semantic") == Some("POSITION"));
        let Some(source) = input.and_then(|i| self.target(i)) else {
            let what = "<vertices> without the source of their positions";
            return Err(Fault::new(self.place(vertices), what, "name a <source> that exists"));
        };
        let descendant = |name| source.descendants().find(|c| c.has_tag_name_here(name));
        let stride = descendant("accessor").and_then(|a| a.attribute("stride")?.parse().ok());
        let stride = stride.unwrap_or(3_usize).max(3);
        let Some(array) = descendant("float_array") else {
            let what = "a <source> of positions without <float_array>";
            return Err(Fault::new(self.place(source), what, "give the positions"));
        };
        let points = self.numbers(array)?;
        let moved =
            points.chunks_exact(stride).map(|p| at.linear * Vec3::new(p[0], p[1], p[2]) + at.shift);
        self.raw.vertices.extend(moved);
        // A mirrored node turns its faces round.
        let mirrored = at.linear.determinant() < 0.0;
        let first = self.raw.faces.len();
        for child in mesh.children().filter(Node::is_element) {
            self.primitive(child, base)?;
        }
        if mirrored {
            self.raw.faces[first..].iter_mut().for_each(|(corners, _)| corners.reverse());
        }
        Ok(())
    }

    fn primitive(&mut self, node: Node<'a, 'a>, base: u32) -> Result<(), Fault> {
        let name = node.tag_name().name();
        if !["triangles", "polylist", "polygons", "trifans", "tristrips"].contains(&name) {
            return Ok(());
        }
        let inputs: Vec<(usize, bool)> = node
            .children()
            .filter(|c| c.has_tag_name_here("input"))
            .map(|c| {
                let offset = c.attribute("offset").and_then(|o| o.parse().ok()).unwrap_or(0);
                (offset, c.attribute("semantic") == Some("VERTEX"))
            })
            .collect();
        let stride = inputs.iter().map(|i| i.0).max().unwrap_or(0) + 1;
        let offset = inputs.iter().find(|i| i.1).map_or(0, |i| i.0);
        let layout = Layout { stride, offset, base };
        let counts = match node.children().find(|c| c.has_tag_name_here("vcount")) {
            Some(counts) => Some(self.numbers(counts)?),
            None => None,
        };
        for p in node.descendants().filter(|c| c.has_tag_name_here("p")) {
            let place = self.place(p);
            let corners = self.corners(p, &layout)?;
            let faces: Vec<Vec<u32>> = match (name, &counts) {
                ("triangles", _) => corners.chunks_exact(3).map(Vec::from).collect(),
                ("trifans", _) => {
                    corners.windows(2).skip(1).map(|w| vec![corners[0], w[0], w[1]]).collect()
                }
                ("tristrips", _) => strip(&corners),
                ("polylist", Some(counts)) => polygons(&corners, counts),
                _ => vec![corners],
            };
            self.raw
                .faces
                .extend(faces.into_iter().filter(|f| f.len() >= 3).map(|corners| (corners, place)));
        }
        Ok(())
    }

    /// The vertices that a list of indices names.
    fn corners(&self, p: Node<'a, 'a>, layout: &Layout) -> Result<Vec<u32>, Fault> {
        let words: Vec<&str> = p.text().unwrap_or_default().split_whitespace().collect();
        let index = |group: &[&str]| {
            let found = group[layout.offset].parse::<u32>().ok();
            found.and_then(|k| k.checked_add(layout.base)).ok_or_else(|| {
                let what = format!("`{}` is not the index of a vertex", group[layout.offset]);
                Fault::new(self.place(p), what, "write whole numbers from 0")
            })
        };
        words.chunks_exact(layout.stride).map(index).collect()
    }
}

fn strip(corners: &[u32]) -> Vec<Vec<u32>> {
    let face = |(k, w): (usize, &[u32])| match k % 2 {
        0 => vec![w[0], w[1], w[2]],
        _ => vec![w[1], w[0], w[2]],
    };
    corners.windows(3).enumerate().map(face).collect()
}

fn polygons(corners: &[u32], counts: &[f64]) -> Vec<Vec<u32>> {
    let mut from = 0;
    let mut faces = vec![];
    for &count in counts {
        let to = from + count.max(0.0) as usize;
        faces.extend(corners.get(from..to).map(Vec::from));
        from = to;
    }
    faces
}
