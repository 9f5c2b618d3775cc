"""A nut of M16 runs down its bolt, turned by a wrench."""

import math
from typing import NamedTuple

import stickslip as ss

SIDES, TURNS = 12, 6
Point = tuple[float, float, float]


class Size(NamedTuple):
    """Pitch, how far above the middle of the bolt's thread the nut's begins, half of each thread's section (radius,
    half width), width of the nut across flats [m], its mass [kg]."""

    pitch: float
    start: float
    bolt: list[tuple[float, float]]
    nut: list[tuple[float, float]]
    flats: float
    mass: float


M16 = Size(
    2e-3,
    0.965e-3,
    [(6.4e-3, 0.3e-3), (6.6e-3, 0.5e-3), (8.0e-3, 0.5e-3)],
    [(6.75e-3, 0.45e-3), (7.8e-3, 0.45e-3), (8.4e-3, 0.25e-3)],
    24e-3,
    0.03,
)
M8 = Size(
    1.25e-3,
    0.603125e-3,
    [(3.2e-3, 0.1875e-3), (3.3e-3, 0.3125e-3), (4.0e-3, 0.3125e-3)],
    [(3.375e-3, 0.28125e-3), (3.9e-3, 0.28125e-3), (4.2e-3, 0.15625e-3)],
    13e-3,
    5e-3,
)
M4 = Size(
    0.7e-3,
    0.33775e-3,
    [(1.6e-3, 0.105e-3), (1.65e-3, 0.175e-3), (2.0e-3, 0.175e-3)],
    [(1.6875e-3, 0.1575e-3), (1.95e-3, 0.1575e-3), (2.1e-3, 0.0875e-3)],
    7e-3,
    0.8e-3,
)


def at(radius: float, k: int, z: float) -> Point:
    """The point on side ``k`` of the polygon."""
    angle = 2 * math.pi * k / SIDES
    return (radius * math.cos(angle), radius * math.sin(angle), z)


def thread(pitch: float, section: list[tuple[float, float]], turns: int) -> list[list[Point]]:
    """Convex wedges, ``SIDES`` a turn, from z = 0 up."""

    def ring(k: int) -> list[Point]:
        return [at(r, k, pitch * k / SIDES + s * w) for r, w in section for s in (-1, 1)]

    return [ring(k) + ring(k + 1) for k in range(SIDES * turns)]


def bolt(size: Size) -> list[list[Point]]:
    """The core, and the thread around it."""
    ends = (-size.pitch, size.pitch * (TURNS + 1))
    core = [at(size.bolt[0][0], k, z) for k in range(SIDES) for z in ends]
    return [core, *thread(size.pitch, size.bolt, TURNS)]


def nut(size: Size) -> list[list[Point]]:
    """One turn of thread in a hexagon."""
    half = 0.5 * size.pitch

    def wall(k: int) -> list[Point]:
        outer = 0.5 * size.flats / (1.0 if k % 2 else math.cos(math.pi / 6))
        return [at(r, k, z) for r in (size.nut[2][0], outer) for z in (-half, size.pitch + half)]

    return thread(size.pitch, size.nut, 1) + [wall(k) + wall(k + 1) for k in range(SIDES)]


def compound(parts: list[list[Point]]) -> list[ss.Body]:
    """Convex parts, each where it belongs: a body is placed by its centre of mass."""
    hulls = [ss.Body.convex(points) for points in parts]
    return [hull.with_(position=hull.center) for hull in hulls]


def build(size: Size = M16) -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.005)
    pitch = size.pitch
    # Some micrometres above the flanks of the bolt.
    start = 4 * pitch + size.start
    fixed = ss.Body.compound(compound(bolt(size)), name="bolt", static=True, friction=0.1)
    sim.add(fixed.with_(position=(0, 0, 0.5 * pitch * TURNS)))
    turned = ss.Body.compound(compound(nut(size)), name="nut", mass=size.mass, friction=0.1)
    sim.add(turned.with_(position=(0, 0, start + 0.5 * pitch)))
    top, up = (0, 0, 12 * pitch), (0, 0, 1)
    wide = 17 * pitch
    sim.add(ss.Body.box(wide, wide, 4 * pitch, name="wrench", mass=0.1, collides=False, position=top))
    turn = {"target_velocity": [(0.1, 0.0), (0.3, -2 * math.pi)]}
    sim.add(ss.Joint.revolute("world", "wrench", name="spindle", anchor=top, axis=up, motor=turn))
    sim.add(ss.Joint.prismatic("wrench", "nut", name="socket", anchor=top, axis=up))
    return sim


if __name__ == "__main__":
    print(build().run(3.8))
