"""How far a joint drifts, without and with stabilization."""

import matplotlib.pyplot as plt

import stickslip as ss

figure, axes = plt.subplots()
for method in ("none", "baumgarte", "post-step"):
    sim = ss.Simulator(stabilization=method)
    rod = sim.add(ss.Body.capsule(0.05, 0.5, position=(0.25, 0, 0)))
    joint = sim.add(ss.Joint.spherical("world", rod, anchor=(0, 0, 0)))
    errors: list[float] = []
    sim.after_step = lambda sim: errors.append(joint.error)
    sim.run(5.0)
    axes.semilogy([max(e, 1e-17) for e in errors], label=method)
    print(f"{method:10} largest joint error {max(errors):.1e} m")
axes.legend()
