"""A round peg of 7.986 mm drops into a hole of 8.1 mm."""

import math

import stickslip as ss

WEDGES, HOLE, OUTER, DEPTH = 32, 4.05e-3, 0.012, 0.02


def wedge(k: int) -> ss.Body:
    """One of the parts around the hole, between two planes through its axis."""
    points: list[tuple[float, float, float]] = []
    for i in (k, k + 1):
        angle = 2 * math.pi * i / WEDGES
        for r in (HOLE, OUTER):
            across = r / math.cos(math.pi / WEDGES)
            points += [(across * math.cos(angle), across * math.sin(angle), z) for z in (0.0, DEPTH)]
    hull = ss.Body.convex(points)
    return hull.with_(position=hull.center)


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    sim.add(ss.Body.plane(name="floor", friction=0.1))
    hole = ss.Body.compound([wedge(k) for k in range(WEDGES)], name="hole", static=True, friction=0.1)
    sim.add(hole.with_(position=(0, 0, 0.5 * DEPTH)))
    # Three degrees askew, with the middle of its tip over that of the hole.
    tilt = math.radians(3)
    at = (0.015 * math.sin(tilt), 0, DEPTH + 0.015 * math.cos(tilt) + 3.993e-3 * math.sin(tilt) + 1e-4)
    turn = (math.cos(0.5 * tilt), 0.0, math.sin(0.5 * tilt), 0.0)
    peg = ss.Body.cylinder(3.993e-3, 0.03, name="peg", density=7800, friction=0.1)
    sim.add(peg.with_(position=at, orientation=turn))
    return sim


if __name__ == "__main__":
    print(build().run(1.0))
