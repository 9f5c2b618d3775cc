"""A rod swings from a ball joint."""

import math

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(stabilization="shake", integrator="gauss")
    angle = math.pi / 5
    post = sim.add(ss.Body.cylinder(0.2, 1, sides=7, name="post", static=True, visible=False))
    rod = ss.Body.cylinder(0.1, 0.5, sides=7, name="rod")
    place = (-0.25 * math.sin(angle), 0, 0.25 - 0.25 * math.cos(angle))
    hung = sim.add(rod.with_(position=place, orientation={"axis": (0, 1, 0), "angle": angle}))
    sim.add(ss.Joint.spherical(post, hung, name="hinge", anchor=(0, 0, 0.25)))
    return sim


if __name__ == "__main__":
    print(build().run(5.0))
