"""A slider in a dovetail is lifted and pulled along: it rises by its play and slides."""

import stickslip as ss

# Half widths below and above, height, length [m]; play of each side along the width.
LOW, HIGH, TALL, LONG, PLAY = 6e-3, 4e-3, 4e-3, 0.02, 0.05e-3
GROOVE, OUTER = 0.1, 0.015


def prism(section: list[tuple[float, float]], length: float) -> list[tuple[float, float, float]]:
    """The corners of a section in x and z over a length along y."""
    return [(x, s * 0.5 * length, z) for x, z in section for s in (-1, 1)]


def jaw(side: int) -> ss.Body:
    """One side of the groove, leaning over the slider."""
    section = [(LOW + PLAY, 0.0), (HIGH + PLAY, TALL), (OUTER, TALL), (OUTER, 0.0)]
    points = prism([(side * x, z) for x, z in section], GROOVE)
    name = "left" if side < 0 else "right"
    body = ss.Body.convex(points, name=name, static=True, friction=0.1)
    return body.with_(position=body.center)


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002, friction="quadratic")
    sim.add(ss.Body.plane(name="floor", friction=0.1))
    for side in (-1, 1):
        sim.add(jaw(side))
    section = [(-LOW, 0.0), (LOW, 0.0), (HIGH, TALL), (-HIGH, TALL)]
    slider = ss.Body.convex(prism(section, LONG), name="slider", mass=0.1, friction=0.1)
    x, _, z = slider.center
    sim.add(slider.with_(position=(x, -0.03, z), force=(0, 2.0, 5.0)))
    return sim


if __name__ == "__main__":
    print(build().run(0.1))
