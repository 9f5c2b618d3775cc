"""Pyomo's complementarity conditions, solved by the program `complementarity-ampl`.

Skipped where Pyomo is not installed or the program is not built.
"""

import hashlib
import json
import math
import os
import pathlib
import runpy
import shutil
import signal
import subprocess
import sys
import tarfile
import time

import pytest

pyo = pytest.importorskip("pyomo.environ")
mpec = pytest.importorskip("pyomo.mpec")

BUILT = pathlib.Path(__file__).parents[2] / "target/debug/complementarity-ampl"
BESIDE = pathlib.Path(sys.executable).with_name("complementarity-ampl")
FOUND = next((str(p) for p in (BUILT, BESIDE) if p.exists()), None)
PROGRAM = FOUND or shutil.which("complementarity-ampl")
#: A checkout of Pyomo's sources. Its examples are not in what pip installs.
SOURCE = os.environ.get("PYOMO_SOURCE")
#: The last source distribution that holds examples, and the sums of the models in it.
LAST_WITH_EXAMPLES = "Pyomo==5.6.7"
SUMS = {
    "munson1.py": "0b5bc9839654e2541146f6602819415f06382a37bfbe0f9d9598ff0f63c00553",
    "munson1a.py": "c807007be8be329004600f181d0f9f352c7b7e83a585ac52d876562c39311038",
    "munson1b.py": "a7b3769c6a533a6bb8f4a5ed1041c87cc404ef44306e277f514e29b5b11fdb83",
    "munson1c.py": "55dcb14c413dc9bb327b22db7229dec530cac7de7f863d7d453d421de8a3886e",
    "munson1d.py": "999ea04974a640489ac8f2e923193a3a79a108081aed3246300b6e4ca7cc8e7e",
}


@pytest.fixture
def solver():
    if PROGRAM is None:
        pytest.skip("complementarity-ampl is not built")
    return pyo.SolverFactory("path", executable=PROGRAM)


@pytest.fixture(scope="module")
def examples(tmp_path_factory):
    """Pyomo's own models of square complementarity problems, byte for byte: from a checkout where
    PYOMO_SOURCE names one, otherwise from a source distribution that pip fetches."""
    if SOURCE:
        files = sorted(pathlib.Path(SOURCE, "examples/mpec").glob("munson1*.py"))
        assert len(files) == 5, f"{SOURCE} has no examples/mpec/munson1*.py"
        return files
    place = tmp_path_factory.mktemp("pyomo")
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--retries", "0", "--timeout", "15"]
    fetch += ["--no-deps", "--no-binary", "Pyomo", "--dest", str(place), LAST_WITH_EXAMPLES]
    done = subprocess.run(fetch, capture_output=True, text=True)
    if done.returncode != 0:
        why = done.stderr.strip().splitlines()[-1:]
        pytest.skip(f"pip cannot fetch {LAST_WITH_EXAMPLES}, whose examples this runs: {why}")
    with tarfile.open(next(place.glob("*.tar.gz"))) as archive:
        for member in archive:
            name = pathlib.PurePath(member.name)
            if name.parent.match("examples/mpec") and name.name in SUMS:
                (place / name.name).write_bytes(archive.extractfile(member).read())
    for name, digest in SUMS.items():
        assert hashlib.sha256((place / name).read_bytes()).hexdigest() == digest, name
    return [place / name for name in SUMS]


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


def is_solution(file, z):
    """`0 <= z`, complementary to three linear functions; in b and d all variables have turned signs."""
    x, y, z = (-v for v in z) if file.stem[-1] in "bd" else z
    w = [x + 2 * y + 3 * z - 1, y - z + 1, x + y + 1]
    return max(abs(min(a, b)) for a, b in zip((x, y, z), w)) < 1e-8


def test_pyomos_own_examples_run_unchanged(examples):
    import complementarity.pyomo  # noqa: F401

    for file in examples:
        model = runpy.run_path(str(file))["model"]
        result = pyo.SolverFactory("complementarity", executable=PROGRAM).solve(model)
        assert result.solver.termination_condition == pyo.TerminationCondition.optimal, file
        assert is_solution(file, [pyo.value(x) for x in (model.x1, model.x2, model.x3)]), file


def test_the_command_pyomo_solves_them_as_for_path(solver, examples, tmp_path):
    """`pyomo solve --solver=path` calls `pathampl`: our program under that name serves, with options
    of PATH, as Pyomo's own tests of `path` call it."""
    command = pathlib.Path(sys.executable).with_name("pyomo")
    if not command.exists():
        pytest.skip("the command pyomo is not installed")
    (tmp_path / "pathampl").symlink_to(PROGRAM)
    for file in examples:
        done = subprocess.run(
            [command, "solve", "--solver=path", "--save-results=result.json", "--results-format=json",
             "--solver-options=lemke_start=automatic output_options=yes", file],
            cwd=tmp_path,
            env={"PATH": f"{tmp_path}:/usr/bin:/bin"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads((tmp_path / "result.json").read_text())
        assert told["Solver"][0]["Termination condition"] == "optimal", file
        values = told["Solution"][1]["Variable"]
        z = [values.get(name, {"Value": 0.0})["Value"] for name in ("x1", "x2", "x3")]
        assert is_solution(file, z), (file, z)


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
