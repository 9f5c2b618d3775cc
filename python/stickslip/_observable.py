"""What a simulator shows: its state, its contacts, its problem."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check, _core, contacts
from .contacts import Contacts
from .errors import DetectError, ModelError, UnknownBodyError
from .lcp import Problem

if TYPE_CHECKING:
    from .handle import BodyHandle

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Hit:
    """Where a ray meets a body: its name, the distance [m], the point [m] and the outward normal.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> floor = sim.add(ss.Body.plane(name="floor"))
    >>> hit = sim.raycast((0, 0, 2), (0, 0, -1))
    >>> hit.body, hit.distance
    ('floor', 2.0)
    """

    body: str
    distance: float
    point: Floats
    normal: Floats


class Observable:
    """State, contacts and matrices as numpy arrays."""

    _engine: _core.Engine

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
        """True overlap of the shapes now: largest depth [m] and total volume [m3 or m2].

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> a = sim.add(ss.Body.box(1, 1, 1))
        >>> b = sim.add(ss.Body.box(1, 1, 1, position=(0.9, 0, 0)))
        >>> [round(x, 9) for x in sim.overlap()]
        [0.1, 0.1]
        """
        depth, volume, _ = self._engine.overlap()
        return depth, volume

    @property
    def contacts(self) -> Contacts:
        """The contacts in the problem of the last step, with their impulses.

        A structured array; see `stickslip.contacts.dtype`.
        """
        return self._contacts(self._engine.contacts(False))

    def net_force(self, body: BodyHandle | str, other: BodyHandle | str | None = None) -> Floats:
        """Force of all contacts on a body [N], the mean over the last step; of those with ``other`` alone if that is given.

        True contact forces: what holds the body in balance, with friction.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> floor = sim.add(ss.Body.plane())
        >>> cube = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5), mass=2))
        >>> report = sim.step()
        >>> [round(float(x), 6) for x in sim.net_force(cube)]
        [0.0, 0.0, 19.62]
        """
        names = self._engine.names()
        wanted = [names[self._index(b)] for b in (body, other) if b is not None]
        rows = self.contacts
        impulse = rows["normal_impulse"][:, None] * rows["normal"] + rows["friction_impulse"]
        total = np.zeros(self._engine.world()[0])
        for mine, its, sign in (("b", "a", 1.0), ("a", "b", -1.0)):
            chosen = rows[mine] == wanted[0]
            if other is not None:
                chosen &= rows[its] == wanted[1]
            total += sign * impulse[chosen].sum(axis=0)
        return total / float(self._engine.setting("step"))

    def _index(self, body: BodyHandle | str) -> int:
        """The number of a body."""
        names = self._engine.names()
        name = body if isinstance(body, str) else body.name
        if name not in names:
            raise UnknownBodyError(f"no body is named {name!r}; there are: {', '.join(names)}")
        return names.index(name)

    def distance(self, a: BodyHandle | str, b: BodyHandle | str) -> float:
        """Distance of two bodies now [m], of their true shapes; negative by their depth where they overlap.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> a = sim.add(ss.Body.sphere(0.5))
        >>> b = sim.add(ss.Body.box(1, 1, 1, position=(2, 0, 0)))
        >>> round(sim.distance(a, b), 12)
        1.0
        """
        found = self._engine.distance(self._index(a), self._index(b))
        if found is None:
            raise DetectError("a mesh or height field as it is has no distance here; a hull or decomposition has")
        return found

    def raycast(
        self,
        origin: ArrayLike,
        direction: ArrayLike,
        reach: float = math.inf,
        ignore: Iterable[BodyHandle | str] = (),
    ) -> Hit | None:
        """What a ray meets first, within ``reach`` [m] of its origin; None if nothing.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(0.5, position=(3, 0, 0), name="ball"))
        >>> hit = sim.raycast((0, 0, 0), (1, 0, 0))
        >>> hit.body, round(hit.distance, 12)
        ('ball', 2.5)
        """
        start = _check.vector("origin", origin)
        along = np.array(_check.vector("direction", direction))
        length = float(np.linalg.norm(along))
        if not (length > 0 and math.isfinite(length)):
            raise ModelError(f"direction = {direction!r}, but it must not be zero")
        if not reach >= 0:
            raise ModelError(f"reach = {reach!r}, but it must be 0 or more")
        x, y, z = (along / length).tolist()
        ignored = [self._index(body) for body in ignore]
        found = self._engine.raycast(start, (x, y, z), float(reach), ignored)
        if found is None:
            return None
        index, distance, point, normal = found
        size = self._engine.world()[0]
        return Hit(self._engine.names()[index], distance, np.array(point[:size]), np.array(normal[:size]))

    @property
    def potential_contacts(self) -> Contacts:
        """All contacts that the detector found in the last step."""
        return self._contacts(self._engine.contacts(True))

    def _contacts(self, table: Floats) -> Contacts:
        return contacts.from_table(table, self._engine.names(), self._engine.world()[0])

    def _table(self, rows: Any) -> Floats:
        return contacts.to_table(rows, {name: k for k, name in enumerate(self._engine.names())})

    def detect(self, detector: str = "exact") -> Contacts:
        """The potential contacts at the present state.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(friction="none", formulation="stewart-trinkle")
        >>> floor = sim.add(ss.Body.plane(name="floor"))
        >>> cube = sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 0.5)))
        >>> found = sim.detect()
        >>> len(found), found["gap"].round(9).max().item()
        (4, 0.0)
        """
        return self._contacts(self._engine.detect(detector))

    def problem(self) -> Problem | None:
        """The last problem of the last step, with its solution; None if nothing touched.

        ``A, b, l, u = sim.problem()``.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(friction="none", formulation="stewart-trinkle")
        >>> floor = sim.add(ss.Body.plane(name="floor"))
        >>> cube = sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 0.5)))
        >>> report = sim.step()
        >>> A, b, l, u = problem = sim.problem()
        >>> A.shape, problem.z.sum().round(6).item()  # the weight, for one step
        ((4, 4), 0.0981)
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
        """The mass matrix M of the bodies that forces move, world frame.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(friction="none", formulation="stewart-trinkle")
        >>> floor = sim.add(ss.Body.plane(name="floor"))
        >>> cube = sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 0.5)))
        >>> sim.mass_matrix().diagonal().round(6).tolist()
        [1.0, 1.0, 1.0, 0.166667, 0.166667, 0.166667]
        """
        return self._engine.mass_matrix()

    def free_velocity(self) -> Floats:
        """The velocities at the end of the coming step if nothing touched.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> sim.free_velocity().tolist()
        [0.0, 0.0, -1.0, 0.0, 0.0, 0.0]
        """
        return self._engine.free_velocity()

    def velocity_vector(self) -> Floats:
        """The velocities of the bodies that forces move: ``v, omega`` of one after another.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, -10))
        >>> ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 100)))
        >>> ball.velocity = (1, 2, 3)
        >>> sim.velocity_vector().tolist()
        [1.0, 2.0, 3.0, 0.0, 0.0, 0.0]
        """
        return self._engine.velocity()

    def jacobian(self, contacts: Any, directions: ArrayLike | None = None) -> tuple[Floats, Floats]:
        """Rows J and numbers c: the speed along a direction at each contact is ``J nu + c``.

        ``directions`` has one vector per contact (default: the normals); c is what bodies of
        prescribed motion contribute.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(friction="none", formulation="stewart-trinkle")
        >>> floor = sim.add(ss.Body.plane(name="floor"))
        >>> cube = sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 0.5)))
        >>> J, c = sim.jacobian(sim.detect())
        >>> J.shape, J[:, 2].tolist(), c.tolist()
        ((4, 6), [1.0, 1.0, 1.0, 1.0], [0.0, 0.0, 0.0, 0.0])
        """
        table = self._table(contacts)
        along = table[:, 14:17] if directions is None else np.zeros((len(table), 3))
        if directions is not None and len(table):
            given = _check.array("directions", directions)
            along[:, : given.shape[-1]] = given
        return self._engine.jacobian(table, np.ascontiguousarray(along))
