"""Two fingers of two links each close on a polygon."""

import cmath
import math

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(dimension=2, step=0.005, stabilization="shake")
    sim.add(ss.Body.half_plane(name="floor", friction=0.25))
    points = [(-0.2, -0.02), (-0.1, -0.18), (0.12, -0.18), (0.22, 0), (0.12, 0.17), (-0.08, 0.2)]
    thing = ss.Body.polygon(points, name="object", mass=1.0, friction=0.25)
    x, y = thing.center[:2]
    sim.add(thing.with_(position=(0.02 + x, 0.18 + y)))
    palm = ss.Body.rectangle(0.5, 0.08, name="palm", position=(0, 0.95), static=True, friction=0.25)
    sim.add(palm)
    joints = []
    for side, sign in (("left", -1), ("right", 1)):
        parent, at = "palm", sign * 0.22 + 0.91j
        for name, joint, length, tilt, goal in [
            ("proximal", "shoulder", 0.4, 25, 0.35), ("distal", "knuckle", 0.36, -2, 0.55),
        ]:  # fmt: skip
            angle = -math.pi / 2 + sign * math.radians(tilt)
            end = at + length * cmath.exp(1j * angle)
            middle, body = (at + end) / 2, f"{side}-{name}"
            link = ss.Body.rectangle(length, 0.05, name=body, mass=0.4, friction=0.25)
            sim.add(link.with_(position=(middle.real, middle.imag), orientation=angle))
            path = {"target_position": [(0.3, 0), (1.5, -sign * goal)], "stiffness": 80, "damping": 8}
            anchor = (at.real, at.imag)
            joints.append(ss.Joint.revolute(parent, body, name=f"{side}-{joint}", anchor=anchor, motor=path))
            parent, at = body, end
    for made in joints:
        sim.add(made)
    return sim


if __name__ == "__main__":
    print(build().run(3.0))
