"""Two jaws lift 2 kg by friction alone."""

import math

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(stabilization="shake")
    sim.add(ss.Body.plane(name="floor"))
    load = ss.Body.cylinder(0.2 / math.sqrt(3), 0.2, sides=6, name="load", mass=2.0)
    sim.add(load.with_(position=(0, 0, 0.1), friction=0.5))
    carriage = sim.add(ss.Body.box(0.6, 0.12, 0.06, name="carriage", position=(0, 0, 0.4)))
    sides = {"left": -1, "right": 1}
    for name, side in sides.items():
        jaw = ss.Body.box(0.04, 0.1, 0.28, name=f"jaw-{name}", mass=0.3, friction=0.5)
        sim.add(jaw.with_(position=(0.14 * side, 0, 0.23)))
    rise = {"target_position": [(1, 0), (3, 0.3)], "stiffness": 1e7, "damping": 1e5}
    up = ss.Joint.prismatic("world", carriage, name="lift", anchor=(0, 0, 0.4), axis=(0, 0, 1), motor=rise)
    sim.add(up)
    for name, side in sides.items():
        sim.add(ss.Joint.prismatic(
            carriage, f"jaw-{name}", name=name, anchor=(0.14 * side, 0, 0.37), axis=(-side, 0, 0),
            limits=(-0.05, 0.1), motor={"target_velocity": 0.1, "max_force": 22},
        ))  # fmt: skip
    sim.add(ss.Joint.gear("left", "right", -1, name="jaws"))
    return sim


if __name__ == "__main__":
    print(build().run(4.0))
