"""Every solver on the same problem, and one of one's own, judged by the same measure."""

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

Floats = NDArray[np.float64]


def my_jacobi(A: Floats, b: Floats, z0: Floats) -> Floats:
    z, scale = z0, np.abs(A).sum(axis=1)
    for _ in range(500):
        z = np.maximum(0.0, z - (A @ z + b) / scale)
    return z


sim = ss.Simulator(formulation="stewart-trinkle", friction="none")
sim.add(ss.Body.plane())
for k in range(5):
    sim.add(ss.Body.box(1, 1, 1, position=(0.1 * k, 0, 0.5 + k)))
sim.step(3)
problem = sim.problem()
assert problem is not None
names = [name for name in ss.lcp.solvers(problem.kind) if name != "enumerate"]
print(ss.compare(problem, [*names, my_jacobi], tolerance=1e-6))
