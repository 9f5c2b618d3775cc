"""Two dolls of ten parts fall down a flight of steps."""

import math

import stickslip as ss


def doll(
    sim: ss.Simulator, name: str, at: tuple[float, float, float], turn: float
) -> list[ss.Joint]:
    """Adds the parts of a doll and returns its joints."""
    c, s = math.cos(turn), math.sin(turn)
    joints = []

    def vector(x: float, y: float, z: float) -> tuple[float, float, float]:
        return (c * x - s * y, s * x + c * y, z)

    def point(x: float, y: float, z: float) -> tuple[float, float, float]:
        x, y, z = vector(x, y, z)
        return (at[0] + x, at[1] + y, at[2] + z)

    def part(what: str, x: float, y: float, z: float, place: tuple[float, float, float]) -> None:
        box = ss.Body.box(x, y, z, name=f"{name} {what}", mass=1000 * x * y * z, friction=0.6)
        sim.add(box.with_(position=place, orientation={"axis": (0, 0, 1), "angle": turn}))

    def ball(what: str, b: str, place: tuple[float, float, float]) -> None:
        joints.append(ss.Joint.spherical(
            f"{name} torso", f"{name} {b}", name=f"{name} {what}", anchor=place, limits=(0, 1),
            friction=0.2,
        ))  # fmt: skip

    def hinge(
        what: str, a: str, b: str, place: tuple[float, float, float],
        axis: tuple[float, float, float], limits: tuple[float, float],
    ) -> None:  # fmt: skip
        joints.append(ss.Joint.revolute(
            f"{name} {a}", f"{name} {b}", name=f"{name} {what}", anchor=place, axis=axis,
            limits=limits, friction=0.2,
        ))  # fmt: skip

    part("torso", 0.35, 0.2, 0.5, point(0, 0, 1.2))
    part("head", 0.2, 0.2, 0.2, point(0, 0, 1.57))
    ball("neck", "head", point(0, 0, 1.46))
    for side, x in (("left", 1), ("right", -1)):
        part(f"{side} arm", 0.3, 0.08, 0.08, point(0.34 * x, 0, 1.4))
        part(f"{side} hand", 0.3, 0.07, 0.07, point(0.66 * x, 0, 1.4))
        part(f"{side} thigh", 0.12, 0.12, 0.4, point(0.1 * x, 0, 0.73))
        part(f"{side} shin", 0.1, 0.1, 0.4, point(0.1 * x, 0, 0.31))
        ball(f"{side} shoulder", f"{side} arm", point(0.18 * x, 0, 1.4))
        elbow, knee = point(0.5 * x, 0, 1.4), point(0.1 * x, 0, 0.52)
        hinge(f"{side} elbow", f"{side} arm", f"{side} hand", elbow, vector(0, 0, x), (-0.1, 2.2))
        ball(f"{side} hip", f"{side} thigh", point(0.1 * x, 0, 0.94))
        hinge(f"{side} knee", f"{side} thigh", f"{side} shin", knee, vector(1, 0, 0), (-2.2, 0.1))
    return joints


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.005, stabilization="shake", friction_directions=4)
    sim.add(ss.Body.plane(name="floor", friction=0.6))
    for k in range(5):
        height = 1.5 - 0.3 * k
        tread = ss.Body.box(4, 0.6, height, name=f"step-{k + 1}", static=True, friction=0.6)
        sim.add(tread.with_(position=(0, 0.6 * k, height / 2)))
    joints = doll(sim, "red", (0, 0, 1.6), 0.3) + doll(sim, "blue", (0.2, 0.5, 3.4), -0.7)
    for joint in joints:
        sim.add(joint)
    return sim


if __name__ == "__main__":
    print(build().run(3.0))
