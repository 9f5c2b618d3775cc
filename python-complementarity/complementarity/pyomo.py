"""A solver for Pyomo: ``SolverFactory("complementarity")`` after ``import complementarity.pyomo``.

Takes models of conditions of ``pyomo.mpec`` and of equations, as many as there are variables. The model goes
through an ``.nl`` file, so expressions are differentiated exactly.

>>> import pyomo.environ as pyo
>>> from pyomo.mpec import Complementarity, complements
>>> import complementarity.pyomo
>>> model = pyo.ConcreteModel()
>>> model.x = pyo.Var(initialize=1.0)
>>> model.c = Complementarity(expr=complements(model.x >= 0, pyo.exp(model.x) >= 2))
>>> result = pyo.SolverFactory("complementarity").solve(model)
>>> round(pyo.value(model.x), 9)
0.693147181
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

from pyomo.mpec.plugins.pathampl import PATHAMPL
from pyomo.opt import SolverFactory


@SolverFactory.register("complementarity", doc="Mixed complementarity problems, linear and nonlinear")
class ComplementaritySolver(PATHAMPL):  # type: ignore[misc]
    """Settings by ``options``: ``tolerance``, ``max_iterations``, ``restarts``, ``seed``."""

    def __init__(self, **words: Any) -> None:
        super().__init__(**words)
        self.type = self.name = "complementarity"

    def _default_executable(self) -> str | None:
        beside = Path(sys.executable).with_name("complementarity-ampl")
        return str(beside) if beside.exists() else shutil.which("complementarity-ampl")
