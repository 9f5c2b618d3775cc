"""An arm searches for a hole it cannot see: impedance control, and a spiral.

The arm holds a peg of 9.9 mm by friction between its fingers. The hole, 10 mm wide and without chamfers, is 0.9 mm
away from where the arm believes it to be. Springs and dampers in the directions of space, J^T (K (x_d - x) - D v), press
the peg down with a few newtons while it follows a spiral; where it drops, it is let in.
"""

import math
import pathlib
import runpy

import numpy as np

import stickslip as ss

ARM = runpy.run_path(str(pathlib.Path(__file__).parents[1] / "scenes" / "arm.py"))
# Hole: half width, depth, height of its rim, and how far it is from where the arm looks for it [m].
HALF, DEPTH, RIM, OFF = 5e-3, 0.02, 0.46, (0.7e-3, -0.5e-3)
PEG, LENGTH, HEAD = 9.9e-3, 0.08, 0.04
STIFF = np.array([4000.0, 4000.0, 2000.0, 100.0, 100.0, 50.0])
STEP = 0.002
DAMP = np.array([100.0, 100.0, 150.0, 4.0, 4.0, 1.0])


def scene() -> ss.Simulator:
    """The arm without its motors, the peg between its fingers, a hole of four walls."""
    sim = ss.Simulator(step=STEP)
    for k, (c, s) in enumerate([(1, 0), (0, 1), (-1, 0), (0, -1)]):
        x0, x1, y = HALF, 0.03, 0.03 if k % 2 == 0 else HALF
        middle = 0.5 * (x0 + x1)
        at = (0.4 + OFF[0] + c * middle, OFF[1] + s * middle, RIM - 0.5 * DEPTH)
        size = (x1 - x0, 2 * y) if k % 2 == 0 else (2 * y, x1 - x0)
        sim.add(ss.Body.box(*size, DEPTH, name=f"wall-{k + 1}", static=True, friction=0.02, position=at))
    sim.add(ARM["part"]("base", "base", (0, 0, 0)).with_(static=True))
    for name, joint, mass in ARM["LINKS"]:
        sim.add(ARM["part"](name, name, joint).with_(mass=mass))
    tip = RIM + 1e-3
    peg = ss.Body.compound(
        [
            ss.Body.box(PEG, PEG, LENGTH, position=(0, 0, 0.5 * LENGTH)),
            ss.Body.box(HEAD, HEAD, HEAD, position=(0, 0, LENGTH + 0.5 * HEAD)),
        ],
        name="peg",
        mass=0.2,
        friction=0.6,
    )
    sim.add(peg.with_(position=(0.4, 0, tip + float(peg.center[2]))))
    for side, y in (("left", 0.08), ("right", -0.08)):
        sim.add(ARM["part"]("finger", f"finger-{side}", (0.4, y, 0.62)).with_(mass=0.1, friction=0.6))
    parent = "base"
    for k, (name, axis, limits, *_) in enumerate(ARM["JOINTS"]):
        link, anchor, _ = ARM["LINKS"][k]
        sim.add(ss.Joint.revolute(parent, link, name=name, anchor=anchor, axis=axis, limits=limits))
        parent = link
    for side, y in (("left", 0.08), ("right", -0.08)):
        motor = {"target_velocity": 0.1, "max_force": 40.0}
        sim.add(ss.Joint.prismatic(
            "hand", f"finger-{side}", name=side, anchor=(0.4, y, 0.62), axis=(0, -y, 0), limits=(0, 0.07), motor=motor,
        ))  # fmt: skip
    sim.add(ss.Joint.gear("left", "right", -1, name="fingers"))
    for body in sim.bodies:
        if not body.static:
            sim.add(ss.Force.gravity_compensation(body))
    return sim


class Search:
    """Impedance control of the hand around a goal that goes down, then along a spiral, then into the hole."""

    def __init__(self, sim: ss.Simulator) -> None:
        self.chain, hand = ss.Chain(sim, "hand"), sim["hand"]
        self.turn = np.array(hand.orientation)
        # The springs act at the tip of the peg, as seen from the hand.
        self.start = np.array([0.4, 0.0, RIM + 1e-3])
        self.arm = self.start - hand.position
        self.down, self.angle = 0.0, 0.0
        #: Height at which the peg lay on the block, and the time at which it dropped into the hole.
        self.rest, self.found = math.inf, math.nan

    def goal(self, sim: ss.Simulator) -> np.ndarray:
        """Where the tip should be: 20 mm/s down, with a spiral while 3 to 4 mm of the spring press the peg down."""
        height = float(sim["peg"].position[2])
        if sim.time < 0.6:  # the fingers close
            return self.start
        self.down += 0.02 * STEP
        if math.isnan(self.found):
            self.down = min(self.down, 4e-3)
            if self.down >= 4e-3:
                self.rest = min(self.rest, height) if self.angle == 0.0 else self.rest
                self.angle += 2 * math.pi * STEP
                if height < self.rest - 1e-3:
                    self.found = sim.time
        radius = 0.25e-3 * self.angle / (2 * math.pi)
        spiral = (radius * math.cos(self.angle), radius * math.sin(self.angle), -self.down)
        return np.asarray(self.start + np.array(spiral))

    def __call__(self, sim: ss.Simulator) -> None:
        """The torques of the joints before a step."""
        hand = sim["hand"]
        back = rotation(self.turn, np.array(hand.orientation))
        tip = hand.position + self.arm - np.cross(back, self.arm)
        jacobian = self.chain.jacobian(tip)
        off = np.concatenate([self.goal(sim) - tip, back])
        force = STIFF * off - DAMP * (jacobian @ self.chain.velocity)
        for joint, torque in zip(self.chain.joints, jacobian.T @ force, strict=True):
            joint.apply(float(torque))


def rotation(wanted: np.ndarray, found: np.ndarray) -> np.ndarray:
    """The small turn from one orientation (w, x, y, z) to another, as a vector."""
    w, v = found[0], -found[1:]
    scalar = wanted[0] * w - wanted[1:] @ v
    vector = wanted[0] * v + w * wanted[1:] + np.cross(wanted[1:], v)
    return np.asarray(2.0 * math.copysign(1.0, scalar) * vector)


def turned_back(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """A vector in the axes of a body with the orientation (w, x, y, z)."""
    return np.asarray(v - 2.0 * np.cross(q[1:], q[0] * v - np.cross(q[1:], v)))


def main() -> None:
    """Search until the peg is 12 mm deep; what slipped in the hand on the way, and what overlapped."""
    sim = scene()
    search = Search(sim)
    sim.before_step = search
    above = float(sim["peg"].position[2]) - 1e-3
    grip, slip, deepest = None, 0.0, 0.0
    while sim.time < 10.0 and sim["peg"].position[2] > above - 0.012:
        sim.step(10)
        held = turned_back(np.array(sim["hand"].orientation), sim["peg"].position - sim["hand"].position)
        if sim.time > 0.6 and grip is None:
            grip = held
        if grip is not None:
            slip = max(slip, float(np.linalg.norm(held - grip)))
        deepest = max(deepest, sim.overlap()[0])
    print(f"found at {search.found:.2f} s, 12 mm deep at {sim.time:.2f} s")
    print(f"slip in the hand {1e6 * slip:.3f} um, largest overlap {1e9 * deepest:.3f} nm")


if __name__ == "__main__":
    main()
