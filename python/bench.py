"""Steps per second from Python, what a user function costs, and MuJoCo beside it.

`python python/bench.py` prints a table; MuJoCo is left out where it is not installed. Every figure
is the best of many repeats, and the engines take turns, so that a busy machine slows all alike.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import stickslip as ss

N, REPEATS = 50, 150

MUJOCO = """
<mujoco><option timestep="0.01"/><worldbody>{floor}
<body pos="0 0 0.5"><freejoint/><geom type="box" size="0.5 0.5 0.5" friction="0.5"/></body>
</worldbody></mujoco>
"""


def best(jobs: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Microseconds per step of jobs of N steps each: the best of many, in turns."""
    times = dict.fromkeys(jobs, np.inf)
    for _ in range(REPEATS):
        for name, job in jobs.items():
            begin = time.perf_counter()
            job()
            times[name] = min(times[name], (time.perf_counter() - begin) / N * 1e6)
    return times


def scene(floor: bool, **settings: Any) -> ss.Simulator:
    """One box, in the air or at rest on a plane."""
    sim = ss.Simulator(threads=1, **settings)
    if floor:
        sim.add(ss.Body.plane())
    sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5)))
    return sim


def singly(step: Callable[[], object]) -> Callable[[], object]:
    """N calls from Python."""

    def job() -> None:
        for _ in range(N):
            step()

    return job


def mujoco_steps(floor: bool) -> dict[str, Callable[[], object]]:
    """`mj_step`, one call per step and many steps per call."""
    try:
        import mujoco
    except ImportError:
        return {}
    text = MUJOCO.format(floor='<geom type="plane" size="9 9 1" friction="0.5"/>' if floor else "")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    step = mujoco.mj_step
    return {
        "mj_step(m, d)": singly(lambda: step(model, data)),
        "mj_step(m, d, n)": lambda: step(model, data, N),
    }


def rows() -> None:
    """Steps per second, and the ratio to MuJoCo."""
    head = ("scene", "step(n)", "step()", "run", "mj_step(m, d, n)", "mj_step(m, d)", "ratio")
    print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
    for name, floor, settings in (
        ("free box", False, {}),
        ("box at rest, no friction", True, {"friction": "none"}),
        ("box at rest", True, {}),
        ("box at rest, `stewart-trinkle`", True, {"formulation": "stewart-trinkle"}),
        ("box at rest, `anitescu-potra`", True, {"formulation": "anitescu-potra"}),
    ):
        sim = scene(floor, **settings)
        logged = scene(floor, **settings)
        jobs: dict[str, Callable[[], object]] = {
            "step(n)": lambda: sim.step(N),
            "step()": singly(sim.step),
            "run": lambda: logged.run(N * 0.01, judge=False),
            **mujoco_steps(floor),
        }
        took = best(jobs)
        rates = [f"{1e6 / took[key]:,.0f}" if key in took else "-" for key in head[1:-1]]
        other = took.get("mj_step(m, d)")
        ratio = f"{other / took['step()']:.2f}" if other else "-"
        print(f"| {name} | " + " | ".join((*rates, ratio)) + " |")


def overheads() -> None:
    """What one call costs beyond the work itself, in the air where a step is shortest."""
    plain, called, reading = scene(False), scene(False), scene(False)
    called.after_step = lambda sim: None
    body, positions = reading.bodies[0], called.positions
    reading.after_step = lambda sim: body.position

    def nothing(sim: ss.Simulator) -> None:
        pass

    took = best({
        "step(n)": lambda: plain.step(N),
        "step()": singly(plain.step),
        "user function": lambda: called.step(N),
        "that reads a position": lambda: reading.step(N),
        "call": singly(lambda: nothing(plain)),
        "view": singly(lambda: positions[0, 2]),
    })  # fmt: skip
    base = took["step(n)"]
    print(f"\nstep() beyond its share of step(n)         {took['step()'] - base:6.2f} us")
    print(f"a user function, beyond the step           {took['user function'] - base:6.2f} us")
    print(f"a call of a Python function alone          {took['call']:6.2f} us")
    print(f"a user function that reads body.position   {took['that reads a position'] - base:6.2f} us")
    print(f"reading sim.positions[0, 2] from a view    {took['view']:6.2f} us")


if __name__ == "__main__":
    rows()
    overheads()
