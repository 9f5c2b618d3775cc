"""Exercise 1: position, velocity and acceleration of a block that slides to rest."""

import numpy as np
from numpy.typing import NDArray

import stickslip as ss

MU, G, SPEED = 0.3, 9.81, 2.0


def slide(step: float) -> NDArray[np.float64]:
    """Rows (t, x, v, a) of a block that starts with SPEED along x on a floor."""
    sim = ss.Simulator(step=step)
    sim.add(ss.Body.plane(friction=MU))
    block = sim.add(ss.Body.box(1, 1, 0.4, position=(0, 0, 0.2), friction=MU))
    block.velocity = (SPEED, 0, 0)
    rows: list[tuple[float, float, float, float]] = []
    before = SPEED

    def sample(sim: ss.Simulator) -> None:
        nonlocal before
        v = float(block.velocity[0])
        rows.append((sim.time, float(block.position[0]), v, (v - before) / step))
        before = v

    sim.after_step = sample
    sim.run(1.0)
    return np.array(rows)


# What must hold

def check() -> None:
    """Coulomb: the block slows down with mu g, then stays where it is."""
    stop, way = SPEED / (MU * G), SPEED**2 / (2 * MU * G)
    errors = []
    for step in (0.01, 0.005):
        t, x, v, a = slide(step).T
        sliding = t < stop - step
        np.testing.assert_allclose(a[sliding], -MU * G, atol=1e-9)
        np.testing.assert_allclose(v[t > stop + step], 0.0, atol=1e-9)
        errors.append(abs(x[-1] - way))
    # The scheme is of first order: half the step, half the error.
    assert errors[0] < SPEED * 0.01 and 1.8 < errors[0] / errors[1] < 2.2, errors
    print(f"stops after {way:.3f} m; off by {errors[0]:.4f} and {errors[1]:.4f} m")


if __name__ == "__main__":
    check()
    import matplotlib.pyplot as plt

    t, *curves = slide(0.01).T
    for curve, label in zip(curves, ("x [m]", "v [m/s]", "a [m/s2]")):
        plt.plot(t, curve, label=label)
    plt.xlabel("t [s]")
    plt.legend()
    plt.show()
