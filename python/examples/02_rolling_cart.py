"""A chassis on four wheels rolls down a slope."""

import math

import stickslip as ss

sim = ss.Simulator(step=0.01, formulation="stewart-trinkle")
sim.add(ss.Body.plane((0, 0.1, 1), name="ground", friction=1.0, color="#b28080"))
chassis = sim.add(ss.Body.box(1, 3, 0.25, position=(0, 0, 1), color="#4d9980"))
across = {"axis": (0, 1, 0), "angle": math.pi / 2}
for x in (0.5, -0.5):
    for y in (1.3, -1.3):
        shape = ss.Body.cylinder(0.25, 0.2, sides=20, orientation=across)
        wheel = sim.add(shape.with_(position=(x, y, 0.75)))
        sim.add(ss.Joint.revolute(chassis, wheel, anchor=wheel.position, axis=(1, 0, 0)))
sim.run(2.0)
print(f"the cart rolled {chassis.position[1]:.3f} m; joints are off by "
      f"{max(joint.error for joint in sim.joints):.1e} m")
