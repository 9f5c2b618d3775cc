"""An American put, one implicit step of the Black-Scholes equation per time level, as Pyomo models.

The value above the payoff is complementary to the loss of waiting.
"""

import complementarity.pyomo  # noqa: F401  makes SolverFactory know the solver
import pyomo.environ as pyo
from pyomo.mpec import Complementarity, complements

STRIKE, RATE, SIGMA, TOP, YEARS, N, STEPS = 100.0, 0.05, 0.3, 300.0, 1.0, 119, 20
DS, DT = TOP / (N + 1), YEARS / STEPS
PAYOFF = [max(STRIKE - i * DS, 0.0) for i in range(N + 2)]


def level(old):
    """The values one level earlier: early exercise wherever waiting would lose."""
    model = pyo.ConcreteModel()
    model.value = pyo.Var(range(N + 2), initialize=dict(enumerate(old)))
    model.value[0].fix(STRIKE)
    model.value[N + 1].fix(0.0)

    def hold(m, i):
        v, diffusion, drift = m.value, 0.5 * SIGMA**2 * i * i, 0.5 * RATE * i
        change = (diffusion - drift) * v[i - 1] + (diffusion + drift) * v[i + 1]
        loss = v[i] - old[i] - DT * (change - (2 * diffusion + RATE) * v[i])
        return complements(v[i] >= PAYOFF[i], loss >= 0)

    model.hold = Complementarity(range(1, N + 1), rule=hold)
    return model


solver = pyo.SolverFactory("complementarity")
values = PAYOFF
for _ in range(STEPS):
    model = level(values)
    solver.solve(model)
    values = [pyo.value(model.value[i]) for i in range(N + 2)]
below = [i * DS for i in range(1, N + 1) if PAYOFF[i] > 0 and values[i] <= PAYOFF[i] + 1e-9]
print(f"value {values[round(STRIKE / DS)]:.2f} exercise below {max(below):.1f}")
