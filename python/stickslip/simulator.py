"""The simulator."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check, _core, _stages, contacts
from ._progress import bar
from .body import Body, BodyFields, checked
from .contacts import Contacts
from .errors import ModelError, SettingsError, StepError
from .handle import BodyHandle
from .joint import Joint, JointHandle
from .lcp import Problem
from .log import Log
from .view import View, in_notebook

Floats: TypeAlias = NDArray[np.float64]
T = TypeVar("T")

#: A user function around a step.
UserFunction: TypeAlias = Callable[["Simulator"], object]
#: A stage: its name, or a function (or an object with a method) of one's own.
Stage: TypeAlias = str | Callable[..., Any]
State: TypeAlias = _core.Snapshot

#: Seconds between two looks at the keyboard and the progress bar.
_BUDGET = 0.1

__all__ = ["Simulator", "StepReport"]


class StepReport(NamedTuple):
    """What the last step tells about itself."""

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
    traps: int
    joint_error: float
    seconds: float


def _count(key: str, value: int) -> int:
    try:
        return _check.count(key, value, 1)
    except ModelError as error:
        raise SettingsError(str(error)) from None


class _Setting(Generic[T]):
    """A setting of the engine as an attribute."""

    def __init__(self, key: str, doc: str) -> None:
        self.key, self.__doc__ = key, doc

    @overload
    def __get__(self, sim: None, owner: type) -> _Setting[T]: ...
    @overload
    def __get__(self, sim: Simulator, owner: type) -> T: ...
    def __get__(self, sim: Simulator | None, owner: type) -> Any:
        return self if sim is None else sim._engine.setting(self.key)

    def __set__(self, sim: Simulator, value: T) -> None:
        sim._engine.configure({self.key: value})


class Simulator:
    """Bodies in motion.

    Every setting is a keyword here and an attribute later; the step size ``step`` [s] becomes
    ``sim.time_step``, since ``sim.step()`` makes steps. A keyword that is not given keeps its
    default. ``detector``, ``formulation`` and ``solver`` take a name or a function of one's own
    (see their own help).

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
        init = self._engine.body(own + self._loaded[0])
        places = {key: tuple(init[key]) for key in ("position", "orientation")}
        return Body(body.shape, {**body.fields, **places, "angle": init["angle"]})

    def _begin(self, engine: _core.Engine) -> None:
        self._engine = engine
        #: The scene that was loaded, and how many bodies and joints it had.
        self._scene: tuple[Any, ...] | None = None
        self._loaded = (0, 0)
        self._bodies: list[Body] = []
        self._joints: list[Joint] = []
        self._changes: dict[int, dict[str, Any]] = {}
        self._pairs: list[tuple[str, str, float | None, float | None]] = []
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
        sim.name = text[1]
        return sim

    # What there is

    @overload
    def add(self, body: Body) -> BodyHandle: ...
    @overload
    def add(self, body: Joint) -> JointHandle: ...
    def add(self, body: Body | Joint) -> BodyHandle | JointHandle:
        """Adds a body or a joint and returns its handle.

        One without name becomes ``body-1``, ``joint-1``, ... Joints come before the first step.
        """
        if isinstance(body, Joint):
            place = self._engine.add_joint(body.fields)
            name = body.name or self._engine.joint_names()[place]
            self._joints.append(Joint(body.kind, {**body.fields, "name": name}))
            return JointHandle(self, place, name)
        if not isinstance(body, Body):
            raise ModelError(f"add takes a stickslip.Body or Joint, not {type(body).__name__}")
        if body.shape.dimension != self.dimension:
            kind, d = body.shape.kind, body.shape.dimension
            raise ModelError(f"a {kind} is of {d}D, but this simulator is of {self.dimension}D")
        index = self._engine.add(body.shape.solid, body.fields)
        name = body.name or str(self._engine.body(index)["name"])
        self._bodies.append(body.with_(name=name))
        return BodyHandle(self, index, name)

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
        """The joint of that name; also for a handle of another simulator."""
        name = str(getattr(joint, "name", joint))
        return JointHandle(self, self._engine.find_joint(name), name)

    def pair(
        self,
        a: BodyHandle | str,
        b: BodyHandle | str,
        *,
        friction: float | None = None,
        restitution: float | None = None,
    ) -> None:
        """Sets friction or restitution of two bodies, whatever their own."""
        first, second = self[a], self[b]
        self._engine.pair((first._index, second._index), friction, restitution)
        self._pairs.append((first.name, second.name, friction, restitution))

    def ignore(self, a: BodyHandle | str, b: BodyHandle | str) -> None:
        """No contacts between these two."""
        first, second = self[a], self[b]
        self._engine.ignore(first._index, second._index)
        self._ignored.append((first.name, second.name))

    def friction_between(self, a: BodyHandle | str, b: BodyHandle | str) -> float:
        """The coefficient of friction of two bodies."""
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
        if index < self._loaded[0]:
            self._changes[index] = {**self._changes.get(index, {}), **fields}
        else:
            own = index - self._loaded[0]
            self._bodies[own] = self._bodies[own].with_(**fields)

    # How to simulate

    time_step = _Setting[float]("step", "Step h [s]. Default 0.01.")
    duration = _Setting[float]("duration", "Duration of ``run()`` [s]. Default 1.")
    friction = _Setting[str]("friction", '"linear" (default), "quadratic" or "none".')
    friction_directions = _Setting[int](
        "friction_directions", "Edges of the linearised cone. Default 7."
    )
    epsilon = _Setting[float | str]("epsilon", 'Contact distance [m]. Default "auto".')
    implicit = _Setting[bool](
        "implicit", "Whether ``separation`` takes gaps at the end of the step. Default False."
    )
    rotation_tolerance = _Setting[float](
        "rotation_tolerance", "Overlap that ``separation`` leaves to linearised rotations."
    )
    impact = _Setting[str]("impact", 'Law of impact: "newton" (default) or "poisson".')
    restitution_threshold = _Setting[float | None](
        "restitution_threshold", "Approach speed below which nothing rebounds [m/s]."
    )
    problem_form = _Setting[str]("problem_form", '"condensed" (default) or "full".')
    gyroscopic = _Setting[bool]("gyroscopic", "Whether the gyroscopic torque acts.")
    integrator = _Setting[str]("integrator", "Name of the integrator.")
    stabilization = _Setting[str]("stabilization", "Name of the joint stabilisation.")
    on_unsolved = _Setting[str]("on_unsolved", '"report" (default) or "stop".')
    accept_residual = _Setting[float]("accept_residual", "Largest error of a solved step.")
    threads = _Setting[int]("threads", "Threads; 0: all cores. Results do not depend on it.")
    solver_options = _Setting[dict[str, Any]]("solver_options", "Settings of the solver.")

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
    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        names = ("step", "duration", "formulation", "solver", "solver_options", "detector")
        rest = [k for k, v in vars(type(self)).items() if isinstance(v, _Setting)]
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
        ``velocity(z)`` is the vector of velocities at the end of the step.
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

    # Going on

    def step(self, n: int = 1) -> StepReport:
        """Makes ``n`` steps and returns the report of the last one."""
        n = _count("n", n)
        done, report = self._engine.advance(self, n, _BUDGET, None)
        while done < n:
            count, report = self._engine.advance(self, n - done, _BUDGET, None)
            done += count
        assert report is not None
        first, (solves, iterations, failures, residual, status, solver), last = report
        return StepReport(*first, solves, iterations, failures, residual, status, solver, *last)

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
        readable if the run is killed. Ctrl-C ends the run between two steps; ``sim.log`` then holds what was done.
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
        return log

    def view(self, log: Log | None = None, *, open: bool | None = None) -> View:
        """Shows a log (default: that of the last run), or the present state if there is none.

        Inline in a notebook; elsewhere in a browser tab, unless ``open`` is False. The page can
        be saved: ``sim.view(open=False).save("run.html")``.
        """
        shown = self.log if log is None else log
        page = View(self._engine.html(self.name, None if shown is None else shown._samples()))
        if open or (open is None and not in_notebook()):
            page.open()
        return page

    # The state

    @property
    def time(self) -> float:
        """Time [s]."""
        return self._engine.clock()[0]

    @property
    def steps(self) -> int:
        """Number of steps made."""
        return self._engine.clock()[1]

    def _live(self, quantity: str) -> Floats:
        view = self._engine.live(quantity).view()
        view.flags.writeable = False
        return view

    @property
    def positions(self) -> Floats:
        """Positions of all bodies, one per row [m].

        This array and the three below follow the simulation without copies and cannot be written
        to; adding a body makes new ones. Copy what must stay.
        """
        return self._live("position")

    @property
    def orientations(self) -> Floats:
        """Quaternions (w, x, y, z) of all bodies; in 2D one column of angles [rad]."""
        return self._live("orientation")

    @property
    def velocities(self) -> Floats:
        """Velocities of all bodies [m/s]."""
        return self._live("velocity")

    @property
    def angular_velocities(self) -> Floats:
        """Angular velocities of all bodies [rad/s]; in 2D one column."""
        return self._live("angular_velocity")

    @property
    def energy(self) -> float:
        """Kinetic plus gravitational energy of the bodies that forces move [J]."""
        return self._engine.totals()[0]

    @property
    def momentum(self) -> tuple[Floats, Floats]:
        """Linear [kg m/s] and angular momentum about the origin [kg m2/s], three numbers each."""
        _, linear, angular = self._engine.totals()
        return np.array(linear), np.array(angular)

    def overlap(self) -> tuple[float, float]:
        """True overlap of the shapes now: largest depth [m] and total volume [m3 or m2]."""
        depth, volume, _ = self._engine.overlap()
        return depth, volume

    def save(self) -> State:
        """The present state, to come back to it with `restore`; can be pickled."""
        return self._engine.save()

    def restore(self, state: State) -> None:
        """Goes back to a saved state."""
        if not isinstance(state, _core.Snapshot):
            raise ModelError(f"restore takes what save gave, not {type(state).__name__}")
        self._engine.restore(state)

    def clone(self) -> Simulator:
        """The same simulator at the same state, by itself. User functions are shared."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._engine = self._engine.duplicate()
        twin._bodies, twin._joints = list(self._bodies), list(self._joints)
        twin._pairs = list(self._pairs)
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
            "pairs": self._pairs,
            "ignored": self._ignored,
            "state": self.save(),
            "functions": (self._before, self._after, self._watch),
            "name": self.name,
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
            for index, fields in saved["changes"].items():
                self._change(index, fields)
        for body in saved["bodies"]:
            self.add(body)
        for joint in saved["joints"]:
            self.add(joint)
        for a, b, friction, restitution in saved["pairs"]:
            self.pair(a, b, friction=friction, restitution=restitution)
        for a, b in saved["ignored"]:
            self.ignore(a, b)
        self._before, self._after, self._watch = saved["functions"]
        self.name = saved["name"]
        self._install()
        self.restore(saved["state"])

    def __repr__(self) -> str:
        return f"<simulator of {len(self)} bodies>"

    # What the last step saw, and what a stage needs

    @property
    def contacts(self) -> Contacts:
        """The contacts in the problem of the last step, with their impulses.

        A structured array; see `stickslip.contacts.dtype`.
        """
        return self._contacts(self._engine.contacts(False))

    @property
    def potential_contacts(self) -> Contacts:
        """All contacts that the detector found in the last step."""
        return self._contacts(self._engine.contacts(True))

    def _contacts(self, table: Floats) -> Contacts:
        return contacts.from_table(table, self._engine.names(), self.dimension)

    def _table(self, rows: Any) -> Floats:
        return contacts.to_table(rows, {name: k for k, name in enumerate(self._engine.names())})

    def detect(self, detector: str = "exact") -> Contacts:
        """The potential contacts at the present state."""
        return self._contacts(self._engine.detect(detector))

    def problem(self) -> Problem | None:
        """The last problem of the last step, with its solution; None if nothing touched.

        ``A, b, l, u = sim.problem()``.
        """
        found = self._engine.last_solve()
        if found is None:
            return None
        problem = Problem._of(found[0])
        problem._z0 = found[1] if len(found[1]) else None
        if found[2] is not None:
            problem.z, problem.status, problem.iterations, problem.solver = found[2]
        return problem

    def mass_matrix(self) -> Floats:
        """The mass matrix M of the bodies that forces move, world frame."""
        return self._engine.mass_matrix()

    def free_velocity(self) -> Floats:
        """The velocities at the end of the coming step if nothing touched."""
        return self._engine.free_velocity()

    def velocity_vector(self) -> Floats:
        """The velocities of the bodies that forces move: ``v, omega`` of one after another."""
        return self._engine.velocity()

    def jacobian(self, contacts: Any, directions: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Rows J and numbers c: the speed along a direction at each contact is ``J nu + c``.

        ``directions`` has one vector per contact (default: the normals); c is what bodies of
        prescribed motion contribute.
        """
        table = self._table(contacts)
        along = table[:, 14:17] if directions is None else np.zeros((len(table), 3))
        if directions is not None and len(table):
            given = _check.array("directions", directions)
            along[:, : given.shape[-1]] = given
        return self._engine.jacobian(table, np.ascontiguousarray(along))
