"""What a step costs, beside other engines: one table, all engines in one sitting.

    pip install numpy scipy mujoco pybullet drake dartpy    # those that are there are used
    pip install ./python                                    # Stickslip itself, profile release
    python3 bench/peers/speed.py --out speed.md [--only box,boxes,S10-20] [--engines Stickslip,MuJoCo] [--seconds 60]

Every engine runs every scene to its end with its defaults, one thread, and is charged the CPU time of its
steps. A run that takes longer than --seconds of CPU time is ended there, and its row says how much of the
scene it covers. Reading the state is not in the time. The table is written after every scene.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation

from adapters import ENGINES, version
from runner import Outside
from scenarios import Scene, box, every


def timed(engine, scene: Scene, seconds: float) -> np.ndarray:
    """CPU seconds of every step, as far as the run came."""
    sim = engine(scene, "default", seconds) if issubclass(engine, Outside) else engine(scene, "default")
    times: list[float] = []
    try:
        for _ in range(round(scene.duration / scene.step)):
            start = time.process_time()
            try:
                sim.step()
            except TimeoutError:
                break
            times.append(sim.cost() if isinstance(sim, Outside) else time.process_time() - start)
            if math.fsum(times) > seconds:
                break
        if not np.isfinite(sim.state()).all():
            raise FloatingPointError("the state is not finite")
        return np.array(times)
    finally:
        if hasattr(sim, "close"):
            sim.close()


def floor(mu: float):
    return box((0, 0, -0.5), (40, 40, 1), friction=mu)


def one_box() -> Scene:
    return Scene("T box", [floor(0.5), box((0, 0, 0.5), (1, 1, 1), 1.0, friction=0.5)], 0.01, 10.0)


def stack() -> Scene:
    boxes = [box((0, 0, k + 0.5), (1, 1, 1), 1.0, friction=0.5) for k in range(10)]
    return Scene("T stack", [floor(0.5), *boxes], 0.01, 5.0)


def boxes() -> Scene:
    """Thirty boxes that fall on a floor and on each other."""
    random = np.random.default_rng(3)
    bodies = [floor(0.5)]
    for k in range(30):
        size = 0.3 + 0.2 * random.random(3)
        x, y, z, w = Rotation.from_rotvec(random.random(3)).as_quat()
        at = (0.9 * (k % 3), 0.9 * (k // 3 % 3), 0.6 + 0.9 * (k // 9))
        bodies.append(box(at, size, 1000 * size.prod(), friction=0.5, quaternion=(w, x, y, z)))
    return Scene("T boxes", bodies, 0.01, 2.0)


def dominoes() -> Scene:
    """Forty in a row, the first pushed over."""
    size = (0.02, 0.1, 0.2)
    row = [box((0.08 * k, 0, 0.1), size, 0.4, friction=0.5) for k in range(40)]
    row[0].spin = (0.0, 6.0, 0.0)
    return Scene("T dominoes", [floor(0.5), *row], 0.01, 3.0)


def scenes() -> list[tuple[str, Scene]]:
    """What is timed, with a title."""
    own = [
        ("one box at rest, 10 s", one_box()),
        ("ten stacked boxes at rest, 5 s", stack()),
        ("30 boxes that land and topple, 2 s", boxes()),
        ("40 dominoes that fall, 3 s", dominoes()),
    ]
    known = {s.name: s for s in every()}
    listed = {
        "S1": "peg above its hole, 1 s", "S2": "ten staggered cubes dropped, no friction, 10 s",
        "S2b": "the same with friction, 10 s", "S3": "block over seams", "S5": "pendulum",
        "S10-20": "20 hulls dropped into a box, 5 s", "S10-100": "100 hulls", "S10-500": "500 hulls",
    }
    # Defaults: bodies may sleep, as they may not where drift is measured.
    default = lambda name: replace(known[name].scenes[0], name=f"T {name}")
    return own + [(f"{title} ({name})", default(name)) for name, title in listed.items() if name in known]


def row(title: str, scene: Scene, name: str, times: np.ndarray, beside: float | None) -> str:
    mean, steps = 1e3 * times.mean(), round(scene.duration / scene.step)
    last = 1e3 * times[-max(1, len(times) // 5):].mean()
    ratio = f"{mean / beside:.2f}" if beside else ""
    covered = f"{100 * len(times) / steps:.0f} %"
    return f"| {title} | {name} | {mean:.3g} | {ratio} | {1e3 * times.max():.3g} | {last:.3g} | {covered} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out")
    parser.add_argument("--only", default="")
    parser.add_argument("--engines", default="")
    parser.add_argument("--seconds", type=float, default=60.0)
    asked = parser.parse_args()
    wanted = [w for w in asked.engines.split(",") if w]
    engines = {n: e for n, e in ENGINES.items() if (not wanted or n in wanted) and version(e)}
    # MuJoCo first: the others are told beside it.
    order = sorted(engines, key=lambda n: (n != "MuJoCo", n != "Stickslip"))
    lines = [
        "| scene | engine | CPU ms a step | beside MuJoCo | worst step | last fifth | part of the run |",
        "|---|---|---|---|---|---|---|",
    ]
    for title, scene in scenes():
        if asked.only and scene.name.removeprefix("T ") not in asked.only.split(","):
            continue
        beside, shown = None, title
        for name in order:
            try:
                times = timed(engines[name], scene, asked.seconds)
                if name == "MuJoCo":
                    beside = 1e3 * times.mean()
                lines.append(row(shown, scene, name, times, beside))
            except Exception as error:  # noqa: BLE001: what an engine cannot do is a result
                note = str(error).splitlines()[0] if str(error) else type(error).__name__
                lines.append(f"| {shown} | {name} | {note[:60]} | | | | |")
            shown = ""
            print(lines[-1], file=sys.stderr, flush=True)
        if asked.out:
            with open(asked.out, "w") as page:
                page.write("\n".join(lines) + "\n")
    if not asked.out:
        print("\n".join(lines))


if __name__ == "__main__":
    main()
