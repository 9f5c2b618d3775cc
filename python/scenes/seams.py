"""A cube slides over forty flush floor boxes without noticing the seams."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator()
    cube = ss.Body.box(0.5, 0.5, 0.5, name="cube", position=(1.3, 0, 0.25), friction=0)
    sim.add(cube.with_(velocity=(3, 0, 0)))
    for k in range(40):
        tile = ss.Body.box(1, 2, 0.2, name=f"floor-{k + 1}", position=(k + 0.5, 0, -0.1))
        sim.add(tile.with_(static=True, friction=0))
    return sim


if __name__ == "__main__":
    print(build().run(5.0))
