#!/usr/bin/env python3
"""Which robots that others made can be loaded.

    cargo build -p stickslip-scene --example robots
    pip install pybullet example-robot-data mujoco gymnasium dm_control numpy
    python bench/robots.py [--urdf] [--mjcf] [--motion] [--list] [--program PATH]

URDF: every file of the wheels `pybullet` (its 1,000 random shapes left out) and
`example-robot-data`. MJCF: every model of the wheels `mujoco`, `gymnasium` and `dm_control` that
MuJoCo itself loads, with joints at random positions; mass and centre of mass of every body that
moves are compared with MuJoCo's. `--motion` (needs the package stickslip): models with their armature, without what
both take differently (limits, damping, actuators, contacts), held where they float, swing for 1 s from random positions
and are compared with MuJoCo's RK4 at 0.1 ms. What is not installed is skipped, and said so. Ends with 1 if fewer load than the page docs/mechanisms.md promises; `python/tests/test_wheels.py` asks the same.
"""

from __future__ import annotations

import argparse
import collections
import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import tempfile
import warnings
from collections.abc import Iterator

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROMISED = {"urdf": 155, "mjcf": 70}


def load(program: str, file: pathlib.Path, keys: str = "") -> list[list[str]]:
    """What the program says about a file, split at tabs."""
    try:
        run = subprocess.run([program, f"{file}::{keys}"], capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return [["refused", str(file), "120"], ["error", "took more than 120 s"]]
    lines = [line.split("\t") for line in run.stdout.splitlines()]
    return lines or [["refused", str(file), "0"], ["error", f"crashed: {run.stderr[-200:]}"]]


def wheel(name: str) -> pathlib.Path | None:
    found = importlib.util.find_spec(name)
    places = found.submodule_search_locations if found else None
    return pathlib.Path(places[0]) if places else None


def urdf_folders() -> dict[str, pathlib.Path | None]:
    site = pathlib.Path(sysconfig.get_paths()["purelib"])
    data = site / "cmeel.prefix" / "share" / "example-robot-data"
    return {"pybullet": wheel("pybullet_data"), "example-robot-data": data if data.is_dir() else None}


def cause(message: str) -> str:
    """A message without the names in it."""
    return message.split(": ")[0] if not message.startswith("/") else message.split(": ", 1)[-1]


def judge_urdf(program: str, verbose: bool) -> int | None:
    folders = urdf_folders()
    for name, folder in folders.items():
        if folder is None:
            print(f"skipped: {name} is not installed")
    if None in folders.values():
        return None
    mended: collections.Counter[str] = collections.Counter()
    total, loaded, refused = 0, 0, []
    for name, folder in folders.items():
        assert folder is not None
        files = sorted(f for f in folder.rglob("*.urdf") if "random_urdfs" not in f.parts)
        count = 0
        for file in files:
            said = load(program, file)
            good = said[0][0] == "ok"
            count += good
            mended.update({cause(line[1]) for line in said if line[0] == "warning"})
            if not good:
                refused.append((file, said[1][1]))
            if verbose:
                print("\t".join(said[0]))
        print(f"{name}: {count} of {len(files)} load")
        total, loaded = total + len(files), loaded + count
    print(f"URDF: {loaded} of {total} load\n\nfiles  what was mended or told")
    for what, count in mended.most_common():
        print(f"{count:5}  {what}")
    print("\nrefused")
    for file, why in refused:
        print(f"  {file.name}: {cause(why)}")
    return loaded


def judge_mjcf(program: str, verbose: bool) -> int | None:
    try:
        import mujoco
        import numpy as np
    except ImportError:
        print("skipped: mujoco or numpy is not installed")
        return None
    folders = {name: wheel(name) for name in ("mujoco", "gymnasium", "dm_control")}
    for name in [n for n, folder in folders.items() if folder is None]:
        print(f"skipped: {name} is not installed")
    random = np.random.default_rng(1)
    models = loaded = agree = 0
    for file in sorted(f for folder in folders.values() if folder for f in folder.rglob("*.xml")):
        try:
            model = mujoco.MjModel.from_xml_path(str(file))
        except Exception:
            continue
        models += 1
        data = mujoco.MjData(model)
        coupled = {int(model.eq_obj1id[k]) for k in range(model.neq) if model.eq_type[k] == 2}
        positions = {}
        for k in range(model.njnt):
            joint = model.joint(k)
            if model.jnt_type[k] in (2, 3) and joint.name and k not in coupled:
                low, high = model.jnt_range[k] if model.jnt_limited[k] else (-1, 1)
                q = float(random.uniform(max(low, -3), max(low, min(high, 3))))
                positions[joint.name] = data.qpos[model.jnt_qposadr[k]] = q
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        table = ", ".join(f'"{name}" = {q!r}' for name, q in positions.items())
        said = load(program, file, f"positions = {{ {table} }}" if positions else "")
        if said[0][0] != "ok":
            print(f"refused: {file}: {said[1][1]}")
            continue
        loaded += 1
        ours = {line[1]: [float(x) for x in line[2:]] for line in said if line[0] == "body"}
        worst = heavier = 0.0
        for k in range(1, model.nbody):
            name = model.body(k).name
            still = model.body_weldid[k] == 0 or model.body_mocapid[k] >= 0
            if still or model.body_mass[k] == 0 or name not in ours:
                continue
            mass, *center = ours[name]
            heavier = max(heavier, abs(mass / model.body_mass[k] - 1))
            worst = max(worst, float(np.linalg.norm(np.array(center) - data.xipos[k])))
        good = worst < 1e-9 and heavier < 1e-9
        agree += good
        if verbose or not good:
            print(f"{file.name}: masses within {heavier:.0e}, centres within {worst:.0e} m")
    print(f"MJCF: {loaded} of {models} load, {agree} agree with MuJoCo to 1e-9")
    return loaded


#: Swinging models, in the wheels' folders.
SWINGING = (
    "dm_control/suite/acrobot.xml",
    "dm_control/suite/cartpole.xml",
    "dm_control/suite/quadruped.xml",
    "dm_control/suite/walker.xml",
    "dm_control/suite/humanoid.xml",
    "gymnasium/envs/mujoco/assets/inverted_double_pendulum.xml",
    "gymnasium/envs/mujoco/assets/pusher.xml",
    "gymnasium/envs/mujoco/assets/ant.xml",
    "gymnasium/envs/mujoco/assets/humanoid.xml",
)


def bare(text: str) -> str:
    """A model without free joints, limits, damping, actuators and contacts."""
    keys = "damping|stiffness|frictionloss|range|limited|actuatorfrcrange"
    text = re.sub(rf' ({keys})="[^"]*"', "", text)
    for tag in ("actuator", "sensor", "tendon", "keyframe", "equality"):
        text = re.sub(rf"<{tag}>.*?</{tag}>", "", text, flags=re.DOTALL)
    text = re.sub(r"<option[^>]*/>|<option.*?</option>", "", text, flags=re.DOTALL)
    return re.sub(r'<freejoint[^>]*/>|<joint [^>]*type="free"[^>]*/>', "", text)


def motions() -> Iterator[tuple[str, float, float]]:
    """Swinging models: how far one body moved in 1 s, and how far any is from where MuJoCo has it [m]."""
    import mujoco
    import numpy as np

    import stickslip as ss

    random = np.random.default_rng(3)
    for name in SWINGING:
        folder = wheel(name.split("/")[0])
        if folder is None:
            continue
        model = mujoco.MjModel.from_xml_path(str(folder.parent / name))
        with tempfile.TemporaryDirectory() as place:
            file = pathlib.Path(place, "model.xml")
            mujoco.mj_saveLastXML(str(file), model)
            file.write_text(bare(file.read_text()))
            model = mujoco.MjModel.from_xml_path(str(file))
            model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
            model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
            data, positions = mujoco.MjData(model), {}
            for k in range(model.njnt):
                if model.jnt_type[k] == 3:
                    q = float(random.uniform(-0.5, 0.5))
                    positions[model.joint(k).name] = data.qpos[model.jnt_qposadr[k]] = q
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                sim = ss.load_robot(
                    file, collision="none", positions=positions, step=1e-3,
                    integrator="gauss", stabilization="shake",
                )  # fmt: skip
        start = sim.positions.copy()
        sim.step(1000)
        moved = np.abs(sim.positions - start).max()
        for _ in range(10_000):
            mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        names = [(k, model.body(k).name) for k in range(1, model.nbody)]
        apart = [np.linalg.norm(sim[n].position - data.xipos[k]) for k, n in names if n in sim]
        yield name, float(moved), float(max(apart))


def judge_motion() -> None:
    try:
        for name, moved, apart in motions():
            print(f"{name}: moved {moved:.2f} m, within {apart:.0e} m of MuJoCo's RK4")
    except ImportError as error:
        print(f"skipped: {error}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urdf", action="store_true", help="URDF only")
    parser.add_argument("--mjcf", action="store_true", help="MJCF only")
    parser.add_argument("--motion", action="store_true", help="compare motions only")
    parser.add_argument("--list", action="store_true", help="one line for each file")
    parser.add_argument("--program", default=str(ROOT / "target/debug/examples/robots"))
    given = parser.parse_args()
    given.program = str(pathlib.Path(given.program).resolve())
    # MuJoCo leaves a log where it runs.
    os.chdir(tempfile.mkdtemp())
    if given.motion:
        judge_motion()
        return 0
    if not pathlib.Path(given.program).exists():
        print("build it first: cargo build -p stickslip-scene --example robots")
        return 2
    found = {}
    if not given.mjcf:
        found["urdf"] = judge_urdf(given.program, given.list)
    if not given.urdf:
        found["mjcf"] = judge_mjcf(given.program, given.list)
    return int(any(n is not None and n < PROMISED[kind] for kind, n in found.items()))


if __name__ == "__main__":
    sys.exit(main())
