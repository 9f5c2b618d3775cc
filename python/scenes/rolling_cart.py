"""A chassis on four wheels rolls down a slope."""

import math

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(stabilization="shake")
    sim.add(ss.Body.plane((0, 0.1, 1), name="ground", friction=1.0))
    chassis = sim.add(ss.Body.box(1, 3, 0.25, name="chassis", position=(0, 0, 1)))
    across = {"axis": (0, 1, 0), "angle": math.pi / 2}
    wheel = ss.Body.cylinder(0.25, 0.2, sides=20, orientation=across)
    for k, (x, y) in enumerate([(0.5, 1.3), (0.5, -1.3), (-0.5, 1.3), (-0.5, -1.3)]):
        at = (x, y, 0.75)
        part = sim.add(wheel.with_(name=f"wheel-{k + 1}", position=at))
        sim.add(ss.Joint.revolute(chassis, part, name=f"axle-{k + 1}", anchor=at, axis=(1, 0, 0)))
    return sim


if __name__ == "__main__":
    print(build().run(4.0))
