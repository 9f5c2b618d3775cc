"""Comparing solvers."""

import json

import numpy as np
import pytest

import stickslip as ss


@pytest.fixture
def problem(sliding):
    sliding.friction, sliding.formulation = "none", "stewart-trinkle"
    sliding.step(2)
    return sliding.problem()


def pgs(A, b, z0):
    z = z0.copy()
    for _ in range(3000):
        for i in range(len(b)):
            z[i] = max(0.0, z[i] - (A[i] @ z + b[i]) / A[i, i])
    return z


def test_a_students_solver_is_compared_with_the_others(problem):
    result = ss.compare({"cube": problem}, ["lemke", "pgs", pgs, lambda A, b, z0: z0])
    assert [row["solver"] for row in result.results] == ["lemke", "pgs", "pgs", "<lambda>"]
    assert [row["solved"] for row in result.results] == [True, True, True, False]
    for row in result.results[:3]:
        assert row["error"] <= 1e-8 and row["problem"] == "cube" and row["size"] == len(problem)
    assert set(json.loads(json.dumps(result.to_dict()))) == {"tolerance", "metric", "results"}
    assert "lemke" in str(result) and len(result.to_pandas()) == 4


def test_all_solvers_that_fit(problem, tmp_path):
    ss.lcp.save(problem, tmp_path / "a.npz")
    result = ss.compare([problem, tmp_path / "a.npz"], tolerance=1e-6)
    assert {row["problem"] for row in result.results} == {"problem-1", "a.npz"}
    names = {row["solver"] for row in result.results}
    assert names == set(ss.lcp.solvers("lcp")) - {"enumerate"}
    assert all(n == 2 for n in result.solved().values()), result


def test_mistakes(problem):
    with pytest.raises(ss.SettingsError, match="unknown solver"):
        ss.compare(problem, ["lemk"])
    with pytest.raises(ss.SettingsError, match="no metric is named"):
        ss.compare(problem, ["lemke"], metric="x")
    assert not ss.compare(problem, [lambda A, b, z0: np.zeros(1)]).results[0]["solved"]
