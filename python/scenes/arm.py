"""An arm of six hinges picks up a block and carries it, under PD control."""

import math
import pathlib

import stickslip as ss

MESHES = pathlib.Path(__file__).parents[2] / "scenes" / "meshes" / "arm"

#: Name, joint at the start and mass of each link.
LINKS = [
    ("turret", (0, 0, 0.10), 4),
    ("upper", (0, 0, 0.35), 3),
    ("fore", (0, 0, 0.75), 1.5),
    ("roll", (0.22, 0, 0.75), 0.7),
    ("wrist", (0.4, 0, 0.75), 0.6),
    ("hand", (0.4, 0, 0.67), 0.4),
]

#: Name, axis, limits, stiffness, damping and largest torque of each joint.
JOINTS = [
    ("turn", (0, 0, 1), (-2.9, 2.9), 20000, 800, 300),
    ("shoulder", (0, 1, 0), (-1.5, 1.5), 20000, 800, 300),
    ("elbow", (0, 1, 0), (-1.2, 1.6), 12000, 400, 200),
    ("twist", (1, 0, 0), (-2.9, 2.9), 4000, 100, 80),
    ("wrist-pitch", (0, 1, 0), (-1.6, 1.6), 4000, 100, 80),
    ("wrist-turn", (0, 0, 1), (-2.9, 2.9), 2000, 50, 40),
]

#: Times and joint angles of the grasp.
PATH = [
    (0.2, (0, 0, 0, 0, 0, 0)),
    (1.2, (0.6, 0.49094, 0.3676, 0, -0.85854, 0)),
    (2.0, (0.6, 0.77197, 0.35715, 0, -1.12912, 0)),
    (2.6, (0.6, 0.77197, 0.35715, 0, -1.12912, 0)),
    (3.4, (0.6, 0.49094, 0.3676, 0, -0.85854, 0)),
    (4.0, (0, 0.49094, 0.3676, 0.5, -0.85854, 0.3)),
    (4.6, (-0.6, 0.49094, 0.3676, 0, -0.85854, 0.6)),
    (5.3, (-0.6, 0.77197, 0.35715, 0, -1.12912, 0.6)),
    (5.8, (-0.6, 0.77197, 0.35715, 0, -1.12912, 0.6)),
    (6.5, (-0.6, 0.49094, 0.3676, 0, -0.85854, 0.6)),
]


def part(mesh: str, name: str, joint: tuple[float, float, float]) -> ss.Body:
    """A link whose mesh has its origin at a joint."""
    body = ss.Body.mesh(MESHES / f"{mesh}.obj", name=name)
    return body.with_(position=body.center + joint)


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(stabilization="shake")
    sim.add(ss.Body.plane(name="floor", ignore=["base"]))
    block = ss.Body.box(0.06, 0.06, 0.08, name="block", mass=0.5, friction=0.6)
    at = (0.45 * math.cos(0.6), 0.45 * math.sin(0.6), 0.04)
    sim.add(block.with_(position=at, orientation={"axis": (0, 0, 1), "angle": 0.6}))
    sim.add(part("base", "base", (0, 0, 0)).with_(static=True))
    for name, joint, mass in LINKS:
        sim.add(part(name, name, joint).with_(mass=mass))
    sides = (("left", 0.08), ("right", -0.08))
    for side, y in sides:
        finger = part("finger", f"finger-{side}", (0.4, y, 0.62))
        sim.add(finger.with_(mass=0.1, friction=0.6))
    parent = "base"
    for k, (name, axis, limits, kp, kd, force) in enumerate(JOINTS):
        points = [(time, angles[k]) for time, angles in PATH]
        link, anchor, _ = LINKS[k]
        motor = {"target_position": points, "stiffness": kp, "damping": kd, "max_force": force}
        sim.add(ss.Joint.revolute(
            parent, link, name=name, anchor=anchor, axis=axis, limits=limits, motor=motor,
        ))  # fmt: skip
        parent = link
    speed = ss.Trajectory([(2.0, 0), (2.1, 0.1), (5.4, 0.1), (5.5, -0.1)], "linear")
    for side, y in sides:
        sim.add(ss.Joint.prismatic(
            "hand", f"finger-{side}", name=side, anchor=(0.4, y, 0.62), axis=(0, -y, 0),
            limits=(0, 0.07), motor={"target_velocity": speed, "max_force": 15},
        ))  # fmt: skip
    sim.add(ss.Joint.gear("left", "right", -1, name="fingers"))
    return sim


if __name__ == "__main__":
    print(build().run(7.0))
