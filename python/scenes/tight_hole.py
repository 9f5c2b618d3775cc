"""A box 9.99 wide falls to the bottom of a hole 10 wide."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(dimension=2, step=0.0125)
    for name, size, position in [
        ("left", (10, 12), (-10, -6)), ("right", (10, 12), (10, -6)), ("bottom", (30, 2), (0, -13)),
    ]:  # fmt: skip
        sim.add(ss.Body.rectangle(*size, name=name, position=position, static=True))
    sim.add(ss.Body.rectangle(9.99, 9.99, name="box", position=(0, 6)))
    return sim


if __name__ == "__main__":
    print(build().run(2.5))
