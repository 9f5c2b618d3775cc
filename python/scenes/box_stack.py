"""Ten aligned cubes stand still."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor"))
    for k in range(10):
        sim.add(ss.Body.box(1, 1, 1, name=f"cube-{k + 1}", position=(0, 0, k + 0.5)))
    return sim


if __name__ == "__main__":
    print(build().run(2.0))
