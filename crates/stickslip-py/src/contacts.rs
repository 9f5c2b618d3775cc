//! Contacts as rows of a table, both ways.

use stickslip::{
    BodyId,
    collide::{Contact, Feature, Role, Side},
    formulate::ContactForce,
};
use stickslip_geometry::Vec3;

/// Columns of the table: bodies (2), parts (2), kinds of feature (2), their numbers (2), points
/// (3 + 3), normal (3), gap, applicability, primary, normal impulse, friction impulse (3).
pub const COLUMNS: usize = 24;

/// Contacts, with their impulses where there are any.
pub fn table(contacts: &[Contact], forces: &[ContactForce]) -> Vec<f64> {
    let mut impulses = vec![(0.0, Vec3::ZERO); contacts.len()];
    for force in forces {
        if let Some(sum) = impulses.get_mut(force.contact) {
            sum.0 += force.normal;
            sum.1 += force.friction;
        }
    }
    let mut rows = Vec::with_capacity(contacts.len() * COLUMNS);
    for (c, (normal, friction)) in contacts.iter().zip(impulses) {
        let ((kind_a, number_a), (kind_b, number_b)) = (code(c.a.feature), code(c.b.feature));
        rows.extend([c.a.body.index() as f64, c.b.body.index() as f64]);
        rows.extend([f64::from(c.a.part), f64::from(c.b.part)]);
        rows.extend([kind_a, kind_b, number_a, number_b]);
        rows.extend(c.a.point.to_array());
        rows.extend(c.b.point.to_array());
        rows.extend(c.normal.to_array());
        rows.extend([c.gap, c.applicability, f64::from(u8::from(c.role == Role::Primary))]);
        rows.push(normal);
        rows.extend(friction.to_array());
    }
    rows
}

/// Contacts from a table; an error says which row makes no sense.
pub fn read(rows: &[Vec<f64>], n_bodies: usize) -> Result<Vec<Contact>, String> {
    rows.iter()
        .enumerate()
        .map(|(i, row)| contact(row, n_bodies).map_err(|e| format!("contact {i}: {e}")))
        .collect()
}

fn contact(row: &[f64], n_bodies: usize) -> Result<Contact, String> {
    if row.len() != COLUMNS {
        return Err(format!("{} numbers, but {COLUMNS} are needed", row.len()));
    }
    if let Some(k) = row.iter().position(|x| !x.is_finite()) {
        return Err(format!("number {k} is {}; every number must be finite", row[k]));
    }
    let vector = |k: usize| Vec3::new(row[k], row[k + 1], row[k + 2]);
    let side = |k: usize, point: usize| -> Result<Side, String> {
        let body = row[k] as usize;
        if body >= n_bodies {
            return Err(format!("body {body} of {n_bodies}"));
        }
        Ok(Side {
            body: BodyId::new(body),
            part: row[2 + k] as u32,
            feature: feature(row[4 + k], row[6 + k]),
            point: vector(point),
        })
    };
    let (mut a, mut b, mut normal) = (side(0, 8)?, side(1, 11)?, vector(14));
    let length = normal.length();
    if (length - 1.0).abs() > 1e-6 {
        return Err(format!("the normal has length {length}, but must have 1"));
    }
    if a.body == b.body {
        return Err("a body cannot touch itself".to_owned());
    }
    // The engine wants the smaller id first, and the normal from A to B.
    if a.body > b.body {
        std::mem::swap(&mut a, &mut b);
        normal = -normal;
    }
    let role = if row[19] != 0.0 { Role::Primary } else { Role::Secondary };
    let normal = normal / length;
    Ok(Contact { a, b, normal, gap: row[17], applicability: row[18], role })
}

fn code(feature: Feature) -> (f64, f64) {
    match feature {
        Feature::Vertex(i) => (0.0, f64::from(i)),
        Feature::Edge(i) => (1.0, f64::from(i)),
        Feature::Face(i) => (2.0, f64::from(i)),
        Feature::Smooth(i) => (3.0, f64::from(i)),
    }
}

fn feature(kind: f64, number: f64) -> Feature {
    let i = number as u32;
    match kind as u8 {
        0 => Feature::Vertex(i),
        1 => Feature::Edge(i),
        2 => Feature::Face(i),
        _ => Feature::Smooth(i),
    }
}
