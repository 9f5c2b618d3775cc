//! Any quantity over time, by name: what the plots draw.

use super::Recording;
use crate::{RecordError, recorder::JOINT_COLUMNS, series::SERIES};

const VECTORS: [&str; 4] = ["position", "velocity", "acceleration", "angular_velocity"];

impl Recording {
    /// Values of `what` for every row, with its unit.
    ///
    /// `what` is a scalar of the run (`energy`, `joint_error`, …) or, of a body,
    /// `position|velocity|acceleration|angular_velocity` `.x|.y|.z|.norm`, or `angle` (2D), or,
    /// of a joint, `joint_position`, `joint_velocity`, `joint_motor`, `joint_force|joint_torque`
    /// `.x|.y|.z|.norm`.
    pub fn quantity(
        &self,
        what: &str,
        body: Option<&str>,
    ) -> Result<(Vec<f64>, &'static str), RecordError> {
        if let Some(info) = SERIES.iter().find(|s| s.name == what) {
            return Ok((self.series(what)?, info.unit));
        }
        let unknown = || RecordError::UnknownQuantity { name: what.into(), known: known_names() };
        let named = body.ok_or_else(unknown);
        if what.starts_with("joint_") {
            return self.joint_quantity(what, named?).and_then(|found| found.ok_or_else(unknown));
        }
        if what == "angle" && self.model.dimension == 2 {
            let (n, b) = (self.model.bodies.len(), self.body(named?)?);
            let all = self.packed("angle", n)?;
            return Ok((all.into_iter().skip(b).step_by(n).collect(), "rad"));
        }
        let (vector, part) = what.split_once('.').ok_or_else(unknown)?;
        let axis = ["x", "y", "z", "norm"].iter().position(|p| *p == part);
        let (Some(axis), true) = (axis, VECTORS.contains(&vector)) else { return Err(unknown()) };
        let b = self.body(named?)?;
        let unit = match vector {
            "position" => "m",
            "velocity" => "m/s",
            "acceleration" => "m/s²",
            _ => "rad/s",
        };
        let rows = self.vectors(vector, b)?;
        let pick = |v: &[f64; 3]| {
            if axis < 3 { v[axis] } else { v.iter().map(|x| x * x).sum::<f64>().sqrt() }
        };
        Ok((rows.iter().map(pick).collect(), unit))
    }

    /// A quantity of a joint; `None` where there is none of that name.
    fn joint_quantity(
        &self,
        what: &str,
        joint: &str,
    ) -> Result<Option<(Vec<f64>, &'static str)>, RecordError> {
        let (name, part) = what.split_once('.').unwrap_or((what, ""));
        let Some(&(name, width)) = JOINT_COLUMNS.iter().find(|c| c.0 == name) else {
            return Ok(None);
        };
        let axis = ["x", "y", "z", "norm"].iter().position(|p| *p == part);
        if (width == 1) != part.is_empty() || (width == 3 && axis.is_none()) {
            return Ok(None);
        }
        let joints = &self.model.joints;
        let Some(index) = joints.iter().position(|j| j.name == joint) else {
            let known = joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>().join(", ");
            return Err(RecordError::UnknownJoint { name: joint.into(), known });
        };
        let data = self.packed(name, joints.len() * width)?;
        let pick = |row: &[f64]| {
            let mine = &row[index * width..(index + 1) * width];
            match axis {
                Some(axis) if axis < 3 => mine[axis],
                Some(_) => mine.iter().map(|x| x * x).sum::<f64>().sqrt(),
                None => mine[0],
            }
        };
        let unit = match name {
            "joint_position" => "m or rad",
            "joint_velocity" => "m/s or rad/s",
            "joint_force" => "N",
            "joint_torque" => "N m",
            _ => "N or N m",
        };
        Ok(Some((data.chunks_exact(joints.len() * width).map(pick).collect(), unit)))
    }

    /// A vector of a body for every row; the acceleration is `(v_k - v_(k-1)) / (t_k - t_(k-1))`
    /// and NaN in the first row.
    pub fn vectors(&self, name: &str, body: usize) -> Result<Vec<[f64; 3]>, RecordError> {
        let source = if name == "acceleration" { "velocity" } else { name };
        let data = self.trajectory(source)?;
        let n = self.model.bodies.len();
        let rows: Vec<[f64; 3]> = data
            .chunks_exact(3 * n)
            .map(|row| [row[3 * body], row[3 * body + 1], row[3 * body + 2]])
            .collect();
        if name != "acceleration" {
            return Ok(rows);
        }
        let mut out = vec![[f64::NAN; 3]; rows.len().min(1)];
        for (v, t) in rows.windows(2).zip(self.time.windows(2)) {
            out.push([0, 1, 2].map(|i| (v[1][i] - v[0][i]) / (t[1] - t[0])));
        }
        Ok(out)
    }
}

fn known_names() -> String {
    let runs = SERIES.map(|s| s.name).join(", ");
    let bodies = VECTORS.map(|v| format!("{v}.x|y|z|norm")).join(", ");
    let joints = JOINT_COLUMNS.map(|(name, width)| match width {
        1 => name.to_owned(),
        _ => format!("{name}.x|y|z|norm"),
    });
    format!("{runs}; of a body: {bodies}, angle (2D); of a joint: {}", joints.join(", "))
}
