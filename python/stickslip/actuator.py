"""Actuators with a gain, a bias, limits and a delay."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from . import _check
from .errors import ModelError

if TYPE_CHECKING:
    from .joint import JointHandle
    from .simulator import Simulator


class Actuator:
    """Drives a coordinate of a joint: ``force = gain u + b0 + b1 q + b2 q'``, within limits.

    ``u`` is `control`, as it was ``delay`` seconds ago (zero before). ``gain=1`` alone is a torque
    motor, ``gain=k, bias=(0, -k, -d)`` a servo, ``gain=d, bias=(0, 0, -d)`` a speed controller. The force
    is held over a step: where the gains are stiff, give the joint a ``motor``, or use `Force.joint_spring`
    for the bias. Call it before each step, alone or with others:
    ``sim.before_step = lambda sim: [drive(sim) for drive in drives]``.

    >>> import stickslip as ss
    >>> sim = ss.Simulator(step=0.01, gravity=(0, 0, 0))
    >>> cart = sim.add(ss.Body.box(1, 1, 1, mass=2))
    >>> rail = sim.add(ss.Joint.prismatic("world", cart, axis=(1, 0, 0)))
    >>> drive = ss.Actuator(rail, limits=(-4, 4), delay=0.05)
    >>> sim.before_step = drive
    >>> drive.control = 10.0
    >>> report = sim.step(15)  # five without force, ten with 4 N
    >>> round(float(cart.velocity[0]), 9), drive.force
    (0.2, 4.0)
    """

    def __init__(
        self,
        joint: JointHandle | str,
        *,
        gain: float = 1.0,
        bias: Sequence[float] = (0.0, 0.0, 0.0),
        limits: tuple[float, float] = (-math.inf, math.inf),
        delay: float = 0.0,
        coordinate: int = 0,
    ) -> None:
        numbers = _check.array("bias", bias)
        if numbers.shape != (3,):
            raise ModelError(f"bias = {bias!r}, but it must be 3 numbers")
        low, high = (_check.number("limits", x) for x in limits)
        if not low <= high:
            raise ModelError(f"limits = {limits!r}, but the first must not be above the second")
        if not 0.0 <= delay < math.inf:
            raise ModelError(f"delay = {delay!r}, but it must be 0 or more")
        self._joint = joint
        self._gain, self._bias = _check.number("gain", gain), numbers.tolist()
        self._limits, self._delay, self._coordinate = (low, high), float(delay), coordinate
        self._sent: deque[tuple[float, float]] = deque()
        #: The control u; set it at any time.
        self.control = 0.0
        #: The force of the coming, or last, step [N or N m].
        self.force = 0.0

    def __call__(self, sim: Simulator) -> None:
        """Applies the force for the coming step."""
        joint = sim.joint(self._joint)
        now, sent = sim.time, self._sent
        if sent and sent[-1][0] > now:
            sent.clear()  # the simulator went back
        sent.append((now, _check.number("control", self.control)))
        # Half a step of room: times are sums of steps.
        due = now - self._delay + 0.5 * sim.time_step
        while len(sent) > 1 and sent[1][0] <= due:
            sent.popleft()
        u = sent[0][1] if sent[0][0] <= due else 0.0
        q, rate = joint.position[self._coordinate], joint.velocity[self._coordinate]
        b0, b1, b2 = self._bias
        force = self._gain * u + b0 + b1 * float(q) + b2 * float(rate)
        self.force = min(max(force, self._limits[0]), self._limits[1])
        joint.apply(self.force, self._coordinate)
