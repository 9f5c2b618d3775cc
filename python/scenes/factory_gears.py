"""The gear task of the assembly benchmarks: a gear of 40 teeth goes onto its shaft, between one of 20 and one of 60."""

import math

import stickslip as ss

# Module, width, bore, shaft, facets of a flank, how far the gear falls.
MODULE, PRESSURE, WIDTH, BORE, SHAFT, STEPS, LIFT = 1e-3, math.radians(20), 0.01, 5.05e-3, 5e-3, 3, 0.002
# Name, teeth, place on the base, angle of the first tooth.
GEARS = [
    ("small", 20, 0.05075, math.pi / 20),
    ("large", 60, -0.03025, math.pi / 60),
    ("medium", 40, 0.02025, 0.0),
]
Point = tuple[float, float, float]


def raised(outline: list[tuple[float, float]]) -> list[Point]:
    """The corners of a prism over an outline: (radius, angle)."""
    flat = [(r * math.cos(a), r * math.sin(a)) for r, a in outline]
    return [(x, y, z) for x, y in flat for z in (-0.5 * WIDTH, 0.5 * WIDTH)]


def involute(cosine: float) -> float:
    """tan a - a of the angle with this cosine."""
    return math.sqrt(1 / cosine**2 - 1) - math.acos(cosine)


def gear(teeth: int, turned: float) -> tuple[float, list[list[Point]]]:
    """Radius of the body of a gear, and its teeth with involute flanks, the first at the angle ``turned``."""
    pitch = 0.5 * MODULE * teeth
    base, root, tip = pitch * math.cos(PRESSURE), pitch - 1.25 * MODULE, pitch + MODULE
    wide = 0.5 * math.pi / teeth + involute(math.cos(PRESSURE))
    low = max(base, root)
    radii = [low + (tip - low) * k / STEPS for k in range(STEPS + 1)]
    half = [(r, wide - involute(min(1.0, base / r))) for r in radii]
    if root < base:
        half.insert(0, (root, half[0][1]))
    centers = [turned + 2 * math.pi * k / teeth for k in range(teeth)]
    return half[0][0], [raised([(r, c + s * a) for r, a in half for s in (-1, 1)]) for c in centers]


def parts(teeth: int, turned: float) -> list[ss.Body]:
    """The body, a tube with a smooth bore, and the teeth."""
    outside, flanks = gear(teeth, turned)
    hulls = [ss.Body.convex(points) for points in flanks]
    return [ss.Body.tube(BORE, outside, WIDTH)] + [hull.with_(position=hull.center) for hull in hulls]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    sim.add(ss.Body.plane(name="base", friction=0.1))
    for name, _, x, _ in GEARS:
        shaft = ss.Body.cylinder(SHAFT, 0.02, name=f"{name} shaft", static=True, friction=0.1)
        sim.add(shaft.with_(position=(x, 0, 0.01)))
    for name, teeth, x, turned in GEARS:
        body = ss.Body.compound(parts(teeth, turned), name=f"{name} gear", density=7800, friction=0.1)
        high, aside = (0.02 + LIFT, 2e-5) if name == "medium" else (0.0, 0.0)
        sim.add(body.with_(position=(x + aside, 0, high + 0.5 * WIDTH)))
    return sim


if __name__ == "__main__":
    print(build().run(0.3))
