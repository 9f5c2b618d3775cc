"""Pegs in holes at the sizes of assembly, on Stickslip and on other engines: does the peg go in, how deep do the bodies
overlap on the way, and what does it cost?

    python3 bench/peers/assembly.py [--engines Stickslip,MuJoCo] [--seconds 60]

The peg of the scene `square-peg`, 30 mm long, of steel, starts 0.4 and 0.2 mm beside a hole of 10 mm with chamfers and one
degree askew, and falls for half a second. Right: it stands on the floor, its centre at 15 mm, and nothing overlaps. One that
is 0.01 mm too wide stays out. Other engines take ten steps for each step of Stickslip.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from adapters import ENGINES, version
from engines import figure, simulate
from geometry import overlap
from scenarios import Scene, box, hull

HOLE, CHAMFER, DEPTH, WALL, LENGTH, FLOOR = 5e-3, 1e-3, 0.02, 0.02, 0.03, 0.02
#: Clearances [m]; the last peg does not fit.
CLEARANCES = (0.5e-3, 0.1e-3, 0.02e-3, -0.01e-3)


def scene(clearance: float) -> Scene:
    """Four walls, a floor and the peg."""
    bodies = [box((0, 0, -FLOOR / 2), (4 * WALL, 4 * WALL, FLOOR), friction=0.1)]
    section = [(HOLE, 0.0), (HOLE, DEPTH - CHAMFER), (HOLE + CHAMFER, DEPTH), (WALL, DEPTH), (WALL, 0.0)]
    for c, s in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        points = [(c * r - s * y, s * r + c * y, z) for r, z in section for y in (-WALL, WALL)]
        bodies.append(hull(points, (0, 0, 0), 0.0, friction=0.1))
    side = 2 * HOLE - clearance
    half = np.radians(0.5)
    turn = (np.cos(half), *(np.sin(half) * np.array([1, 2, 0]) / np.sqrt(5)))
    peg = box((0.4e-3, 0.2e-3, 0.0365), (side, side, LENGTH), 7800 * side * side * LENGTH, friction=0.1, quaternion=turn)
    return Scene(f"peg-{clearance}", [*bodies, peg], 0.002, 0.5, fine=10)


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", help="names of engines, separated by commas")
    parser.add_argument("--seconds", type=float, default=60.0, help="give up a run after this much CPU time")
    options = parser.parse_args()
    chosen = options.engines.split(",") if options.engines else list(ENGINES)
    heads = [f"{1e3 * c:g} mm" for c in CLEARANCES]
    print(f"| engine | {' | '.join(heads)} | CPU s per s |\n|---" + "|---" * (len(heads) + 1) + "|")
    for name in chosen:
        engine = ENGINES[name]
        if version(engine) is None:
            continue
        for variant in (v for v in engine.variants if "substeps" not in v):
            cells, total, time = [], 0.0, 0.0
            for clearance in CLEARANCES:
                try:
                    path, cost = simulate(engine, variant, scene(clearance), options.seconds, True)
                except Exception as error:  # noqa: BLE001: what an engine cannot do is a result
                    cells.append(str(error).splitlines()[0][:40])
                    continue
                total, time = total + cost, time + path.scene.step * (len(path.states) - 1)
                deepest = max(overlap(path.scene, state)[0] for state in path.states[::5])
                z = path.end[0, 2]
                where = "in" if z < 0.5 * LENGTH + 0.1e-3 else "out" if z > DEPTH else f"stuck at {1e3 * z:.1f} mm"
                cells.append(f"{where}, {figure(max(0.0, 1e6 * deepest))} um")
            label = name if variant == "default" else f"{name}, {variant}"
            print(f"| {label} | {' | '.join(cells)} | {figure(total / time) if time else '-'} |")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
