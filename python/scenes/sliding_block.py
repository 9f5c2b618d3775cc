"""A block slides to a stop after v^2 / (2 mu g)."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor", friction=0.3))
    block = ss.Body.box(0.5, 0.5, 0.5, name="block", position=(0, 0, 0.25))
    sim.add(block.with_(velocity=(3, 0, 0), friction=0.3))
    return sim


if __name__ == "__main__":
    print(build().run(2.0))
