"""Eight solvers and one of one's own on the same problem, judged by the same measure."""

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

Floats = NDArray[np.float64]


def my_jacobi(A: Floats, b: Floats, z0: Floats) -> Floats:
    z, scale = z0, np.abs(A).sum(axis=1)
    for _ in range(2000):
        z = np.maximum(0.0, z - (A @ z + b) / scale)
    return z


sim = ss.load_scene("box-stack", formulation="stewart-trinkle", friction="none")
sim.step(3)
problem = sim.problem()
assert problem is not None
names = "lemke pivotal fixed-point pgs psor fischer-newton minmap-newton interior-point"
table = ss.compare(problem, [*names.split(), my_jacobi], tolerance=1e-6, metric="norm_CCK")
print(table)
