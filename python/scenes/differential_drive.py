"""A robot on two driven wheels and a ball drives a curve."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(stabilization="shake")
    sim.add(ss.Body.plane(name="floor", friction=0.8))
    chassis = sim.add(ss.Body.box(0.5, 0.3, 0.1, name="chassis", position=(0.1, 0, 0.13), mass=8.0))
    wheel = ss.Body.sphere(0.1, mass=0.5, friction=0.8)
    for name, y in [("left", 0.2), ("right", -0.2)]:
        sim.add(wheel.with_(name=f"wheel-{name}", position=(0, y, 0.1)))
    caster = ss.Body.sphere(0.04, name="caster", position=(0.3, 0, 0.04), mass=0.2, friction=0.8)
    sim.add(caster)
    for name, y, last in [("left", 0.2, 4), ("right", -0.2, 6)]:
        speed = {"target_velocity": [(0, 0), (1, 5), (3, 5), (4, last)], "max_force": 5}
        sim.add(ss.Joint.revolute(
            chassis, f"wheel-{name}", name=name, anchor=(0, y, 0.1), axis=(0, 1, 0), motor=speed,
        ))  # fmt: skip
    sim.add(ss.Joint.spherical(chassis, "caster", name="socket", anchor=(0.3, 0, 0.04)))
    return sim


if __name__ == "__main__":
    print(build().run(8.0))
