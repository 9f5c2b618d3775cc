"""A user function that draws position, velocity and acceleration as the simulation goes."""

import matplotlib.pyplot as plt

import stickslip as ss

sim = ss.Simulator()
sim.add(ss.Body.plane())
ball = sim.add(ss.Body.sphere(0.2, position=(0, 0, 1.2), restitution=0.7))
names = ("position", "velocity", "acceleration")
lines = [plt.plot([], [], label=f"{name} z")[0] for name in names]
samples: list[tuple[float, float, float, float]] = []


def plot_pva(sim: ss.Simulator) -> None:
    v, before = ball.velocity[2], samples[-1][2] if samples else 0.0
    samples.append((sim.time, ball.position[2], v, (v - before) / sim.time_step))
    for k, line in enumerate(lines):
        line.set_data([s[0] for s in samples], [s[k + 1] for s in samples])


sim.after_step = plot_pva
sim.run(1.5)
print(f"highest bounce {max(s[1] for s in samples[60:]):.3f} m")
