#!/usr/bin/env python3
"""Steps per CPU second of robots, beside MuJoCo, PyBullet and Drake on the same files.

    pip install mujoco pybullet drake example-robot-data numpy
    python bench/robot_speed.py [--swing] [--seconds 2] [NAME ...]

The Panda of `pybullet` (held away from its limits, motors of 1,000 N m/rad, h = 1 ms) with its own meshes, with hulls of 40
corners, without collisions, and with axes pressed on their limits; Laikago and G1 (h = 2 ms) standing on the ground; a chain
of 30 links that swings (2 ms); ten ragdolls that fall on a plane (2 ms). MuJoCo runs with its defaults and the same gains as
joint springs, PyBullet with its own position motors, Drake with its discrete solver and implicit PD gains. All run on one
thread; process time counts. `--swing`: the Panda without limits, motors and collisions swings for 10 s (h = 10 ms); how far
its energy leaves that of the start. What is not installed is skipped, and said so.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import pathlib
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

import robot_peers
from robot_peers import Case, Engine

#: The Panda away from its limits [rad, m].
READY = {f"panda_joint{k + 1}": q for k, q in enumerate((0, -0.785, 0, -2.356, 0, 1.571, 0.785))}
READY["panda_finger_joint1"] = 0.02

def rate(step: Callable[[int], Any], batch: int, least: float) -> float:
    """Steps per second of process time, over at least so many of these."""
    step(batch)
    begin, steps = time.process_time(), 0
    while time.process_time() - begin < least:
        step(batch)
        steps += batch
    return steps / (time.process_time() - begin)


def folder(name: str) -> pathlib.Path | None:
    """Where a wheel keeps its robots."""
    if name == "example-robot-data":
        places = (pathlib.Path(p, "cmeel.prefix/share/example-robot-data/robots") for p in sys.path)
        return next((p for p in places if p.is_dir()), None)
    found = importlib.util.find_spec(name)
    places = found.submodule_search_locations if found else None
    return pathlib.Path(places[0]) if places else None


def capsule(name: str, start: str, end: str, joint: str, inner: str = "") -> str:
    geom = f'<geom type="capsule" size="0.05" fromto="{start} {end}"/>'
    return f'<body name="{name}" pos="{start}">{joint}{geom.replace(start, "0 0 0")}{inner}</body>'


def chain(n: int) -> str:
    """A chain of links that swings and collides with nothing."""
    text = ""
    for k in reversed(range(n)):
        joint = f'<joint name="j{k}" type="hinge" axis="0 {1 - k % 2} {k % 2}"/>'
        geom = '<geom type="capsule" size="0.02" fromto="0 0 0 0.1 0 0" contype="0" conaffinity="0"/>'
        place = "0 0 0" if k == 0 else "0.1 0 0"
        text = f'<body name="b{k}" pos="{place}">{joint}{geom}{text}</body>'
    return f"<mujoco model='robot'><worldbody>{text}</worldbody></mujoco>"


def ragdolls(n: int) -> str:
    """Ragdolls of nine capsules above a plane."""
    text = '<geom name="floor" type="plane" size="50 50 1"/>'
    ball = '<joint type="ball"/>'
    hinge = '<joint type="hinge" axis="0 1 0" range="-120 0" limited="true"/>'
    geom = '<geom type="capsule" size="0.05" fromto="0 0 0 0 0 -0.3"/>'
    for k in range(n):
        limbs = ""
        for i, (y, z) in enumerate([(0.25, 0.25), (-0.25, 0.25), (0.12, -0.35), (-0.12, -0.35)]):
            lower = f'<body name="r{k}l{i}" pos="0 0 -0.42">{hinge}{geom}</body>'
            limbs += f'<body name="r{k}u{i}" pos="0 {y} {z}">{ball}{geom}{lower}</body>'
        trunk = '<geom type="capsule" size="0.12" fromto="0 0 -0.15 0 0 0.2"/>'
        text += f'<body name="r{k}" pos="{1.2 * (k % 5)} {1.5 * (k // 5)} 1.3"><freejoint/>{trunk}{limbs}</body>'
    return f"<mujoco model='robot'><worldbody>{text}</worldbody></mujoco>"


def urdf_for_mujoco(file: pathlib.Path) -> str:
    """A URDF file with paths that MuJoCo finds."""
    text = file.read_text()
    root = file.parent
    while not (root / re.findall(r'package://([^/"]+)', text + "package://x")[0]).exists() and root != root.parent:
        root = root.parent
    text = text.replace("package://", f"{root}/" if root != root.parent else "")
    text = re.sub(r'filename="(?!/)', f'filename="{file.parent}/', text)
    text = re.sub(r"<visual.*?</visual>", "", text, flags=re.DOTALL)
    compiler = '<mujoco><compiler strippath="false" balanceinertia="true" boundmass="1e-6" boundinertia="1e-9"/></mujoco>'
    return re.sub(r"(<robot[^>]*>)", rf"\1{compiler}", text, count=1)


def stickslip(case: Case) -> Engine:
    import stickslip as ss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options: dict[str, Any] = dict(case.options)
        if case.stands is not None:
            options["position"] = (0, 0, case.stands)
        if case.file.suffix != ".xml":
            options["base"] = "fixed" if case.stands is None else "floating"
        if not case.collides:
            options["collision"] = "none"
        sim = ss.load_robot(case.file, step=case.h, threads=1, positions=case.positions, **options)
    if case.stands is not None:
        sim.add(ss.Body.plane(name="the ground"))
    for joint in sim.joints if case.gain else []:
        if len(joint.position):
            motor = {"target_position": float(joint.position[0]), "stiffness": case.gain, "damping": 0.1 * case.gain}
            joint.motor = {**motor, "max_force": float("inf")}
    return Engine(sim.step, lambda: float(sim.energy), lambda: max(joint.error for joint in sim.joints))


ENGINES: dict[str, Callable[[Case], Engine]] = {
    "Stickslip": stickslip, "MuJoCo": robot_peers.mujoco, "PyBullet": robot_peers.pybullet, "Drake": robot_peers.drake,
}  # fmt: skip


def panda() -> pathlib.Path | None:
    bullet = folder("pybullet_data")
    return bullet and bullet / "franka_panda/panda.urdf"


def cases() -> dict[str, Case | None]:
    bullet, data = folder("pybullet_data"), folder("example-robot-data")
    laikago = bullet and bullet / "laikago/laikago_toes_zup.urdf"
    g1 = data and data / "g1_description/urdf/g1_29dof_rev_1_0.urdf"

    def robot(file: pathlib.Path | None, h: float, gain: float, **more: Any) -> Case | None:
        return file and Case(file, urdf_for_mujoco(file), h, gain, **more)

    def model(name: str, text: str) -> Case:
        file = pathlib.Path(name).absolute()
        file.write_text(text)
        return Case(file, text, 2e-3)

    held = {"positions": READY}
    return {
        "panda, own meshes": robot(panda(), 1e-3, 1e3, options={"collision": "mesh"}, **held),
        "panda, hulls of 40 corners": robot(panda(), 1e-3, 1e3, options={"hull_corners": 40}, **held),
        "panda, no collisions": robot(panda(), 1e-3, 1e3, collides=False, **held),
        "panda, on its limits": robot(panda(), 1e-3, 1e3, options={"hull_corners": 40}),
        "laikago standing": robot(laikago, 2e-3, 400.0, stands=0.5),
        "G1 standing": robot(g1, 2e-3, 400.0, stands=0.8),
        "chain of 30": model("chain.xml", chain(30)),
        "ten ragdolls": model("ragdolls.xml", ragdolls(10)),
    }


def speeds(wanted: list[str], least: float) -> None:
    print(f"| robot | {' | '.join(ENGINES)} | part of MuJoCo | joints |\n|{'---|' * (len(ENGINES) + 3)}")
    for name, case in cases().items():
        if wanted and not any(w in name for w in wanted):
            continue
        if case is None:
            print(f"skipped: {name}: its wheel is not installed")
            continue
        rates, parted = [], float("nan")
        for engine, make in ENGINES.items():
            try:
                made = make(case)
                if case.stands is not None:
                    made.step(round(0.5 / case.h))
                rates.append(rate(made.step, 10, least))
                parted = made.parted() if engine == "Stickslip" else parted
            except Exception as error:
                print(f"{name}: {engine}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                rates.append(float("nan"))
        columns = " | ".join(f"{r:,.0f}" for r in rates)
        print(f"| {name} | {columns} | 1/{rates[1] / rates[0]:.1f} | {parted:.0e} m |", flush=True)


def swings() -> None:
    """The energy of the Panda that swings freely."""
    source = panda()
    if source is None:
        return print("skipped: pybullet_data is not installed")
    text = re.sub(r"<(limit|dynamics|mimic|safety_controller)[^>]*/>", "", source.read_text())
    text = re.sub(r"<(collision|visual).*?</\1>", "", text, flags=re.DOTALL).replace('"revolute"', '"continuous"')
    file = pathlib.Path("swinging.urdf").absolute()
    file.write_text(re.sub(r'type="prismatic"', 'type="fixed"', text))
    arm = {"positions": {f"panda_joint{k}": 0.5 for k in range(1, 8)}, "collides": False}
    print("| engine | energy | joints |\n|---|---|---|")
    for name, make in {**ENGINES, "MuJoCo, RK4": robot_peers.mujoco}.items():
        case = Case(file, urdf_for_mujoco(file), 1e-2, rk4=name.endswith("RK4"), **arm)
        try:
            engine = make(case)
            start = engine.energy()
            course = []
            for _ in range(1000):
                engine.step(1)
                course.append(engine.energy() - start)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
            continue
        print(f"| {name} | {min(course):+.1e} to {max(course):+.1e} J of {start:.0f} | {engine.parted():.0e} m |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--swing", action="store_true", help="the energy of a swinging arm only")
    parser.add_argument("--seconds", type=float, default=2.0, help="process time that a measurement takes at least")
    parser.add_argument("names", nargs="*", help="parts of the names of robots")
    given = parser.parse_args()
    os.chdir(tempfile.mkdtemp())
    if given.swing:
        swings()
    else:
        speeds(given.names, given.seconds)


if __name__ == "__main__":
    main()
