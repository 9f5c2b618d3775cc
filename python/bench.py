"""Steps per second from Python, and what a user function costs."""

from __future__ import annotations

import time

import stickslip as ss


def best(work: object, n: int) -> float:
    """Seconds per step, the best of many."""
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        work()  # type: ignore[operator]
        times.append((time.perf_counter() - begin) / n)
    return min(times)


def scene(kind: str) -> ss.Simulator:
    sim = ss.Simulator(formulation="stewart-trinkle", threads=1)
    if kind != "free box":
        sim.add(ss.Body.plane())
    sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5)))
    if kind == "box at rest, no friction":
        sim.friction = "none"
    return sim


for kind in ("free box", "box at rest, no friction", "box at rest"):
    sim, n = scene(kind), 40
    plain = best(lambda: sim.step(n), n)
    single = best(lambda: [sim.step() for _ in range(n)], n)
    sim.after_step = lambda sim: None
    called = best(lambda: sim.step(n), n)
    body = sim.bodies[-1]
    sim.after_step = lambda sim: body.position
    reading = best(lambda: sim.step(n), n)
    sim.after_step = None
    logged = best(lambda: sim.run(n * 0.01, judge=False), n)
    print(
        f"{kind:26} step(n) {1 / plain:9.0f} steps/s   step() {1 / single:9.0f}   "
        f"run {1 / logged:9.0f}   user function {1e6 * (called - plain):6.2f} us   "
        f"that reads a position {1e6 * (reading - plain):6.2f} us"
    )
