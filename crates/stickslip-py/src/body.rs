//! Bodies from keywords.

use pyo3::{prelude::*, types::PyDict};
use stickslip::{BodyInit, Motion};
use stickslip_geometry::{Mat3, Vec3};

use crate::{
    convert::{Triple, quaternion, wxyz},
    error::raise,
    solid::Solid,
};

/// A body from its shape and the keywords that were given.
pub fn make(solid: &Solid, fields: &Bound<'_, PyDict>) -> PyResult<BodyInit> {
    let mut init = BodyInit::new(&solid.inner);
    // The inertia scales with the mass, so it is set last.
    if let Some(density) = read::<f64>(fields, "density")?
        && solid.inner.is_movable()
    {
        init = init.mass(density * solid.inner.volume);
    }
    update(&mut init, fields)?;
    Ok(init)
}

/// Sets the keywords that were given.
pub fn update(init: &mut BodyInit, fields: &Bound<'_, PyDict>) -> PyResult<()> {
    let vector = |key: &str| Ok::<_, PyErr>(read::<Triple>(fields, key)?.map(Vec3::from));
    set(&mut init.body.name, read(fields, "name")?);
    if let Some(mass) = read::<f64>(fields, "mass")? {
        *init = init.clone().mass(mass);
    }
    if let Some(m) = read::<[Triple; 3]>(fields, "inertia")? {
        init.body.inertia = Mat3::from_cols_array_2d(&m).transpose();
    }
    set(&mut init.body.material.friction, read(fields, "friction")?);
    set(&mut init.body.material.restitution, read(fields, "restitution")?);
    set(&mut init.body.material.rolling, read(fields, "rolling_friction")?);
    set(&mut init.body.material.torsional, read(fields, "torsional_friction")?);
    set(&mut init.body.collides, read(fields, "collides")?);
    set(&mut init.body.visible, read(fields, "visible")?);
    set(&mut init.body.force, vector("force")?);
    set(&mut init.body.torque, vector("torque")?);
    if let Some(color) = read::<Option<[f32; 3]>>(fields, "color")? {
        init.body.color = color;
    }
    if let Some(word) = read::<String>(fields, "motion")? {
        init.body.motion = motion(&word)?;
    }
    set(&mut init.pose.position, vector("position")?);
    set(&mut init.pose.orientation, read::<[f64; 4]>(fields, "orientation")?.map(quaternion));
    set(&mut init.angle, read(fields, "angle")?);
    set(&mut init.twist.linear, vector("velocity")?);
    set(&mut init.twist.angular, vector("angular_velocity")?);
    Ok(())
}

fn motion(word: &str) -> PyResult<Motion> {
    match word {
        "dynamic" => Ok(Motion::Dynamic),
        "kinematic" => Ok(Motion::Kinematic),
        "static" => Ok(Motion::Static),
        _ => Err(raise("ModelError", format!("no motion is named {word:?}"))),
    }
}

/// The keywords of a body of the model.
pub fn describe<'py>(py: Python<'py>, init: &BodyInit) -> PyResult<Bound<'py, PyDict>> {
    let (body, out) = (&init.body, PyDict::new(py));
    let motion = match body.motion {
        Motion::Dynamic => "dynamic",
        Motion::Kinematic => "kinematic",
        Motion::Static => "static",
    };
    out.set_item("name", &body.name)?;
    out.set_item("motion", motion)?;
    out.set_item("mass", body.mass)?;
    out.set_item("inertia", body.inertia.transpose().to_cols_array_2d())?;
    out.set_item("friction", body.material.friction)?;
    out.set_item("restitution", body.material.restitution)?;
    out.set_item("rolling_friction", body.material.rolling)?;
    out.set_item("torsional_friction", body.material.torsional)?;
    out.set_item("collides", body.collides)?;
    out.set_item("visible", body.visible)?;
    out.set_item("color", body.color)?;
    out.set_item("force", body.force.to_array())?;
    out.set_item("torque", body.torque.to_array())?;
    out.set_item("position", init.pose.position.to_array())?;
    out.set_item("orientation", wxyz(init.pose.orientation))?;
    out.set_item("angle", init.angle)?;
    Ok(out)
}

fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// A keyword, if it was given.
pub fn read<'py, T>(fields: &Bound<'py, PyDict>, key: &str) -> PyResult<Option<T>>
where
    T: for<'a> FromPyObject<'a, 'py>,
{
    match fields.get_item(key)? {
        None => Ok(None),
        Some(value) => match value.extract::<T>() {
            Ok(value) => Ok(Some(value)),
            Err(error) => Err(raise("ModelError", format!("{key} = {value}: {}", error.into()))),
        },
    }
}
