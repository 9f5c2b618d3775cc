"""Every built-in scene has a twin in Python: the same bodies, the same joints, the same motion."""

import importlib.util
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import stickslip as ss

FOLDER = pathlib.Path(__file__).parents[1] / "scenes"


def twin(name):
    path = FOLDER / f"{name.replace('-', '_')}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.build()


@pytest.mark.parametrize("name", sorted(ss.scenes()))
def test_twin_moves_as_its_scene(name):
    scene, other = ss.load_scene(name), twin(name)
    assert [b.name for b in other.bodies] == [b.name for b in scene.bodies]
    assert [(j.name, j.kind, j.bodies) for j in other.joints] == [
        (j.name, j.kind, j.bodies) for j in scene.joints
    ]
    for key in ("step", "dimension", "formulation", "stabilization", "integrator"):
        assert other.settings[key] == scene.settings[key], key
    # Numbers in the files are rounded to nine digits here and there.
    np.testing.assert_allclose(other.positions, scene.positions, atol=2e-9)
    np.testing.assert_allclose(other.velocities, scene.velocities, atol=1e-12)
    for a, b in zip(other.bodies, scene.bodies, strict=True):
        assert a.mass == pytest.approx(b.mass, rel=1e-5), a.name
        assert a.friction == b.friction and a.static == b.static, a.name
    steps = 5 if name in ("joint-tree", "sphere-cube") else 20
    scene.step(steps), other.step(steps)
    np.testing.assert_allclose(other.positions, scene.positions, atol=1e-6)


def test_twins_pass_mypy():
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", "mypy", "--strict", "scenes"]
    done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
