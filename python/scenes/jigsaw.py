"""A piece of a jigsaw drops the last millimetre into its neighbour and is pulled: its knob holds it."""

import math

import stickslip as ss

# Thickness of the pieces, gap around the knob, apothem of the knob, its middle, half width of the neck [m].
THICK, GAP, HEAD, MIDDLE, NECK = 4e-3, 0.05e-3, 4e-3, -6e-3, 1.2e-3
CORNER = HEAD * math.tan(math.pi / 8)


def prism(outline: list[tuple[float, float]]) -> ss.Body:
    """A convex outline, as thick as the pieces."""
    body = ss.Body.convex([(x, y, z) for x, y in outline for z in (0.0, THICK)])
    return body.with_(position=body.center)


def rectangle(x0: float, x1: float, y0: float, y1: float) -> ss.Body:
    """The prism over a rectangle."""
    return prism([(x0, y0), (x1, y0), (x1, y1), (x0, y1)])


def neighbour() -> list[ss.Body]:
    """What is left of a square around the knob and its neck."""
    low, high = MIDDLE - HEAD, MIDDLE + HEAD
    parts = [rectangle(-0.02, low, -0.01, 0.01)]
    for s in (-1, 1):
        parts += [rectangle(low, 0.0, *sorted((s * HEAD, s * 0.01))), rectangle(high, 0.0, *sorted((s * NECK, s * HEAD)))]
        for x, inner in ((low, MIDDLE - CORNER), (high, MIDDLE + CORNER)):
            parts.append(prism([(x, s * HEAD), (inner, s * HEAD), (x, s * CORNER)]))
    return parts


def piece() -> list[ss.Body]:
    """A square with a neck and a knob of eight sides."""
    radius = (HEAD - GAP) / math.cos(math.pi / 8)
    angles = [math.pi / 8 + math.pi / 4 * k for k in range(8)]
    knob = prism([(MIDDLE + radius * math.cos(a), radius * math.sin(a)) for a in angles])
    neck = rectangle(MIDDLE + HEAD - GAP, GAP, -NECK + GAP, NECK - GAP)
    return [knob, neck, rectangle(GAP, 0.02, -0.01, 0.01)]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    sim.add(ss.Body.plane(name="floor", friction=0.1))
    fixed = ss.Body.compound(neighbour(), name="neighbour", static=True, friction=0.1)
    sim.add(fixed.with_(position=fixed.center))
    moved = ss.Body.compound(piece(), name="piece", density=600, friction=0.1)
    x, y, z = moved.center
    sim.add(moved.with_(position=(x, y, z + 1e-3), force=(0.004, 0, 0)))
    return sim


if __name__ == "__main__":
    print(build().run(0.4))
