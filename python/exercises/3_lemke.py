"""Exercise 3: Lemke's method."""

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

Floats = NDArray[np.float64]


def lemke(A: Floats, b: Floats, z0: Floats) -> tuple[Floats, int]:
    """Solves 0 <= z, w = A z + b >= 0, z w = 0; returns z and the number of pivots.

    The tableau holds w - A z - t = b: columns of w, of z, of the artificial t, and the constant.
    """
    raise NotImplementedError("let t in where b is lowest; then the complement of what left, until t leaves")


# What must hold

def check() -> None:
    """Random problems with a known solution, one without any, and a block in the loop."""
    rng = np.random.default_rng(7)
    for n in (1, 2, 5, 20):
        for _ in range(20):
            R = rng.normal(size=(n, n))
            A = R @ R.T + (S := rng.normal(size=(n, n))) - S.T + np.eye(n)
            z = np.maximum(0.0, rng.normal(size=n))
            b = np.where(z > 0, 0.0, rng.uniform(0.1, 1, n)) - A @ z
            np.testing.assert_allclose(lemke(A, b, np.zeros(n))[0], z, atol=1e-8)
    try:
        lemke(-np.eye(2), -np.ones(2), np.zeros(2))
    except ArithmeticError as ray:
        print("no solution:", ray)
    else:
        raise AssertionError("-z - 1 >= 0 has no solution with z >= 0")

    sim = ss.Simulator(formulation="stewart-trinkle", friction_directions=4, solver=lemke)
    sim.add(ss.Body.plane(friction=0.3))
    block = sim.add(ss.Body.box(1, 1, 0.4, position=(0, 0, 0.2), velocity=(1, 0, 0), friction=0.3))
    log = sim.run(0.5)
    assert log.summary["diagnostics"]["solver"]["failures"] == 0
    way = 1 / (2 * 0.3 * 9.81)
    assert abs(block.position[0] - way) < 0.01 and abs(block.velocity[0]) < 1e-9
    print(f"the block slid {block.position[0]:.3f} m; {way:.3f} m is right")


if __name__ == "__main__":
    check()
