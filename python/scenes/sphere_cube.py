"""125 balls stacked as a cube, a benchmark for solvers."""

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor"))
    for z in range(5):
        for y in range(5):
            for x in range(5):
                ball = ss.Body.sphere(0.5, name=f"ball-{x + 1}{y + 1}{z + 1}")
                sim.add(ball.with_(position=(x - 2, y - 2, z + 0.5)))
    return sim


if __name__ == "__main__":
    print(build().run(1.0))
