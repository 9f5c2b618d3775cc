"""A box slides down a ramp with a hairline crack."""

import math

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.008)
    slope = math.radians(20)
    turned = {"axis": (0, 1, 0), "angle": slope}


    def along(s: float, height: float) -> tuple[float, float, float]:
        """The point at s down the slope and at that height over it."""
        c, t = math.cos(slope), math.sin(slope)
        return (s * c + height * t, 0, -s * t + height * c)


    planks = [("upper", 4.0, -2.0005), ("lower", 10.0, 5.0005)]
    for name, length, middle in planks:
        plank = ss.Body.box(length, 2, 0.2, name=name, position=along(middle, -0.1))
        sim.add(plank.with_(orientation=turned, static=True, friction=0.2))
    box = ss.Body.box(0.5, 0.5, 0.5, name="box", position=(-1.324033895347446, 0, 0.94795337018498))
    sim.add(box.with_(orientation=turned, friction=0.2))
    return sim


if __name__ == "__main__":
    print(build().run(2.0))
