#!/usr/bin/env python3
"""Steps per CPU second of robots, beside MuJoCo on the same files.

    pip install mujoco pybullet example-robot-data numpy
    python bench/robot_speed.py [NAME ...]

The Panda of `pybullet` (held away from its limits, motors of 1,000 N m/rad, h = 1 ms) with its own meshes, with hulls of 40
corners and without collisions; Laikago and G1 (h = 2 ms) standing on the ground; a chain of 30 links
that swings (2 ms); ten ragdolls that fall on a plane (2 ms). MuJoCo runs with its defaults and the
same gains as joint springs. Both run on one thread; process time counts. What is not installed
is skipped, and said so.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Callable
from typing import Any

#: The Panda away from its limits [rad, m].
READY = {f"panda_joint{k + 1}": q for k, q in enumerate((0, -0.785, 0, -2.356, 0, 1.571, 0.785))}
READY["panda_finger_joint1"] = 0.02

#: Seconds of process time that a measurement takes at least.
LEAST = 2.0


def rate(step: Callable[[int], Any], batch: int) -> float:
    """Steps per second of process time."""
    step(batch)
    begin, steps = time.process_time(), 0
    while time.process_time() - begin < LEAST:
        step(batch)
        steps += batch
    return steps / (time.process_time() - begin)


def folder(name: str) -> pathlib.Path | None:
    """Where a wheel keeps its robots."""
    if name == "example-robot-data":
        path = pathlib.Path(sysconfig.get_paths()["purelib"], "cmeel.prefix/share/example-robot-data/robots")
        return path if path.is_dir() else None
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
    return f"<mujoco><worldbody>{text}</worldbody></mujoco>"


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
    return f"<mujoco><worldbody>{text}</worldbody></mujoco>"


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


def mujoco_rate(text: str, h: float, gain: float, stands: float | None, collides: bool) -> float:
    import mujoco

    spec = mujoco.MjSpec.from_string(text)
    if stands is not None:
        spec.worldbody.first_body().add_freejoint()
        spec.worldbody.first_body().pos = [0, 0, stands]
        spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[5, 5, 1])
    model = spec.compile()
    model.opt.timestep = h
    if not collides:
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    if gain:
        for k in range(model.njnt):
            if model.jnt_type[k] in (2, 3):
                model.jnt_stiffness[k] = gain
                model.dof_damping[model.jnt_dofadr[k]] = 0.1 * gain
    data = mujoco.MjData(model)
    for name, q in READY.items():
        if mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, name) >= 0:
            model.qpos_spring[model.joint(name).qposadr[0]] = data.joint(name).qpos[0] = q

    def steps(n: int) -> None:
        for _ in range(n):
            mujoco.mj_step(model, data)

    steps(round(0.5 / h) if stands is not None else 1)
    return rate(steps, 50)


def our_rate(file: pathlib.Path, h: float, gain: float, stands: float | None, **options: Any) -> float:
    import stickslip as ss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        place = {} if stands is None else {"position": (0, 0, stands)}
        base = {} if file.suffix == ".xml" else {"base": "fixed" if stands is None else "floating"}
        sim = ss.load_robot(file, step=h, threads=1, **base, **place, **options)
    if stands is not None:
        sim.add(ss.Body.plane(name="the ground"))
    for joint in sim.joints if gain else []:
        if len(joint.position):
            motor = {"target_position": float(joint.position[0]), "stiffness": gain, "damping": 0.1 * gain}
            joint.motor = {**motor, "max_force": float("inf")}
    if stands is not None:
        sim.step(round(0.5 / h))
    return rate(sim.step, 20 if stands is None else 5)


def cases() -> dict[str, tuple[str | pathlib.Path | None, float, float, float | None, dict[str, Any]]]:
    bullet, data = folder("pybullet_data"), folder("example-robot-data")
    panda = bullet and bullet / "franka_panda/panda.urdf"
    laikago = bullet and bullet / "laikago/laikago_toes_zup.urdf"
    g1 = data and data / "g1_description/urdf/g1_29dof_rev_1_0.urdf"
    return {
        "panda, own meshes": (panda, 1e-3, 1e3, None, {"positions": READY, "collision": "mesh"}),
        "panda, hulls of 40 corners": (panda, 1e-3, 1e3, None, {"positions": READY, "hull_corners": 40}),
        "panda, no collisions": (panda, 1e-3, 1e3, None, {"positions": READY, "collision": "none"}),
        "laikago standing": (laikago, 2e-3, 400.0, 0.5, {}),
        "G1 standing": (g1, 2e-3, 400.0, 0.8, {}),
        "chain of 30": (chain(30), 2e-3, 0.0, None, {}),
        "ten ragdolls": (ragdolls(10), 2e-3, 0.0, None, {}),
    }


def main() -> None:
    wanted = sys.argv[1:]
    os.chdir(tempfile.mkdtemp())
    print("| robot | Stickslip | MuJoCo | part |\n|---|---|---|---|")
    for name, (source, h, gain, stands, options) in cases().items():
        if wanted and not any(w in name for w in wanted):
            continue
        if source is None:
            print(f"skipped: {name}: its wheel is not installed")
            continue
        if isinstance(source, str):
            text, file = source, pathlib.Path("model.xml")
            file.write_text(source)
        else:
            text, file = urdf_for_mujoco(source), source
        rates = []
        for measure in (
            lambda: our_rate(file, h, gain, stands, **options),
            lambda: mujoco_rate(text, h, gain, stands, options.get("collision") != "none"),
        ):
            try:
                rates.append(measure())
            except Exception as error:
                print(f"{name}: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
                rates.append(float("nan"))
        print(f"| {name} | {rates[0]:,.0f} | {rates[1]:,.0f} | 1/{rates[1] / rates[0]:.1f} |", flush=True)


if __name__ == "__main__":
    main()
