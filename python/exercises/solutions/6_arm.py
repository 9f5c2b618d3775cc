"""Exercise 6: PD control of an arm."""

import math

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

KP, KD = 50.0, 5.0


class Controller:
    """Torques kp (sin t - q) - kd q' on every joint, as in the user guide's script 7."""

    def __init__(self, compensate: bool) -> None:
        #: Whether the torques that gravity and the other joints ask for are added.
        self.compensate = compensate

    def __call__(self, sim: ss.Simulator) -> None:
        q = np.array([joint.position[0] for joint in sim.joints])
        v = np.array([joint.velocity[0] for joint in sim.joints])
        torque = KP * (math.sin(sim.time) - q) - KD * v
        if self.compensate:
            # What it takes to keep on moving without acceleration.
            torque = torque + ss.inverse_dynamics(sim, sim.joints, np.zeros(len(q)))
        for joint, value in zip(sim.joints, torque):
            joint.apply(float(value))


# What must hold

def arm(links: int, gravity: float) -> ss.Simulator:
    """Links of 0.4 m and 2 kg that turn about y, one after another."""
    sim = ss.Simulator(step=0.001, gravity=(0, 0, -gravity), stabilization="shake")
    last: ss.BodyHandle | str = "world"
    for k in range(links):
        link = sim.add(ss.Body.box(0.4, 0.08, 0.08, position=(0.2 + 0.4 * k, 0, 1), mass=2.0))
        sim.add(ss.Joint.revolute(last, link, anchor=(0.4 * k, 0, 1), axis=(0, 1, 0)))
        last = link
    return sim


def angles(sim: ss.Simulator, controller: Controller, time: float) -> NDArray[np.float64]:
    """Angles of the joints after every step."""
    rows: list[list[float]] = []
    sim.before_step = controller
    sim.after_step = lambda sim: rows.append([float(j.position[0]) for j in sim.joints])
    sim.run(time, judge=False, progress=False)
    return np.array(rows)


def check() -> None:
    """One link has a transfer function; three links need what one does not."""
    q = angles(arm(1, 0.0), Controller(False), 8.0)[:, 0]
    t = 0.001 * np.arange(1, len(q) + 1)
    inertia = 2.0 * (0.4**2 + 0.08**2) / 12 + 2.0 * 0.2**2
    # I q'' = kp (sin t - q) - kd q': after a while q = |H| sin(t + arg H).
    H = KP / (KP - inertia + 1j * KD)
    late = t > 4
    wanted = abs(H) * np.sin(t + np.angle(H))
    assert np.abs(q - wanted)[late].max() < 1e-3, np.abs(q - wanted)[late].max()

    sag = {}
    for compensate in (False, True):
        q = angles(arm(3, 9.81), Controller(compensate), 3.0)
        t = 0.001 * np.arange(1, len(q) + 1)
        sag[compensate] = np.abs(q - np.sin(t)[:, None])[t > 1].max()
    # Damping and inertia (4.81 kg m2 at the base of the stretched arm, all joints together) remain.
    assert sag[True] < (KD + 4.81) / KP < 0.5 < sag[False], sag
    print(f"three links under gravity are off by {sag[False]:.2f}, compensated {sag[True]:.2f} rad")


if __name__ == "__main__":
    check()
