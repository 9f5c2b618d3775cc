"""A piece with a tapered tongue falls into the groove of its neighbour and rests on its shoulders (2D)."""

import math

import stickslip as ss

# Half widths of the tongue at its root and tip, its length, half width and height of the pieces, play [m].
ROOT, TIP, DEEP, HALF, TALL, PLAY = 5e-3, 3e-3, 8e-3, 0.015, 0.012, 0.05e-3


def part(points: list[tuple[float, float]]) -> ss.Body:
    """A convex part where it belongs."""
    body = ss.Body.polygon(points)
    return body.with_(position=body.center)


def neighbour() -> list[ss.Body]:
    """Two cheeks on a base that leave the groove open."""
    cheek = [(ROOT + PLAY, 0.0), (TIP + PLAY, -DEEP - 1e-3), (HALF, -DEEP - 1e-3), (HALF, 0.0)]
    base = [(-HALF, -0.02), (HALF, -0.02), (HALF, -DEEP - 1e-3), (-HALF, -DEEP - 1e-3)]
    return [part([(s * x, y) for x, y in cheek]) for s in (-1, 1)] + [part(base)]


def piece() -> list[ss.Body]:
    """A rectangle with the tongue below."""
    body = [(-HALF, 0.0), (HALF, 0.0), (HALF, TALL), (-HALF, TALL)]
    return [part(body), part([(-TIP, -DEEP), (TIP, -DEEP), (ROOT, 0.0), (-ROOT, 0.0)])]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(dimension=2, step=0.002)
    fixed = ss.Body.compound(neighbour(), name="neighbour", static=True, friction=0.1)
    sim.add(fixed.with_(position=fixed.center))
    moved = ss.Body.compound(piece(), name="piece", mass=0.01, friction=0.1)
    x, y = moved.center[:2]
    sim.add(moved.with_(position=(x + 0.8e-3, y + DEEP + 2e-3), orientation=math.radians(2)))
    return sim


if __name__ == "__main__":
    print(build().run(0.6))
