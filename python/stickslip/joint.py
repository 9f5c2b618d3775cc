"""Joints, described before they are added to a simulator, and in one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from .errors import ModelError
from .trajectory import Trajectory

if TYPE_CHECKING:
    from .handle import BodyHandle
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]
#: A motor: ``{"target_velocity", "max_force"}`` or ``{"target_position", "stiffness", "damping",
#: "max_force"}``. The target of a joint that is being made may also be a path: a `Trajectory`, or
#: points ``[(time, target), ...]``.
Motor: TypeAlias = Mapping[str, Any]
MotorNumbers: TypeAlias = tuple[bool, float, float, float, float | None, bool]


class JointFields(TypedDict, total=False):
    """The keywords that every joint takes."""

    name: str
    anchor: ArrayLike
    axis: ArrayLike
    axis2: ArrayLike
    limits: tuple[float, float]
    start: float
    friction: float
    damping: float
    armature: float
    motor: Motor
    collide_jointed: bool


def motor_numbers(motor: Motor) -> MotorNumbers:
    """A motor as the engine wants it."""
    velocity, position = "target_velocity" in motor, "target_position" in motor
    allowed = {"max_force"} | (
        {"target_velocity"} if velocity else {"target_position", "stiffness", "damping"}
    )
    if velocity == position or set(motor) - allowed:
        raise ModelError(
            f"motor has the keys {sorted(motor)}, but it must be {{'target_velocity', "
            "'max_force'} or {'target_position', 'stiffness', 'damping', 'max_force'}"
        )
    number = {key: _check.number(key, value) for key, value in motor.items()}
    target = number["target_velocity" if velocity else "target_position"]
    gains = (number.get("stiffness", 0.0), number.get("damping", 0.0))
    return (position, target, *gains, number.get("max_force"), False)


def _driven(motor: Motor) -> dict[str, Any]:
    """The fields of a motor whose target may be a path."""
    for key in ("target_velocity", "target_position"):
        target = motor.get(key)
        if target is None or isinstance(target, (int, float, np.number)):
            continue
        path = target if isinstance(target, Trajectory) else Trajectory(target)
        if path.positions.shape[1] != 1:
            raise ModelError(f"{key} has {path.positions.shape[1]} numbers per point; one is needed")
        points = list(zip(path.times.tolist(), path.positions[:, 0].tolist()))
        plain = motor_numbers({**motor, key: points[0][1]})
        return {"motor": plain, "path": (points, path.blend == "smooth")}
    return {"motor": motor_numbers(motor)}


def _checked(fields: JointFields) -> dict[str, Any]:
    known = JointFields.__annotations__
    out: dict[str, Any] = {}
    for key, value in fields.items():
        if key not in known:
            raise ModelError(f"a joint has no {key!r}; there are: {', '.join(known)}")
        if key in ("anchor", "axis", "axis2"):
            out[key] = _check.vector(key, value)
        elif key == "limits":
            pair = _check.array(key, value)
            if pair.shape != (2,):
                raise ModelError(f"limits = {value!r}, but it must be two numbers")
            out[key] = (float(pair[0]), float(pair[1]))
        elif key == "motor":
            out.update(_driven(value))  # type: ignore[arg-type]
        elif key in ("friction", "damping", "armature", "start"):
            out[key] = _check.number(key, value)
        else:
            out[key] = bool(value) if key == "collide_jointed" else str(value)
    return out


def _name(body: object) -> str:
    return str(getattr(body, "name", body))


@dataclass(frozen=True)
class Joint:
    """A joint between two bodies, given by handle or name; ``"world"`` is a body.

    Made by the class methods, one per type. Anchor [m] and axis are in world coordinates at the
    places where the bodies start; a joint's coordinates [m or rad] are zero there, the first one
    ``start`` if given. The keywords (see `JointFields`): ``name``, ``anchor``, ``axis``, ``axis2``,
    ``limits``, ``start``, ``friction`` (the largest friction force or torque), ``damping``, ``armature`` (the
    inertia of a rotor that turns with it), ``motor`` and ``collide_jointed``.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> bob = sim.add(ss.Body.sphere(0.1, position=(1, 0, 0)))
    >>> hinge = sim.add(ss.Joint.revolute("world", bob, axis=(0, 1, 0), limits=(-1, 1)))
    >>> hinge.name, hinge.position.tolist()
    ('joint-1', [0.0])
    """

    kind: str
    fields: dict[str, Any]

    @classmethod
    def _of(cls, kind: str, bodies: Sequence[Any], fields: JointFields, **more: Any) -> Joint:
        names = tuple(_name(b) for b in bodies)
        return cls(kind, {"kind": kind, "bodies": names, **_checked(fields), **more})

    @classmethod
    def fixed(
        cls, a: BodyHandle | str, b: BodyHandle | str, **fields: Unpack[JointFields]
    ) -> Joint:
        """Nothing moves.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.fixed("world", rod))
        >>> joint.position.tolist()
        []
        """
        return cls._of("fixed", (a, b), fields)

    @classmethod
    def revolute(
        cls, a: BodyHandle | str, b: BodyHandle | str, **fields: Unpack[JointFields]
    ) -> Joint:
        """A hinge about the axis (default z).

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.revolute("world", rod, axis=(0, 0, 1), limits=(-1, 1)))
        >>> rod.angular_velocity = (0, 0, 1)
        >>> joint.velocity.tolist()
        [1.0]
        """
        return cls._of("revolute", (a, b), fields)

    @classmethod
    def prismatic(
        cls, a: BodyHandle | str, b: BodyHandle | str, **fields: Unpack[JointFields]
    ) -> Joint:
        """A slider along the axis (default z; x in 2D).

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.prismatic("world", rod, axis=(1, 0, 0)))
        >>> rod.velocity = (2, 0, 0)
        >>> joint.velocity.round(9).tolist()
        [2.0]
        """
        return cls._of("prismatic", (a, b), fields)

    @classmethod
    def cylindrical(
        cls, a: BodyHandle | str, b: BodyHandle | str, **fields: Unpack[JointFields]
    ) -> Joint:
        """Turns about the axis and slides along it.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.cylindrical("world", rod, axis=(1, 0, 0)))
        >>> len(joint.position)
        2
        """
        return cls._of("cylindrical", (a, b), fields)

    @classmethod
    def spherical(
        cls, a: BodyHandle | str, b: BodyHandle | str, **fields: Unpack[JointFields]
    ) -> Joint:
        """A ball and socket.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.spherical("world", rod, anchor=(0, 0, 0)))
        >>> joint.kind, joint.error
        ('spherical', 0.0)
        """
        return cls._of("spherical", (a, b), fields)

    @classmethod
    def planar(
        cls, a: BodyHandle | str, b: BodyHandle | str, **fields: Unpack[JointFields]
    ) -> Joint:
        """Slides across the axis and turns about it.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.planar("world", rod, axis=(0, 0, 1)))
        >>> len(joint.position)
        3
        """
        return cls._of("planar", (a, b), fields)

    @classmethod
    def universal(
        cls, a: BodyHandle | str, b: BodyHandle | str, **fields: Unpack[JointFields]
    ) -> Joint:
        """Turns about the axis, which stays with A, and ``axis2``, which stays with B.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.universal("world", rod))
        >>> len(joint.position)
        2
        """
        return cls._of("universal", (a, b), fields)

    @classmethod
    def generic(
        cls,
        a: BodyHandle | str,
        b: BodyHandle | str,
        freedoms: Sequence[str | tuple[float, float]],
        **fields: Unpack[JointFields],
    ) -> Joint:
        """Each direction its own way: ``"free"``, ``"locked"`` or two limits.

        Along x, y, z and about x, y, z, where z is the axis; in 2D along x, y and about z.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> ways = ["locked", "locked", (-0.1, 0.1), "locked", "locked", "free"]
        >>> joint = sim.add(ss.Joint.generic("world", rod, ways))
        >>> joint.position.tolist()  # along z, about z
        [0.0, 0.0]
        """
        ranges = [_range(f) for f in freedoms]
        if len(ranges) == 3:
            ranges = [*ranges[:2], (0.0, 0.0), (0.0, 0.0), (0.0, 0.0), ranges[2]]
        if len(ranges) != 6:
            raise ModelError(f"{len(ranges)} freedoms; 6 are needed (3 in 2D)")
        return cls._of("generic", (a, b), fields, freedoms=tuple(ranges))

    @classmethod
    def distance(
        cls,
        a: BodyHandle | str,
        b: BodyHandle | str,
        anchor_b: ArrayLike | None = None,
        **fields: Unpack[JointFields],
    ) -> Joint:
        """A massless rod from ``anchor`` on A to ``anchor_b`` on B (default: its centre).

        >>> import stickslip as ss
        >>> sim = ss.Simulator()
        >>> bob = sim.add(ss.Body.sphere(0.1, position=(1, 0, 0)))
        >>> joint = sim.add(ss.Joint.distance("world", bob, anchor=(0, 0, 0)))
        >>> log = sim.run(0.5)
        >>> bool(abs((bob.position**2).sum() - 1) < 0.1)
        True
        """
        more = {} if anchor_b is None else {"anchor_b": _check.vector("anchor_b", anchor_b)}
        return cls._of("distance", (a, b), fields, **more)

    @classmethod
    def gear(
        cls,
        first: JointHandle | str,
        second: JointHandle | str,
        ratio: float,
        **fields: Unpack[JointFields],
    ) -> Joint:
        """Couples two joints: ``q1 + ratio q2`` stays.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> other = sim.add(ss.Body.box(1, 0.1, 0.1, position=(0.5, 0, 2)))
        >>> a = sim.add(ss.Joint.revolute("world", rod, motor={"target_velocity": 1.0, "max_force": 99}))
        >>> b = sim.add(ss.Joint.revolute("world", other))
        >>> gear = sim.add(ss.Joint.gear(a, b, 0.5))
        >>> report = sim.step(20)
        >>> round(float(b.velocity[0]), 6)
        -2.0
        """
        made = cls._of("gear", ("world", "world"), fields)
        joints = (_name(first), _name(second))
        ratio = _check.number("ratio", ratio)
        return cls("gear", {**made.fields, "joints": joints, "ratio": ratio})

    @property
    def name(self) -> str:
        """Its name; empty: it gets one when it is added."""
        return str(self.fields.get("name", ""))


def _range(freedom: str | tuple[float, float]) -> tuple[float, float]:
    if isinstance(freedom, str):
        words = {"free": (-math.inf, math.inf), "locked": (0.0, 0.0)}
        if freedom not in words:
            raise ModelError(f"a freedom is 'free', 'locked' or two limits, not {freedom!r}")
        return words[freedom]
    low, high, _ = _check.vector("freedoms", freedom)
    return (low, high)


class JointHandle:
    """A joint in a simulator: what `Simulator.add` returns for a `Joint`.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(gravity=(0, 0, 0))
    >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
    >>> joint = sim.add(ss.Joint.revolute("world", rod, name="hinge"))
    >>> joint.motor = {"target_velocity": 1.0, "max_force": 10.0}
    >>> report = sim.step(50)
    >>> round(float(joint.velocity[0]), 6), joint.bodies
    (1.0, ['world', 'rod'])
    """

    __slots__ = ("_sim", "_index", "name")

    #: Its name, unique among the joints.
    name: str

    def __init__(self, sim: Simulator, index: int, name: str) -> None:
        self._sim, self._index, self.name = sim, index, name

    def __repr__(self) -> str:
        return f"<joint {self.name!r}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, JointHandle):
            return NotImplemented
        return self._sim is other._sim and self._index == other._index

    def __hash__(self) -> int:
        return hash((id(self._sim), self._index, "joint"))

    @property
    def kind(self) -> str:
        """Its type."""
        return self._sim._engine.joint(self._index)[0]

    @property
    def bodies(self) -> list[str]:
        """The names of its two bodies."""
        return self._sim._engine.joint(self._index)[1]

    @property
    def position(self) -> Floats:
        """Its coordinates: free translations [m], then free rotations [rad], not wrapped.

        Setting it moves all that hangs on the joint; bodies keep their rates.
        """
        return self._sim._engine.joint(self._index)[2]

    @position.setter
    def position(self, position: ArrayLike) -> None:
        self._sim.joint_space._set(self._index, position, None)

    @property
    def velocity(self) -> Floats:
        """The rates of its coordinates [m/s or rad/s]."""
        return self._sim._engine.joint(self._index)[3]

    @velocity.setter
    def velocity(self, velocity: ArrayLike) -> None:
        self._sim.joint_space._set(self._index, None, velocity)

    @property
    def error(self) -> float:
        """How far it is from holding [m or rad]."""
        return self._sim._engine.joint(self._index)[4]

    @property
    def motor(self) -> dict[str, float] | None:
        """What drives its first coordinate; set it between steps or in ``before_step``.

        The joint's own damping stays beside it, and a motor without ``max_force`` has the largest
        force that the file of a robot gives its joint (``math.inf`` lifts that limit).
        """
        found = self._sim._engine.motor(self._index)
        if found is None:
            return None
        to_position, target, stiffness, damping, force, _ = found
        out = {"target_position" if to_position else "target_velocity": target}
        if to_position:
            out.update(stiffness=stiffness, damping=damping)
        return out if force is None else {**out, "max_force": force}

    @motor.setter
    def motor(self, motor: Motor | None) -> None:
        self._sim._engine.set_motor(self._index, None if motor is None else motor_numbers(motor))

    @property
    def force(self) -> Floats:
        """Force on its second body during the last step [N], world axes; all of the joint's."""
        return self._sim._engine.joint_force(self._index)[0]

    @property
    def torque(self) -> Floats:
        """Torque on its second body about the anchor during the last step [N m]."""
        return self._sim._engine.joint_force(self._index)[1]

    @property
    def motor_force(self) -> float:
        """Force or torque of its motor during the last step [N or N m]."""
        return self._sim._engine.joint_force(self._index)[2]

    def apply(self, force: float, coordinate: int = 0) -> None:
        """Adds a force or torque along a coordinate for the coming step [N or N m].

        It acts on the second body, and against the first. Call it from ``before_step``.

        >>> import stickslip as ss
        >>> sim = ss.Simulator(gravity=(0, 0, 0))
        >>> rod = sim.add(ss.Body.box(1, 0.1, 0.1, name="rod", position=(0.5, 0, 0)))
        >>> joint = sim.add(ss.Joint.prismatic("world", rod, axis=(1, 0, 0)))
        >>> joint.apply(100 * rod.mass)
        >>> report = sim.step()
        >>> round(float(rod.velocity[0]), 9)
        1.0
        """
        value = _check.number("force", force)
        self._sim._engine.apply_joint_force(self._index, coordinate, value)
