"""Compares the solvers of `complementarity` with those of Siconos on the same LCP files.

    apt-get install python3-siconos
    cargo build -p complementarity --examples
    python3 bench/peers/solvers.py FILE.npz...

Every solver gets the problem as it is; what it returns is judged here by one measure, the natural
residual max |min(z, Mz + q)| <= 1e-8. Times are CPU times of the call alone.
"""

import math
import multiprocessing
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import siconos.numerics as sn

PEERS = {
    "siconos lemke": sn.SICONOS_LCP_LEMKE,
    "siconos pgs": sn.SICONOS_LCP_PGS,
    "siconos newton-fb": sn.SICONOS_LCP_NEWTON_FB_FBLSA,
    "siconos newton-min": sn.SICONOS_LCP_NEWTON_MIN_FBLSA,
    "siconos pivot": sn.SICONOS_LCP_PIVOT,
}
OURS = ["auto", "pivotal", "interior-point"]
SURVEY = Path(__file__).parents[2] / "target/debug/examples/survey"
SECONDS = 5.0


def dense(n, rows, columns, values):
    matrix = np.zeros((n, n))
    np.add.at(matrix, (rows, columns), values)
    return matrix


def load(path):
    data = np.load(path)
    if "M_x" in data:
        n = int(data["n"])
        columns = np.repeat(np.arange(n), np.diff(data["M_p"]))
        return dense(n, data["M_i"], columns, data["M_x"]), data["q"]
    q = data["b_ok"] if "b_ok" in data else data["b"]
    if "A" in data:
        return data["A"], q
    i, j, n = data["Ai"].ravel().astype(int), data["Aj"].ravel().astype(int), q.size
    base = 1 if min(i.min(), j.min()) >= 1 and max(i.max(), j.max()) == n else 0
    return dense(n, i - base, j - base, data["Av"].ravel()), q.ravel()


def peer(path, solver, out):
    matrix, q = load(path)
    matrix, q = np.asfortranarray(matrix, dtype=float), np.array(q, dtype=float).ravel()
    problem, options = sn.LCP(matrix, q), sn.SolverOptions(solver)
    z, w = np.zeros(q.size), np.zeros(q.size)
    begin = time.process_time()
    sn.linearComplementarity_driver(problem, z, w, options)
    seconds = time.process_time() - begin
    out.put((float(np.abs(np.minimum(z, matrix @ z + q)).max()), seconds))


def run_peer(path, solver):
    """In a process of its own: some of them crash or never return."""
    out = multiprocessing.Queue()
    process = multiprocessing.Process(target=peer, args=(path, solver, out))
    process.start()
    process.join(SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
    return out.get() if not out.empty() else (math.inf, math.nan)


def run_ours(path, name):
    command = [SURVEY, name, path]
    try:
        line = subprocess.run(command, capture_output=True, text=True, timeout=4 * SECONDS).stdout.split()
        return float(line[5]), 1e-3 * float(line[8])
    except (subprocess.TimeoutExpired, IndexError, ValueError):
        return math.inf, math.nan


def main(paths):
    results = {name: [] for name in [*OURS, *PEERS]}
    for path in paths:
        for name in OURS:
            results[name].append(run_ours(path, name))
        for name, solver in PEERS.items():
            results[name].append(run_peer(path, solver))
    print(f"{'solver':20} {'solved':>8} {'median ms':>10} {'worst ms':>10}")
    for name, rows in results.items():
        times = [1e3 * seconds for error, seconds in rows if error <= 1e-8]
        median, worst = (statistics.median(times), max(times)) if times else (math.nan, math.nan)
        print(f"{name:20} {len(times):4} /{len(rows):3} {median:10.3f} {worst:10.3f}")


if __name__ == "__main__":
    main(sys.argv[1:])
