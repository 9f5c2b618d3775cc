"""Problems as objects: parts, cones, files, pickles."""

import pickle

import numpy as np
import pytest

import complementarity as cp


def random_problem(seed, n=6):
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(n, n))
    return G @ G.T + 0.1 * np.eye(n), rng.normal(size=n)


def test_a_problem_unpacks_into_its_parts_and_keeps_them():
    M, q = random_problem(1)
    given = M.copy()
    problem = cp.Problem(given, q, l=-1.0)
    given[:] = 0.0
    for found, expected in zip(problem, (M, q, np.full(6, -1.0), np.full(6, np.inf))):
        np.testing.assert_array_equal(found, expected)
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 1.0
    assert problem.kind == "mlcp" and len(problem) == 6 and problem.contacts is None
    result = problem.solve()
    assert result.solved and problem.is_solved(result.z)
    assert result.residual == problem.residual(result.z) == cp.residual(M, q, result.z, -1.0)


@pytest.mark.parametrize("solver", list(cp.solvers("cone")))
def test_every_method_for_cones_slides_a_block(solver):
    """A unit mass pressed on the ground by 1 that slides at speed (1, 0) with mu = 0.5."""
    problem = cp.Problem(np.eye(3), [-1.0, 1.0, 0.0], cones=[(0, 3, 0.5)])
    assert problem.kind == "cone" and problem.contacts == 1
    assert problem.cones == [(0, 3, 0.5, 0.0)]
    result = problem.solve(solver)
    assert result.solved, (solver, result)
    np.testing.assert_allclose(result.z, [1.0, -0.5, 0.0], atol=1e-6)


@pytest.mark.parametrize(
    ("cones", "text"),
    [
        ([(-1, 2, 0.5)], "a row is negative"),
        ([(0, 9, 0.5)], "must be 1, 2, 3 or 5 rows of the matrix"),
        ([(0, 3, -0.5)], "finite and not negative"),
        ([(0, 3)], "each is"),
        (["a"], "each is"),
    ],
)
def test_cones_that_make_no_sense(cones, text):
    with pytest.raises(cp.ProblemError, match=text):
        cp.Problem(np.eye(3), np.zeros(3), cones=cones)


def test_columns_are_a_matrix_too():
    M, q = random_problem(3)
    M[np.abs(M) < 0.5] = 0.0
    data, indices, indptr = cp.Problem(M, q).csc
    np.testing.assert_array_equal(cp.Problem((6, data, indices, indptr), q).M, M)
    for bad in ((6, data, indices, indptr[:-1]), (6, data, indices - 3, indptr), (6, data, indices + 3, indptr)):
        with pytest.raises(cp.ProblemError, match="malformed|entries"):
            cp.Problem(bad, q)
    # four rows are no columns
    rows = tuple(map(tuple, np.eye(4)))
    np.testing.assert_array_equal(cp.Problem(rows, np.zeros(4)).M, np.eye(4))


@pytest.mark.parametrize("end", ["npz", "dat", "mtx"])
def test_files_and_pickles_keep_a_problem(end, tmp_path):
    M, q = random_problem(4)
    problem = cp.Problem(M, q)
    path = tmp_path / f"lcp.{end}"
    cp.save(problem, path)
    for again in (cp.load(path), pickle.loads(pickle.dumps(problem))):
        assert again.kind == "lcp"
        for x, y in zip(again, problem):
            np.testing.assert_array_equal(x, y)


def test_files_that_cannot_be_read_say_which(tmp_path):
    with pytest.raises(OSError, match="missing.npz"):
        cp.load(tmp_path / "missing.npz")
    with pytest.raises(OSError, match="unknown extension"):
        cp.load(tmp_path / "a.xyz")
    (tmp_path / "bad.npz").write_bytes(b"nothing")
    with pytest.raises(OSError, match="bad.npz"):
        cp.load(tmp_path / "bad.npz")


def test_empty_problems_are_told_when_they_are_solved():
    problem = cp.Problem(np.zeros((0, 0)), [])
    assert len(problem) == 0
    with pytest.raises(cp.ProblemError, match="q is empty"):
        problem.solve()


def test_errors_are_told_apart():
    M, q = random_problem(5)
    with pytest.raises(cp.SettingsError, match="did you mean"):
        cp.solve_lcp(M, q, solver="lemk")
    with pytest.raises(cp.SettingsError, match="tolerance"):
        cp.solve_lcp(M, q, tolerance=[1])
    with pytest.raises(cp.SettingsError, match="no metric"):
        cp.Problem(M, q).residual(q, "x")
    with pytest.raises(cp.SolveError, match="z0 has 1 numbers where 6"):
        cp.solve_lcp(M, q, [0.0])
    with pytest.raises(cp.SolveError, match="does not solve problems of class"):
        cp.solve_lcp(M, q, solver="admm")
    with pytest.raises(cp.ProblemError, match="z has 1 entries where 6"):
        cp.Problem(M, q).residual([0.0])
