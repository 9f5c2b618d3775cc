"""A gear with a bore drops onto its shaft and between the teeth of another."""

import math

import stickslip as ss

# Module, play between teeth along the pitch circle, width, bore, shaft, facets of a flank.
MODULE, PRESSURE, BACKLASH, WIDTH, BORE, SHAFT, STEPS = 2e-3, math.radians(20), 2e-4, 0.008, 5.05e-3, 5e-3, 3
TEETH, LIFT = 16, 0.01
Point = tuple[float, float, float]


def raised(outline: list[tuple[float, float]]) -> list[Point]:
    """The corners of a prism over an outline: (radius, angle)."""
    flat = [(r * math.cos(a), r * math.sin(a)) for r, a in outline]
    return [(x, y, z) for x, y in flat for z in (0.0, WIDTH)]


def involute(cosine: float) -> float:
    """tan a - a of the angle with this cosine."""
    return math.sqrt(1 / cosine**2 - 1) - math.acos(cosine)


def gear(turned: float) -> list[ss.Body]:
    """Sectors around the bore, each with a tooth with involute flanks, the first at the angle ``turned``."""
    pitch = 0.5 * MODULE * TEETH
    base, root, tip = pitch * math.cos(PRESSURE), pitch - 1.25 * MODULE, pitch + MODULE
    wide = 0.5 * math.pi / TEETH - 0.25 * BACKLASH / pitch + involute(math.cos(PRESSURE))
    low = max(base, root)
    radii = [low + (tip - low) * k / STEPS for k in range(STEPS + 1)]
    half = [(r, wide - involute(min(1.0, base / r))) for r in radii]
    if root < base:
        half.insert(0, (root, half[0][1]))
    foot, sector = half[0], math.pi / TEETH
    parts = []
    for k in range(TEETH):
        c = turned + 2 * sector * k
        parts.append(raised([(r, c + s * a) for r, a in half for s in (-1, 1)]))
        inner = [(BORE / math.cos(sector), c + s * sector) for s in (-1, 1)]
        # The sector reaches to the feet of its tooth, and halfway to those of its neighbours.
        between = foot[0] * math.cos(sector - foot[1])
        outer = [(foot[0], c + s * foot[1]) for s in (-1, 1)] + [(between, c + s * sector) for s in (-1, 1)]
        parts.append(raised(inner + outer))
    hulls = [ss.Body.convex(points) for points in parts]
    return [hull.with_(position=hull.center) for hull in hulls]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    away = MODULE * TEETH
    sim.add(ss.Body.plane(name="base", friction=0.1))
    for name, x in (("shaft", 0.0), ("other shaft", away)):
        sim.add(ss.Body.cylinder(SHAFT, 0.02, name=name, static=True, friction=0.1, position=(x, 0, 0.01)))
    lower = ss.Body.compound(gear(math.pi / TEETH), name="other gear", density=7800, friction=0.1)
    x, y, z = lower.center
    sim.add(lower.with_(position=(x + away, y, z)))
    # A tooth of each gear that points at the other finds a gap.
    upper = ss.Body.compound(gear(0.0), name="gear", density=7800, friction=0.1)
    x, y, z = upper.center
    sim.add(upper.with_(position=(x + 0.02e-3, y, z + LIFT)))
    return sim


if __name__ == "__main__":
    print(build().run(0.5))
