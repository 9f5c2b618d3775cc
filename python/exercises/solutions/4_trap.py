"""Exercise 4: a spurious contact of the standard model."""

import numpy as np

import stickslip as ss


def false_contacts(sim: ss.Simulator, edge: float) -> int:
    """How many contacts pushed in the last step although their two bodies are apart.

    The bodies are upright cubes, the blocks of edge 1, the peg of the given one: two of them are
    apart where their centres are farther from each other along one axis than half their edges.
    """
    count = 0
    for contact in sim.contacts:
        if contact["normal_impulse"] > 0:
            between = sim[contact["b"]].position - sim[contact["a"]].position
            count += bool(np.abs(between).max() > (1 + edge) / 2 + 1e-9)
    return count


# What must hold

def peg_in_hole(formulation: str, edge: float) -> tuple[float, int]:
    """Height of a peg after 1 s over a hole of width 1, and how many contacts were false."""
    sim = ss.Simulator(formulation=formulation)
    for x, y in [(-1, 0), (1, 0), (0, 1), (0, -1)]:
        sim.add(ss.Body.box(1, 1, 1, position=(x, y, 0), static=True))
    peg = sim.add(ss.Body.box(edge, edge, edge, position=(0, 0, 1.5)))
    false = 0
    for _ in range(100):
        sim.step()
        false += false_contacts(sim, edge)
    return float(peg.position[2]), false


def check() -> None:
    """Exact geometry lets a peg in that fits; the standard model does not."""
    fall = 1.5 - 9.81 * 0.01**2 * 100 * 101 / 2
    for edge in (0.9, 0.99, 0.99999):
        for formulation in ("peg", "separation"):
            z, false = peg_in_hole(formulation, edge)
            assert abs(z - fall) < 1e-9 and false == 0, (formulation, edge, z, false)
    z, false = peg_in_hole("stewart-trinkle", 0.99999)
    assert z > 0.9 and false > 0, (z, false)
    print(f"the standard model holds the peg at z = {z:.3f} m, by {false} false contacts")
    for formulation in ("peg", "separation", "stewart-trinkle"):
        z, _ = peg_in_hole(formulation, 1.00001)
        assert abs(z - 1.0) < 1e-4, "a peg that is too wide rests on the rim"


if __name__ == "__main__":
    check()
