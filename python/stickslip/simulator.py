"""The simulator."""

from __future__ import annotations

import json
import math
import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check, _core
from ._joint_coordinates import JointCoordinates
from ._observable import Observable
from ._progress import bar
from ._render import Pictured
from ._settable import Settable, Stage, UserFunction
from ._write import Writer
from .body import Body, BodyFields, checked
from .errors import ModelError, SettingsError, StepError
from .force import Force
from .handle import BodyHandle
from .joint import Joint, JointHandle
from .log import Log
from .sensor import Sensing
from .view import View, in_notebook

Floats: TypeAlias = NDArray[np.float64]
State: TypeAlias = _core.Snapshot

#: Seconds between two checks of the keyboard and the progress bar.
_BUDGET = 0.1

__all__ = ["Simulator", "StepReport"]


class StepReport(NamedTuple):
    """What the last step tells about itself.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
    >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
    >>> report = sim.step()
    >>> report.step, report.time, report.contacts
    (1, 0.1, 0)
    """

    step: int
    time: float
    contacts: int
    unknowns: int
    solves: int
    iterations: int
    failures: int
    residual: float
    status: str | None
    solver: str
    traps: int | None
    joint_error: float
    seconds: float


#: Keywords of a robot, as in ``[[import]]`` of a scene file.
_ROBOT = (
    "position", "orientation", "positions", "prefix", "base", "fixed_base", "collision",
    "hull_corners", "strict", "keyframe", "friction", "packages", "cylinder_sides",
)  # fmt: skip


def toml_text(value: Any) -> str:
    """A value as TOML writes it."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{json.dumps(k)} = {toml_text(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml_text(v) for v in value) + "]"
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    # What is left (numbers, truth values, texts) reads the same in TOML.
    return json.dumps(value)


def import_text(
    file: str | os.PathLike[str], options: Mapping[str, Any]
) -> tuple[tuple[str, str, str, str | None], dict[str, Any]]:
    """The text of a scene that imports a robot, and the options that are not the robot's."""
    given = {key: value for key, value in options.items() if key in _ROBOT and value is not None}
    path = os.path.abspath(os.fspath(file))
    lines = [f"{key} = {toml_text(value)}" for key, value in {"file": path, **given}.items()]
    name = os.path.splitext(os.path.basename(path))[0]
    text = (name, name, "[[import]]\n" + "\n".join(lines) + "\n", None)
    return text, {key: value for key, value in options.items() if key not in _ROBOT}


def _count(key: str, value: int) -> int:
    try:
        return _check.count(key, value, 1)
    except ModelError as error:
        raise SettingsError(str(error)) from None


# Names and what is set for the two.
_Pair = tuple[str, str, dict[str, float]]


class Simulator(Settable, Observable, JointCoordinates, Pictured, Sensing):
    """Bodies in motion.

    Every setting is a keyword here and an attribute later; the step size ``step`` [s] becomes
    ``sim.time_step``, since ``sim.step()`` makes steps. A keyword that is not given keeps its
    default. ``detector``, ``formulation`` and ``solver`` take a name or a function of one's own
    (see their own help).

    - Going on: `step`, `run`; `before_step` and `after_step` are called around every step.
    - Looking: `time`, `positions`, `velocities`, ... as arrays that follow; `contacts`, `energy`,
      `momentum`, `overlap`, `problem`; `view` in a browser or a notebook; `render` a picture.
    - Going back: `save` and `restore`, `reset`, `state`, `clone`, ``copy``, ``pickle``.
    - Robots: `qpos` and `qvel`, `joint_space` for dynamics and inverse kinematics.
    - Writing stages: `detect`, `mass_matrix`, `free_velocity`, `jacobian`.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.01)
    >>> floor = sim.add(ss.Body.plane())
    >>> cube = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5), velocity=(1, 0, 0)))
    >>> log = sim.run(1.0)
    >>> round(float(cube.position[0]), 4), bool(abs(cube.velocity[0]) < 1e-12)
    (0.097, True)
    """

    def __init__(
        self,
        *,
        step: float | None = None,
        formulation: Stage | None = None,
        solver: Stage | None = None,
        detector: Stage | None = None,
        dimension: int = 3,
        gravity: ArrayLike | None = None,
        duration: float | None = None,
        solver_options: Mapping[str, float | bool | str] | None = None,
        friction: str | None = None,
        friction_directions: int | None = None,
        friction_rule: str = "geometric-mean",
        restitution_rule: str = "max",
        epsilon: float | str | None = None,
        implicit: bool | None = None,
        rotation_tolerance: float | None = None,
        impact: str | None = None,
        restitution_threshold: float | None = None,
        problem_form: str | None = None,
        gyroscopic: bool | None = None,
        integrator: str | None = None,
        stabilization: str | None = None,
        on_unsolved: str | None = None,
        accept_residual: float | None = None,
        accuracy: str | None = None,
        sleep: bool | None = None,
        separation_rounds: int | None = None,
        separation_pile: int | None = None,
        separation_motion: float | None = None,
        separation_quiet: float | None = None,
        separation_levers: float | None = None,
        points: str | None = None,
        penalty_stiffness: float | None = None,
        penalty_damping: float | None = None,
        penalty_integral: float | None = None,
        penalty_forgetting: float | None = None,
        penalty_friction: str | None = None,
        penalty_impact_speed: float | None = None,
        penalty_static_mass: float | None = None,
        threads: int | None = None,
        **unknown: object,
    ) -> None:
        given = dict(locals())
        if unknown:
            known = ", ".join(k for k in given if k not in ("self", "unknown"))
            raise SettingsError(f"no setting is named {next(iter(unknown))!r}; there are: {known}")
        g = None if gravity is None else _check.vector("gravity", gravity)
        self._begin(_core.Engine(dimension, g, friction_rule, restitution_rule))
        skip = ("self", "unknown")
        settings = {k: v for k, v in given.items() if k not in skip and v is not None}
        self._configure(settings)

    def _configure(self, settings: dict[str, Any]) -> None:
        for key in ("dimension", "gravity", "friction_rule", "restitution_rule"):
            settings.pop(key, None)
        for stage in ("detector", "formulation", "solver"):
            if stage in settings and not isinstance(settings[stage], str):
                self._stages[stage] = settings.pop(stage)
        if "solver_options" in settings:
            settings["solver_options"] = dict(settings["solver_options"])
        self._engine.configure(settings)
        self._install()

    def _start(self, own: int, body: Body) -> Body:
        """A body as it started, also if it was moved before the first step."""
        init = self._engine.body(self._places()[own])
        places = {key: tuple(init[key]) for key in ("position", "orientation")}
        return Body(body.shape, {**body.fields, **places, "angle": init["angle"]})

    def _places(self) -> list[int]:
        """Index of each body that was added by itself; robots and scenes have others."""
        places, index = [], self._loaded[0]
        for entry in self._order:
            if entry == "body":
                places.append(index)
            index += 1 if entry == "body" else 0 if entry == "joint" else entry[1]
        return places

    def _own(self, index: int) -> int | None:
        """The number of a body among those added by themselves."""
        places = self._places()
        return places.index(index) if index in places else None

    def _begin(self, engine: _core.Engine) -> None:
        self._engine = engine
        #: The scene that was loaded, and how many bodies and joints it had.
        self._scene: tuple[Any, ...] | None = None
        self._loaded = (0, 0)
        #: The motors that it had.
        self._motors: list[Any] = []
        self._bodies: list[Body] = []
        self._joints: list[Joint] = []
        self._forces: list[Force] = []
        #: "body", "joint", or the text and number of bodies of a robot, as they were added.
        self._order: list[Any] = []
        self._changes: dict[int, dict[str, Any]] = {}
        self._pairs: list[_Pair] = []
        self._ignored: list[tuple[str, str]] = []
        self._stages: dict[str, Any] = {}
        self._before: UserFunction | None = None
        self._after: UserFunction | None = None
        self._watch: Callable[[int, Floats], object] | None = None
        self._calls: tuple[Any, ...] = (None,) * 6
        #: The log of the last run, also of one that was interrupted.
        self.log: Log | None = None
        #: Name of the scene, for reports.
        self.name = "scene"

    @classmethod
    def _of_scene(cls, engine: _core.Engine, text: Any, changes: list[tuple[str, str]]) -> Simulator:
        sim = cls.__new__(cls)
        sim._begin(engine)
        sim._scene = (text, changes)
        sim._loaded = (len(engine.names()), len(engine.joint_names()))
        sim._motors = [engine.motor(k) for k in range(sim._loaded[1])]
        sim.name = text[1]
        return sim

    # What there is

    @overload
    def add(self, body: Body) -> BodyHandle: ...
    @overload
    def add(self, body: Joint) -> JointHandle: ...
    @overload
    def add(self, body: Force) -> Force: ...
    def add(self, body: Body | Joint | Force) -> BodyHandle | JointHandle | Force:
        """Adds a body or a joint and returns its handle; adds a force element and returns it.

        One without name becomes ``body-1``, ``joint-1``, ``force-1``, ... Joints and force elements
        come before the first step.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(1))
        >>> hinge = sim.add(ss.Joint.revolute("world", ball))
        >>> ball.name, hinge.name
        ('body-1', 'joint-1')
        """
        if isinstance(body, Joint):
            place = self._engine.add_joint(body.fields)
            name = body.name or self._engine.joint_names()[place]
            self._joints.append(Joint(body.kind, {**body.fields, "name": name}))
            self._order.append("joint")
            return JointHandle(self, place, name)
        if isinstance(body, Force):
            name = self._engine.add_force(body.fields)
            self._forces.append(Force(body.kind, {**body.fields, "name": name}))
            return self._forces[-1]
        if not isinstance(body, Body):
            raise ModelError(f"add takes a stickslip.Body, Joint or Force, not {type(body).__name__}")
        if body.shape.dimension != self.dimension:
            kind, d = body.shape.kind, body.shape.dimension
            raise ModelError(f"a {kind} is of {d}D, but this simulator is of {self.dimension}D")
        index = self._engine.add(body.shape.solid, body.fields)
        name = body.name or str(self._engine.body(index)["name"])
        self._bodies.append(body.with_(name=name))
        self._order.append("body")
        return BodyHandle(self, index, name)

    def add_robot(self, file: str | os.PathLike[str], **options: Any) -> list[BodyHandle]:
        """Adds the robot of a URDF or MJCF file and returns its bodies.

        The keywords are those of the robot in `load_robot`; ``prefix`` keeps the names of two
        robots apart. Robots come before the first step.

        >>> import stickslip as ss, tempfile, pathlib
        >>> file = pathlib.Path(tempfile.mkdtemp(), "bar.urdf")
        >>> text = '<robot name="bar"><link name="bar"><inertial><mass value="2"/>'
        >>> text += '<inertia ixx="1" iyy="1" izz="1"/></inertial></link></robot>'
        >>> characters = file.write_text(text)
        >>> sim = ss.Simulator()
        >>> for side in ("left ", "right "):
        ...     bar = sim.add_robot(file, prefix=side)
        >>> [body.name for body in sim.bodies]
        ['left bar', 'right bar']
        """
        text, unknown = import_text(file, options)
        if unknown:
            known = ", ".join(_ROBOT)
            raise ModelError(f"a robot has no {next(iter(unknown))!r}; there are: {known}")
        return self._add_robot(text)

    def _add_robot(self, text: tuple[str, str, str, str | None]) -> list[BodyHandle]:
        bodies, _, complaints = self._engine.add_robot(text)
        for complaint in complaints:
            warnings.warn(complaint, stacklevel=3)
        self._order.append((text, bodies))
        return self.bodies[len(self) - bodies :]

    def __getitem__(self, body: BodyHandle | str) -> BodyHandle:
        """The body of that name; also for a handle of another simulator."""
        name = str(getattr(body, "name", body))
        return BodyHandle(self, self._engine.find(name), name)

    def __iter__(self) -> Iterator[BodyHandle]:
        return iter(self.bodies)

    def __len__(self) -> int:
        return len(self._engine.names())

    def __contains__(self, body: object) -> bool:
        return str(getattr(body, "name", body)) in self._engine.names()

    @property
    def bodies(self) -> list[BodyHandle]:
        """Handles of all bodies, in the order they were added."""
        return [BodyHandle(self, k, name) for k, name in enumerate(self._engine.names())]

    @property
    def joints(self) -> list[JointHandle]:
        """Handles of all joints, in the order they were added."""
        return [JointHandle(self, k, name) for k, name in enumerate(self._engine.joint_names())]

    def joint(self, joint: JointHandle | str) -> JointHandle:
        """The joint of that name; also for a handle of another simulator.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> hinge = sim.add(ss.Joint.revolute("world", rod, name="hinge"))
        >>> sim.joint("hinge") == hinge
        True
        """
        name = str(getattr(joint, "name", joint))
        return JointHandle(self, self._engine.find_joint(name), name)

    def pair(
        self,
        a: BodyHandle | str,
        b: BodyHandle | str,
        *,
        friction: float | None = None,
        restitution: float | None = None,
        rolling_friction: float | None = None,
        torsional_friction: float | None = None,
        tensile_strength: float | None = None,
        crack_opening: float = 1e-5,
    ) -> None:
        """Sets friction or restitution of two bodies, whatever their own, or lays mortar between them.

        ``rolling_friction`` and ``torsional_friction`` [m] are those of bodies.

        With a ``tensile_strength`` [Pa; N/m in 2D] the two are joined wherever they touch at time
        zero: the joint holds tension up to it and slides at friction times (pressure + strength).
        Once it has opened or slid by ``crack_opening`` [m] it is broken for good.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(friction="none", formulation="stewart-trinkle")
        >>> floor = sim.add(ss.Body.plane(name="floor"))
        >>> cube = sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 0.5)))
        >>> sim.pair(cube, "floor", friction=0.2)
        >>> sim.friction_between(floor, cube)
        0.2
        """
        first, second = self[a], self[b]
        all_values = {
            "friction": friction,
            "restitution": restitution,
            "rolling_friction": rolling_friction,
            "torsional_friction": torsional_friction,
            "tensile_strength": tensile_strength,
            "crack_opening": None if tensile_strength is None else crack_opening,
        }
        values = {k: _check.number(k, x) for k, x in all_values.items() if x is not None}
        self._engine.pair((first._index, second._index), values)
        self._pairs.append((first.name, second.name, values))

    def ignore(self, a: BodyHandle | str, b: BodyHandle | str) -> None:
        """No contacts between these two.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(friction="none", formulation="stewart-trinkle")
        >>> floor = sim.add(ss.Body.plane(name="floor"))
        >>> cube = sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 0.5)))
        >>> sim.ignore(cube, floor)
        >>> report = sim.step(10)
        >>> bool(cube.position[2] < 0.5)  # it falls through
        True
        """
        first, second = self[a], self[b]
        self._engine.ignore(first._index, second._index)
        self._ignored.append((first.name, second.name))

    def friction_between(self, a: BodyHandle | str, b: BodyHandle | str) -> float:
        """The coefficient of friction of two bodies.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(friction_rule="min")
        >>> a, b = (sim.add(ss.Body.box(1, 1, 1, position=(2 * mu, 0, 0), friction=mu)) for mu in (0.2, 0.9))
        >>> sim.friction_between(a, b)
        0.2
        """
        return self._engine.material(self[a]._index, self[b]._index)[0]

    def _change(self, index: int, fields: BodyFields) -> None:
        new = checked(fields)
        if "orientation" not in fields:
            del new["orientation"], new["angle"]
        if "name" in new or "ignore" in new or "density" in new:
            raise ModelError("name, ignore and density of a body cannot be changed")
        moves = {"position", "orientation", "angle", "velocity", "angular_velocity"}
        place = {key: new.pop(key) for key in moves & set(new)}
        self._engine.set_body(index, new)
        if place:
            self._engine.place(index, place)
        own = self._own(index)
        if own is None:
            self._changes[index] = {**self._changes.get(index, {}), **fields}
        else:
            self._bodies[own] = self._bodies[own].with_(**fields)

    # Going on

    def step(self, n: int = 1) -> StepReport:
        """Makes ``n`` steps and returns the report of the last one.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> sim.step(10).step, ball.velocity[2].round(9).item()
        (10, -10.0)
        """
        if type(n) is not int or n < 1:
            n = _count("n", n)
        done, report = self._engine.advance(self, n, _BUDGET, None)
        while done < n:
            count, report = self._engine.advance(self, n - done, _BUDGET, None)
            done += count
        assert report is not None
        # as `_make`, without its check of the length
        return tuple.__new__(StepReport, report)

    def run(
        self,
        duration: float | None = None,
        *,
        every: int = 1,
        judge: bool = True,
        progress: bool | None = None,
        record: str | os.PathLike[str] | None = None,
    ) -> Log:
        """Runs for a time [s] (default: the setting ``duration``) and returns the log.

        ``every`` keeps each n-th step only; ``judge`` measures the true overlap after each step
        for the summary; ``progress`` shows a bar (default: with tqdm, on a terminal or in a
        notebook); ``record`` writes an HDF5 file that `stickslip.load` reads, and that stays
        readable if the run is killed. Joints that part by more than a millionth of a body get a
        warning. Ctrl-C ends the run between two steps; ``sim.log`` then holds what was done.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> log = sim.run(1.0, every=5, progress=False)
        >>> log.time.round(9).tolist(), log.summary["steps"]
        ([0.0, 0.5, 1.0], 10)
        """
        t = self.duration if duration is None else _check.number("duration", duration)
        if not (t >= 0.0 and math.isfinite(t)):
            raise SettingsError(f"duration = {t}, but it must be 0 or more")
        every = _count("every", every)
        # A duration that is a multiple of h up to round-off gets exactly that many steps.
        total, done = max(0, math.ceil(t / self.time_step - 1e-9)), 0
        file = None
        if record is not None:
            file = (os.fspath(record), self.name, self._scene[0][2] if self._scene else "")
        inner = self._engine.begin_log(every, judge, file)
        log = self.log = Log(inner, self._engine.names())
        log._scenery = self._engine.scenery(self.name)
        failure: str | None = None
        with bar(total, progress) as shown:
            try:
                while done < total:
                    count, _ = self._engine.advance(self, total - done, _BUDGET, inner)
                    done += count
                    shown.update(count)
            except StepError as error:
                failure = str(error)
                raise
            finally:
                log.summary = json.loads(self._engine.summary(self.name))
                log._freeze()
                self._engine.end_log(failure)
        parted = self._engine.parted_joints()
        if parted is not None:
            warnings.warn(parted, stacklevel=2)
        return log

    def view(self, log: Log | None = None, *, open: bool | None = None) -> View:
        """Shows a log (default: that of the last run), or the present state if there is none.

        Inline in a notebook; elsewhere in a browser tab, unless ``open`` is False. The page can
        be saved: ``sim.view(open=False).save("run.html")``.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> sim.view(open=False)  # doctest: +ELLIPSIS
        <view of ... kB>
        """
        shown = self.log if log is None else log
        page = View(self._engine.html(self.name, None if shown is None else shown._samples()))
        if open or (open is None and not in_notebook()):
            page.open()
        return page

    # Copies

    @overload
    def save(self) -> State: ...
    @overload
    def save(self, path: str | os.PathLike[str]) -> None: ...
    def save(self, path: str | os.PathLike[str] | None = None) -> State | None:
        """The present state, to come back to it with `restore`; can be pickled.

        With a path, the scene as it starts is written as a scene file (.toml) for the command
        line, sweeps and the viewer; meshes go to files beside it. Motors are those of now, and joints of robots
        that were moved before the first step start there. User functions are left out.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> start = sim.save()
        >>> report = sim.step(5)
        >>> sim.restore(start)
        >>> sim.time, ball.position[2].item()
        (0.0, 100.0)
        """
        if path is None:
            return self._engine.save()
        file = os.path.abspath(os.fspath(path))
        text = Writer(self, file).text()
        with open(file, "w", encoding="utf-8") as out:
            out.write(text)
        return None

    def restore(self, state: State) -> None:
        """Goes back to a saved state.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> start = sim.save()
        >>> report = sim.step(5)
        >>> sim.restore(start)
        >>> sim.steps
        0
        """
        if not isinstance(state, _core.Snapshot):
            raise ModelError(f"restore takes what save gave, not {type(state).__name__}")
        self._engine.restore(state)

    def clone(self) -> Simulator:
        """The same simulator at the same state, by itself. User functions are shared.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> future = sim.clone()
        >>> report = future.step(5)
        >>> sim.time, round(future.time, 9), bool(future[ball].position[2] < 100)
        (0.0, 0.5, True)
        """
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._engine = self._engine.duplicate()
        twin._bodies, twin._joints = list(self._bodies), list(self._joints)
        twin._pairs, twin._order = list(self._pairs), list(self._order)
        twin._forces = list(self._forces)
        twin._ignored, twin._stages = list(self._ignored), dict(self._stages)
        twin._changes = dict(self._changes)
        twin.log = None
        return twin

    def __copy__(self) -> Simulator:
        return self.clone()

    def __deepcopy__(self, memo: dict[int, Any]) -> Simulator:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {
            "settings": self.settings,
            "scene": self._scene,
            "changes": self._changes,
            "bodies": [self._start(k, body) for k, body in enumerate(self._bodies)],
            "joints": self._joints,
            "forces": self._forces,
            "order": self._order,
            "pairs": self._pairs,
            "ignored": self._ignored,
            "state": self.save(),
            "functions": (self._before, self._after, self._watch),
            "name": self.name,
            "picture": (self.description, self.camera),
        }

    def __setstate__(self, saved: dict[str, Any]) -> None:
        settings = dict(saved["settings"])
        if saved["scene"] is None:
            Simulator.__init__(self, **settings)
        else:
            engine, _ = _core.load_scene(*saved["scene"])
            self.__dict__.update(Simulator._of_scene(engine, *saved["scene"]).__dict__)
            self.gravity = settings.pop("gravity")
            self._configure(settings)
        bodies, joints = iter(saved["bodies"]), iter(saved["joints"])
        for entry in saved["order"]:
            if entry == "body":
                self.add(next(bodies))
            elif entry == "joint":
                self.add(next(joints))
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self._add_robot(entry[0])
        for force in saved.get("forces", []):
            self.add(force)
        for index, fields in saved["changes"].items():
            self._change(index, fields)
        for a, b, values in saved["pairs"]:
            self.pair(a, b, **values)
        for a, b in saved["ignored"]:
            self.ignore(a, b)
        self._before, self._after, self._watch = saved["functions"]
        self.name = saved["name"]
        self.description, self.camera = saved["picture"]
        self._install()
        self.restore(saved["state"])

    def __repr__(self) -> str:
        return f"<simulator of {len(self)} bodies>"
