"""An arm of three links follows a sine in every joint, under PD control."""

import math

import stickslip as ss

sim = ss.Simulator(gravity=(0, 0, 0))
links: list[ss.BodyHandle | str] = ["world"]
for k in range(3):
    link = sim.add(ss.Body.box(0.4, 0.08, 0.08, position=(0.2 + 0.4 * k, 0, 1), mass=2.0))
    motor = {"target_position": 0.0, "stiffness": 500.0, "damping": 50.0}
    sim.add(ss.Joint.revolute(links[-1], link, anchor=(0.4 * k, 0, 1), motor=motor))
    links.append(link)


def controller(sim: ss.Simulator) -> None:
    for joint in sim.joints:
        joint.motor = {**(joint.motor or {}), "target_position": math.sin(sim.time)}


sim.before_step = controller
sim.run(4.0)
print("wanted", f"{math.sin(sim.time):.3f}", "got", [f"{j.position[0]:.3f}" for j in sim.joints])
