"""The rectangular peg of the assembly benchmarks, 7.986 mm, drops askew into a hole of 8.1 mm."""

import math

import stickslip as ss

PEG, LENGTH, HOLE, DEPTH, WALL = 7.986e-3, 0.05, 8.1e-3, 0.025, 0.02


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    sim.add(ss.Body.plane(name="floor", friction=0.1))
    away, wide = 0.5 * (HOLE + WALL), HOLE + 2 * WALL
    for k, (x, y) in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
        size = (WALL, wide, DEPTH) if x else (wide, WALL, DEPTH)
        at = (away * x, away * y, 0.5 * DEPTH)
        sim.add(ss.Body.box(*size, name=f"wall-{k + 1}", static=True, friction=0.1, position=at))
    # One degree about (1, 2, 0), with the middle of its tip over that of the hole.
    s = math.sin(math.radians(1)) / math.sqrt(5)
    half = math.sin(math.radians(0.5)) / math.sqrt(5)
    cosine = math.cos(math.radians(1))
    low = 0.5 * PEG * 3 * s
    at = (LENGTH * s, -0.5 * LENGTH * s, DEPTH + 0.5 * LENGTH * cosine + low + 1e-4)
    turn = (math.cos(math.radians(0.5)), half, 2 * half, 0.0)
    peg = ss.Body.box(PEG, PEG, LENGTH, name="peg", density=7800, friction=0.1)
    sim.add(peg.with_(position=at, orientation=turn))
    return sim


if __name__ == "__main__":
    print(build().run(0.6))
