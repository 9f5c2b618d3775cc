"""Many short runs at once, and derivatives of a step."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _check
from .errors import ModelError, StepError

if TYPE_CHECKING:
    from .joint import JointHandle
    from .simulator import Simulator

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True)
class Rollout:
    """What `rollout` returns.

    >>> import numpy as np, stickslip as ss
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(0.1))
    >>> slide = sim.add(ss.Joint.prismatic("world", ball))
    >>> runs = ss.rollout(sim, sim.state, np.zeros((4, 5, 1)))
    >>> runs.states.shape[:2], runs.errors
    ((4, 5), {})
    """

    #: States after every n-th step: runs, steps, numbers of a state (see ``Simulator.state``).
    states: Floats
    #: Runs that ended early, with the reason; their later states are NaN.
    errors: dict[int, str]


@dataclass(frozen=True)
class Derivatives:
    """What `step_derivatives` returns, for ``y = (qpos, qvel)`` on its tangent space.

    >>> import stickslip as ss
    >>> sim = ss.Simulator()
    >>> ball = sim.add(ss.Body.sphere(0.1))
    >>> slide = sim.add(ss.Joint.prismatic("world", ball))
    >>> found = ss.step_derivatives(sim)
    >>> found.state.shape, found.control.shape
    ((2, 2), (2, 1))
    """

    #: Derivatives of the next positions and rates by those before: 2 nv by 2 nv.
    state: Floats
    #: Derivatives by the forces on the joints: 2 nv by the number of joints.
    control: Floats
    #: Where the step has a kink at the present state (0 to nv - 1: positions, then rates, then forces): a contact opens, closes or
    #: begins to slide however small the change is. The mean of the two sides is given.
    kinks: list[int]


#: Speed: sides of a difference that are further apart, as a part of the largest derivative of their kind, have different contacts.
#: Those of smooth steps are up to 1e-5 apart (the built-in arm in motion), those of a contact that closes 1.
_KINK = 1e-3


def _cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _controlled(sim: Simulator, joints: Sequence[JointHandle | str] | None) -> list[int]:
    if joints is not None:
        return [sim.joint(j)._index for j in joints]
    return [j._index for j in sim.joints if len(j.position) > 0]


def _batch(name: str, values: ArrayLike, ndim: int) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    while array.ndim < ndim:
        array = array[np.newaxis]
    if array.ndim != ndim:
        raise ModelError(f"{name} has {array.ndim} dimensions, but {ndim} at most are known")
    return array


def rollout(
    sim: Simulator,
    states: ArrayLike,
    controls: ArrayLike,
    *,
    joints: Sequence[JointHandle | str] | None = None,
    control: str = "force",
    every: int = 1,
    threads: int = 0,
) -> Rollout:
    """Runs from each of ``states`` under each of ``controls``, on all cores.

    ``states`` has one row per run (``sim.state``, or its first ``sim.state_size`` numbers), or is a single
    one for all; ``controls`` has the shape (runs, steps, joints), or (steps, joints) for all. A
    control is a force or torque along the first coordinate of a joint, or with ``control="target"`` the target of
    its motor. ``joints``: all that have coordinates, by default. ``every`` keeps each n-th state; ``threads`` = 0
    takes all cores. The simulator stays as it is and its functions around steps are not called.

    Runs start with stages that remember nothing: the numbers depend neither on the threads nor on the
    order. Other Python threads go on meanwhile.

    >>> import numpy as np, stickslip as ss
    >>> sim = ss.Simulator(step=0.01, gravity=(0, 0, 0))
    >>> ball = sim.add(ss.Body.sphere(0.1, mass=2))
    >>> slide = sim.add(ss.Joint.prismatic("world", ball, axis=(1, 0, 0)))
    >>> runs = ss.rollout(sim, sim.state, np.full((3, 50, 1), 4.0), every=50)
    >>> runs.states.shape == (3, 1, sim.state_size)
    True
    >>> sim.state = runs.states[2, -1]
    >>> sim.qpos.round(9).tolist(), sim.qvel.round(9).tolist()
    ([0.25], [1.0])
    """
    if control not in ("force", "target"):
        raise ModelError(f"control = {control!r}, but it must be 'force' or 'target'")
    which = _controlled(sim, joints)
    names = sim._engine.joint_names()
    for k in which:
        if control == "target" and sim._engine.motor(k) is None:
            raise ModelError(f"the joint {names[k]!r} has no motor whose target could be set")
    rows, inputs = _batch("states", states, 2), _batch("controls", controls, 3)
    n = max(len(rows), len(inputs))
    for name, found in (("states", len(rows)), ("controls", len(inputs))):
        if found not in (1, n):
            raise ModelError(f"{found} {name} for {n} runs")
    if inputs.shape[2] != len(which):
        raise ModelError(f"controls of {inputs.shape[2]} joints, but there are {len(which)}")
    if not np.isfinite(inputs).all():
        raise ModelError("controls must be finite")
    size = sim.state_size
    if rows.shape[1] < size:
        raise ModelError(f"a state has {size} numbers, not {rows.shape[1]}")
    rows = np.ascontiguousarray(np.broadcast_to(rows[:, :size], (n, size)))
    inputs = np.ascontiguousarray(np.broadcast_to(inputs, (n, *inputs.shape[1:])))
    every = _check.count("every", every, 1)
    threads = _check.count("threads", threads, 0) or _cores()
    after, wrong = sim._engine.rollout(
        rows, inputs, which, control == "target", every, min(threads, n)
    )
    return Rollout(after, dict(wrong))


def _difference(sim: Simulator, after: Floats, before: Floats) -> Floats:
    """``after - before`` on the tangent space: quaternions as rotation vectors."""
    out = []
    for place in sim.joint_space.layout:
        a, b = after[place.qpos], before[place.qpos]
        n = place.qvel.stop - place.qvel.start
        if len(a) == n:
            out.append(a - b)
            continue
        out.append((a - b)[: n - 3])
        w, v = b[n - 3], -b[n - 2 :]
        aw, av = a[n - 3], a[n - 2 :]
        scalar, vector = aw * w - av @ v, aw * v + w * av + np.cross(av, v)
        length = float(np.linalg.norm(vector))
        angle = 2 * np.arctan2(length, abs(scalar)) * np.sign(scalar if scalar else 1.0)
        out.append(vector * (angle / length if length > 0 else 2.0))
    return np.concatenate(out) if out else np.zeros(0)


def step_derivatives(
    sim: Simulator,
    *,
    joints: Sequence[JointHandle | str] | None = None,
    epsilon: float = 1e-5,
    threads: int = 0,
) -> Derivatives:
    """Derivatives of the next step by positions, rates and forces on joints: differences to both sides.

    Rotations are moved by rotation vectors in the frame of `qvel`. Contacts are kept as they are in the step itself: where one
    opens, closes or begins to slide within ``epsilon`` the two sides differ, and that column is made again with
    a tenth and a hundredth of it. What differs even then is told in ``kinks``.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.01, gravity=(0, 0, 0))
    >>> ball = sim.add(ss.Body.sphere(0.1, mass=2))
    >>> slide = sim.add(ss.Joint.prismatic("world", ball, axis=(1, 0, 0)))
    >>> found = ss.step_derivatives(sim)
    >>> found.state.round(6).tolist(), found.control.round(6).tolist(), found.kinks
    ([[1.0, 0.01], [0.0, 1.0]], [[2.5e-05], [0.005]], [])
    """
    epsilon = _check.number("epsilon", epsilon)
    if not epsilon > 0.0:
        raise ModelError(f"epsilon = {epsilon}, but it must be more than 0")
    beside = _Beside(sim, _controlled(sim, joints), threads)
    nv, nu = beside.nv, len(beside.joints)
    table, apart = beside.differences(list(range(2 * nv + nu)), epsilon)
    size = np.zeros(len(table))
    # where all rates are lost, in contacts, their derivatives are zero but for what a solve leaves
    for block, least in ((slice(nv), 1.0), (slice(nv, 2 * nv), 1.0), (slice(2 * nv, None), 0.0)):
        size[block] = np.abs(table[block]).max(initial=least)
    for part in (0.1, 0.01):
        again = np.flatnonzero(apart > _KINK * size)
        if len(again) == 0:
            break
        finer, left = beside.differences(again.tolist(), part * epsilon)
        better = left < apart[again]
        table[again[better]], apart[again[better]] = finer[better], left[better]
    kinks = np.flatnonzero(apart > _KINK * size).tolist()
    return Derivatives(table[: 2 * nv].T, table[2 * nv :].T, kinks)


class _Beside:
    """The step from states beside the present one, and from the present one itself."""

    def __init__(self, sim: Simulator, joints: list[int], threads: int) -> None:
        names = sim._engine.joint_names()
        self.twin, self.size, self.threads = sim.clone(), sim.state_size, threads
        self.joints, self.names = joints, [names[k] for k in joints]
        self.q, self.v = self.twin.qpos, self.twin.qvel
        self.nv = len(self.v)
        self.end = self.ends([self.start(0, 0.0)])[0]

    def start(self, column: int, by: float) -> tuple[Floats, Floats]:
        """State and forces where one of positions, rates and forces is moved."""
        q, v, force = self.q, self.v.copy(), np.zeros(len(self.joints))
        if column < self.nv:
            self.twin._engine.set_coordinates(q.tolist(), v.tolist())
            q = _moved(self.twin, q, column, by)
        elif column < 2 * self.nv:
            v[column - self.nv] += by
        else:
            force[column - 2 * self.nv] = by
        self.twin._engine.set_coordinates(q.tolist(), v.tolist())
        return self.twin.state[: self.size], force[np.newaxis]

    def ends(self, starts: list[tuple[Floats, Floats]]) -> list[tuple[Floats, Floats]]:
        """Positions and rates after a step."""
        states, forces = np.array([s[0] for s in starts]), np.array([s[1] for s in starts])
        runs = rollout(self.twin, states, forces, joints=self.names, threads=self.threads)
        if runs.errors:
            raise StepError(f"a step beside the present state fails: {next(iter(runs.errors.values()))}")
        out = []
        for state in runs.states[:, -1]:
            self.twin.state = state
            out.append((self.twin.qpos, self.twin.qvel))
        return out

    def differences(self, columns: list[int], e: float) -> tuple[Floats, Floats]:
        """A row for each column: the derivative, and how far its two sides are apart."""
        ends = self.ends([self.start(k, sign * e) for k in columns for sign in (1.0, -1.0)])
        sides = [
            np.concatenate([_difference(self.twin, q, self.end[0]), v - self.end[1]]) / e for q, v in ends
        ]
        table = np.array(sides).reshape(len(columns), 2, 2 * self.nv)
        after, before = table[:, 0], -table[:, 1]
        return 0.5 * (after + before), np.abs(after - before).max(axis=1, initial=0.0)


def _moved(sim: Simulator, q: Floats, dof: int, by: float) -> Floats:
    """Positions moved along one rate."""
    out = q.copy()
    for place in sim.joint_space.layout:
        if not place.qvel.start <= dof < place.qvel.stop:
            continue
        n, k = place.qvel.stop - place.qvel.start, dof - place.qvel.start
        slides = n if place.qpos.stop - place.qpos.start == n else n - 3
        if k < slides:
            out[place.qpos.start + k] += by
        else:
            at = place.qpos.start + slides
            w, x = out[at], out[at + 1 : at + 4].copy()
            axis = np.zeros(3)
            axis[k - slides] = np.sin(by / 2)
            c = np.cos(by / 2)
            out[at] = c * w - axis @ x
            out[at + 1 : at + 4] = c * x + w * axis + np.cross(axis, x)
    return out
