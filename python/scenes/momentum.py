"""Five cubes collide one after the other and end with one common speed."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(gravity=(0, 0, 0))
    for k, mass in enumerate([1.5, 1, 0.25, 0.12, 0.8]):
        cube = ss.Body.box(1, 1, 1, name=f"cube-{k + 1}", position=(1.5 * k, 0, 0), friction=0)
        sim.add(cube.with_(mass=mass, velocity=(2 if k == 0 else 0, 0, 0)))
    return sim


if __name__ == "__main__":
    print(build().run(4.0))
