"""A nut of M16 runs down its bolt, turned by a wrench."""

import math

import stickslip as ss

PITCH, SIDES = 2e-3, 12
# Half of each thread's section: (radius, half width).
BOLT = [(6.4e-3, 0.3e-3), (6.6e-3, 0.5e-3), (8.0e-3, 0.5e-3)]
NUT = [(6.75e-3, 0.45e-3), (7.8e-3, 0.45e-3), (8.4e-3, 0.25e-3)]
TURNS, START = 6, 4 * PITCH + 0.965e-3

Point = tuple[float, float, float]


def at(radius: float, k: int, z: float) -> Point:
    """The point on side ``k`` of the polygon."""
    angle = 2 * math.pi * k / SIDES
    return (radius * math.cos(angle), radius * math.sin(angle), z)


def thread(section: list[tuple[float, float]], turns: int) -> list[list[Point]]:
    """Convex wedges, ``SIDES`` a turn, from z = 0 up."""

    def ring(k: int) -> list[Point]:
        return [at(r, k, PITCH * k / SIDES + s * w) for r, w in section for s in (-1, 1)]

    return [ring(k) + ring(k + 1) for k in range(SIDES * turns)]


def bolt() -> list[list[Point]]:
    """The core, and the thread around it."""
    ends = (-2e-3, PITCH * TURNS + 2e-3)
    return [[at(BOLT[0][0], k, z) for k in range(SIDES) for z in ends], *thread(BOLT, TURNS)]


def nut() -> list[list[Point]]:
    """One turn of thread in a hexagon, 24 mm across flats."""

    def wall(k: int) -> list[Point]:
        outer = 12e-3 / (1.0 if k % 2 else math.cos(math.pi / 6))
        return [at(r, k, z) for r in (NUT[2][0], outer) for z in (-1e-3, PITCH + 1e-3)]

    return thread(NUT, 1) + [wall(k) + wall(k + 1) for k in range(SIDES)]


def compound(parts: list[list[Point]]) -> list[ss.Body]:
    """Convex parts, each where it belongs: a body is placed by its centre of mass."""
    hulls = [ss.Body.convex(points) for points in parts]
    return [hull.with_(position=hull.center) for hull in hulls]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.005)
    fixed = ss.Body.compound(compound(bolt()), name="bolt", static=True, friction=0.1)
    sim.add(fixed.with_(position=(0, 0, 0.5 * PITCH * TURNS)))
    turned = ss.Body.compound(compound(nut()), name="nut", mass=0.03, friction=0.1)
    sim.add(turned.with_(position=(0, 0, START + 0.5 * PITCH)))
    sim.add(ss.Body.box(0.034, 0.034, 0.008, name="wrench", mass=0.1, collides=False, position=(0, 0, 0.024)))
    turn = {"target_velocity": [(0.1, 0.0), (0.3, -2 * math.pi)]}
    top, up = (0, 0, 0.024), (0, 0, 1)
    sim.add(ss.Joint.revolute("world", "wrench", name="spindle", anchor=top, axis=up, motor=turn))
    sim.add(ss.Joint.prismatic("wrench", "nut", name="socket", anchor=top, axis=up))
    return sim


if __name__ == "__main__":
    print(build().run(3.8))
