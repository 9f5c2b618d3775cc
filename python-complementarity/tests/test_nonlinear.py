"""Nonlinear problems from Python."""

import importlib.util
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import complementarity as cp


def kojima_shindo(z):
    a, b, c, d = z
    return np.array(
        [
            3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6,
            2 * a * a + a + b * b + 10 * c + 2 * d - 2,
            3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9,
            a * a + 3 * b * b + 2 * c + 3 * d - 3,
        ]
    )


@pytest.mark.parametrize("start", [[0] * 4, [1] * 4, [1, 0, 1, 0]])
def test_kojima_and_shindo(start):
    result = cp.solve_mcp(kojima_shindo, z0=start)
    assert result.solved, result.reason
    known = [[np.sqrt(1.5), 0, 0, 0.5], [1, 0, 3, 0]]
    assert min(np.abs(result.z - k).max() for k in known) < 1e-8
    np.testing.assert_allclose(result.w, kojima_shindo(result.z))


def cournot(q):
    """Five firms (Murphy, Sherali and Soyster 1982)."""
    c, beta = np.array([10.0, 8, 6, 4, 2]), np.array([1.2, 1.1, 1.0, 0.9, 0.8])
    total = q.sum()
    price = (5000 / total) ** (1 / 1.1)
    return c + (q / 5) ** (1 / beta) - price + q * price / (1.1 * total)


def test_nash_and_cournot_with_differences():
    result = cp.solve_mcp(cournot, z0=np.full(5, 10.0))
    np.testing.assert_allclose(result.z, [36.9325, 41.8181, 43.7066, 42.6592, 39.1790], atol=1e-4)


def test_a_sparse_jacobian():
    sparse = pytest.importorskip("scipy.sparse")
    n = 2000
    A = sparse.diags([-1.0, 4.0, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()
    load = np.sin(np.arange(n))
    F = lambda z: A @ z + np.exp(z) - 3 * load
    J = lambda z: A + sparse.diags(np.exp(z))
    result = cp.solve_mcp(F, J, -0.5, 0.3, np.zeros(n))
    assert result.solved and result.residual < 1e-10
    assert result.iterations < 8
    assert (result.z == 0.3).any() and (result.z == -0.5).any()


def test_a_jacobian_by_jax():
    if importlib.util.find_spec("jax") is None:
        pytest.skip("jax is not installed")
    import jax.numpy as jnp

    result = cp.solve_mcp(lambda z: jnp.exp(z) - 2.0, "jax", 0.0, 5.0, [0.0])
    assert abs(result.z[0] - np.log(2)) < 1e-9


def test_mistakes_say_what_and_where():
    square = lambda z: z * z
    with pytest.raises(ValueError, match="z0 is needed"):
        cp.solve_mcp(square)
    with pytest.raises(ValueError, match=r"z0\[1\] is nan"):
        cp.solve_mcp(square, z0=[0.0, np.nan])
    with pytest.raises(ValueError, match="z0 is empty"):
        cp.solve_mcp(square, z0=[])
    with pytest.raises(ValueError, match=r"F\(z\) has 1 numbers where 2"):
        cp.solve_mcp(lambda z: z[:1], z0=[1.0, 1.0])
    with pytest.raises(ValueError, match=r"J\(z\) has shape \(1, 1\)"):
        cp.solve_mcp(square, lambda z: [[1.0]], z0=[1.0, 1.0])
    with pytest.raises(ValueError, match="F is nan in row 0|F is NaN in row 0"):
        cp.solve_mcp(lambda z: z * np.nan, z0=[1.0])
    with pytest.raises(ValueError, match="the Jacobian is NaN in row 1, column 0"):
        cp.solve_mcp(square, lambda z: [[1.0, 0.0], [np.nan, 1.0]], z0=[1.0, 1.0])
    with pytest.raises(ValueError, match="must be a function"):
        cp.solve_mcp(square, "torch", z0=[1.0])
    with pytest.raises(ZeroDivisionError):
        cp.solve_mcp(lambda z: 1 / 0, z0=[1.0])
    with pytest.raises(ValueError, match=r"F\(z\) is a single number where 2 are needed"):
        cp.solve_mcp(lambda z: z[0] ** 2, z0=[1.0, 1.0])
    with pytest.raises(ValueError, match=r"F\(z\) must be numbers, not None"):
        cp.solve_mcp(lambda z: None, z0=[1.0])
    with pytest.raises(ValueError, match=r"F\(z\) must be numbers: complex128"):
        cp.solve_mcp(lambda z: z + 1j, z0=[1.0])
    with pytest.raises(ValueError, match=r"J\(z\) must be numbers: complex128"):
        cp.solve_mcp(square, lambda z: np.diag(z + 1j), z0=[1.0])
    for wrong in ({"J": np.eye(1)}, {"callback": 3}, {"tolerance": "x"}, {"tolerance": np.nan}):
        with pytest.raises(cp.SettingsError, match=next(iter(wrong))):
            cp.solve_mcp(square, z0=[1.0], **wrong)
    for wrong in ("x", None, np.nan, np.inf, 1.5, -1, 2**64, True):
        with pytest.raises(cp.SettingsError, match="max_iterations"):
            cp.solve_mcp(square, z0=[1.0], max_iterations=wrong)


@pytest.mark.parametrize("what", ["F", "J", "result"])
def test_a_failed_function_takes_no_memory(what):
    """Nothing is differentiated by differences after it: a full matrix of 4000 unknowns has 128 MB."""
    if os.name != "posix":
        pytest.skip("memory is measured by resource")
    pytest.importorskip("scipy.sparse")
    program = f"""
import resource
import numpy as np, scipy.sparse as sp
import complementarity as cp
n, what, count = 4000, {what!r}, 0
def F(z):
    global count
    count += 1
    if what == "F" and count == 3:
        raise KeyboardInterrupt
    return np.exp(z) - 3
def J(z):
    if what == "J":
        raise KeyboardInterrupt
    return sp.diags(np.exp(z)) if what == "F" else "no matrix"
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    cp.solve_mcp(F, J, z0=np.full(n, 5.0))
except (KeyboardInterrupt, cp.ProblemError) as error:
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    print(type(error).__name__, used < 60_000, used)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    expected = "ProblemError True" if what == "result" else "KeyboardInterrupt True"
    assert done.stdout.startswith(expected), done.stdout + done.stderr


def test_kinds_of_numbers_and_matrices_give_the_same():
    sp = pytest.importorskip("scipy.sparse")
    forms = [lambda a: a, lambda a: a.tolist(), lambda a: a.astype(int), lambda a: a.astype("float32")]
    forms += [getattr(sp, f"{form}_{kind}") for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
              for kind in ("matrix", "array")]  # fmt: skip
    forms.append(lambda a: sp.coo_matrix(([1, 1, 1, 1, 3], ([0, 0, 0, 1, 1], [0, 0, 1, 0, 1])), shape=(2, 2)))
    for form in forms:
        jacobian = form(np.array([[2.0, 1.0], [1.0, 3.0]]))
        result = cp.solve_mcp(lambda z: [2 * z[0] + z[1] - 3, z[0] + 3 * z[1] - 4], lambda z: jacobian, z0=[5, 5])
        np.testing.assert_allclose(result.z, [1.0, 1.0], atol=1e-12)
        linear = cp.solve_lcp(jacobian, [-3, -4])
        np.testing.assert_allclose(linear.z, [1.0, 1.0], atol=1e-12)
    # sums of duplicates are made in a copy
    twice = sp.csc_matrix((np.array([1.0, 1.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 1))
    cp.solve_mcp(lambda z: 2 * z - 3, lambda z: twice, z0=[5.0])
    assert twice.nnz == 2
    assert cp.solve_mcp(lambda z: z[0] ** 2 - 2, z0=[1]).z[0] == pytest.approx(2**0.5)


def test_without_a_solution_the_reason_says_so():
    result = cp.solve_mcp(lambda z: z * z + 1, l=-np.inf, z0=[3.0])
    assert not result.solved and result.residual >= 1
    assert "residual" in result.reason


def test_callbacks_and_ctrl_c():
    seen = []
    F = lambda z: z**9 - 1e-9
    result = cp.solve_mcp(F, l=-1.0, z0=[900.0], callback=lambda k, z: seen.append(z[0]) or k > 1)
    assert result.status == "stopped" and len(seen) == 2
    if os.name != "posix":
        return

    def slow(z):
        signal.raise_signal(signal.SIGINT)
        return z

    assert threading.current_thread() is threading.main_thread()
    with pytest.raises(KeyboardInterrupt):
        cp.solve_mcp(slow, z0=[1.0])
