//! Distances and rays.

use pyo3::prelude::*;
use stickslip::{BodyId, query};
use stickslip_geometry::Vec3;

use crate::{convert::Triple, engine::Engine};

/// Number of the body, distance, point, normal.
type Hit = (usize, f64, Triple, Triple);

#[pymethods]
impl Engine {
    /// Distance of two bodies; None for a surface.
    fn distance(&self, py: Python<'_>, a: usize, b: usize) -> PyResult<Option<f64>> {
        let (model, state, _) = self.present(py)?;
        let n = model.bodies().len();
        if a >= n || b >= n {
            return Ok(None);
        }
        Ok(py.detach(|| query::distance(&model, &state, BodyId::new(a), BodyId::new(b))))
    }

    /// What a ray meets first.
    fn raycast(
        &self,
        py: Python<'_>,
        origin: Triple,
        direction: Triple,
        reach: f64,
        ignored: Vec<usize>,
    ) -> PyResult<Option<Hit>> {
        let (model, state, _) = self.present(py)?;
        let ray = (Vec3::from(origin), Vec3::from(direction));
        let skip = |id: BodyId| ignored.contains(&id.index());
        let found = py.detach(|| query::raycast((&model, &state), ray, reach, skip));
        Ok(found.map(|h| (h.body.index(), h.distance, h.point.to_array(), h.normal.to_array())))
    }
}
