"""A square peg drops into a hole with chamfers and 0.1 mm of clearance."""

import math

import stickslip as ss

HOLE, CHAMFER, DEPTH, WALL = 0.005, 1e-3, 0.02, 0.02


def wall(side: int) -> ss.Body:
    """A wall along the hole, its upper edge cut at 45 degrees."""
    c, s = [(1, 0), (0, 1), (-1, 0), (0, -1)][side]
    section = [(HOLE, 0.0), (HOLE, DEPTH - CHAMFER), (HOLE + CHAMFER, DEPTH), (WALL, DEPTH), (WALL, 0.0)]
    points = [(c * r - s * y, s * r + c * y, z) for r, z in section for y in (-WALL, WALL)]
    return ss.Body.convex(points, name=f"wall-{side + 1}", static=True, friction=0.1)


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    sim.add(ss.Body.plane(name="floor", friction=0.1))
    for side in range(4):
        body = wall(side)
        sim.add(body.with_(position=body.center))
    # One degree about (1, 2, 0).
    s = math.sin(math.radians(0.5)) / math.sqrt(5)
    tilt = (math.cos(math.radians(0.5)), s, 2 * s, 0.0)
    peg = ss.Body.box(0.0099, 0.0099, 0.03, name="peg", density=7800, friction=0.1)
    sim.add(peg.with_(position=(0.0004, 0.0002, 0.0365), orientation=tilt))
    return sim


if __name__ == "__main__":
    print(build().run(1.0))
