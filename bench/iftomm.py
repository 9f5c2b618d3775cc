#!/usr/bin/env python3
"""Five problems of the IFToMM library of computational benchmarks, and the time they take.

    python bench/iftomm.py [A01 A02 A03 A04 A05]

A01, a point mass on a massless rod that falls from the horizontal, 10 s: place at the end against a
fine integration of the pendulum equation. A02, two four-bar linkages in a row (five rods of 1 m and 1 kg, 1
freedom, the first corner starts at 1 m/s; it passes singular positions), 10 s: energy. A03, Andrews' squeezing
mechanism, 0.03 s: the seven angles against the Test Set for IVP Solvers. A04, Bricard's mechanism (five
rods of 1 m and 1 kg, six hinges; redundant), 10 s: energy. A05, a flyball governor whose couplers are stiff springs
(8e5 N/m, 4e4 N s/m), 10 s: height of the slider against Radau's method on its two equations (needs scipy). Times are
process time. The library asks for an error below 1e-3 of the reference (its high precision).
"""

from __future__ import annotations

import math
import sys
import time
import warnings

import numpy as np

import stickslip as ss


def timed(sim: ss.Simulator, duration: float) -> float:
    """Runs and returns the process time."""
    begin = time.process_time()
    sim.step(round(duration / sim.time_step))
    return time.process_time() - begin


def a01(h: float, integrator: str) -> tuple[str, float]:
    sim = ss.Simulator(dimension=2, step=h, integrator=integrator, gravity=(0, -9.81))
    bob = sim.add(ss.Body.disc(0.01, position=(-1, 0), mass=1, inertia=1e-12))
    sim.add(ss.Joint.revolute("world", bob))
    spent = timed(sim, 10.0)
    # RK4 on the pendulum equation, angle from straight down
    q, w, n = -math.pi / 2, 0.0, 100_000
    dt = 10.0 / n
    for _ in range(n):
        k1, l1 = w, -9.81 * math.sin(q)
        k2, l2 = w + dt / 2 * l1, -9.81 * math.sin(q + dt / 2 * k1)
        k3, l3 = w + dt / 2 * l2, -9.81 * math.sin(q + dt / 2 * k2)
        k4, l4 = w + dt * l3, -9.81 * math.sin(q + dt * k3)
        q, w = q + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4), w + dt / 6 * (l1 + 2 * l2 + 2 * l3 + l4)
    exact = np.array([math.sin(q), -math.cos(q)])
    return f"place {np.linalg.norm(bob.position[:2] - exact):.0e} m", spent


def a02(h: float, integrator: str, loops: int = 2) -> tuple[str, float]:
    sim = ss.Simulator(dimension=2, step=h, integrator=integrator, gravity=(0, -9.81))
    rod = lambda x, y, angle, v: ss.Body.rectangle(
        1, 0.02, position=(x, y), orientation=angle, mass=1, inertia=1 / 12, collides=False,
        velocity=(v, 0),
    )  # fmt: skip
    posts = [sim.add(rod(k, 0.5, math.pi / 2, 0.5)) for k in range(loops + 1)]
    for post in posts:
        post.angular_velocity = -1.0
    beams = [sim.add(rod(k + 0.5, 1, 0, 1)) for k in range(loops)]
    for k, post in enumerate(posts):
        sim.add(ss.Joint.revolute("world", post, anchor=(k, 0)))
    for k, beam in enumerate(beams):
        sim.add(ss.Joint.revolute(posts[k], beam, anchor=(k, 1)))
        sim.add(ss.Joint.revolute(beam, posts[k + 1], anchor=(k + 1, 1)))
    start = sim.energy
    spent = timed(sim, 10.0)
    return f"energy {abs(sim.energy - start):.0e} J, joints {max(j.error for j in sim.joints):.0e} m", spent


ANDREWS_START = (-0.06171389001427645, 0, 0.4552798191630704, 0.22266839016588588,
                 0.48736497954384255, -0.22266839016588588, 1.2305474445498212)  # fmt: skip
ANDREWS_END = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948,
               0.5244099658805304, 0.5347301163226948, 1.048080741042263)  # fmt: skip


def a03(h: float, integrator: str) -> tuple[str, float]:
    beta, theta, gamma, phi, delta, omega, epsilon = ANDREWS_START
    along = lambda t: np.array([math.cos(t), math.sin(t)])
    across = lambda t: np.array([math.sin(t), -math.cos(t)])
    a, b = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273])
    crank = 7e-3 * along(beta)
    meet = crank - 28e-3 * along(beta + theta)
    left, right = a + 40e-3 * along(delta), a + 40e-3 * across(epsilon)
    bodies = [
        (0.04325, 2.194e-6, beta, 92e-5 * along(beta)),
        (0.00365, 4.410e-7, beta + theta, crank - 115e-4 * along(beta + theta)),
        (0.02373, 5.255e-6, gamma, b + 1874e-5 * across(gamma) + 1043e-5 * along(gamma)),
        (0.00706, 5.667e-7, phi + delta, left + 579e-5 * across(phi + delta)),
        (0.07050, 1.169e-5, delta, a + 2308e-5 * along(delta) + 916e-5 * across(delta)),
        (0.00706, 5.667e-7, omega + epsilon, right + 579e-5 * along(omega + epsilon)),
        (0.05498, 1.912e-5, epsilon, a + 1228e-5 * across(epsilon) - 449e-5 * along(epsilon)),
    ]
    sim = ss.Simulator(dimension=2, step=h, integrator=integrator, gravity=(0, 0))
    k = [
        sim.add(ss.Body.disc(1e-3, position=at, orientation=angle, mass=mass, inertia=inertia,
                             collides=False, torque=0.033 if n == 0 else 0.0))
        for n, (mass, inertia, angle, at) in enumerate(bodies)
    ]  # fmt: skip
    pins = [("world", k[0], (0, 0)), (k[0], k[1], crank), ("world", k[2], b), (k[1], k[2], meet),
            ("world", k[4], a), (k[4], k[3], left), (k[3], k[1], meet), ("world", k[6], a),
            (k[6], k[5], right), (k[5], k[1], meet)]  # fmt: skip
    for x, y, at in pins:
        sim.add(ss.Joint.revolute(x, y, anchor=at))
    hook = b + 2e-2 * along(gamma) + 18e-3 * across(gamma)
    spring = {"stiffness": 4530.0, "rest_length": 7785e-5, "anchor": (0.014, 0.072)}
    sim.add(ss.Force.spring("world", k[2], anchor_b=hook, **spring))
    spent = timed(sim, 0.03)
    q = [float(body.orientation) for body in k]
    found = np.array([q[0], q[1] - q[0], q[2], q[3] - q[4], q[4], q[5] - q[6], q[6]])
    return f"angles {np.abs(found - ANDREWS_END).max():.0e} rad", spent


def a04(h: float, integrator: str) -> tuple[str, float]:
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    sim = ss.Simulator(step=h, integrator=integrator, gravity=(0, -9.81, 0))
    rods: list[object] = []
    for p, q in zip(corners[:-1], corners[1:]):
        size = np.where(p == q, 0.02, 1.0)
        # a thin rod; a thousandth of its inertia about its own axis
        inertia = np.diag([1 / 12 if p[i] == q[i] else 1 / 12000 for i in range(3)])
        body = ss.Body.box(*size, position=(p + q) / 2, mass=1, inertia=inertia, collides=False)
        rods.append(sim.add(body))
    ends = ["world", *rods, "world"]
    for k, (at, axis) in enumerate(zip(corners, axes)):
        sim.add(ss.Joint.revolute(ends[k], ends[k + 1], anchor=at, axis=axis))
    start = sim.energy
    spent = timed(sim, 10.0)
    return f"energy {abs(sim.energy - start):.0e} J, joints {max(j.error for j in sim.joints):.0e} m", spent


#: Of the governor: mass of a rod, of a ball, of the slider [kg]; inertias of a rod across and along itself [kg m²].
ROD, BALL, SLIDER = 0.3, 5.0, 3.0
ACROSS, ALONG = ROD * (1 + 1e-4) / 12, ROD * 2e-4 / 12


def flyball(h: float, integrator: str) -> tuple[ss.Simulator, ss.BodyHandle]:
    """Shaft along z, slider on it, two rods hinged at its top that carry balls; springs from their middles to the slider."""
    sim = ss.Simulator(step=h, integrator=integrator, gravity=(0, 0, -9.81))
    turn = 2 * math.pi
    body = lambda at, mass, inertia: ss.Body.box(0.1, 0.1, 0.1, position=at, mass=mass, inertia=inertia, collides=False)
    shaft = sim.add(body((0, 0, 0.5), ROD, np.diag([ACROSS, ACROSS, ALONG])))
    slider = sim.add(body((0, 0, 0.5), SLIDER, np.eye(3) * SLIDER * 0.02 / 12))
    sim.add(ss.Joint.revolute("world", shaft, anchor=(0, 0, 0), axis=(0, 0, 1)))
    sim.add(ss.Joint.prismatic(shaft, slider, axis=(0, 0, 1), anchor=(0, 0, 0.5)))
    # A rod with the ball at its end, about the centre of both.
    along = (0.5 * ROD + BALL) / (ROD + BALL)
    across = ACROSS + ROD * (along - 0.5) ** 2 + BALL * (1 - along) ** 2
    spring = {"stiffness": 8e5, "damping": 4e4, "rest_length": 0.5}
    for side in (1.0, -1.0):
        way = np.array([side * math.cos(math.pi / 6), 0, -0.5])
        pin = np.array([side * 0.05, 0, 1])
        inertia = across * np.eye(3) + (ALONG - across) * np.outer(way, way)
        rod = sim.add(body(pin + along * way, ROD + BALL, inertia))
        sim.add(ss.Joint.revolute(shaft, rod, anchor=pin, axis=(0, 1, 0)))
        ends = {"anchor": (side * 0.05, 0, 0.5), "anchor_b": pin + 0.5 * way}
        sim.add(ss.Force.spring(slider, rod, **ends, **spring))
    for moving in sim.bodies:
        moving.angular_velocity = (0, 0, turn)
        moving.velocity = np.cross((0, 0, turn), moving.position)
    return sim, slider


def a05(h: float, integrator: str) -> tuple[str, float]:
    sim, slider = flyball(h, integrator)
    times = np.linspace(0, 10, 101)
    exact, spent, worst = governor(times), 0.0, 0.0
    for k in range(1, len(times)):
        spent += timed(sim, 0.1)
        worst = max(worst, abs(slider.position[2] - exact[k]) / abs(exact[k]))
    return f"slider {worst:.0e} of its height, joints {max(j.error for j in sim.joints):.0e} m", spent


def governor(times: np.ndarray) -> np.ndarray:
    """Heights of the slider. The angular momentum about the shaft stays, which leaves two equations."""
    from scipy.integrate import solve_ivp

    upright = ALONG + SLIDER * 0.02 / 12

    def about(b: float) -> tuple[float, float]:
        """Inertia about the shaft with the rods at the angle b below the horizontal, and its slope."""
        c, s = math.cos(b), math.sin(b)
        one = ALONG * s * s + ACROSS * c * c + ROD * (0.05 + 0.5 * c) ** 2 + BALL * (0.05 + c) ** 2
        slope = 2 * s * c * (ALONG - ACROSS) - ROD * s * (0.05 + 0.5 * c) - 2 * BALL * s * (0.05 + c)
        return upright + 2 * one, 2 * slope

    momentum = 2 * math.pi * about(math.pi / 6)[0]
    swing = 2 * (ACROSS + 0.25 * ROD + BALL)

    def rates(_: float, y: np.ndarray) -> list[float]:
        b, z, db, dz = y
        c, s = math.cos(b), math.sin(b)
        inertia, slope = about(b)
        x, up = 0.5 * c, 1 - 0.5 * s - z
        length = math.hypot(x, up)
        by_b, by_z = (x * -0.5 * s + up * -0.5 * c) / length, -up / length
        pull = 8e5 * (length - 0.5) + 4e4 * (by_b * db + by_z * dz)
        turning = 0.5 * (momentum / inertia) ** 2 * slope + 2 * 9.81 * (0.5 * ROD + BALL) * c - 2 * pull * by_b
        return [db, dz, turning / swing, -9.81 - 2 * pull * by_z / SLIDER]

    start = [math.pi / 6, 0.5, 0.0, 0.0]
    return solve_ivp(rates, (0, 10), start, "Radau", t_eval=times, rtol=1e-12, atol=1e-12).y[1]


CASES = {
    "A01": (a01, {"auto": (0.1, 0.05, 0.01)}),
    "A02": (a02, {"auto": (0.01,), "gauss": (0.05, 0.02, 0.01)}),
    "A03": (a03, {"auto": (2e-4, 5e-5), "gauss": (3e-4, 1e-4)}),
    "A04": (a04, {"auto": (0.005,), "gauss": (0.1, 0.05, 0.01)}),
    "A05": (a05, {"auto": (0.02, 0.01, 0.005, 1e-3)}),
}


def main() -> None:
    warnings.simplefilter("ignore")
    print("| problem | integrator | h [s] | off | process time [s] |\n|---|---|---|---|---|")
    for name, (solve, ways) in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        for integrator, h in ((name, h) for name, steps in ways.items() for h in steps):
            off, spent = solve(h, integrator)
            print(f"| {name} | `{integrator}` | {h} | {off} | {spent:.2f} |", flush=True)


if __name__ == "__main__":
    main()
