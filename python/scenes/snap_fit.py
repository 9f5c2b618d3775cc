"""A tube with a slot is pressed onto a pin: its jaws open against springs and snap shut (2D)."""

import math

import stickslip as ss

# Radius of the pin and of the tube's bore, thickness of the tube, angle at which the slot begins [m, rad].
PIN, BORE, WALL, LIP = 5e-3, 5.05e-3, 2e-3, math.radians(-45)
PIECES, LIFT = 6, 0.014


def jaw(side: int) -> list[ss.Body]:
    """Half of the tube, from its top down to the slot, of quadrilaterals around the bore."""
    step = (0.5 * math.pi - LIP) / PIECES
    parts = []
    for k in range(PIECES):
        angles = (0.5 * math.pi - k * step, 0.5 * math.pi - (k + 1) * step)
        # Inner edges touch the bore from outside.
        radii = (BORE / math.cos(0.5 * step), BORE + WALL)
        outline = [(side * r * math.cos(a), r * math.sin(a)) for a in angles for r in radii]
        body = ss.Body.polygon(ordered(outline))
        parts.append(body.with_(position=body.center))
    return parts


def ordered(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Around their middle."""
    x, y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    return sorted(points, key=lambda p: math.atan2(p[1] - y, p[0] - x))


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(dimension=2, step=0.001)
    sim.add(ss.Body.disc(PIN, name="pin", static=True, friction=0.2))
    top = LIFT + BORE + WALL
    sim.add(ss.Body.rectangle(0.01, 0.004, name="press", position=(0, top + 0.003), mass=0.05, force=(0, -8.0), collides=False))
    sim.add(ss.Joint.prismatic("world", "press", name="guide", anchor=(0, top), axis=(0, 1)))
    for side, name in ((-1, "left"), (1, "right")):
        half = ss.Body.compound(jaw(side), name=name, mass=0.01, friction=0.2, ignore=["press"])
        x, y = half.center[:2]
        sim.add(half.with_(position=(x, y + LIFT)))
        hinge = ss.Joint.revolute("press", name, name=f"hinge-{name}", anchor=(0, top - 0.5 * WALL))
        sim.add(hinge)
        sim.add(ss.Force.joint_spring(f"hinge-{name}", stiffness=0.3, damping=1e-3, name=f"spring-{name}"))
    sim.ignore("left", "right")
    return sim


if __name__ == "__main__":
    print(build().run(0.5))
