"""Fifty balls fall through a field of pegs."""

import stickslip as ss

#: Where the balls of each row start.
BALLS = [
    (-2.18, -1.619, -1.201, -0.64, -0.222, 0.196, 0.757, 1.175, 1.593, 2.154),
    (-2.128, -1.71, -1.149, -0.731, -0.17, 0.248, 0.666, 1.227, 1.645, 2.063),
    (-2.076, -1.658, -1.24, -0.679, -0.261, 0.3, 0.718, 1.136, 1.697, 2.115),
    (-2.167, -1.606, -1.188, -0.77, -0.209, 0.209, 0.77, 1.188, 1.606, 2.167),
    (-2.115, -1.697, -1.136, -0.718, -0.3, 0.261, 0.679, 1.24, 1.658, 2.076),
]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(dimension=2)
    sim.add(ss.Body.half_plane(name="floor"))
    for name, x in [("left", -2.6), ("right", 2.6)]:
        sim.add(ss.Body.rectangle(0.2, 7, name=name, position=(x, 3.5), static=True))
    for k in range(9):
        wall = ss.Body.rectangle(0.06, 0.9, name=f"bin-{k + 1}", position=(0.5 * k - 2, 0.45))
        sim.add(wall.with_(static=True))
    rows = [(9 - y % 2, y) for y in range(8)]
    pegs = [(0.5 * x - 2 + 0.25 * (y % 2), 1.5 + 0.45 * y) for n, y in rows for x in range(n)]
    for k, peg in enumerate(pegs):
        post = ss.Body.disc(0.07, name=f"peg-{k + 1}", position=peg, friction=0.2, restitution=0.3)
        sim.add(post.with_(static=True))
    for k in range(50):
        at = (BALLS[k // 10][k % 10], 5.3 + 0.3 * (k // 10))
        ball = ss.Body.disc(0.1, name=f"ball-{k + 1}", position=at, mass=0.1)
        sim.add(ball.with_(friction=0.2, restitution=0.3))
    return sim


if __name__ == "__main__":
    print(build().run(5.0))
