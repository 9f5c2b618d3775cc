"""Nonlinear problems from Python."""

import importlib.util
import os
import signal
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
    with pytest.raises(ValueError, match="must be a function"):
        cp.solve_mcp(square, "torch", z0=[1.0])
    with pytest.raises(ZeroDivisionError):
        cp.solve_mcp(lambda z: 1 / 0, z0=[1.0])


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
