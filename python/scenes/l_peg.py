"""A peg with the section of an L drops into a hole of its shape, 0.1 mm wider."""

import stickslip as ss

# Half of the clearance, section, heights [m].
GAP, HOLE, LENGTH, REACH = 0.05e-3, 0.02, 0.03, 0.015
# Rectangles (x, x, y, y) of the L.
PEG = [(-5e-3, 5e-3, -5e-3, -1e-3), (-5e-3, -1e-3, -1e-3, 5e-3)]


def slab(rectangle: tuple[float, float, float, float], height: float) -> ss.Body:
    """A box over a rectangle."""
    x0, x1, y0, y1 = rectangle
    at = (0.5 * (x0 + x1), 0.5 * (y0 + y1), 0.5 * height)
    return ss.Body.box(x1 - x0, y1 - y0, height).with_(position=at)


def around() -> list[ss.Body]:
    """Five boxes that leave the L open."""
    a, b, c, w = 5e-3 + GAP, -1e-3 + GAP, -5e-3 - GAP, REACH
    rectangles = [(-w, c, -w, w), (c, w, -w, c), (a, w, c, w), (b, a, b, w), (c, b, a, w)]
    return [slab(r, HOLE) for r in rectangles]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    sim.add(ss.Body.plane(name="floor", friction=0.1))
    hole = ss.Body.compound(around(), name="hole", static=True, friction=0.1)
    sim.add(hole.with_(position=hole.center))
    parts = [slab(r, LENGTH) for r in PEG]
    peg = ss.Body.compound(parts, name="peg", density=7800, friction=0.1)
    x, y, z = peg.center
    sim.add(peg.with_(position=(x + 0.02e-3, y - 0.03e-3, z + 0.0205)))
    return sim


if __name__ == "__main__":
    print(build().run(0.6))
