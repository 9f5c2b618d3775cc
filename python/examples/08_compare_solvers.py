"""Every solver on the same problem, judged by the same measure."""

import stickslip as ss

sim = ss.Simulator(formulation="stewart-trinkle")
sim.add(ss.Body.plane())
for k in range(5):
    sim.add(ss.Body.box(1, 1, 1, position=(0.1 * k, 0, 0.5 + k)))
sim.step(3)
problem = sim.problem()
assert problem is not None
print(f"{len(problem)} unknowns, {len(sim.contacts)} contacts")
for name in ss.lcp.solvers(problem.kind):
    if name != "enumerate":
        r = problem.solve(name, tolerance=1e-6)
        print(f"{name:16}{r.status:16}{r.iterations:6} iterations  error {r.error:8.1e}  "
              f"{1e3 * r.seconds:8.2f} ms")
