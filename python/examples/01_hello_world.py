"""A cube in free fall."""

import stickslip as ss

sim = ss.Simulator()
cube = sim.add(ss.Body.box(1, 1, 1))
sim.run(1.0)
print(f"after {sim.time:.2f} s the cube is at z = {cube.position[2]:.4f} m")
