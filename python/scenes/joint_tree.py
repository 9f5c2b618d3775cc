"""127 bars in seven generations hang from one hinge."""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

Floats: TypeAlias = NDArray[np.float64]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(stabilization="shake", integrator="gauss")


    def grow(
        generation: int, start: Floats, along: Floats, side: Floats, parent: str, name: str
    ) -> None:
        """Adds a bar and what it carries."""
        length, width = 0.6 * 0.84**generation, 0.06 * 0.85**generation
        x, y, z = along
        turn = np.array([1 + z, -y, x, 0]) / np.linalg.norm([1 + z, -y, x, 0])
        bar = ss.Body.box(width, width, length, name=name, mass=length, collides=False)
        sim.add(bar.with_(position=start + 0.5 * length * along, orientation=turn))
        if generation == 0:
            sim.add(ss.Joint.spherical(parent, name, name="root", anchor=start))
        else:
            joint = f"hinge-{name[4:]}"
            sim.add(ss.Joint.revolute(parent, name, name=joint, anchor=start, axis=side))
        if generation == 6:
            return
        across, angle = np.cross(along, side), 0.65 * 0.95**generation
        for k, sign in enumerate((1, -1)):
            onward = math.cos(angle) * along + sign * math.sin(angle) * across
            onward = onward / np.linalg.norm(onward)
            end, turned = start + length * along, np.cross(side, onward)
            grow(generation + 1, end, onward, turned, name, f"{name}{k + 1}")


    tilt = np.array([math.sin(0.5), 0, -math.cos(0.5)])
    grow(0, np.zeros(3), tilt, np.array([0.0, 1.0, 0.0]), "world", "bar-1")
    return sim


if __name__ == "__main__":
    print(build().run(3.0))
