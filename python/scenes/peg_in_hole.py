"""A cube falls into a square hole with 5 um of clearance on every side."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator()
    for name, x, y in [("left", -1, 0), ("right", 1, 0), ("back", 0, 1), ("front", 0, -1)]:
        sim.add(ss.Body.box(1, 1, 1, name=name, position=(x, y, 0), static=True))
    sim.add(ss.Body.box(0.99999, 0.99999, 0.99999, name="peg", position=(0, 0, 1.5)))
    return sim


if __name__ == "__main__":
    print(build().run(1.0))
