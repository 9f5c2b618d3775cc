"""PATH on linear problems, through GAMS as the Python package `gamspy-base` brings it.

Its demonstration license solves problems of up to 1000 unknowns (`SIZE`); with a license file of your own
(`gamslice.txt` in the folder of `gamspy_base`) set the variable PATH_ANY_SIZE.
"""

import importlib.util
import os
import re
import subprocess
import tempfile
from pathlib import Path

import numpy as np

# what the demonstration license takes
SIZE = 1000
MODEL = """$offlisting
$offdigit
set i /1*{n}/; alias(i, j);
parameter M(i, j) /
$include M.txt
/; parameter q(i) /
$include q.txt
/;
variable z(i); equation f(i);
{bounds}
f(i).. sum(j$M(i, j), M(i, j) * z(j)) + q(i) =n= 0;
model lcp /f.z/;
option mcp = path, reslim = {limit}, limrow = 0, limcol = 0, solprint = off;
lcp.optfile = 1;
solve lcp using mcp;
parameter found(i); found(i) = z.l(i);
execute_unload 'z.gdx', found;
"""


def folder():
    """Where GAMS is; None where it is not installed."""
    found = importlib.util.find_spec("gamspy_base")
    return Path(found.origin).parent if found else None


def takes(problem):
    """Whether the license allows it."""
    return bool(os.environ.get("PATH_ANY_SIZE")) or problem.b.size <= SIZE


def answer(problem, limit):
    """The unknowns and the seconds that PATH says it took; no unknowns where it gave none."""
    n = problem.b.size
    rows, columns = np.nonzero(problem.a)
    lower, upper = problem.lower, problem.upper
    bounds = [f'z.lo("{i + 1}") = {x:.17g};' for i, x in enumerate(lower) if np.isfinite(x)]
    bounds += [f'z.up("{i + 1}") = {x:.17g};' for i, x in enumerate(upper) if np.isfinite(x)]
    with tempfile.TemporaryDirectory() as place:
        here = Path(place)
        entries = zip(rows, columns, problem.a[rows, columns])
        (here / "M.txt").write_text("\n".join(f"{i + 1}.{j + 1} {x:.17g}" for i, j, x in entries))
        (here / "q.txt").write_text("\n".join(f"{i + 1} {x:.17g}" for i, x in enumerate(problem.b)))
        (here / "path.opt").write_text("convergence_tolerance 1e-9\n")
        # a limit of elapsed time, while others may be at work: what PATH says it took is what counts
        (here / "m.gms").write_text(MODEL.format(n=n, limit=20 * limit, bounds="\n".join(bounds)))
        gams = [str(folder() / "gams"), "m.gms", "lo=2"]
        try:
            subprocess.run(gams, cwd=here, capture_output=True, timeout=40 * limit + 60)
        except subprocess.TimeoutExpired:
            return None, float("nan")
        log = (here / "m.log").read_text() if (here / "m.log").exists() else ""
        seconds = re.search(r"Total Time[ .]+([0-9.]+)", log)
        if not seconds or float(seconds[1]) > limit or not (here / "z.gdx").exists():
            return None, float("nan")
        # to the last bit; zeros are left out
        dump = [str(folder() / "gdxdump"), "z.gdx", "Symb=found", "Format=csv", "DFormat=hexponential"]
        table = subprocess.run(dump, cwd=here, capture_output=True, text=True, check=True).stdout
        z = np.zeros(n)
        for row, value in re.findall(r'^"?(\d+)"?,(\S+)$', table, re.MULTILINE):
            z[int(row) - 1] = float.fromhex(value)
    return z, float(seconds[1])


def quickest(problem, limit):
    """The same with the least of three times where it is short."""
    z, seconds = answer(problem, limit)
    for _ in range(2):
        if z is not None and seconds < 0.02:
            seconds = min(seconds, answer(problem, limit)[1])
    return z, seconds
