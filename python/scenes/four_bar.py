"""A crank, a coupler and a rocker swing in a closed loop."""

import cmath
import math

import stickslip as ss


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(stabilization="shake", integrator="gauss")
    angle = math.radians(70)
    a, d = 0j, 1 + 0j
    b = 0.4 * cmath.exp(1j * angle)
    # The coupler's end is where its circle and that of the rocker meet.
    span = abs(d - b)
    bend = math.acos((1.0 + span**2 - 0.7**2) / (2 * span))
    c = b + (d - b) / span * cmath.exp(1j * bend)
    for name, p, q, y, mass in [
        ("crank", a, b, 0, 0.4), ("coupler", b, c, 0.06, 1.0), ("rocker", d, c, 0, 0.7),
    ]:  # fmt: skip
        middle, turn = (p + q) / 2, {"axis": (0, 1, 0), "angle": -cmath.phase(q - p)}
        bar = ss.Body.box(round(abs(q - p), 6), 0.05, 0.06, name=name, mass=mass, orientation=turn)
        sim.add(bar.with_(position=(middle.real, y, middle.imag)))
    for name, first, second, at in [
        ("crank", "world", "crank", a), ("crank-coupler", "crank", "coupler", b),
        ("coupler-rocker", "coupler", "rocker", c), ("rocker", "world", "rocker", d),
    ]:  # fmt: skip
        anchor = (at.real, 0, at.imag)
        sim.add(ss.Joint.revolute(first, second, name=name, anchor=anchor, axis=(0, -1, 0)))
    return sim


if __name__ == "__main__":
    print(build().run(20.0))
