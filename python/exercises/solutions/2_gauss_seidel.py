"""Exercise 2: projected Gauss-Seidel."""

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

Floats = NDArray[np.float64]


def pgs(A: Floats, b: Floats, z0: Floats) -> tuple[Floats, int]:
    """Solves 0 <= z, A z + b >= 0, z (A z + b) = 0; returns z and the number of sweeps."""
    z = z0.copy()
    for sweep in range(1, 5001):
        largest = 0.0
        for i in range(len(b)):
            new = max(0.0, z[i] - (A[i] @ z + b[i]) / A[i, i])
            largest, z[i] = max(largest, abs(new - z[i])), new
        if largest < 1e-12:
            break
    return z, sweep


# What must hold

def stack(n: int) -> ss.Simulator:
    """Boxes on each other, without friction."""
    sim = ss.Simulator(formulation="stewart-trinkle", friction="none")
    sim.add(ss.Body.plane())
    for k in range(n):
        sim.add(ss.Body.box(1, 1, 1, position=(0.05 * k, 0, 0.5 + k)))
    return sim


def check() -> None:
    """In the loop, beside the built-in solvers, and the more boxes the slower."""
    sim, twin = stack(2), stack(2)
    sim.solver, twin.solver = pgs, "lemke"
    log = sim.run(0.2)
    twin.run(0.2)
    assert log.summary["diagnostics"]["solver"]["failures"] == 0
    np.testing.assert_allclose(sim.positions, twin.positions, atol=1e-9)

    sweeps = []
    for n in (1, 2, 4):
        sim = stack(n)
        sim.step(2)
        problem = sim.problem()
        assert problem is not None
        table = ss.compare(problem, ["lemke", "pgs", pgs], tolerance=1e-8)
        assert [row["solved"] for row in table.results] == [True] * 3, str(table)
        sweeps.append(table.results[-1]["iterations"])
    # A force travels from box to box, one a sweep: tall stacks need many.
    assert sweeps[0] < sweeps[1] < sweeps[2], sweeps
    print(f"sweeps for 1, 2 and 4 boxes: {sweeps}")


if __name__ == "__main__":
    check()
