"""A key turns in a warded lock: the notch of its bit passes the ward, and its tip throws the bolt."""

import math

import stickslip as ss

# Half thickness of ward and notch, reach of the bit, half thickness of the bit [m].
WARD, NOTCH, REACH, HALF, LONG = 1e-3, 1.1e-3, 0.012, 1e-3, 5e-3


def key() -> list[ss.Body]:
    """A shaft along y and a bit of three boxes with a notch between two of them."""
    shaft = ss.Body.box(4e-3, 0.03, 4e-3, position=(0, 0, 0))
    root = ss.Body.box(2 * HALF, 2 * LONG, 3e-3, position=(0, 0, 3.5e-3))
    wide = LONG - NOTCH
    teeth = [
        ss.Body.box(2 * HALF, wide, REACH - 5e-3, position=(0, s * (NOTCH + 0.5 * wide), 0.5 * (REACH + 5e-3)))
        for s in (-1, 1)
    ]
    return [shaft, root, *teeth]


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim = ss.Simulator(step=0.002)
    turned = ss.Body.compound(key(), name="key", density=7800, friction=0.1)
    # Hanging down at first.
    x, y, z = turned.center
    sim.add(turned.with_(position=(x, y, -z), orientation=(0, 1, 0, 0)))
    motor = {"target_velocity": 2 * math.pi, "max_force": 0.5}
    sim.add(ss.Joint.revolute("world", "key", name="cylinder", anchor=(0, 0, 0), axis=(0, 1, 0), motor=motor))
    sim.add(ss.Body.box(4e-3, 2 * WARD, 6e-3, name="ward", position=(-8e-3, 0, 0), static=True, friction=0.1))
    # The bolt runs along x above the shaft; its talon hangs into the way of the bit.
    talon = ss.Body.box(2e-3, 0.014, 3e-3, position=(0, 0, -3.5e-3))
    bar = ss.Body.box(0.05, 0.014, 4e-3, position=(0, 0, 0))
    bolt = ss.Body.compound([bar, talon], name="bolt", density=7800, friction=0.1)
    x, y, z = bolt.center
    sim.add(bolt.with_(position=(x, y, z + 0.015)))
    guide = ss.Joint.prismatic("world", "bolt", name="guide", anchor=(0, 0, 0.015), axis=(1, 0, 0), friction=0.5)
    sim.add(guide)
    return sim


if __name__ == "__main__":
    print(build().run(1.0))
