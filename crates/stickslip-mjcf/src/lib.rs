//! MJCF.
use std::path::Path;
use stickslip_urdf::{Robot, UrdfError};
/// Whether.
pub fn is_mjcf(_path: &Path) -> bool { false }
/// Reads.
pub fn read(path: &Path, _keyframe: Option<&str>) -> Result<Robot, UrdfError> {
    Robot::read(path, &Default::default())
}
