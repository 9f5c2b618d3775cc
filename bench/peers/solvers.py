"""The solvers of `complementarity` beside those of Siconos and Drake, on the same problem files.

    cargo build -p stickslip-cli
    apt-get install python3-siconos; pip install drake "numpy<2"    # what is missing is left out
    python3 bench/peers/solvers.py [--limit SECONDS] FOLDER|FILE...

Prints one table per folder, ready for a page of the book. Every solver gets the problem as it is,
from a cold start; what it returns is judged by one measure: max |min(z, A z + b)| <= 1e-8 (with
bounds the middle of z - l, w, z - u), for friction cones the natural map relative to |b|, at 1e-6
and 1e-10. Times are of the call alone: the least of a few repeats where it is short, else
CPU time, so that other work on the machine does not count.
A peer runs in a process of its own, since some crash or never return.
"""

import argparse
import json
import math
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402, after the number of threads

try:
    import siconos.numerics as siconos
except ImportError:
    siconos = None
try:
    import pydrake.solvers as drake
except ImportError:
    drake = None

STICKSLIP = Path(__file__).parents[2] / "target/debug/stickslip"
OURS = {
    "lcp": ["auto", "pivotal", "lemke", "interior-point"],
    "mlcp": ["auto", "pivotal", "lemke", "interior-point"],
    "cone": ["auto", "nonsmooth-newton", "ncp-pgs"],
}
SICONOS = {
    "lcp": ["LCP_LEMKE", "LCP_NEWTON_FB_FBLSA", "LCP_NEWTON_MIN_FBLSA", "LCP_PGS"],
    "mlcp": ["MLCP_FB", "MLCP_PGS"],
    "cone": ["NSGS", "NSN_AC", "VI_FPP", "VI_EG", "PROX", "ADMM"],
}
DRAKE = ["MobyLcpSolver", "UnrevisedLemkeSolver"]


class Problem:
    """A problem from an .npz file as `stickslip problems convert` writes it."""

    def __init__(self, path):
        data = np.load(path)
        self.b = np.array(data["q"] if "q" in data else data["b"], dtype=float)
        n = self.b.size
        if "A" in data:
            a = data["A"]
        elif "M_x" in data:
            a = columns(data, "M", (n, n))
        else:
            left, right, rest = (columns(data, k, data[f"{k}_shape"]) for k in ("left", "right", "rest"))
            a = left @ right + rest
        self.a = np.asfortranarray(a, dtype=float)
        self.cones = None
        self.lower, self.upper = np.zeros(n), np.full(n, np.inf)
        if "lower" in data:
            self.lower, self.upper = data["lower"], data["upper"]
        if "cone_first" in data:
            self.cones = data["cone_first"].astype(int), data["cone_end"].astype(int), data["cone_mu"]
        self.kind = "cone" if self.cones else "mlcp" if "lower" in data else "lcp"

    def error(self, z):
        w = self.a @ z + self.b
        if not np.isfinite(z).all():
            return math.inf
        if self.kind != "cone":
            return float(np.abs(np.minimum(z - self.lower, np.maximum(z - self.upper, w))).max(initial=0))
        total = 0.0
        for first, end, mu in zip(*self.cones):
            p, u = z[first:end], w[first:end].copy()
            u[0] += mu * np.linalg.norm(u[1:])
            total += np.linalg.norm(p - projected(p - u, mu)) ** 2
        return math.sqrt(total) / max(np.linalg.norm(self.b), 1e-300)


def columns(data, name, shape):
    out = np.zeros([int(s) for s in shape])
    starts = data[f"{name}_p"].astype(int)
    column = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    np.add.at(out, (data[f"{name}_i"].astype(int), column), data[f"{name}_x"])
    return out


def projected(x, mu):
    n, t = x[0], np.linalg.norm(x[1:])
    if t <= mu * n:
        return x
    if mu * t <= -n:
        return np.zeros_like(x)
    s = (n + mu * t) / (1 + mu * mu)
    return np.concatenate([[s], x[1:] * (mu * s / t)])


def call(problem, solver):
    """A function without arguments that solves afresh and returns z and the seconds it took."""
    n = problem.b.size
    if solver in DRAKE:
        program = __import__("pydrake.solvers").solvers.MathematicalProgram()
        x = program.NewContinuousVariables(n)
        program.AddLinearComplementarityConstraint(problem.a, problem.b, x)
        method = getattr(drake, solver)()
        return lambda: timed(lambda: method.Solve(program, None, None).GetSolution(x))
    z, w = np.zeros(n), np.zeros(n)
    if problem.kind == "lcp":
        data, options = siconos.LCP(problem.a, problem.b), getattr(siconos, f"SICONOS_{solver}")
        driver = siconos.linearComplementarity_driver
    elif problem.kind == "mlcp":
        free = int(np.sum(np.isinf(problem.lower)))
        if not np.isinf(problem.lower[:free]).all():
            raise ValueError("equations first")
        data, options = siconos.MLCP(free, problem.a, problem.b), getattr(siconos, f"SICONOS_{solver}")
        driver = siconos.mlcp_driver
    else:
        first, end, mu = problem.cones
        d = int(end[0] - first[0]) if len(mu) else 3
        if d == 5 or (d == 2 and solver != "NSGS"):
            raise ValueError("not in this solver")
        data = siconos.FrictionContactProblem(d, len(mu), problem.a, problem.b, mu)
        options = getattr(siconos, f"SICONOS_FRICTION_{d}D_{solver}")
        driver = siconos.fc2d_driver if d == 2 else siconos.fc3d_driver

    def solve():
        z[:], w[:] = 0, 0
        settings = siconos.SolverOptions(options)
        if problem.kind == "cone":
            settings.dparam[0], settings.iparam[0] = 1e-11, 100000
        if problem.kind == "mlcp":
            siconos.mlcp_driver_init(data, settings)
        return z, timed(lambda: driver(data, z, w, settings))[1]

    return solve


def timed(f):
    """What f returns and how long it took; processor time where it took long."""
    start, spent = time.perf_counter(), time.process_time()
    out = f()
    seconds = time.perf_counter() - start
    return out, time.process_time() - spent if seconds > 0.04 else seconds


def peer(problem, solver, out):
    # some of them print every failure
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    try:
        solve = call(problem, solver)
    except (ValueError, AttributeError):
        return
    begin, best = time.perf_counter(), math.inf
    while best == math.inf or time.perf_counter() - begin < 0.02:
        z, seconds = solve()
        best = min(best, seconds)
    out.put((problem.error(np.array(z)), best))


def run_peer(problem, solver, limit):
    out = multiprocessing.Queue()
    process = multiprocessing.Process(target=peer, args=(problem, solver, out))
    process.start()
    try:
        found = out.get(timeout=limit)
    except Exception:  # the queue stays empty after a crash or at the limit
        found = (math.inf, math.nan)
    process.kill()
    process.join()
    return found


def run_ours(paths, problems, limit):
    """All files at once, by solver and file name."""
    found = {}
    for kind in ("lcp", "mlcp", "cone"):
        files = [str(p) for p, q in zip(paths, problems) if q.kind == kind]
        if not files:
            continue
        tolerance = "1e-10" if kind == "cone" else "1e-8"
        command = [str(STICKSLIP), "compare", *files, "--json", "--quiet", "--tolerance", tolerance]
        command += ["--cpu-time", "--solvers", ",".join(OURS[kind]), "--time-limit", str(limit)]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        sizes = {Path(p).stem: np.linalg.norm(q.b) for p, q in zip(paths, problems)}
        for row in json.loads(text)["results"]:
            error = math.inf if row["error"] is None else row["error"]
            if kind == "cone":
                error /= max(sizes[row["problem"]], 1e-300)
            found[row["solver"], row["problem"]] = (error, row["seconds"])
    return found


def table(name, paths, same, limit):
    problems = [Problem(same / f"{p.stem}.npz") for p in paths]
    ours = run_ours(paths, problems, limit)
    rows = {}
    for path, problem in zip(paths, problems):
        for solver in OURS[problem.kind]:
            rows.setdefault(f"`{solver}`", []).append(ours.get((solver, path.stem), (math.inf, math.nan)))
        if siconos:
            for solver in SICONOS[problem.kind]:
                rows.setdefault(f"Siconos {solver}", []).append(run_peer(problem, solver, limit))
        if drake and problem.kind == "lcp":
            for solver in DRAKE:
                rows.setdefault(f"Drake {solver}", []).append(run_peer(problem, solver, limit))
    cones = any(q.kind == "cone" for q in problems)
    limits = (1e-6, 1e-10) if cones else (1e-8,)
    print(f"\n### {name} ({len(paths)})\n")
    heads = " | ".join(f"to {x:g}" for x in limits)
    print(f"| solver | {heads} | median ms | worst ms |\n|{' --- |' * (3 + len(limits))}")
    for solver, results in rows.items():
        counts = " | ".join(str(sum(e <= x for e, _ in results)) for x in limits)
        times = [1e3 * s for e, s in results if e <= limits[0]]
        median, worst = (statistics.median(times), max(times)) if times else (math.nan, math.nan)
        print(f"| {solver} | {counts} | {median:.4g} | {worst:.4g} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for one solve")
    parser.add_argument("paths", nargs="+", type=Path)
    arguments = parser.parse_args()
    for module, name in ((siconos, "python3-siconos"), (drake, "drake")):
        if module is None:
            print(f"skipped: {name} is not installed", file=sys.stderr)
    families = {}
    for path in arguments.paths:
        files = sorted(path.iterdir()) if path.is_dir() else [path]
        known = [f for f in files if f.suffix in (".npz", ".dat", ".hdf5", ".h5", ".mtx")]
        families.setdefault(path.name if path.is_dir() else path.parent.name, []).extend(known)
    with tempfile.TemporaryDirectory() as folder:
        for name, files in families.items():
            same = Path(folder) / name
            same.mkdir()
            for file in files:
                # one layout for the peers, the local form of contact problems
                command = [str(STICKSLIP), "problems", "convert", "--local", str(file)]
                subprocess.run([*command, str(same / f"{file.stem}.npz")], check=True, capture_output=True)
            table(name, files, same, arguments.limit)


if __name__ == "__main__":
    main()
