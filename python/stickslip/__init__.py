"""Rigid bodies in contact, with exact geometry and true Coulomb friction.

>>> import stickslip as ss
>>> sim = ss.Simulator(step=0.01)
>>> floor = sim.add(ss.Body.plane(name="floor"))
>>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 2)))
>>> log = sim.run(1.0)
>>> round(float(ball.position[2]), 6)
0.5

Lengths are in metres, masses in kilograms, times in seconds, angles in radians; quaternions are
(w, x, y, z). Bodies and joints are referred to by object or name. Where to look:

``Simulator``                        bodies in motion: add, step, run, view, save, clone
``Body``, ``Joint``, ``Force``       what goes in; ``BodyHandle``, ``JointHandle``: what is in
``load_scene``, ``scenes``           scene files and the built-in scenes
``load_robot``, ``PD``, ``Actuator`` robots, controllers; ``Chain``: kinematics
``JointSpace``, ``rollout``          joint coordinates, many runs at once
``Log``, ``load``                    what a run leaves, in memory and on disk
``viewer``                           a page in the browser that follows a loop of one's own
``formulations()``, ``detectors()``  the stages by name; functions of one's own take their place
``lcp``                              complementarity problems and their solvers, without bodies
``compare``                          many solvers on the same problems
``stability``, ``masonry``           whether blocks can rest; arches, vaults, domes, walls
``experiments``                      the papers' experiments
``StickslipError``                   the family of all errors
"""

from . import _core, contacts, errors, experiments, lcp, masonry
from ._stability import Stability, stability
from .actuator import Actuator
from .body import Body
from .comparison import Comparison, compare
from .contacts import Contact
from .control import PD, Chain, ComputedTorque, inverse_dynamics
from ._observable import Hit
from .errors import (
    BusyError,
    DetectError,
    FileError,
    FormulateError,
    GeometryError,
    ModelError,
    ProblemError,
    SceneError,
    SettingsError,
    SolveError,
    StepError,
    StickslipError,
    UnknownBodyError,
)
from .force import Force, ForceState
from .handle import IMU, BodyHandle
from .joint import Joint, JointHandle
from .log import BodyLog, Log
from .joint_space import IK, JointSpace
from .recording import Recording, load
from .rollout import Derivatives, Rollout, rollout, step_derivatives
from .scene import load_robot, load_scene, scenes
from .sensor import Sensor
from .simulator import Simulator, StepReport
from .sweep import Sweep, sweep
from .trajectory import Trajectory
from .view import View
from .viewer import Viewer, viewer

__all__ = [
    "Actuator",
    "Body",
    "BodyHandle",
    "BodyLog",
    "BusyError",
    "Chain",
    "Comparison",
    "ComputedTorque",
    "Contact",
    "Derivatives",
    "DetectError",
    "FileError",
    "Force",
    "ForceState",
    "FormulateError",
    "GeometryError",
    "Hit",
    "IK",
    "IMU",
    "Joint",
    "JointHandle",
    "JointSpace",
    "Log",
    "ModelError",
    "PD",
    "ProblemError",
    "Recording",
    "Rollout",
    "SceneError",
    "Sensor",
    "SettingsError",
    "Simulator",
    "SolveError",
    "Stability",
    "StepError",
    "StepReport",
    "StickslipError",
    "Sweep",
    "Trajectory",
    "UnknownBodyError",
    "View",
    "Viewer",
    "compare",
    "contacts",
    "detectors",
    "errors",
    "experiments",
    "formulations",
    "inverse_dynamics",
    "lcp",
    "load",
    "load_robot",
    "load_scene",
    "masonry",
    "rollout",
    "scenes",
    "stability",
    "step_derivatives",
    "sweep",
    "viewer",
]


def formulations() -> dict[str, str]:
    """The formulations by name, with one line about each.

    >>> "stewart-trinkle" in formulations()
    True
    """
    return dict(_core.formulations())


def detectors() -> list[str]:
    """The names of the detectors.

    >>> "exact" in detectors()
    True
    """
    return _core.detectors()
