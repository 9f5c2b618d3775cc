"""Pyomo's complementarity conditions, solved by the program `complementarity-ampl`.

Skipped where Pyomo is not installed or the program is not built.
"""

import math
import os
import pathlib
import runpy
import shutil
import signal
import subprocess
import sys
import time

import pytest

pyo = pytest.importorskip("pyomo.environ")
mpec = pytest.importorskip("pyomo.mpec")

BUILT = pathlib.Path(__file__).parents[2] / "target/debug/complementarity-ampl"
BESIDE = pathlib.Path(sys.executable).with_name("complementarity-ampl")
FOUND = next((str(p) for p in (BUILT, BESIDE) if p.exists()), None)
PROGRAM = FOUND or shutil.which("complementarity-ampl")
#: A checkout of github.com/Pyomo/pyomo: its examples are not in the package that pip installs.
SOURCE = os.environ.get("PYOMO_SOURCE")


@pytest.fixture
def solver():
    if PROGRAM is None:
        pytest.skip("complementarity-ampl is not built")
    return pyo.SolverFactory("path", executable=PROGRAM)


def test_a_linear_problem_of_three_conditions(solver):
    """Solution (0, 1/2, 0): x2 >= 1/2 from the first condition with x3 = 0, or others beside it."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2, 3])
    x = model.x
    model.f1 = mpec.Complementarity(expr=mpec.complements(x[1] >= 0, x[1] + 2 * x[2] + 3 * x[3] >= 1))
    model.f2 = mpec.Complementarity(expr=mpec.complements(x[2] >= 0, x[2] - x[3] >= -1))
    model.f3 = mpec.Complementarity(expr=mpec.complements(x[3] >= 0, x[1] + x[2] >= -1))
    result = solver.solve(model)
    assert result.solver.termination_condition == pyo.TerminationCondition.optimal
    z = [pyo.value(x[i]) for i in (1, 2, 3)]
    w = [z[0] + 2 * z[1] + 3 * z[2] - 1, z[1] - z[2] + 1, z[0] + z[1] + 1]
    assert max(abs(min(a, b)) for a, b in zip(z, w)) < 1e-8


def test_a_nonlinear_market(solver):
    """Two firms: price 10 / (q1 + q2), costs q² / 2; symmetric solution q = sqrt(10) / 2."""
    model = pyo.ConcreteModel()
    model.q = pyo.Var([1, 2], initialize=1.0)
    model.total = pyo.Var(initialize=2.0)
    model.sum = pyo.Constraint(expr=model.total == model.q[1] + model.q[2])
    price = 10 / model.total

    def condition(m, i):
        effect = m.q[i] * 10 / m.total**2
        return mpec.complements(m.q[i] >= 0, m.q[i] - price + effect >= 0)

    model.firm = mpec.Complementarity([1, 2], rule=condition)
    solver.solve(model)
    for i in (1, 2):
        assert abs(pyo.value(model.q[i]) - 10**0.5 / 2) < 1e-7


def test_the_plug_in_finds_the_program_of_the_package(caplog):
    """`pip install complementarity` brings the script; no executable is named."""
    from pyomo.common.errors import ApplicationError

    import complementarity.pyomo

    solver = pyo.SolverFactory("complementarity")
    if solver.executable() is None:
        pytest.skip("the package is not installed with its script")
    assert isinstance(solver, complementarity.pyomo.ComplementaritySolver)
    model = pyo.ConcreteModel()
    model.x = pyo.Var(initialize=1.0, bounds=(0, None))
    model.y = pyo.Var(initialize=1.0)
    model.c = mpec.Complementarity(expr=mpec.complements(model.x >= 0, pyo.exp(model.x) >= 2))
    model.e = pyo.Constraint(expr=model.y == model.x**2)
    solver.options["tolerance"] = 1e-9
    result = solver.solve(model)
    assert result.solver.termination_condition == pyo.TerminationCondition.optimal
    root = math.log(2.0)
    assert abs(pyo.value(model.x) - root) < 1e-8 and abs(pyo.value(model.y) - root**2) < 1e-8
    solver.options["tolerance"] = 2
    with pytest.raises(ApplicationError):
        solver.solve(model)
    assert "tolerance = 2, but it must be in (0, 1)" in caplog.text


MODEL = """
from pyomo.environ import *
from pyomo.mpec import *

model = ConcreteModel()
model.x1 = Var()
model.x2 = Var()
model.x3 = Var()
model.f1 = Complementarity(expr=complements(model.x1 >= 0, model.x1 + 2*model.x2 + 3*model.x3 >= 1))
model.f2 = Complementarity(expr=complements(model.x2 >= 0, model.x2 - model.x3 >= -1))
model.f3 = Complementarity(expr=complements(model.x3 >= 0, model.x1 + model.x2 >= -1))
"""


def test_models_made_for_path_run_unchanged(solver, tmp_path):
    """`pyomo solve --solver=path` calls `pathampl`: our program under that name serves.

    The model is Pyomo's own example where there is a checkout of it.
    """
    command = pathlib.Path(sys.executable).with_name("pyomo")
    if not command.exists():
        pytest.skip("the command pyomo is not installed")
    (tmp_path / "pathampl").symlink_to(PROGRAM)
    # the problem of Pyomo's example munson1a (AMPL's munson1.mod)
    own = pathlib.Path(SOURCE, "examples/mpec/munson1a.py") if SOURCE else None
    (tmp_path / "model.py").write_text(own.read_text() if own else MODEL)
    done = subprocess.run(
        # as Pyomo's own tests of `path` call it, with options of PATH
        [command, "solve", "--solver=path", "--solver-options=lemke_start=automatic output_options=yes",
         "--json", "model.py"],
        cwd=tmp_path,
        env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"Termination condition": "optimal"' in (tmp_path / "results.json").read_text()


@pytest.mark.skipif(SOURCE is None, reason="PYOMO_SOURCE names no checkout of github.com/Pyomo/pyomo")
def test_pyomos_own_examples_run_unchanged():
    """All of examples/mpec that are square problems (the others have objectives), with the plug-in."""
    import complementarity.pyomo  # noqa: F401

    files = sorted(pathlib.Path(SOURCE, "examples/mpec").glob("munson1*.py"))
    assert len(files) >= 4, f"{SOURCE} has no examples/mpec/munson1*.py"
    for file in files:
        model = runpy.run_path(str(file))["model"]
        result = pyo.SolverFactory("complementarity", executable=PROGRAM).solve(model)
        assert result.solver.termination_condition == pyo.TerminationCondition.optimal, file
        # b and d have all signs turned
        sign = -1.0 if file.stem[-1] in "bd" else 1.0
        z = [sign * pyo.value(x) for x in (model.x1, model.x2, model.x3)]
        w = [z[0] + 2 * z[1] + 3 * z[2] - 1, z[1] - z[2] + 1, z[0] + z[1] + 1]
        assert max(abs(min(a, b)) for a, b in zip(z, w)) < 1e-8, (file, z, w)


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        # Murphy, Sherali and Soyster 1982
        ("economics", "36.933 41.818 43.707 42.659 39.179"),
        # each end carries T d / a + w (a - h) / 2 = 0.125 + 0.375 N, the peg the rest
        ("mechanics", "peg 0.950000 ends 1.000000 weight 1.950000 touching 9"),
        # 9.87 by a binomial tree; the grid is coarse
        ("finance", "value 9.76 exercise below 70.0"),
    ],
)
def test_the_examples(name, lines):
    example = pathlib.Path(__file__).parents[1] / f"examples/pyomo_{name}.py"
    if not example.exists():
        pytest.skip("the examples are not here")
    done = subprocess.run([sys.executable, str(example)], capture_output=True, text=True, timeout=300)
    assert done.stdout.strip() == lines, done.stderr


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_the_program_of_the_package(tmp_path):
    """x² + 1 = 0 from ever new starts takes forever; a signal ends it."""
    if not BESIDE.exists():
        pytest.skip("the package is not installed with its script")
    model = pyo.ConcreteModel()
    model.x = pyo.Var()
    model.e = pyo.Constraint(expr=model.x**2 + 1 == 0)
    model.write(str(tmp_path / "never.nl"))
    program = subprocess.Popen([BESIDE, tmp_path / "never", "-AMPL", "restarts=1000000000"])
    time.sleep(1.0)
    assert program.poll() is None, "it ended by itself"
    program.send_signal(signal.SIGINT)
    assert program.wait() in (130, -signal.SIGINT)
