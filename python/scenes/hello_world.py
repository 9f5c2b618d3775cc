"""A cube falls onto the floor and comes to rest."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor"))
    sim.add(ss.Body.box(1, 1, 1, name="cube", position=(0, 0, 1.5)))
    return sim


if __name__ == "__main__":
    print(build().run(1.0))
