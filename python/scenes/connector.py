"""A plug of three pins drops into its socket: chamfers guide it over 0.3 mm, the holes have 0.1 mm to spare."""

import stickslip as ss

# Half widths of pins and holes, chamfer, depth of the holes, length of the pins, distance of the pins [m].
PIN, HOLE, CHAMFER, DEPTH, LENGTH, PITCH = 0.95e-3, 1e-3, 0.5e-3, 8e-3, 7e-3, 5e-3
OUTER, PLATE = 4e-3, 2e-3


def rib(low: float, high: float, ends: tuple[bool, bool]) -> list[tuple[float, float]]:
    """The section of a wall from ``low`` to ``high``, its upper edges cut where they are at a hole."""
    a, b = (CHAMFER if end else 0.0 for end in ends)
    return [(low, 0.0), (high, 0.0), (high, DEPTH - b), (high - b, DEPTH), (low + a, DEPTH), (low, DEPTH - a)]


def socket() -> list[ss.Body]:
    """Walls across and along the row of holes."""
    edges = [-PITCH - OUTER, *(c + s * HOLE for c in (-PITCH, 0, PITCH) for s in (-1, 1)), PITCH + OUTER]
    parts = []
    for k in range(4):
        section = rib(edges[2 * k], edges[2 * k + 1], (k > 0, k < 3))
        parts.append(ss.Body.convex([(x, y, z) for x, z in section for y in (-HOLE, HOLE)]))
    for side in (-1, 1):
        section = [(side * y, z) for y, z in rib(HOLE, OUTER, (True, False))]
        parts.append(ss.Body.convex([(x, y, z) for y, z in section for x in (edges[0], edges[-1])]))
    return [part.with_(position=part.center) for part in parts]


def plug() -> list[ss.Body]:
    """Three pins below a plate, tips at z = 0."""
    pins = [
        ss.Body.box(2 * PIN, 2 * PIN, LENGTH, position=(c, 0, 0.5 * LENGTH)) for c in (-PITCH, 0, PITCH)
    ]
    plate = ss.Body.box(2 * (PITCH + OUTER), 2 * OUTER, PLATE, position=(0, 0, LENGTH + 0.5 * PLATE))
    return [*pins, plate]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    fixed = ss.Body.compound(socket(), name="socket", static=True, friction=0.1)
    sim.add(fixed.with_(position=fixed.center))
    moved = ss.Body.compound(plug(), name="plug", density=2000, friction=0.1)
    x, y, z = moved.center
    sim.add(moved.with_(position=(x + 0.3e-3, y + 0.2e-3, z + DEPTH + 0.5e-3)))
    return sim


if __name__ == "__main__":
    print(build().run(0.5))
