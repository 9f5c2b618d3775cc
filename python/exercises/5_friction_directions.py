"""Exercise 5: how many edges does a friction cone need?"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

Floats = NDArray[np.float64]
MU, ANGLE = 0.3, math.radians(17)


def linear_cone(n: int) -> Callable[..., Any]:
    """Stewart and Trinkle's problem with n friction directions that are fixed in the world.

    Unknowns: normal impulses p_n, friction impulses p_f >= 0 along the directions, slip s.
    """

    def formulate(sim: ss.Simulator, contacts: NDArray[np.void]) -> tuple[Any, ...]:
        raise NotImplementedError("return A, b and the function that makes velocities of z")

    return formulate


# What must hold

def slide(**how: Any) -> tuple[float, float]:
    """Way along, and distance from, the straight line of a block that starts at ANGLE."""
    sim = ss.Simulator(**how)
    sim.add(ss.Body.plane(friction=MU))
    along = np.array([math.cos(ANGLE), math.sin(ANGLE), 0])
    block = sim.add(ss.Body.box(1, 1, 0.2, position=(0, 0, 0.1), friction=MU, velocity=2 * along))
    sim.run(0.8)
    x = block.position - [0, 0, 0.1]
    return float(x @ along), float(abs(x[1] * along[0] - x[0] * along[1]))


def check() -> None:
    """More edges, straighter; the true cone is exact; a built-in one turns with the slip."""
    off = {n: slide(formulation=linear_cone(n))[1] for n in (3, 4, 8, 16)}
    assert off[3] > off[8] > off[16] and off[4] > off[8], off
    for n, error in off.items():
        # Friction is along the edge nearest to the slip: at most half an edge's angle off.
        assert error < 0.7 * math.tan(math.pi / n), (n, error)
    for how in ({"friction": "quadratic"}, {"friction_directions": 3}):
        way, error = slide(**how)
        assert error < 1e-9 and abs(way - 4 / (2 * MU * 9.81)) < 0.02, (how, way, error)
    print("off the straight line [m]:", {n: round(e, 4) for n, e in off.items()})


if __name__ == "__main__":
    check()
