"""A gear of 20 teeth drives one of 40 against a brake."""

import math

import stickslip as ss

MODULE, PRESSURE, BACKLASH, WIDTH = 2e-3, math.radians(20), 2e-4, 0.01
STEPS = 6
Point = tuple[float, float, float]


def raised(outline: list[tuple[float, float]]) -> list[Point]:
    """The corners of a prism over an outline: (radius, angle)."""
    flat = [(r * math.cos(a), r * math.sin(a)) for r, a in outline]
    return [(x, y, z) for x, y in flat for z in (-0.5 * WIDTH, 0.5 * WIDTH)]


def involute(cosine: float) -> float:
    """tan a - a of the angle with this cosine."""
    return math.sqrt(1 / cosine**2 - 1) - math.acos(cosine)


def gear(teeth: int, turned: float = 0.0) -> list[list[Point]]:
    """Convex parts: the body, and teeth with involute flanks, the first at the angle ``turned``."""
    pitch = 0.5 * MODULE * teeth
    base, root, tip = pitch * math.cos(PRESSURE), pitch - 1.25 * MODULE, pitch + MODULE
    wide = 0.5 * math.pi / teeth - 0.25 * BACKLASH / pitch + involute(math.cos(PRESSURE))
    low = max(base, root)
    radii = [low + (tip - low) * k / STEPS for k in range(STEPS + 1)]
    half = [(r, wide - involute(min(1.0, base / r))) for r in radii]
    if root < base:
        half.insert(0, (root, half[0][1]))
    # Teeth and body meet in the chord between the feet of a tooth.
    feet = [(half[0][0], s * half[0][1]) for s in (-1, 1)]
    centers = [turned + 2 * math.pi * k / teeth for k in range(teeth)]
    body = raised([(r, c + a) for c in centers for r, a in feet])
    return [body] + [raised([(r, c + s * a) for r, a in half for s in (-1, 1)]) for c in centers]


def compound(parts: list[list[Point]]) -> list[ss.Body]:
    """Convex parts, each where it belongs: a body is placed by its centre of mass."""
    hulls = [ss.Body.convex(points) for points in parts]
    return [hull.with_(position=hull.center) for hull in hulls]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.005)
    # A tooth of the first points at the second, which has a gap there.
    first = ss.Body.compound(compound(gear(20)), name="driver", density=7800, friction=0.1)
    second = ss.Body.compound(compound(gear(40, math.pi / 40)), name="driven", density=7800, friction=0.1)
    sim.add(first.with_(position=(0, 0, 0)))
    sim.add(second.with_(position=(0.06, 0, 0)))
    up, turn = (0, 0, 1), {"target_velocity": 2 * math.pi}
    sim.add(ss.Joint.revolute("world", "driver", name="motor", anchor=(0, 0, 0), axis=up, motor=turn))
    sim.add(ss.Joint.revolute("world", "driven", name="brake", anchor=(0.06, 0, 0), axis=up, friction=0.5))
    return sim


if __name__ == "__main__":
    print(build().run(2.0))
