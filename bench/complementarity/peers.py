"""PATH, Siconos and Drake on the problems of `bench/complementarity.sh`.

    python3 bench/complementarity/peers.py FOLDER [--limit SECONDS]

FOLDER holds the problems as the example `profile --write FOLDER` leaves them. Answers are written beside
them, one file each, with a list `answers.csv`; `profile --judge FOLDER` measures them as it does our own.
What is not installed is left out: `apt-get install python3-siconos`, `pip install drake gamspy-base "numpy<2"`.

What FOLDER holds already is not run again, as long as the problem is the same.

Every method begins cold and gets `--limit` seconds of processor time. Siconos gets upper bounds as
further unknowns, the free ones first, as its mixed problems want it; it and Drake get full matrices, up to
`FULL` unknowns. Times are of the call alone, for PATH what it reports: the least of a few where they are short.
"""

import argparse
import csv
import hashlib
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))

import numpy as np  # noqa: E402

import path  # noqa: E402
import solvers  # noqa: E402

# a full matrix of this size has 200 MB
FULL = 5000


def standard(problem):
    """The same without upper bounds, the free unknowns first, and how to get back from its unknowns."""
    n = problem.b.size
    free = np.isinf(problem.lower)
    order = np.concatenate([np.flatnonzero(free), np.flatnonzero(~free)])
    above = np.flatnonzero(np.isfinite(problem.upper[order]))
    lower = np.where(np.isfinite(problem.lower[order]), problem.lower[order], 0.0)
    a = np.zeros((n + above.size, n + above.size))
    a[:n, :n] = problem.a[np.ix_(order, order)]
    rows = n + np.arange(above.size)
    a[above, rows], a[rows, above] = 1.0, -1.0
    b = np.concatenate([problem.b[order] + a[:n, :n] @ lower, (problem.upper[order] - lower)[above]])
    other = object.__new__(solvers.Problem)
    other.a, other.b, other.cones, other.kind = np.asfortranarray(a), b, None, problem.kind
    other.lower, other.upper = np.where(np.arange(b.size) < free.sum(), -np.inf, 0.0), np.full(b.size, np.inf)

    def back(z):
        out = np.zeros(n)
        out[order] = z[:n] + lower
        return out

    return other, back


def answers(problem, limit):
    """Name, unknowns and seconds of every peer that takes the problem."""
    if path.folder() and path.takes(problem):
        yield "PATH", *path.quickest(problem, limit)
    if problem.b.size > FULL:
        return
    same, back = standard(problem) if problem.kind == "mlcp" else (problem, lambda z: z)
    names = [("Siconos", s) for s in solvers.SICONOS[problem.kind] if solvers.siconos]
    names += [("Drake", s) for s in solvers.DRAKE if solvers.drake and problem.kind == "lcp"]
    for maker, solver in names:
        z, seconds = solvers.answer(same, solver, 1e-8, limit)
        yield f"{maker} {solver}", None if z is None else back(z), seconds


def answered(folder, family, name, stem, limit):
    """The answers to one problem, from an earlier run if it was the same problem."""
    file = folder / f"{stem}.npz"
    kept = folder / f"{stem}-{hashlib.sha256(file.read_bytes()).hexdigest()[:16]}.csv"
    if not kept.exists():
        problem, table = solvers.Problem(file), ""
        for k, (solver, z, seconds) in enumerate(answers(problem, limit)):
            if z is None or not math.isfinite(seconds):
                z, seconds = np.full(problem.b.size, np.nan), limit
            np.savetxt(folder / f"{stem}-{k}.txt", z, "%.17g")
            table += f"{family},{name},{stem},{solver},{seconds:.7f},{stem}-{k}.txt\n"
        kept.write_text(table)
    return kept.read_text()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=2.0, help="seconds for one solve")
    arguments = parser.parse_args()
    there = {"PATH": path.folder(), "Siconos": solvers.siconos, "Drake": solvers.drake}
    for name, found in there.items():
        if not found:
            print(f"skipped: {name} is not installed", file=sys.stderr)
    with (arguments.folder / "problems.csv").open() as file:
        problems = list(csv.reader(file))
    tables = [answered(arguments.folder, *problem, arguments.limit) for problem in problems]
    (arguments.folder / "answers.csv").write_text("".join(tables))


if __name__ == "__main__":
    main()
