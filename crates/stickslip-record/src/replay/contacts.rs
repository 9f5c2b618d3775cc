//! Contacts for the eye: where, which way, how hard, of which kind.

use stickslip::{Model, collide::Role, formulate::ConstraintKind, geometry::Vec3, hook::StepData};

/// One contact of one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactRow {
    /// Between the two bodies' contact points \[m\].
    pub point: [f32; 3],
    /// From the first body to the second.
    pub normal: [f32; 3],
    /// Mean force of the step on the second body \[N\].
    pub force: [f32; 3],
    /// Gap at the start of the step \[m\].
    pub gap: f32,
    /// Coefficient of friction.
    pub friction: f32,
    /// Bodies.
    pub pair: [u32; 2],
    /// 0 unilateral, 1 inter, 2 cross, 3 secondary.
    pub kind: u8,
}

/// The contacts of a step of size `h` \[s\]: those of the problem with their forces, and with
/// `all` also those that cannot push.
pub fn contact_rows(model: &Model, data: &StepData, h: f64, all: bool) -> Vec<ContactRow> {
    let mut rows = Vec::new();
    fill_contact_rows(model, data, h, all, &mut rows);
    rows
}

/// [`contact_rows`], added to a list.
pub(crate) fn fill_contact_rows(
    model: &Model,
    data: &StepData,
    h: f64,
    all: bool,
    rows: &mut Vec<ContactRow>,
) {
    let row = |contact: &stickslip::collide::Contact, force: Vec3, kind: u8| ContactRow {
        point: single((contact.a.point + contact.b.point) * 0.5),
        normal: single(contact.normal),
        force: single(force),
        gap: contact.gap as f32,
        friction: model.material(contact.a.body, contact.b.body).friction as f32,
        pair: [contact.a.body.index() as u32, contact.b.body.index() as u32],
        kind,
    };
    for f in &data.motion.forces {
        let Some(contact) = data.motion.contacts.get(f.contact) else { continue };
        let force = if h > 0.0 { (contact.normal * f.normal + f.friction) / h } else { Vec3::ZERO };
        if all || force != Vec3::ZERO {
            rows.push(row(contact, force, kind(f.kind)));
        }
    }
    if all {
        let secondary = data.contacts.iter().filter(|c| c.role == Role::Secondary);
        rows.extend(secondary.map(|c| row(c, Vec3::ZERO, 3)));
    }
}

fn kind(kind: ConstraintKind) -> u8 {
    match kind {
        ConstraintKind::Unilateral => 0,
        ConstraintKind::Inter => 1,
        ConstraintKind::Cross => 2,
    }
}

fn single(v: Vec3) -> [f32; 3] {
    v.to_array().map(|x| x as f32)
}

/// Contacts of many frames, column by column.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactTable {
    /// Contacts before each frame, and in total.
    pub start: Vec<u32>,
    /// See [`ContactRow::point`].
    pub point: Vec<f32>,
    /// See [`ContactRow::normal`].
    pub normal: Vec<f32>,
    /// See [`ContactRow::force`].
    pub force: Vec<f32>,
    /// See [`ContactRow::gap`].
    pub gap: Vec<f32>,
    /// See [`ContactRow::friction`].
    pub friction: Vec<f32>,
    /// See [`ContactRow::pair`].
    pub pair: Vec<u32>,
    /// See [`ContactRow::kind`].
    pub kind: Vec<u8>,
}

impl Default for ContactTable {
    fn default() -> Self {
        Self {
            start: vec![0],
            point: Vec::new(),
            normal: Vec::new(),
            force: Vec::new(),
            gap: Vec::new(),
            friction: Vec::new(),
            pair: Vec::new(),
            kind: Vec::new(),
        }
    }
}

impl ContactTable {
    /// Adds a frame.
    pub fn push(&mut self, rows: &[ContactRow]) {
        for row in rows {
            self.point.extend(row.point);
            self.normal.extend(row.normal);
            self.force.extend(row.force);
            self.gap.push(row.gap);
            self.friction.push(row.friction);
            self.pair.extend(row.pair);
            self.kind.push(row.kind);
        }
        self.start.push(self.kind.len() as u32);
    }

    /// Forgets the first frames, of which there are at least as many.
    pub fn forget(&mut self, frames: usize) {
        let c = self.start[frames] as usize;
        self.start.drain(..frames);
        self.start.iter_mut().for_each(|s| *s -= c as u32);
        self.point.drain(..3 * c);
        self.normal.drain(..3 * c);
        self.force.drain(..3 * c);
        self.gap.drain(..c);
        self.friction.drain(..c);
        self.pair.drain(..2 * c);
        self.kind.drain(..c);
    }

    /// The contacts of one frame.
    pub fn frame(&self, frame: usize) -> Vec<ContactRow> {
        let (from, to) = match self.start.get(frame..frame + 2) {
            Some(pair) => (pair[0] as usize, pair[1] as usize),
            None => return Vec::new(),
        };
        let three = |data: &[f32], i: usize| [data[3 * i], data[3 * i + 1], data[3 * i + 2]];
        let row = |i: usize| ContactRow {
            point: three(&self.point, i),
            normal: three(&self.normal, i),
            force: three(&self.force, i),
            gap: self.gap[i],
            friction: self.friction[i],
            pair: [self.pair[2 * i], self.pair[2 * i + 1]],
            kind: self.kind[i],
        };
        (from..to).map(row).collect()
    }
}
