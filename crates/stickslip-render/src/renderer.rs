//! One picture: collect triangles, ask the light, draw band by band.

use stickslip::geometry::{Pose, Vec3};
use stickslip_record::Replay;

use crate::{
    Camera, Lens, Moment, Picture, RenderError, RenderOptions,
    camera::View,
    extent::{Extent, part_pose},
    frames::in_bands,
    marks::Marks,
    mesh::{Facet, Shape},
    raster::{Four, NOTHING, Pattern, Samples, Sixteen},
    shade::{Ground, Material, Shader},
    shadow::{self, Shadow},
    theme::{self, Encoder, Theme},
    triangles::{BAND, Triangles},
};

/// Draws a run, one moment at a time.
pub struct Renderer {
    model: stickslip_record::view::ViewModel,
    shapes: Vec<Shape>,
    materials: Vec<Material>,
    pub(crate) extent: Extent,
    pub(crate) options: RenderOptions,
    theme: Theme,
    encoder: Encoder,
}

impl Renderer {
    /// Ready to draw the moments of a run; sizes are chosen by the whole of it.
    pub fn new(replay: &Replay, options: RenderOptions) -> Result<Self, RenderError> {
        options.validate()?;
        if replay.frames() == 0 {
            return Err(RenderError::Empty);
        }
        let planar = replay.model.dimension == 2;
        let shapes: Vec<Shape> =
            replay.model.shapes.iter().map(|shape| Shape::new(shape, planar)).collect();
        let theme = Theme::new(options.dark);
        let bodies = replay.model.bodies.iter().enumerate();
        let materials = bodies.map(|(b, body)| Material {
            color: match body.color {
                Some(color) => color.map(theme::linear),
                None if body.motion == "static" => theme.fixed,
                None => theme::palette(b),
            },
            lit: !planar,
        });
        Ok(Self {
            materials: materials.collect(),
            extent: Extent::new(replay, &shapes),
            model: replay.model.clone(),
            shapes,
            options,
            theme,
            encoder: Encoder::new(),
        })
    }

    /// Columns by rows.
    pub(crate) fn aspect(&self) -> f64 {
        self.options.width as f64 / self.options.height as f64
    }

    pub(crate) fn planar(&self) -> bool {
        self.model.dimension == 2
    }

    /// A camera that sees the whole motion of the run.
    pub fn camera(&self) -> Camera {
        self.extent.camera(self.planar(), self.aspect())
    }

    /// Draws a moment, which must have as many bodies as the run.
    pub fn draw(&self, moment: &Moment, camera: &Camera) -> Picture {
        let (width, height) = (self.options.width, self.options.height);
        let view = View::new(camera, width, height);
        let mut triangles = Triangles::new(&view, width, height);
        self.add_bodies(moment, &view, &mut triangles);
        let bodies = triangles.all.len();
        let materials = self.add_marks(moment, &mut triangles);
        let shadow = self.shadow(moment, camera);
        let grounds = self.grounds(moment, &view);
        let size = self.extent.focus.diagonal().max(1e-9);
        let shader = Shader {
            view: &view,
            theme: &self.theme,
            triangles: &triangles.all,
            materials: &materials,
            grounds: &grounds,
            shadow: shadow.as_ref(),
            cell: round_number(size / 12.0),
            reach: 5.0 * size,
            edges: self.options.edges,
            paper: self.planar(),
            rows: height,
        };
        let mut pixels = vec![0; 3 * width * height];
        let draw = Bands { shader: &shader, triangles: &triangles, bodies, width };
        let scratch = || Samples::new(width, self.options.samples);
        let (rows, workers) = (3 * width * BAND, self.options.workers());
        in_bands((&mut pixels, rows), workers, scratch, |samples, band, out| {
            match self.options.samples {
                16 => draw.band::<Sixteen>(samples, band, out, &self.encoder),
                _ => draw.band::<Four>(samples, band, out, &self.encoder),
            }
        });
        Picture { width, height, pixels }
    }

    /// Calls `add` with every drawn part of a body that is somewhere: the body, the shape, where.
    fn parts(&self, moment: &Moment, mut add: impl FnMut(usize, &Shape, Pose)) {
        for (b, (body, pose)) in self.model.bodies.iter().zip(&moment.poses).enumerate() {
            let finite = pose.position.is_finite() && pose.orientation.is_finite();
            for part in body.parts.iter().filter(|_| body.visible && finite) {
                add(b, &self.shapes[part.shape], pose.compose(&part_pose(part)));
            }
        }
    }

    fn add_bodies(&self, moment: &Moment, view: &View, triangles: &mut Triangles<'_>) {
        let depth = 0.02 * self.extent.typical;
        self.parts(moment, |b, shape, mut pose| {
            if self.planar() && self.model.bodies[b].motion == "static" {
                // In the plane what does not move lies behind what does.
                pose.position.z -= depth;
            }
            let material = b as u32;
            if shape.is_half_space() {
                if self.planar() {
                    self.below(&pose)
                        .into_iter()
                        .for_each(|f| put(triangles, &f, (&pose, material), false));
                }
                return;
            }
            let size = view.screen(view.see(pose.position));
            let pixels = match view.flat {
                true => shape.radius * view.scale,
                false => shape.radius * view.scale * size[2].abs(),
            };
            let mesh = shape.mesh(pixels);
            mesh.facets.iter().for_each(|f| put(triangles, f, (&pose, material), mesh.closed));
        });
    }

    /// A half-space of the plane: a large rectangle below its x axis, in its own frame.
    fn below(&self, pose: &Pose) -> [Facet; 2] {
        let far = 20.0 * self.extent.focus.diagonal() + pose.position.length();
        let [a, b, c, d] =
            [(-far, -far), (far, -far), (far, 0.0), (-far, 0.0)].map(|(x, y)| Vec3::new(x, y, 0.0));
        let facet = |points, sides| Facet { points, normals: [Vec3::Z; 3], sides };
        [facet([a, b, c], 0), facet([a, c, d], 2)]
    }

    /// Adds forces and joints; all materials of the picture.
    fn add_marks(&self, moment: &Moment, triangles: &mut Triangles<'_>) -> Vec<Material> {
        let mut materials = self.materials.clone();
        let mut marks = Marks::default();
        if self.options.joints {
            marks.joints(&self.model, moment, &self.extent);
        }
        if self.options.forces {
            marks.forces(moment, &self.extent);
        }
        for mark in &marks.all {
            let material = materials.len() as u32;
            materials.push(Material { color: mark.color, lit: false });
            for facet in &mark.mesh.facets {
                put(triangles, &Facet { sides: 0, ..*facet }, (&mark.pose, material), true);
            }
        }
        materials
    }

    /// What the light reaches, of the run or of what the camera sees, whichever is smaller.
    fn shadow(&self, moment: &Moment, camera: &Camera) -> Option<Shadow> {
        let Lens::Perspective { fov } = camera.lens else { return None };
        if !self.options.shadows || self.planar() {
            return None;
        }
        let distance = camera.position.distance(camera.target);
        let seen = 2.0 * distance * (0.5 * fov.to_radians()).tan() * self.aspect().max(1.0);
        let whole = 0.65 * self.extent.focus.diagonal();
        let (middle, radius) = match seen < whole {
            true => (camera.target, seen),
            false => (self.extent.focus.middle(), whole),
        };
        let light = shadow::light_view(middle, radius.max(1e-9));
        let mut triangles = shadow::collect(&light);
        self.parts(moment, |b, shape, pose| {
            let pixels = shape.radius * light.scale;
            let mesh = shape.mesh(pixels.min(80.0));
            mesh.facets.iter().for_each(|f| put(&mut triangles, f, (&pose, b as u32), mesh.closed));
        });
        Some(Shadow::new(light, &triangles, self.options.workers()))
    }

    /// The half-spaces of the scene, seen from their free side.
    fn grounds(&self, moment: &Moment, view: &View) -> Vec<Ground> {
        let mut grounds = Vec::new();
        if self.planar() {
            return grounds;
        }
        self.parts(moment, |_, shape, pose| {
            let normal = pose.vector(Vec3::Z);
            let seen = match view.flat {
                true => normal.dot(view.forward) < 0.0,
                false => normal.dot(view.eye - pose.position) > 0.0,
            };
            if shape.is_half_space() && seen {
                grounds.push(Ground::new(view, &pose, self.extent.focus.middle()));
            }
        });
        grounds
    }
}

/// Adds a triangle of a shape at a pose.
fn put(to: &mut Triangles<'_>, f: &Facet, (pose, material): (&Pose, u32), closed: bool) {
    let points = f.points.map(|p| pose.point(p));
    let normals = f.normals.map(|n| pose.vector(n));
    to.add(points, normals, (material, f.sides), closed);
}

/// A round number close to `x`: 1, 2 or 5 times a power of ten.
fn round_number(x: f64) -> f64 {
    let power = 10_f64.powf(x.log10().floor());
    let lead = x / power;
    power
        * [(1.5, 1.0), (3.5, 2.0), (7.5, 5.0)]
            .iter()
            .find(|(most, _)| lead < *most)
            .map_or(10.0, |r| r.1)
}

/// What every band of a picture is drawn from.
struct Bands<'a> {
    shader: &'a Shader<'a>,
    triangles: &'a Triangles<'a>,
    /// Triangles of bodies; those after them are drawn over all.
    bodies: usize,
    width: usize,
}

impl Bands<'_> {
    fn band<P: Pattern>(
        &self,
        samples: &mut Samples,
        band: usize,
        out: &mut [u8],
        encoder: &Encoder,
    ) {
        let (top, rows) = (band * BAND, out.len() / (3 * self.width));
        samples.begin(top, rows);
        // Grounds first, then triangles.
        let first = self.shader.grounds.len() as u32;
        for (k, ground) in self.shader.grounds.iter().enumerate() {
            samples.plane::<P>(ground.plane, !self.shader.view.flat, k as u32);
        }
        let mut over = false;
        for &t in &self.triangles.bands[band] {
            if !over && t as usize >= self.bodies {
                over = true;
                samples.over();
            }
            samples.triangle::<P>(&self.triangles.all[t as usize], first + t);
        }
        for (row, line) in out.chunks_exact_mut(3 * self.width).enumerate() {
            for (x, pixel) in line.chunks_exact_mut(3).enumerate() {
                let color = self.resolve(samples.pixel(x, row), x, top + row);
                pixel.copy_from_slice(&encoder.encode(color));
            }
        }
    }

    /// The mean color of a pixel's samples; what is seen in several is shaded once.
    fn resolve(&self, seen: &[u32], x: usize, y: usize) -> theme::Color {
        if seen.iter().all(|&id| id == seen[0]) {
            return self.color(seen[0], x, y);
        }
        let mut sum = [0.0; 3];
        for (k, &id) in seen.iter().enumerate() {
            if seen[..k].contains(&id) {
                continue;
            }
            let weight = seen[k..].iter().filter(|&&other| other == id).count() as f32;
            let color = self.color(id, x, y);
            (0..3).for_each(|i| sum[i] += weight * color[i].clamp(0.0, 1.0));
        }
        sum.map(|c| c / seen.len() as f32)
    }

    fn color(&self, id: u32, x: usize, y: usize) -> theme::Color {
        let grounds = self.shader.grounds.len();
        match id {
            NOTHING => self.shader.background(x, y),
            k if (k as usize) < grounds => self.shader.ground(k as usize, x, y),
            k => self.shader.surface(k as usize - grounds, x, y),
        }
    }
}
