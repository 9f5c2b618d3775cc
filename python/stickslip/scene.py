"""Scene files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

from . import _core
from .errors import SettingsError
from .simulator import Simulator, import_text, toml_text as _toml


def scenes() -> dict[str, str]:
    """The built-in scenes by name, with one line about each.

    >>> "peg-in-hole" in scenes()
    True
    """
    return dict(_core.scenes())


def load_scene(
    scene: str | os.PathLike[str],
    changes: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Simulator:
    """A simulator from a scene file (.toml), or from a built-in scene by name.

    ``changes`` replaces values by their dotted key (``{"body.peg.friction": 0.1}``), as ``--set``
    does on the command line; the other keywords are settings of the simulator. What looks
    unintended, such as bodies that overlap at the start, is a Python warning.

    >>> sim = load_scene("peg-in-hole", step=0.005)
    >>> sim.time_step, "peg" in sim
    (0.005, True)
    """
    text = _core.scene_text(os.fspath(scene))
    return _loaded(text, changes or {}, settings)


def load_robot(file: str | os.PathLike[str], **options: Any) -> Simulator:
    """A simulator with the robot of a URDF or MJCF file.

    The keywords are those of ``[[import]]`` in a scene file (``position``, ``orientation``,
    ``positions`` of joints by name, ``prefix``, ``base`` ("fixed" or "floating"), ``collision``
    ("hull", "decompose", "mesh", "primitives" or "none"), ``hull_corners``, ``strict``,
    ``keyframe``, ``friction``, ``packages``, ``cylinder_sides``) and settings of the simulator.
    Bodies and joints have the names of the file; `JointHandle.motor`, `PD` and `Chain` drive and
    measure them. What is wrong in the file is mended and told in a warning, or refused with
    ``strict=True``. `Simulator.add_robot` adds another.

    >>> import stickslip as ss, tempfile, pathlib
    >>> file = pathlib.Path(tempfile.mkdtemp(), "bar.urdf")
    >>> text = '<robot name="bar"><link name="bar"><inertial><mass value="2"/>'
    >>> text += '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    >>> characters = file.write_text(text)
    >>> ss.load_robot(file, base="floating")["bar"].mass
    2.0
    """
    text, settings = import_text(file, options)
    return _loaded(text, {}, settings)


def _loaded(
    text: tuple[str, str, str, str | None], changes: Mapping[str, Any], settings: dict[str, Any]
) -> Simulator:
    sim = from_text(text, [(key, _toml(value)) for key, value in changes.items()])
    for key, value in settings.items():
        if key not in sim.settings or key in ("dimension", "friction_rule", "restitution_rule"):
            known = ", ".join(sim.settings)
            raise SettingsError(f"no setting is named {key!r}; there are: {known}")
        setattr(sim, "time_step" if key == "step" else key, value)
    return sim


def from_text(text: tuple[str, str, str, str | None], changes: list[tuple[str, str]]) -> Simulator:
    """A simulator from the text of a scene."""
    engine, complaints = _core.load_scene(text, changes)
    for complaint in complaints:
        warnings.warn(complaint, stacklevel=3)
    return Simulator._of_scene(engine, text, changes)
