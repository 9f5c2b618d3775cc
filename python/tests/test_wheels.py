"""Robots and models that others made, from the wheels that hold them.

    pip install pybullet example-robot-data mujoco gymnasium dm_control

What is not installed is skipped; `bench/robots.py` says what was mended in which file.
"""

import importlib.util
import pathlib
import warnings

import numpy as np
import pytest

import stickslip as ss

FILE = pathlib.Path(__file__).resolve().parents[2] / "bench" / "robots.py"
if not FILE.exists():
    pytest.skip("bench/robots.py is not here", allow_module_level=True)
_spec = importlib.util.spec_from_file_location("robots", FILE)
robots = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(robots)


def loads(file):
    """The robot, or `None` with the reason printed."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ss.load_robot(file)
    except ss.StickslipError as error:
        print(f"{file.name}: {error}")
        return None


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch, tmp_path):
    """MuJoCo leaves a log where it runs."""
    monkeypatch.chdir(tmp_path)


def test_urdf_files_load():
    """With the defaults, which mend what they can; two files of pybullet have no link."""
    folders = robots.urdf_folders()
    missing = [name for name, folder in folders.items() if folder is None]
    if missing:
        pytest.skip(f"pip install {' '.join(missing)}")
    files = [f for folder in folders.values() for f in sorted(folder.rglob("*.urdf")) if "random_urdfs" not in f.parts]
    count = sum(loads(file) is not None for file in files)
    assert count >= robots.PROMISED["urdf"], f"{count} of {len(files)}"


def test_models_of_mujoco_load_with_their_masses():
    """Every model that MuJoCo itself loads; its bodies weigh what they weigh there, meshes left out."""
    mujoco = pytest.importorskip("mujoco", reason="pip install mujoco gymnasium dm_control")
    folders = {name: robots.wheel(name) for name in ("mujoco", "gymnasium", "dm_control")}
    missing = [name for name, folder in folders.items() if folder is None]
    if missing:
        pytest.skip(f"pip install {' '.join(missing)}")
    count = right = 0
    for file in sorted(f for folder in folders.values() for f in folder.rglob("*.xml")):
        try:
            model = mujoco.MjModel.from_xml_path(str(file))
        except Exception:  # noqa: BLE001: parts of models, and models with files that are not there
            continue
        sim = loads(file)
        if sim is None:
            continue
        count += 1
        ours = {body.name: body.mass for body in sim.bodies}
        moving = [k for k in range(1, model.nbody) if model.body_weldid[k] and model.body_mocapid[k] < 0]
        pairs = [(model.body_mass[k], ours.get(model.body(k).name)) for k in moving if model.body_mass[k] > 0]
        right += all(mass is None or abs(mass / theirs - 1) < 1e-9 for theirs, mass in pairs)
    assert count >= robots.PROMISED["mjcf"], f"{count} load"
    assert right >= count - 5, f"{right} of {count} have the masses of the file"


def test_five_models_move_as_in_mujoco():
    """For 1 s from random positions (seed in bench/robots.py), MuJoCo with RK4 at 0.1 ms."""
    pytest.importorskip("mujoco", reason="pip install mujoco gymnasium dm_control")
    found = list(robots.motions())
    if len(found) < len(robots.SWINGING):
        pytest.skip("pip install gymnasium dm_control")
    near = [name for name, moved, apart in found if apart < 1e-6 and moved > 0.3]
    assert len(near) >= 5, found
    assert np.isfinite([apart for _, _, apart in found]).all()
