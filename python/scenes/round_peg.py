"""A round peg of 7.986 mm drops into a hole of 8.1 mm: two smooth surfaces."""

import math

import stickslip as ss

PEG, LENGTH, HOLE, OUTER, DEPTH = 3.993e-3, 0.03, 4.05e-3, 0.012, 0.02


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    sim.add(ss.Body.plane(name="floor", friction=0.1))
    hole = ss.Body.tube(HOLE, OUTER, DEPTH, name="hole", static=True, friction=0.1)
    sim.add(hole.with_(position=(0, 0, 0.5 * DEPTH)))
    # Three degrees askew, with the middle of its tip over that of the hole.
    tilt = math.radians(3)
    at = (0.5 * LENGTH * math.sin(tilt), 0, DEPTH + 0.5 * LENGTH * math.cos(tilt) + PEG * math.sin(tilt) + 1e-4)
    turn = (math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0)
    peg = ss.Body.cylinder(PEG, LENGTH, name="peg", density=7800, friction=0.1)
    sim.add(peg.with_(position=at, orientation=turn))
    return sim


if __name__ == "__main__":
    print(build().run(1.0))
