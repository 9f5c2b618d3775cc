"""Whether bodies in contact can rest as they are."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check, _core
from .errors import ModelError
from .handle import BodyHandle
from .simulator import Simulator

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True)
class JointForce:
    """The force between two bodies, on the second, at its centre of pressure [N, m].

    >>> JointForce("a", "b", np.zeros(3), np.array([0, 0, 9.81])).b
    'b'
    """

    a: str
    b: str
    point: NDArray[np.float64]
    force: NDArray[np.float64]


@dataclass(frozen=True)
class BlockMotion:
    """How a block starts to move in a collapse; the fastest point of all moves at 1 m/s.

    >>> BlockMotion(np.zeros(3), np.array([0, 1, 0])).angular_velocity[1].item()
    1
    """

    velocity: NDArray[np.float64]
    angular_velocity: NDArray[np.float64]


@dataclass(frozen=True)
class Limit:
    """How much a structure bears: an angle [rad], a factor or a force [N]; ``inf`` if anything.

    >>> Limit(0.25, {}).value
    0.25
    """

    value: float
    mechanism: dict[str, BlockMotion]


@dataclass(frozen=True)
class Stability:
    """What `stability` found.

    >>> import stickslip as ss
    >>> sim = ss.masonry.build(ss.masonry.arch(stones=9, thickness=0.2))
    >>> found = ss.stability(sim)
    >>> found.stands, found.blocks, len(found.forces)
    (True, 9, 10)
    """

    stands: bool
    """Whether forces within friction balance it."""
    imbalance: float
    """What is left unbalanced at best: 0 in equilibrium, 1 in free fall."""
    blocks: int
    corners: int
    """Corners of contact polygons."""
    ambiguous: int
    """Pairs that touch at corners alone; no force was given to them."""
    forces: list[JointForce]
    """One set of forces in equilibrium, of many where it is statically indeterminate."""
    missing: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
    """Where it cannot rest: force and torque that the contacts cannot supply, by block."""
    mechanism: dict[str, BlockMotion]
    """Where it cannot rest: how the blocks start to move."""
    tilt: list[Limit]
    """Angles, two for each axis: about it and against it."""
    load: Limit | None
    """The factor on the loads."""
    push: list[Limit]
    """Forces, one for each push."""
    friction: float | None
    """The least coefficient (factor, where contacts have different ones); ``inf``: none is enough."""
    moved: dict[str, tuple[float, float]] | None
    """What the simulator moved: distance [m] and angle [rad] by block; none if it did not run."""
    farthest: float | None
    """How far any point moved in the simulator [m]."""
    html: str | None
    """A page with the drawing, if it was asked for."""

    @property
    def tilt_angle(self) -> float:
        """The least of the angles [rad].

        >>> import stickslip as ss
        >>> sim = ss.masonry.build(ss.masonry.column(drums=3, radius=0.5, height=1.0, sides=4))
        >>> round(ss.stability(sim, tilt="y").tilt_angle, 3)
        0.322
        """
        return min((t.value for t in self.tilt), default=float("inf"))


def _motions(rows: list[dict[str, Any]]) -> dict[str, BlockMotion]:
    return {
        row["body"]: BlockMotion(np.array(row["velocity"]), np.array(row["angular_velocity"]))
        for row in rows
    }


def _limit(answer: dict[str, Any], key: str) -> Limit:
    value = answer[key]
    return Limit(float("inf") if value is None else value, _motions(answer["mechanism"]))


def _axis(axis: str | ArrayLike) -> tuple[float, float, float]:
    if isinstance(axis, str):
        if axis not in _AXES:
            raise ModelError(f"tilt = {axis!r}, but it must be 'x', 'y', 'z' or three numbers")
        return _AXES[axis]
    return _check.vector("tilt", axis)


def _forces(key: str, forces: Mapping[Any, Any] | None) -> list[tuple[str, Any, Any]]:
    """Each value is a force, or a force and the point where it acts."""
    out: list[tuple[str, Any, Any]] = []
    for body, value in (forces or {}).items():
        name = body.name if isinstance(body, BodyHandle) else str(body)
        pair = isinstance(value, tuple) and len(value) == 2 and np.ndim(value[0]) == 1
        force, at = value if pair else (value, None)
        place = None if at is None else _check.vector(key, at)
        out.append((name, _check.vector(key, force), place))
    return out


def stability(
    sim: Simulator,
    *,
    tilt: str | ArrayLike | Iterable[str] | None = None,
    load: Mapping[Any, Any] | None = None,
    push: Mapping[Any, Any] | None = None,
    friction: bool = False,
    pyramid: int | None = None,
    gap: float | None = None,
    simulate: float | None = None,
    html: str | os.PathLike[str] | bool = False,
) -> Stability:
    """Whether the bodies of a simulator can rest as they are, and what brings them down.

    Forces at the corners of the contact polygons must balance gravity and loads within friction: a
    convex program. ``tilt`` asks how far gravity can turn about an axis ('x', 'y', 'z' or numbers),
    ``load={body: force}`` how many times loads are borne together, ``push={body: direction}`` how
    hard a body can be pushed; ``(force, point)`` in place of a force says where it acts.
    ``friction`` asks for the least coefficient, ``simulate`` lets the simulator run for that many
    seconds on a copy, ``html`` writes a page. ``pyramid`` puts pyramids of that many edges in place
    of the cones.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> floor = sim.add(ss.Body.plane(friction=0.8))
    >>> block = sim.add(ss.Body.box(1, 1, 2, name="block", position=(0, 0, 1), friction=0.8))
    >>> found = ss.stability(sim, tilt="y", push={"block": ((1, 0, 0), (0, 0, 2))})
    >>> found.stands, round(found.tilt_angle, 6), round(found.push[0].value / 9.81, 6)
    (True, 0.463648, 0.25)
    """
    if tilt is None:
        axes = []
    elif isinstance(tilt, str):
        axes = [_axis(tilt)]
    else:
        several = list(tilt)  # type: ignore[arg-type]
        each = any(isinstance(a, str) or np.ndim(a) == 1 for a in several)
        axes = [_axis(a) for a in several] if each else [_axis(np.asarray(several))]
    forces = (_forces("load", load), _forces("push", push))
    name = sim.name or "scene"
    question = (friction, pyramid, gap, simulate)
    text, page = _core.stability(sim._engine, forces, axes, question, name if html else None)
    if page is not None and not isinstance(html, bool):
        with open(html, "w", encoding="utf-8") as out:
            out.write(page)
    return _read(json.loads(text), page)


def _read(found: dict[str, Any], page: str | None) -> Stability:
    run, needed = found["dynamic"], found["friction"]
    least: float | None = None
    if needed is not None:
        value = needed["coefficient"] if needed["coefficient"] is not None else needed["factor"]
        least = float("inf") if value is None else value
    return Stability(
        stands=found["stands"],
        imbalance=found["imbalance"],
        blocks=found["blocks"],
        corners=found["corners"],
        ambiguous=found["ambiguous"],
        forces=[
            JointForce(f["a"], f["b"], np.array(f["point"]), np.array(f["force"]))
            for f in found["forces"]
        ],
        missing={m["body"]: (np.array(m["force"]), np.array(m["torque"])) for m in found["missing"]},
        mechanism=_motions(found["mechanism"]),
        tilt=[_limit(t, "angle") for t in found["tilt"]],
        load=None if found["load"] is None else _limit(found["load"], "factor"),
        push=[_limit(p, "force") for p in found["push"]],
        friction=least,
        moved=None if run is None else {m["body"]: (m["distance"], m["turned"]) for m in run["moved"]},
        farthest=None if run is None else run["farthest"],
        html=page,
    )
