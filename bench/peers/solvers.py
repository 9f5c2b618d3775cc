"""The solvers of `complementarity` beside PATH and those of Siconos and Drake, on the same problem files.

    cargo build -p stickslip-cli
    apt-get install python3-siconos; pip install drake gamspy-base "numpy<2"    # what is missing is left out
    python3 bench/peers/solvers.py [--limit SECONDS] [--keep FILE] [--only WORD] FOLDER|FILE...

Prints one table per folder, ready for a page of the book. Every solver gets the problem as it is,
from a cold start; what it returns is judged by one measure: max |min(z, A z + b)| <= 1e-8 (with
bounds the middle of z - l, w, z - u), for friction cones the natural map relative to |b|, in one
run to 1e-6 and in another to 1e-10, in which the peers are asked for a tenth of that. Times are of
the call alone: the least of a few repeats where it is short, else CPU time, so that other work on
the machine does not count; the limit is CPU time, too.
A peer runs in a process of its own, since some crash or never return.
A long comparison can be made in pieces: results are kept in FILE, what is there is not run again,
and solvers without WORD in their name are left out of the run, not of the table.
"""

import argparse
import json
import math
import multiprocessing
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402, after the number of threads

import path  # noqa: E402

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
LIMITS = {"lcp": [1e-8], "mlcp": [1e-8], "cone": [1e-6, 1e-10]}


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

    def rows(self):
        """Rows of each contact."""
        first, end, _ = self.cones
        return int(end[0] - first[0]) if len(first) else 3

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


def takes(problem, solver):
    """Whether the peer has something for this problem."""
    if solver in DRAKE:
        return problem.kind == "lcp"
    if solver not in SICONOS[problem.kind]:
        return False
    if problem.kind == "mlcp":
        free = np.isinf(problem.lower)
        return bool(free[: free.sum()].all())
    return problem.kind == "lcp" or problem.rows() == 3 or (problem.rows() == 2 and solver == "NSGS")


def call(problem, solver, tolerance):
    """A function without arguments that solves afresh and returns z and the seconds it took."""
    n = problem.b.size
    if solver in DRAKE:
        program = drake.MathematicalProgram()
        x = program.NewContinuousVariables(n)
        program.AddLinearComplementarityConstraint(problem.a, problem.b, x)
        method = getattr(drake, solver)()

        def by_drake():
            result, seconds = timed(lambda: method.Solve(program, None, None))
            return result.GetSolution(x), seconds

        return by_drake
    z, w = np.zeros(n), np.zeros(n)
    if problem.kind == "lcp":
        data, options = siconos.LCP(problem.a, problem.b), getattr(siconos, f"SICONOS_{solver}")
        driver = siconos.linearComplementarity_driver
    elif problem.kind == "mlcp":
        free = int(np.sum(np.isinf(problem.lower)))
        data, options = siconos.MLCP(free, problem.a, problem.b), getattr(siconos, f"SICONOS_{solver}")
        driver = siconos.mlcp_driver
    else:
        d, mu = problem.rows(), problem.cones[2]
        data = siconos.FrictionContactProblem(d, len(mu), problem.a, problem.b, mu)
        options = getattr(siconos, f"SICONOS_FRICTION_{d}D_{solver}")
        driver = siconos.fc2d_driver if d == 2 else siconos.fc3d_driver

    def solve():
        z[:], w[:] = 0, 0
        settings = siconos.SolverOptions(options)
        settings.dparam[0] = 0.1 * tolerance
        if problem.kind == "cone" or "PGS" in solver:
            settings.iparam[0] = 100000
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


def peer(problem, solver, tolerance, limit, out):
    """One solver on one problem, in a process of its own."""
    # some of them print every failure
    for stream in (1, 2):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(limit), math.ceil(limit)))
    solve = call(problem, solver, tolerance)
    begin, best, count = time.perf_counter(), math.inf, 0
    while count < (5 if best < 0.04 else 1) or time.perf_counter() - begin < 0.02:
        z, seconds = solve()
        # a clock that has not moved has measured nothing: one of LCP_LEMKE's solves took 0 s
        if seconds > 0:
            best, count = min(best, seconds), count + 1
    out.send((np.array(z), best))


def run_peer(problem, solver, tolerance, limit):
    """What is wrong with its answer, and the seconds it took."""
    z, seconds = answer(problem, solver, tolerance, limit) if solver else path.quickest(problem, limit)
    return (math.inf if z is None else problem.error(z)), seconds


def answer(problem, solver, tolerance, limit):
    """Its answer and the seconds it took; no answer where it crashed or was at the limit."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    arguments = (problem, solver, tolerance, limit, theirs)
    process = multiprocessing.Process(target=peer, args=arguments)
    process.start()
    theirs.close()
    try:
        # processor time ends it; this is for one that waits for ever
        found = ours.recv() if ours.poll(300 * limit) else (None, math.nan)
    except EOFError:  # it crashed, or was at the limit
        found = (None, math.nan)
    process.kill()
    process.join()
    return found


def run_ours(kind, solvers, files, tolerance, limit):
    """All files at once, by solver and file name."""
    command = [str(STICKSLIP), "compare", *map(str, files), "--json", "--quiet", "--cpu-time"]
    command += ["--tolerance", f"{tolerance:g}", "--time-limit", str(limit)]
    command += ["--option", "threads=1", "--solvers", ",".join(solvers)]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    found = {}
    for row in json.loads(text)["results"]:
        error = math.inf if row["error"] is None else row["error"]
        found[row["solver"], row["problem"]] = (error, row["seconds"])
    return found


class Results:
    """What is known so far, by family, solver, problem and tolerance."""

    def __init__(self, path):
        self.path, self.known = path, {}
        if path and path.exists():
            self.known = {tuple(row[:4]): tuple(row[4:]) for row in json.loads(path.read_text())}

    def missing(self, *key):
        return key not in self.known

    def add(self, key, found):
        self.known[key] = found
        if self.path:
            self.path.write_text(json.dumps([[*k, *v] for k, v in self.known.items()]))


def measure(family, files, same, arguments, results):
    """Runs what is missing; returns the kind of the family's problems and the names of the solvers."""
    problems = {f.stem: Problem(same / f"{f.stem}.npz") for f in files}
    kinds = {q.kind for q in problems.values()}
    names = []
    for kind in sorted(kinds):
        mine = [f for f in files if problems[f.stem].kind == kind]
        for tolerance in LIMITS[kind]:
            wanted = [s for s in OURS[kind] if arguments.only in s]
            wanted = [s for s in wanted if any(results.missing(family, f"`{s}`", f.stem, tolerance) for f in mine)]
            found = run_ours(kind, wanted, mine, tolerance, arguments.limit) if wanted else {}
            for (solver, stem), (error, seconds) in found.items():
                if kind == "cone":
                    error /= max(np.linalg.norm(problems[stem].b), 1e-300)
                results.add((family, f"`{solver}`", stem, tolerance), (error, seconds))
        names += [f"`{s}`" for s in OURS[kind]]
        peers = [("Siconos", s) for s in SICONOS[kind] if siconos]
        peers += [("Drake", s) for s in DRAKE if drake and kind == "lcp"]
        peers += [("PATH", "")] if path.folder() and kind != "cone" else []
        for maker, solver in peers:
            names.append(f"{maker} {solver}".strip())
            for file in mine if arguments.only in names[-1] else []:
                problem = problems[file.stem]
                for tolerance in LIMITS[kind]:
                    key = (family, names[-1], file.stem, tolerance)
                    fits = path.takes(problem) if maker == "PATH" else takes(problem, solver)
                    if fits and results.missing(*key):
                        results.add(key, run_peer(problem, solver, tolerance, arguments.limit))
    return kinds, names


def table(family, count, kinds, names, results):
    tolerances = sorted({t for kind in kinds for t in LIMITS[kind]}, reverse=True)
    print(f"\n### {family} ({count})\n")
    heads = " | ".join(f"to {x:g} | median ms | worst ms | `auto` / it" for x in tolerances)
    print(f"| solver | {heads} |\n|{' --- |' * (1 + 4 * len(tolerances))}")
    for name in names:
        cells = []
        for tolerance in tolerances:
            everyone = {k[1:3]: v for k, v in results.known.items() if k[0] == family and k[3] == tolerance}
            own = {stem: v for (solver, stem), v in everyone.items() if solver == name}
            solved = {stem: 1e3 * seconds for stem, (error, seconds) in own.items() if error <= tolerance}
            # medians are over different problems: the last column is over those that both solve
            auto = {stem: everyone.get(("`auto`", stem), (math.inf, 0)) for stem in solved}
            ratios = [1e3 * auto[s][1] / solved[s] for s in solved if auto[s][0] <= tolerance]
            figures = [statistics.median(solved.values()), max(solved.values())] if solved else [math.nan] * 2
            figures.append(statistics.median(ratios) if ratios else math.nan)
            cells.append(f"{len(solved)} of {len(own)} | " + " | ".join(f"{x:.3g}" for x in figures))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=5.0, help="seconds for one solve")
    parser.add_argument("--keep", type=Path, help="a file with results of earlier runs, added to")
    parser.add_argument("--only", default="", help="run only solvers with this in their name")
    parser.add_argument("paths", nargs="+", type=Path)
    arguments = parser.parse_args()
    for module, name in ((siconos, "python3-siconos"), (drake, "drake"), (path.folder(), "gamspy-base")):
        if not module:
            print(f"skipped: {name} is not installed", file=sys.stderr)
    families = {}
    for place in arguments.paths:
        files = sorted(place.iterdir()) if place.is_dir() else [place]
        known = [f for f in files if f.suffix in (".npz", ".dat", ".hdf5", ".h5", ".mtx")]
        families.setdefault(place.name if place.is_dir() else place.parent.name, []).extend(known)
    results = Results(arguments.keep)
    with tempfile.TemporaryDirectory() as folder:
        for name, files in families.items():
            same = Path(folder) / name
            same.mkdir()
            for file in files:
                # one layout for the peers, the local form of contact problems
                command = [str(STICKSLIP), "problems", "convert", "--local", str(file)]
                subprocess.run([*command, str(same / f"{file.stem}.npz")], check=True, capture_output=True)
            kinds, solvers = measure(name, files, same, arguments, results)
            table(name, len(files), kinds, solvers, results)


if __name__ == "__main__":
    main()
