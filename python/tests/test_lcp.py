"""The library of solvers."""

import itertools
import os
import pickle
import signal
import threading

import complementarity
import numpy as np
import pytest

import stickslip as ss

lcp = ss.lcp


def random_problem(seed, n=6):
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(n, n))
    return G @ G.T + 0.1 * np.eye(n), rng.normal(size=n)


def by_enumeration(A, b):
    """The only solution of an LCP with a positive definite matrix."""
    n = len(b)
    for chosen in itertools.product([False, True], repeat=n):
        on, z = np.flatnonzero(chosen), np.zeros(n)
        if on.size:
            z[on] = np.linalg.solve(A[np.ix_(on, on)], -b[on])
        if (z >= -1e-12).all() and (A @ z + b >= -1e-12).all():
            return z
    raise AssertionError("no solution")


@pytest.mark.parametrize("name", [n for n in lcp.solvers("lcp")])
@pytest.mark.parametrize("seed", range(4))
def test_every_solver_finds_the_solution(name, seed):
    A, b = random_problem(seed)
    result = lcp.solve(A, b, solver=name)
    assert result.solved and result.status == "solved", (name, seed, result)
    np.testing.assert_allclose(result.z, by_enumeration(A, b), atol=1e-6)
    assert result.error == lcp.residual(A, b, result.z)
    assert result.error == pytest.approx(np.abs(np.minimum(result.z, A @ result.z + b)).max())


def test_bounds_make_a_mixed_problem():
    A, b = random_problem(7)
    l, u = np.full(6, -np.inf), np.full(6, np.inf)
    np.testing.assert_allclose(lcp.solve(A, b, l=l, u=u).z, np.linalg.solve(A, -b), atol=1e-8)
    z = lcp.solve(A, b, l=0.0, u=0.1).z
    w = A @ z + b
    np.testing.assert_allclose(z, np.clip(z - w, 0.0, 0.1), atol=1e-8)


def test_cones():
    # One contact, normal and two tangents: sliding at speed (1, 0) with mu = 0.5.
    A, b = np.eye(3), np.array([-1.0, 1.0, 0.0])
    result = lcp.solve(A, b, solver="ncp-pgs", cones=[(0, 3, 0.5)])
    np.testing.assert_allclose(result.z, [1.0, -0.5, 0.0], atol=1e-7)
    assert lcp.Problem(A, b, cones=[(0, 3, 0.5)]).kind == "cone"


def test_sparse_matrices_are_the_same_as_dense():
    A, b = random_problem(3)
    A[np.abs(A) < 0.5] = 0.0
    dense = lcp.Problem(A, b)
    data, indices, indptr = dense.csc
    sparse = lcp.Problem((6, data, indices, indptr), b)
    np.testing.assert_array_equal(sparse.A, A)

    class Scipy:
        """What is used of a scipy matrix."""

        shape = (6, 6)

        def __init__(self):
            self.data, self.indices, self.indptr = data, indices.astype(np.int32), indptr

        def tocsc(self):
            return self

        def sum_duplicates(self):
            pass

    np.testing.assert_array_equal(lcp.Problem(Scipy(), b).A, A)


def test_the_watch_sees_every_iterate_and_may_stop():
    A, b = random_problem(1)
    seen = []
    result = lcp.solve(A, b, solver="pgs", watch=lambda k, z: seen.append(k))
    assert len(seen) == result.iterations
    rows = lcp.Problem(A, b).iterates("pgs")
    assert rows.shape == (result.iterations, 6)
    np.testing.assert_array_equal(rows[-1], result.z)
    stopped = lcp.solve(A, b, solver="pgs", watch=lambda k, z: len(seen) and k >= 2)
    assert stopped.status == "stopped" and not stopped.solved
    with pytest.raises(KeyError):
        lcp.solve(A, b, solver="pgs", watch=lambda k, z: {}["x"])


def test_a_warm_start_helps():
    A, b = random_problem(2)
    cold = lcp.solve(A, b, solver="pgs")
    warm = lcp.solve(A, b, solver="pgs", z0=cold.z)
    assert warm.iterations < cold.iterations


def test_functions_are_solvers_too():
    A, b = random_problem(5)
    result = lcp.solve(A, b, solver=lambda A, b, z0: by_enumeration(A, b))
    assert result.solved and result.error < 1e-10
    assert not lcp.solve(A, b - 5, solver=lambda A, b, z0: z0).solved


def test_unsolvable_problems_are_not_solved():
    result = lcp.solve([[0.0]], [-1.0], solver="lemke")
    assert not result.solved and result.status != "solved"


def test_what_there_is():
    table = lcp.solvers()
    assert {"lemke", "pgs", "auto"} <= set(table)
    assert "tolerance" in table["pgs"].settings and table["pgs"].summary
    assert {"natural", "norm_CCK", "square_CCK", "norm_mCCK", "square_mCCK"} <= set(lcp.metrics())


def test_measures_by_hand():
    # w = (4, -1): phi(3, 4) = 2, phi(0, -1) = -2; c = 0.95 * 2 + 0.05 * 12 = 2.5 and -1.9
    square = 2.5**2 + 1.9**2
    right = {
        "natural": 3.0,
        "norm_CCK": square**0.5,
        "square_CCK": square / 2,
        "norm_mCCK": (square / 2) ** 0.5,
        "square_mCCK": square / 4,
        "fischer-burmeister": 4.0,
        "alart-curnier": 3.0,
    }
    assert set(right) == set(lcp.metrics())
    for name, value in right.items():
        assert lcp.residual(np.eye(2), [1.0, -1.0], [3.0, 0.0], name) == pytest.approx(value, 1e-14)


def test_files_and_pickles(tmp_path):
    A, b = random_problem(4)
    for problem in (lcp.Problem(A, b), lcp.Problem(A, b, l=-1.0, u=1.0)):
        path = tmp_path / f"{problem.kind}.npz"
        lcp.save(problem, path)
        for again in (lcp.load(path), pickle.loads(pickle.dumps(problem))):
            assert again.kind == problem.kind
            for x, y in zip(again, problem):
                np.testing.assert_array_equal(x, y)
    with pytest.raises(ss.FileError):
        lcp.load(tmp_path / "missing.npz")


def test_the_problem_of_a_step(sliding):
    assert sliding.problem() is None
    before = sliding.detect()
    G, _ = sliding.jacobian(before, before["normal"])
    expected = G @ np.linalg.solve(sliding.mass_matrix(), G.T)
    sliding.step()
    problem = sliding.problem()
    A, b, l, u = problem
    assert problem.kind == "lcp" and problem.status == "solved"
    np.testing.assert_array_equal(l, np.zeros(len(b)))
    assert np.abs(np.minimum(problem.z, A @ problem.z + b)).max() < 1e-9
    J, B = problem.jacobian, problem.response
    assert J.shape == (len(b), 6) and B.shape == (6, len(b))
    # The rows are those of bodies of unit mass: B = J', and the normal rows of A are J B alone.
    n = len(sliding.contacts)
    np.testing.assert_allclose(B, J.T, atol=1e-12)
    np.testing.assert_allclose(A[:n, :n], (J @ B)[:n, :n], atol=1e-12)
    # the same four corners, in whatever order
    np.testing.assert_allclose(np.sort(A[:n, :n].ravel()), np.sort(expected.ravel()), atol=1e-12)
    np.testing.assert_allclose(problem.solve("lemke").error, 0.0, atol=1e-9)
    again = pickle.loads(pickle.dumps(problem))
    np.testing.assert_array_equal(again.jacobian, J)
    np.testing.assert_array_equal(again.response, B)
    assert again.contacts == problem.contacts


def test_it_stands_on_the_package_complementarity():
    A, b = random_problem(9)
    problem = lcp.Problem(A, b)
    assert isinstance(problem, complementarity.Problem)
    found, same = problem.solve("lemke"), complementarity.solve_lcp(A, b, solver="lemke")
    assert isinstance(found, complementarity.Result)
    np.testing.assert_array_equal(found.z, same.z)
    np.testing.assert_array_equal(found.w, same.w)
    assert found.reason == same.reason and found.error == same.residual
    assert lcp.solvers().keys() == complementarity.solvers().keys()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_ends_a_solve():
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
        pytest.skip("this process ignores Ctrl-C, as jobs in the background do")
    n = 400
    A = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        lcp.solve(A, np.full(n, -1e-3), solver="pgs", max_iterations=10**9, tolerance=1e-15)
        pytest.fail("it ended by itself")


def test_the_simulator_hands_over_problems_of_every_kind():
    """What the package says of a problem from a step is what the step said."""
    for friction, kind in (("none", "lcp"), ("linear", "lcp"), ("quadratic", "cone")):
        sim = ss.Simulator(friction=friction, formulation="stewart-trinkle")
        sim.add(ss.Body.plane(friction=0.5))
        sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5), velocity=(1, 0, 0), friction=0.5))
        sim.step()
        problem = sim.problem()
        assert problem.kind == kind and problem.is_solved(problem.z)
        assert problem.residual(problem.z) == complementarity.Problem._of(problem._parts).residual(problem.z)
        assert problem.jacobian.shape == problem.response.T.shape == (len(problem), 6)
        assert problem.solve().solved


def test_the_jacobian_gives_the_speed_at_the_contacts(sliding):
    cube = sliding["cube"]
    cube.angular_velocity = (0.3, -0.2, 0.1)
    contacts = sliding.detect()
    J, c = sliding.jacobian(contacts, [(1, 0, 0)] * len(contacts))
    arms = contacts["point_b"] - cube.position
    expected = (cube.velocity + np.cross(cube.angular_velocity, arms))[:, 0]
    np.testing.assert_allclose(J @ sliding.velocity_vector() + c, expected, atol=1e-12)
    assert cube.dofs == slice(0, 6) and sliding["floor"].dofs is None
