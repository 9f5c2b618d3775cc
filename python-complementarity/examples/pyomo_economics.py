"""Five firms that compete in quantities (Murphy, Sherali and Soyster 1982), as a Pyomo model."""

import complementarity.pyomo  # noqa: F401  makes SolverFactory know the solver
import pyomo.environ as pyo
from pyomo.mpec import Complementarity, complements

FIRMS = range(5)
COST, BETA, GAMMA = [10.0, 8, 6, 4, 2], [1.2, 1.1, 1.0, 0.9, 0.8], 1.1

model = pyo.ConcreteModel()
model.q = pyo.Var(FIRMS, initialize=10.0, bounds=(1e-3, None))
total = sum(model.q[i] for i in FIRMS)
price = (5000 / total) ** (1 / GAMMA)


def firm(m, i):
    """Marginal cost, less the price, plus what its own quantity does to the price."""
    margin = COST[i] + (m.q[i] / 5) ** (1 / BETA[i]) - price + m.q[i] * price / (GAMMA * total)
    return complements(m.q[i] >= 1e-3, margin >= 0)


model.firm = Complementarity(FIRMS, rule=firm)
pyo.SolverFactory("complementarity").solve(model)
print(*(f"{pyo.value(model.q[i]):.3f}" for i in FIRMS))
