"""A string under its weight over a peg: the gap to it is complementary to its force, as a Pyomo model."""

import complementarity.pyomo  # noqa: F401  makes SolverFactory know the solver
import pyomo.environ as pyo
from pyomo.mpec import Complementarity, complements

N, TENSION, WEIGHT = 39, 1.0, 2.0  # points, N, N/m, over 1 m
H = 1 / (N + 1)
POINTS = range(1, N + 1)


def floor(i):
    """Height of the peg under point i [m]: a flat top from 0.4 to 0.6."""
    return -0.05 if abs(i * H - 0.5) < 0.1 + 1e-9 else -1.0


model = pyo.ConcreteModel()
model.y = pyo.Var(range(N + 2), initialize=0.0)
model.y[0].fix(0.0)
model.y[N + 1].fix(0.0)


def contact(m, i):
    """Force of the peg on point i [N]: what tension and weight leave over."""
    force = WEIGHT * H - TENSION * (m.y[i - 1] - 2 * m.y[i] + m.y[i + 1]) / H
    return complements(m.y[i] >= floor(i), force >= 0)


model.contact = Complementarity(POINTS, rule=contact)
pyo.SolverFactory("complementarity").solve(model)
y = [pyo.value(model.y[i]) for i in range(N + 2)]
force = [WEIGHT * H - TENSION * (y[i - 1] - 2 * y[i] + y[i + 1]) / H for i in POINTS]
ends = TENSION * (-y[1] - y[N]) / H  # what the two ends carry, up
print(f"peg {sum(force):.6f} ends {ends:.6f} weight {WEIGHT * H * N:.6f} touching {sum(f > 1e-9 for f in force)}")
