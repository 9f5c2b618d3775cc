"""Every example runs, says what it should, is short, and passes mypy --strict."""

import ast
import os
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


def number(pattern, text):
    found = re.search(pattern, text)
    assert found, text
    return float(found.group(1))


def check(name, text):
    """What physics says about the output."""
    if name.startswith("01"):
        assert number(r"z = (\S+) m", text) == pytest.approx(-9.81 * 0.01**2 * 100 * 101 / 2, abs=1e-4)
    if name.startswith("02"):
        # Wheels of 20 sides: 0.40 m where h goes to zero, less than a frictionless slide of 2 s.
        assert 0.3 < number(r"rolled (\S+) m", text) < 0.5 * 9.81 * 0.1 * 4
        assert number(r"off by (\S+) m", text) < 1e-2
    if name.startswith("03"):
        assert "501 samples" in text
        # Resting on a face: the inradius of a dodecahedron with edge 0.3.
        assert number(r"z = (\S+) m", text) == pytest.approx(0.3 * 1.113516364, abs=2e-3)
    if name.startswith("04"):
        assert number(r"bounce (\S+) m", text) == pytest.approx(0.2 + 0.49, abs=0.03)
    if name.startswith("05"):
        low, high = number(r"between (\S+)", text), number(r"and (\S+) m", text)
        assert low == pytest.approx(0.0, abs=5e-3) and high == pytest.approx(0.25 - 0.2023, abs=5e-3)
    if name.startswith("06"):
        none, post = number(r"none\s+largest joint error (\S+)", text), number(r"post-step\s+largest joint error (\S+)", text)
        assert post < 1e-9 < none
    if name.startswith("07"):
        wanted = number(r"wanted (\S+)", text)
        got = [float(x) for x in re.findall(r"'(\S+)'", text)]
        assert len(got) == 3 and all(abs(x - wanted) < 0.15 for x in got), text
    if name.startswith("08"):
        assert len(re.findall(r" solved ", text)) >= 4, text
    if name.startswith("09"):
        assert number(r"z = (\S+) m", text) == pytest.approx(0.5, abs=1e-6)
        assert " 0 failures" in text
        assert re.search(r"my_pgs +solved", text), text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_example(path):
    env = {**os.environ, "MPLBACKEND": "agg"}
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, env=env)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    check(path.name, done.stdout)
    lines = path.read_text().splitlines()
    assert len(lines) < 25, f"{path.name} has {len(lines)} lines"


def test_a_students_solver_has_fifteen_lines():
    tree = ast.parse((ROOT / "examples/09_my_own_solver.py").read_text())
    solver = next(node for node in tree.body if getattr(node, "name", "") == "my_pgs")
    assert solver.end_lineno - solver.lineno < 15


def test_mypy_strict_passes_on_package_and_examples():
    pytest.importorskip("mypy")
    # An installed package is not here to be checked; its types are what the examples see.
    folders = [name for name in ("stickslip", "examples") if (ROOT / name).exists()]
    command = [sys.executable, "-m", "mypy", "--strict", *folders]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
