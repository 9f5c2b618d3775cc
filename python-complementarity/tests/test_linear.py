"""Linear problems from Python."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import complementarity as cp


def murty(n):
    return np.triu(np.full((n, n), 2.0), 1) + np.eye(n), -np.ones(n)


def membrane(n):
    """A membrane of n by n points over a bump, as a sparse LCP for the height above it."""
    sparse = pytest.importorskip("scipy.sparse")
    line = sparse.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    M = sparse.kronsum(line, line)
    x = (np.arange(n) + 1) / (n + 1)
    bump = 0.3 - 4 * ((x[:, None] - 0.5) ** 2 + (x[None, :] - 0.5) ** 2).ravel()
    return M, M @ bump


@pytest.mark.parametrize("solver", ["auto", "lemke", "pivotal", "interior-point"])
def test_dense(solver):
    M, q = murty(12)
    result = cp.solve_lcp(M, q, solver=solver, tolerance=1e-10)
    assert result.solved and result.status == "solved" and "residual" in result.reason
    np.testing.assert_allclose(result.z, [0] * 11 + [1], atol=1e-9)
    np.testing.assert_allclose(result.w, M @ result.z + q, atol=1e-12)
    assert cp.residual(M, q, result.z) == result.residual


@pytest.mark.parametrize("form", ["csc", "csr", "coo"])
def test_sparse_of_any_form(form):
    M, q = membrane(30)
    result = cp.solve_lcp(M.asformat(form), q)
    assert result.solved and result.solver == "active-set"
    assert (result.z >= 0).all() and (result.w > -1e-8).all()
    assert np.abs(np.minimum(result.z, result.w)).max() < 1e-8
    # contact in the middle, none at the edge
    assert result.z[30 * 15 + 15] == 0 and result.z[0] > 0


def test_bounds_may_be_numbers():
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, 6.0])
    result = cp.solve_mlcp(M, q, -1.0, [1.0, np.inf])
    np.testing.assert_allclose(result.z, [1.0, -1.0], rtol=1e-14)
    np.testing.assert_allclose(result.w, [-4.0, 5.0], rtol=1e-14)


def test_a_certificate_where_there_is_no_solution():
    M, q = np.array([[1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]), -np.ones(3)
    result = cp.solve_lcp(M, q)
    assert result.status == "no-solution" and "cannot hold" in result.reason
    y = result.certificate
    assert (y >= 0).all() and (M.T @ y <= 1e-9).all() and q @ y < 0


def test_a_ray_where_the_path_ended():
    """Feasible, z = (0, 1), but none of the four cases of z > 0 or w > 0 solves it."""
    M, q = np.array([[-1.0, 1.0], [1.0, 2.0]]), -np.ones(2)
    assert (M @ [0.0, 1.0] + q >= 0).all()
    assert cp.solve_lcp(M, q).status == "no-solution"  # all cases are tried
    result = cp.solve_lcp(M, q, solver="lemke")
    assert result.status == "ray" and result.certificate is None
    ray = result.ray
    for s in (0.0, 1.0, 100.0):
        z = ray.z + s * ray.direction
        assert cp.residual(M, q + ray.t + s * ray.rate, z) < 1e-9
    assert ray.t > 0 and ray.rate >= 0


@pytest.mark.parametrize(
    ("M", "q", "text"),
    [
        ([[1.0, np.nan], [0.0, 1.0]], [1.0, 1.0], r"M\[0, 1\] is nan"),
        ([[1.0, 0.0], [0.0, np.inf]], [1.0, 1.0], r"M\[1, 1\] is inf"),
        ([[1.0, 0.0], [0.0, 1.0]], [1.0, -np.inf], r"q\[1\] is -inf"),
        ([[1.0, 0.0]], [1.0, 1.0], r"M has shape \(1, 2\) where \(2, 2\)"),
        (np.zeros((0, 0)), [], "q is empty"),
        ([["a"]], [1.0], "M must be numbers"),
        ([[1.0]], [[1.0]], "q must have one dimension"),
        ([], [], "q is empty"),
        (None, [1.0], "M must be numbers, not None"),
        ([[1.0]], None, "q must be numbers, not None"),
        # numpy would drop the imaginary part, read the text, and see through the mask
        ([[1.0 + 1j]], [1.0], "M must be numbers: complex128"),
        ([["1.0"]], [1.0], "M must be numbers: <U3"),
        ([[1.0]], np.ma.array([1.0], mask=[True]), "q must be numbers, without masked"),
        ((1, [np.nan], [0], [0, 1]), [1.0], r"M\[0, 0\] is nan"),
        ((2, [1.0], [0], [0, 1]), [1.0], "M has 2 rows where 1 are needed"),
        ((1, [1.0], [0.5], [0, 1]), [1.0], "whole numbers"),
    ],
)
def test_what_makes_no_sense_says_where(M, q, text):
    with pytest.raises(ValueError, match=text):
        cp.solve_lcp(M, q)


def test_other_mistakes_say_where():
    sparse = pytest.importorskip("scipy.sparse")
    M = sparse.csc_matrix(np.array([[1.0, 0.0], [np.nan, 1.0]]))
    with pytest.raises(ValueError, match=r"M\[1, 0\] is nan"):
        cp.solve_lcp(M, [1.0, 1.0])
    with pytest.raises(ValueError, match=r"l\[1\] = 2.0 and u\[1\] = 1.0"):
        cp.solve_mlcp(np.eye(2), [1.0, 1.0], [0.0, 2.0], [1.0, 1.0])
    with pytest.raises(ValueError, match="z0 has 3 numbers where 2"):
        cp.solve_lcp(np.eye(2), [1.0, 1.0], [0.0] * 3)
    with pytest.raises(ValueError, match="did you mean"):
        cp.solve_lcp(np.eye(2), [1.0, 1.0], solver="lemk")
    with pytest.raises(ValueError, match="no setting"):
        cp.solve_lcp(np.eye(2), [1.0, 1.0], colour=3)
    with pytest.raises(cp.SettingsError, match="callback must be a function, not int"):
        cp.solve_lcp(np.eye(2), [1.0, 1.0], callback=3)
    with pytest.raises(cp.SettingsError, match="solver must be the name of a method"):
        cp.solve_lcp(np.eye(2), [1.0, 1.0], solver=None)
    with pytest.raises(ValueError, match=r"M must be numbers: complex128"):
        cp.solve_lcp(sparse.csr_array(np.array([[1.0, 1j], [0.0, 1.0]])), [1.0, 1.0])


def test_a_callback_sees_iterates_and_stops():
    M, q = membrane(20)
    seen = []
    result = cp.solve_lcp(M, q, solver="psor", callback=lambda k, z: seen.append(k) or k == 3)
    assert result.status == "stopped" and seen == [1, 2, 3]

    def wrong(k, z):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        cp.solve_lcp(M, q, solver="psor", callback=wrong)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_a_long_solve():
    rng = np.random.default_rng(5)
    n = 900
    M, q = rng.random((n, n)) - 0.5, -rng.random(n)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        for _ in range(1000):
            cp.solve_lcp(M, q, solver="pivotal")
        pytest.fail("nothing took long enough")


def test_the_types_are_right(tmp_path):
    pytest.importorskip("mypy")
    flags = ["--strict", "--ignore-missing-imports", "-p", "complementarity"]
    command = [sys.executable, "-m", "mypy", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stdout


def test_threads_solve_at_the_same_time():
    M, q = murty(30)
    found = []
    run = lambda: found.append(cp.solve_lcp(M, q).z[-1])
    threads = [threading.Thread(target=run) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    np.testing.assert_allclose(found, 1.0)
