"""Force elements: springs, dampers, bushings, weights taken off, forces of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from .errors import ModelError

if TYPE_CHECKING:
    from .handle import BodyHandle
    from .joint import JointHandle

Floats: TypeAlias = NDArray[np.float64]


class ForceState(NamedTuple):
    """What a force function sees: all bodies at one instant, a row each.

    >>> import numpy as np
    >>> state = ForceState(0.5, *(np.zeros((2, 3)),) * 4, ["a", "b"])
    >>> state.time, state.positions.shape
    (0.5, (2, 3))
    """

    time: float
    positions: Floats
    #: As (w, x, y, z).
    orientations: Floats
    velocities: Floats
    angular_velocities: Floats
    names: list[str]

    def index_of(self, body: BodyHandle | str) -> int:
        """The row of a body.

        >>> import numpy as np
        >>> ForceState(0.0, *(np.zeros((2, 3)),) * 4, ["a", "b"]).index_of("b")
        1
        """
        return self.names.index(_name(body))


#: Forces by body, as ``{body: force}`` or ``{body: (force, torque)}`` [N, N m], world axes, at the
#: centre of mass.
Forces: TypeAlias = Mapping[Any, ArrayLike]


def _name(body: object) -> str:
    return str(getattr(body, "name", body))


def _six(key: str, value: Any) -> tuple[float, ...]:
    """One number, or six (three in 2D: along x, y and about z)."""
    numbers = _check.array(key, value)
    if numbers.shape == ():
        return (float(numbers),) * 6
    if numbers.shape == (3,):
        x, y, turn = numbers.tolist()
        return (x, y, 0.0, 0.0, 0.0, turn)
    if numbers.shape != (6,):
        raise ModelError(f"{key} = {value!r}, but it must be one number or 6 (3 in 2D)")
    return tuple(numbers.tolist())


@dataclass(frozen=True)
class _Call:
    """A user's function as the engine calls it."""

    function: Callable[[ForceState], Forces]

    def __call__(self, time: float, places: Floats, rates: Floats, names: list[str]) -> Floats:
        state = ForceState(
            time, places[:, :3], places[:, 3:], rates[:, :3], rates[:, 3:], names
        )
        out = np.zeros((len(names), 6))
        for body, push in self.function(state).items():
            numbers = _check.array("force", push).ravel()
            if numbers.shape not in ((3,), (6,)):
                raise ModelError(f"force = {push!r}, but it must be a force, or a force and a torque")
            name = _name(body)
            if name not in names:
                raise ModelError(f"no body is named {name!r}")
            out[names.index(name), : len(numbers)] += numbers
        return out


@dataclass(frozen=True)
class Force:
    """A force element: part of the model, evaluated at the stages of the integrator.

    Made by the class methods, one per type; ``sim.add`` puts it into a simulator before the first
    step. Stiff springs and dampers are taken implicitly: no gain is too large for a step.
    Functions in ``before_step`` hold their forces over a step, and are of first order; these are not.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.01, gravity=(0, 0, 0))
    >>> ball = sim.add(ss.Body.sphere(0.1, position=(1.5, 0, 0), mass=1))
    >>> spring = sim.add(ss.Force.spring("world", ball, stiffness=4 * np.pi**2, rest_length=1))
    >>> report = sim.step(50)
    >>> bool(abs(ball.position[0] - 0.5) < 1e-9)  # half a period of 1 s
    True
    """

    kind: str
    fields: dict[str, Any]

    @classmethod
    def _of(cls, kind: str, **fields: Any) -> Force:
        given = {key: value for key, value in fields.items() if value is not None}
        for key in ("anchor", "anchor_b"):
            if key in given:
                given[key] = _check.vector(key, given[key])
        for key in ("rest_length", "position", "part"):
            if key in given:
                given[key] = _check.number(key, given[key])
        for key in ("stiffness", "damping"):
            if key in given:
                given[key] = _six(key, given[key])
        return cls(kind, {"kind": kind, **given})

    @classmethod
    def spring(
        cls,
        a: BodyHandle | str,
        b: BodyHandle | str,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest_length: float | None = None,
        anchor: ArrayLike | None = None,
        anchor_b: ArrayLike | None = None,
        name: str | None = None,
    ) -> Force:
        """A spring [N/m] and a damper [N s/m] from ``anchor`` on A to ``anchor_b`` on B.

        The anchors are in world coordinates where the bodies start (default: centres of mass, the
        origin of the world); ``rest_length`` [m] is the distance there unless given.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(0.1, position=(0, 0, -1), mass=1))
        >>> spring = sim.add(ss.Force.spring("world", ball, stiffness=100, damping=20))
        >>> log = sim.run(10)
        >>> round(float(ball.position[2]), 6)
        -1.0981
        """
        more = {"anchor": anchor, "anchor_b": anchor_b, "rest_length": rest_length, "name": name}
        bodies = (_name(a), _name(b))
        return cls._of("spring", bodies=bodies, stiffness=stiffness, damping=damping, **more)

    @classmethod
    def joint_spring(
        cls,
        joint: JointHandle | str,
        *,
        stiffness: float = 0.0,
        damping: float = 0.0,
        position: float = 0.0,
        name: str | None = None,
    ) -> Force:
        """A spring and a damper on the first coordinate of a joint, beside its motor.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 0)))
        >>> hinge = sim.add(ss.Joint.revolute("world", rod))
        >>> spring = sim.add(ss.Force.joint_spring(hinge, stiffness=1e6, damping=1e4, position=0.3))
        >>> log = sim.run(1)
        >>> round(float(hinge.position[0]), 6)
        0.3
        """
        more = {"position": position, "name": name}
        gains = {"stiffness": stiffness, "damping": damping}
        return cls._of("joint-spring", joint=_name(joint), **gains, **more)

    @classmethod
    def bushing(
        cls,
        a: BodyHandle | str,
        b: BodyHandle | str,
        *,
        anchor: ArrayLike,
        stiffness: float | Sequence[float],
        damping: float | Sequence[float] = 0.0,
        name: str | None = None,
    ) -> Force:
        """Springs and dampers along x, y, z [N/m] and about x, y, z [N m/rad] at a point of both.

        One number is for all six; in 2D three are along x, y and about z.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> cube = sim.add(ss.Body.box(1, 1, 1, mass=2))
        >>> gains = (1e4, 1e4, 100, 50, 50, 50)
        >>> bushing = sim.add(ss.Force.bushing("world", cube, anchor=(0, 0, 0), stiffness=gains, damping=20))
        >>> log = sim.run(10)
        >>> round(float(cube.position[2]), 6)
        -0.1962
        """
        gains = {"stiffness": stiffness, "damping": damping}
        bodies = (_name(a), _name(b))
        more = {"anchor": anchor, "anchor_b": anchor, "name": name}
        return cls._of("bushing", bodies=bodies, **gains, **more)

    @classmethod
    def gravity_compensation(
        cls, body: BodyHandle | str, part: float = 1.0, *, name: str | None = None
    ) -> Force:
        """Takes a part of its weight off a body.

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> ball = sim.add(ss.Body.sphere(1))
        >>> force = sim.add(ss.Force.gravity_compensation(ball))
        >>> report = sim.step(10)
        >>> float(ball.velocity[2])
        0.0
        """
        return cls._of("gravity-compensation", bodies=("world", _name(body)), part=part, name=name)

    @classmethod
    def function(
        cls, function: Callable[[ForceState], Forces], *, name: str | None = None
    ) -> Force:
        """Forces that are a function of the state, ``{body: force or (force, torque)}``.

        It is called at the stages of the integrator, any number of times in a step, and must give
        the same forces for the same state. It sees a `ForceState`; the simulator itself is in the
        middle of a step.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(step=0.1, gravity=(0, 0, 0))
        >>> ball = sim.add(ss.Body.sphere(1, mass=1, velocity=(1, 0, 0)))
        >>> drag = sim.add(ss.Force.function(lambda s: {"body-1": -s.velocities[0]}))
        >>> report = sim.step(10)
        >>> bool(abs(ball.velocity[0] - np.exp(-1)) < 1e-9)
        True
        """
        if not callable(function):
            raise ModelError(f"function = {function!r}, but it must be callable")
        return cls._of("function", function=_Call(function), name=name)

    @property
    def name(self) -> str:
        """Its name; empty: it gets one when it is added."""
        return str(self.fields.get("name", ""))
