"""How a simulator simulates: its settings and stages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check, _core, _stages
from .errors import ModelError

if TYPE_CHECKING:
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]
#: What a camera may say.
_CAMERA = ("position", "target", "fov", "height", "follow")
T = TypeVar("T")

#: A user function around a step.
UserFunction: TypeAlias = Callable[["Simulator"], object]
#: A stage: its name, or a function (or an object with a method) of one's own.
Stage: TypeAlias = str | Callable[..., Any]


class _Setting(Generic[T]):
    """A setting of the engine as an attribute."""

    def __init__(self, key: str, doc: str) -> None:
        self.key, self.__doc__ = key, doc

    @overload
    def __get__(self, sim: None, owner: type) -> _Setting[T]: ...
    @overload
    def __get__(self, sim: Settable, owner: type) -> T: ...
    def __get__(self, sim: Settable | None, owner: type) -> Any:
        return self if sim is None else sim._engine.setting(self.key)

    def __set__(self, sim: Settable, value: T) -> None:
        sim._engine.configure({self.key: value})


class Settable:
    """Settings and stages as attributes."""

    _engine: _core.Engine
    _stages: dict[str, Any]
    _before: UserFunction | None
    _after: UserFunction | None
    _watch: Callable[[int, Floats], object] | None
    _calls: tuple[Any, ...]

    time_step = _Setting[float]("step", "Step h [s]. Default 0.01.")
    duration = _Setting[float]("duration", "Duration of ``run()`` [s]. Default 1.")
    friction = _Setting[str]("friction", 'Friction cone: "linear" (default), "quadratic" (the true one) or "none".')
    friction_directions = _Setting[int](
        "friction_directions", "Edges of the linearised cone in 3D, 3 or more. Default 7."
    )
    epsilon = _Setting[float | str]("epsilon", 'Contact distance [m]. Default "auto": how far a point can travel in a step.')
    implicit = _Setting[bool](
        "implicit", "Whether ``separation`` and ``peg`` take gaps at the end of a step."
    )
    rotation_tolerance = _Setting[float](
        "rotation_tolerance", "Overlap that linearised rotations may leave, as part of the smaller body. Default 1e-6."
    )
    impact = _Setting[str]("impact", 'Law of impact: "newton" (default) or "poisson".')
    restitution_threshold = _Setting[float | None](
        "restitution_threshold", "Approach speed below which nothing rebounds [m/s]; None: g h."
    )
    problem_form = _Setting[str]("problem_form", 'Velocities eliminated, "condensed" (default), or kept as unknowns, "full".')
    gyroscopic = _Setting[bool]("gyroscopic", "Whether the gyroscopic torque acts. Default true.")
    integrator = _Setting[str]("integrator", '"auto" (default), "semi-implicit", "midpoint", "gauss" or "rk4" (with ``penalty``).')
    stabilization = _Setting[str]("stabilization", 'Joints: "shake" (default), "none", "baumgarte", "post-step", "post-step-contacts".')
    on_unsolved = _Setting[str]("on_unsolved", 'After a solve that missed its tolerance: "report" (default) or "stop".')
    accept_residual = _Setting[float]("accept_residual", "Residual above which a solve counts as failed. Default 1e-6.")
    accuracy = _Setting[str](
        "accuracy",
        'Work that a step may take where many bodies touch: "exact", "balanced" (default) or "fast".',
    )
    sleep = _Setting[bool](
        "sleep", "Whether bodies at rest stay as they are, without a solve, until something happens. Default true."
    )
    separation_rounds = _Setting[int]("separation_rounds", "Rounds of a step after which its motion is taken. Default 12.")
    separation_pile = _Setting[int]("separation_pile", "Near pairs above which the work of a step is bounded. Default 20.")
    separation_motion = _Setting[float](
        "separation_motion", "How many times g h a contact of such a scene is fast that is in motion. Default 1.05."
    )
    separation_quiet = _Setting[float]("separation_quiet", "How long bodies must be still to rest [s]. Default 0.2.")
    separation_levers = _Setting[float](
        "separation_levers", "How many times the residual of their contacts bodies at rest may move. Default 50."
    )
    points = _Setting[str](
        "points", 'Where ``penalty`` forces act: "bottom" (default) or "deepest".'
    )
    penalty_stiffness = _Setting[float]("penalty_stiffness", "Gain k_p per mass. Default 100.")
    penalty_damping = _Setting[float]("penalty_damping", "Gain k_v per mass. Default 50.")
    penalty_integral = _Setting[float]("penalty_integral", "Gain k_i per mass. Default 2.")
    penalty_forgetting = _Setting[float](
        "penalty_forgetting", "Factor by which past depths are forgotten per step. Default 0.85."
    )
    penalty_friction = _Setting[str](
        "penalty_friction", 'Static friction: "spring" (default), "linear-system" or "none".'
    )
    penalty_impact_speed = _Setting[float](
        "penalty_impact_speed", "Approach speed of an impact [m/s]. Default 1e-6."
    )
    penalty_static_mass = _Setting[float](
        "penalty_static_mass", "Mass of a static body in the gains, per partner's. Default 4."
    )
    threads = _Setting[int]("threads", "Threads; 0: all cores. Results do not depend on it.")
    solver_options = _Setting[dict[str, Any]]("solver_options", "Settings of the solver by name; see `stickslip.lcp.solvers`.")

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self._engine.world()[0]

    @property
    def gravity(self) -> Floats:
        """Gravity [m/s2]."""
        out = np.array(self._engine.world()[1])[: self.dimension]
        out.flags.writeable = False
        return out

    @gravity.setter
    def gravity(self, value: ArrayLike) -> None:
        self._engine.set_gravity(_check.vector("gravity", value))

    @property
    def description(self) -> str:
        """What happens in the scene, in one line; the viewer shows it."""
        return self._engine.about()

    @description.setter
    def description(self, text: str) -> None:
        self._engine.set_about(str(text))

    @property
    def camera(self) -> dict[str, Any] | None:
        """Where pictures are taken from: any of ``position`` [m], ``target`` [m], ``fov`` [degrees],
        ``height`` [m] (2D) and ``follow`` (a body or its name). What is left open, and ``None``, shows
        the whole motion.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball"))
        >>> sim.camera = {"position": (3, -4, 2), "follow": ball}
        >>> sim.camera
        {'position': (3.0, -4.0, 2.0), 'follow': 'ball'}
        """
        found = self._engine.camera()
        if found is None:
            return None
        given: dict[str, Any] = {k: v for k, v in zip(_CAMERA, found) if v is not None}
        for key in ("position", "target"):
            if key in given:
                given[key] = tuple(given[key])[: self.dimension]
        return given

    @camera.setter
    def camera(self, value: Mapping[str, Any] | None) -> None:
        if value is None:
            self._engine.set_camera(None)
            return
        for key in value:
            if key not in _CAMERA:
                raise ModelError(f"a camera has no {key!r}; it has: {', '.join(_CAMERA)}")
        point = {key: _check.vector(key, value[key]) for key in ("position", "target") if key in value}
        size = {key: _check.number(key, value[key]) for key in ("fov", "height") if key in value}
        follow = value.get("follow")
        name = None if follow is None else str(getattr(follow, "name", follow))
        self._engine.set_camera(
            (point.get("position"), point.get("target"), size.get("fov"), size.get("height"), name)
        )

    @property
    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        names = ("step", "duration", "formulation", "solver", "solver_options", "detector")
        rest = [k for k, v in vars(Settable).items() if isinstance(v, _Setting)]
        keys = dict.fromkeys((*names, *(k for k in rest if k != "time_step")))
        out = {key: self._engine.setting(key) for key in keys}
        _, gravity, friction_rule, restitution_rule = self._engine.world()
        return {
            **out,
            **self._stages,
            "dimension": self.dimension,
            "gravity": gravity[: self.dimension],
            "friction_rule": friction_rule,
            "restitution_rule": restitution_rule,
        }

    def _stage(self, name: str) -> Stage:
        found: Stage = self._stages.get(name) or self._engine.setting(name)
        return found

    def _set_stage(self, name: str, value: Stage) -> None:
        if isinstance(value, str):
            changes: dict[str, Any] = {name: value}
            if name == "solver":
                changes["solver_options"] = {}
            self._engine.configure(changes)
            self._stages.pop(name, None)
        else:
            self._stages[name] = value
        self._install()

    @property
    def detector(self) -> Stage:
        """Finds contacts: a name (see `stickslip.detectors`), or ``f(sim) -> contacts``."""
        return self._stage("detector")

    @detector.setter
    def detector(self, value: Stage) -> None:
        self._set_stage("detector", value)

    @property
    def formulation(self) -> Stage:
        """Writes the problem: a name (see `stickslip.formulations`), or a function.

        ``f(sim, contacts)`` returns ``(A, b, velocity)`` or ``(A, b, l, u, velocity)``, where
        ``velocity(z)`` is the vector of velocities at the end of the step. ``(A, b)`` alone says
        that z are the normal impulses of the contacts.
        """
        return self._stage("formulation")

    @formulation.setter
    def formulation(self, value: Stage) -> None:
        self._set_stage("formulation", value)

    @property
    def solver(self) -> Stage:
        """Solves the problem: a name (see `stickslip.lcp.solvers`), or ``f(A, b, z0) -> z``."""
        return self._stage("solver")

    @solver.setter
    def solver(self, value: Stage) -> None:
        self._set_stage("solver", value)

    @property
    def before_step(self) -> UserFunction | None:
        """Called with the simulator before every step: apply forces, set velocities."""
        return self._before

    @before_step.setter
    def before_step(self, f: UserFunction | None) -> None:
        self._before = _stages.callable_or_none("before_step", f)
        self._install()

    @property
    def after_step(self) -> UserFunction | None:
        """Called with the simulator after every step."""
        return self._after

    @after_step.setter
    def after_step(self, f: UserFunction | None) -> None:
        self._after = _stages.callable_or_none("after_step", f)
        self._install()

    @property
    def watch(self) -> Callable[[int, Floats], object] | None:
        """Sees every iterate ``(k, z)`` of the solver; a true result stops it."""
        return self._watch

    @watch.setter
    def watch(self, f: Callable[[int, Floats], object] | None) -> None:
        self._watch = _stages.callable_or_none("watch", f)
        self._install()

    def _install(self) -> None:
        detector, formulation, solver = (
            make(self._stages[name]) if name in self._stages else None
            for name, make in _stages.WRAPPERS.items()
        )
        self._engine.customize(
            detector is not None, formulation is not None, solver is not None, self._watch is not None
        )
        self._calls = (self._before, self._after, detector, formulation, solver, self._watch)
