"""Runs one scene with Siconos; see runner.py for what goes in and out.

Started with the Python that Siconos was packaged for, so nothing but it and numpy is imported.
"""

import json
import os
import sys
import time

import numpy as np

# The library prints; the numbers go where standard output was.
OUT = os.dup(1)
os.dup2(2, 1)

import siconos.kernel as kernel  # noqa: E402
import siconos.mechanics.collision as collision  # noqa: E402
import siconos.numerics as numerics  # noqa: E402
from siconos.mechanics.collision.bullet import SiconosBulletCollisionManager, SiconosBulletOptions  # noqa: E402


def matrix(quaternion):
    w, x, y, z = np.array(quaternion) / np.linalg.norm(quaternion)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


class World:
    def __init__(self, scene):
        if scene["joints"]:
            sys.exit("joints are not translated")
        self.accurate = scene["variant"] == "accurate"
        self.kept, self.moving = [], []
        h, steps = scene["step"], scene["steps"]
        self.system = kernel.NonSmoothDynamicalSystem(0.0, h * (steps + 10))
        options = SiconosBulletOptions()
        options.worldScale = 1.0
        if self.accurate:
            options.contactBreakingThreshold = 0.02
            options.perturbationIterations = 0
        manager = SiconosBulletCollisionManager(options)
        for body in scene["bodies"]:
            self.add(manager, body, scene["gravity"])
        method, grid = kernel.MoreauJeanOSI(0.5), kernel.TimeDiscretisation(0.0, h)
        problem = kernel.FrictionContact(3, numerics.SICONOS_FRICTION_3D_NSGS)
        solver = problem.numericsSolverOptions()
        solver.iparam[0] = 1000 if self.accurate else 100
        solver.dparam[0] = 1e-8 if self.accurate else 1e-4
        problem.setMaxSize(100000)
        problem.setMStorageType(1)
        problem.setNumericsVerboseMode(False)
        problem.setKeepLambdaAndYState(True)
        friction = max(b["friction"] for b in scene["bodies"])
        law = kernel.NewtonImpactFrictionNSL(0.0, 0.0, friction, 3)
        manager.insertNonSmoothLaw(law, 0, 0)
        self.simulation = kernel.TimeStepping(self.system, grid)
        self.simulation.insertInteractionManager(manager)
        self.simulation.insertIntegrator(method)
        self.simulation.insertNonSmoothProblem(problem)
        if self.accurate:
            self.simulation.setNewtonOptions(kernel.SICONOS_TS_NONLINEAR)
            self.simulation.setNewtonMaxIteration(20)
            self.simulation.setNewtonTolerance(1e-9)
        else:
            self.simulation.setNewtonOptions(kernel.SICONOS_TS_LINEAR)
        self.kept += [manager, method, grid, problem, law]

    def add(self, manager, body, gravity):
        if "half" in body:
            shape = collision.SiconosBox(*(2 * h for h in body["half"]))
        elif "triangles" in body:
            indices = np.array(body["triangles"]).ravel().astype(np.int32).tolist()
            shape = collision.SiconosMesh(indices, np.array(body["points"]).T)
        else:
            shape = collision.SiconosConvexHull(np.array(body["points"]))
        if "half" in body:
            # The default margin of 0.1 m does not fit into thin boxes.
            margin = 0.001 if self.accurate else min(0.1, 0.5 * min(body["half"]))
            shape.setInsideMargin(margin)
            shape.setOutsideMargin(0.0)
        contactor = collision.SiconosContactor(shape)
        group = collision.SiconosContactorSet()
        group.append(contactor)
        self.kept += [shape, contactor, group]
        place = [float(x) for x in body["position"] + body["quaternion"]]
        if body["mass"] == 0:
            add = getattr(manager, "addStaticBody", None) or manager.insertStaticContactorSet
            add(group, place)
            return
        spin = matrix(body["quaternion"]).T @ np.array(body["spin"])
        made = getattr(collision, "RigidBodyDS", None) or collision.BodyDS
        twist = [float(x) for x in [*body["velocity"], *spin]]
        made = made(place, twist, body["mass"], np.diag(body["inertia"]))
        made.setContactors(group) if hasattr(made, "setContactors") else made.contactors().append(contactor)
        weight = np.array(gravity) * body["mass"]
        made.setFExtPtr(weight)
        self.kept.append(weight)
        self.system.insertDynamicalSystem(made)
        self.moving.append(made)

    def state(self):
        rows = []
        for body in self.moving:
            q, v = np.array(body.q()), np.array(body.twist())
            rows.append(np.concatenate([q, v[:3], matrix(q[3:7]) @ v[3:]]))
        return np.concatenate(rows)


def main():
    scene = json.load(sys.stdin)
    world = World(scene)
    out, total = [np.concatenate([[0.0], world.state()])], 0.0
    for _ in range(scene["steps"]):
        begin = time.process_time()
        world.simulation.computeOneStep()
        world.simulation.nextStep()
        seconds = time.process_time() - begin
        out.append(np.concatenate([[seconds], world.state()]))
        total += seconds
        if total > scene["seconds"]:
            break
    os.write(OUT, b"")
    with os.fdopen(OUT, "wb") as file:
        file.write(np.array(out).astype("<f8").tobytes())


main()
