"""Projected Gauss-Seidel in numpy: in the loop, and beside the built-in solvers."""

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

Floats = NDArray[np.float64]


def my_pgs(A: Floats, b: Floats, z0: Floats) -> Floats:
    z = z0.copy()
    for _ in range(200):
        for i in np.flatnonzero(A.diagonal() > 0):
            z[i] = max(0.0, z[i] - (A[i] @ z + b[i]) / A[i, i])
    return z


sim = ss.Simulator(formulation="stewart-trinkle", friction="none", solver=my_pgs)
sim.add(ss.Body.plane())
cube = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.6)))
log = sim.run(0.5)
print(f"z = {cube.position[2]:.6f} m, {log.summary['diagnostics']['solver']['failures']} failures")
print(ss.compare(sim.problem() or [], ["lemke", "pgs", my_pgs]))
