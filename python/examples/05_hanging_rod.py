"""A rod hangs from a ball joint and swings; its height, speed and energy over time."""

import math

import matplotlib.pyplot as plt

import stickslip as ss

angle = math.pi / 5
sim = ss.Simulator(stabilization="post-step")
post = sim.add(ss.Body.cylinder(0.2, 1, sides=7, static=True, visible=False, name="post"))
rod = sim.add(
    ss.Body.cylinder(
        0.1, 0.5, sides=7, name="rod", orientation={"axis": (0, 1, 0), "angle": angle},
        position=(-0.25 * math.sin(angle), 0, 0.25 - 0.25 * math.cos(angle)),
    )
)  # fmt: skip
sim.add(ss.Joint.spherical(post, rod, anchor=(0, 0, 0.25)))
log = sim.run(5.0)
_, axes = plt.subplots(3)
log.plot(rod, "position.z", ax=axes[0])
log.plot(rod, "velocity.z", ax=axes[1])
log.plot(what="energy", ax=axes[2])
print(f"z between {log[rod].position[:, 2].min():.4f} and {log[rod].position[:, 2].max():.4f} m")
