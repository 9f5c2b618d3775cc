"""Platonic solids tumble down a flight of steps."""

import stickslip as ss

#: Name, position, axis and angle of each solid.
SOLIDS = [
    ("tetrahedron-1", (0.5, -1.3, 0.8), (1, 2, 0), 0.4),
    ("cube-1", (0.74, -1.2, 1.8), (0, 1, 1), 1.3),
    ("octahedron-1", (0.62, -1.1, 2.8), (2, 0, 1), 2.2),
    ("dodecahedron-1", (0.5, -1.3, 3.8), (1, 1, 1), 3.1),
    ("icosahedron-1", (0.74, -1.2, 4.8), (1, 0, 2), 4.0),
    ("tetrahedron-2", (0.62, 0, 0.8), (0, 1, 1), 1.1),
    ("cube-2", (0.5, 0.1, 1.8), (2, 0, 1), 2.0),
    ("octahedron-2", (0.74, -0.1, 2.8), (1, 1, 1), 2.9),
    ("dodecahedron-2", (0.62, 0, 3.8), (1, 0, 2), 3.8),
    ("icosahedron-2", (0.5, 0.1, 4.8), (1, 2, 0), 4.7),
    ("tetrahedron-3", (0.74, 1.3, 0.8), (2, 0, 1), 1.8),
    ("cube-3", (0.62, 1.1, 1.8), (1, 1, 1), 2.7),
    ("octahedron-3", (0.5, 1.2, 2.8), (1, 0, 2), 3.6),
    ("dodecahedron-3", (0.74, 1.3, 3.8), (1, 2, 0), 4.5),
    ("icosahedron-3", (0.62, 1.1, 4.8), (0, 1, 1), 5.4),
]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator()
    sim.add(ss.Body.plane(name="floor", position=(0, 0, -3)))
    for k in range(6):
        height = 3 - 0.5 * k
        tread = ss.Body.box(1, 4, height, name=f"step-{k + 1}", static=True)
        sim.add(tread.with_(position=(k + 0.5, 0, height / 2 - 3)))
    shapes = [
        ss.Body.tetrahedron(0.65), ss.Body.box(0.46, 0.46, 0.46), ss.Body.octahedron(0.56),
        ss.Body.dodecahedron(0.28), ss.Body.icosahedron(0.42),
    ]  # fmt: skip
    for k, (name, position, axis, angle) in enumerate(SOLIDS):
        body = shapes[k % 5].with_(name=name, position=position, density=1000, friction=0.4)
        turn = {"axis": axis, "angle": angle}
        sim.add(body.with_(orientation=turn, velocity=(1.5 + 0.1 * (k % 5), 0, 0)))
    return sim


if __name__ == "__main__":
    print(build().run(4.0))
