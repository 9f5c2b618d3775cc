"""Scene files."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import stickslip as ss

SCENE = """
[simulation]
step = 0.02
formulation = "stewart-trinkle"
gravity = [0, 0, -10]
friction_rule = "min"

[[body]]
name = "floor"
shape = { type = "plane", normal = [0, 0, 1] }
friction = 0.1

[[body]]
name = "cube"
shape = { type = "box", size = [1, 1, 1] }
position = [0, 0, 0.5]
velocity = [1, 0, 0]

[[pair]]
bodies = ["floor", "cube"]
friction = 0.2
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "slide.toml"
    file.write_text(SCENE)
    return file


def test_a_scene_file(path):
    sim = ss.load_scene(path)
    assert sim.time_step == 0.02 and sim.formulation == "stewart-trinkle" and sim.name == "slide"
    assert sim.gravity.tolist() == [0, 0, -10] and len(sim) == 2
    assert sim.friction_between("floor", "cube") == 0.2
    sim.step(10)
    assert sim["cube"].velocity[0] == pytest.approx(1 - 0.2 * 10 * 0.2)
    assert sim["cube"].body is None


def test_changes_and_settings(path):
    sim = ss.load_scene(path, {"body.cube.velocity": (2, 0, 0), "friction_rule": "max"}, step=0.01)
    assert sim.time_step == 0.01 and sim["cube"].velocity[0] == 2
    with pytest.raises(ss.SettingsError, match="no setting is named 'stpe'"):
        ss.load_scene(path, stpe=1)


def test_bodies_can_be_added_and_changed_and_all_is_pickled(path):
    sim = ss.load_scene(path, solver="pgs", gravity=(0, 0, -5))
    ball = sim.add(ss.Body.sphere(0.5, position=(5, 0, 2)))
    sim["cube"].change(mass=3.0)
    sim.step(5)
    twin = pickle.loads(pickle.dumps(sim))
    assert twin["cube"].mass == 3.0 and twin.solver == "pgs" and twin.gravity[2] == -5
    assert twin.friction_between("floor", "cube") == 0.2 and ball.name in twin
    sim.step(60), twin.step(60)
    np.testing.assert_array_equal(twin.positions, sim.positions)
    np.testing.assert_array_equal(sim.clone().positions, sim.positions)


def test_mistakes_are_told_with_line_and_remedy(tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text("[simulation]\nstpe = 0.1\n")
    with pytest.raises(ss.SceneError, match="bad.toml:2:1.*did you mean `step`"):
        ss.load_scene(file)
    with pytest.raises(ss.SceneError, match="did you mean `peg-in-hole`"):
        ss.load_scene("peg-in-hoel")


@pytest.mark.parametrize("name", sorted(ss.scenes()))
def test_every_built_in_scene_can_be_stepped(name):
    sim = ss.load_scene(name)
    assert sim.name == name and len(sim) >= 1
    report = sim.step()
    assert report.step == 1 and report.failures == 0


def test_camera_and_description_come_from_the_file_and_go_back_to_it(tmp_path: Path) -> None:
    path = tmp_path / "cam.toml"
    path.write_text(
        'description = "a ball falls"\n[camera]\nposition = [1, -2, 3]\nfov = 50\nfollow = "ball"\n'
        '[[body]]\nname = "ball"\nshape = { type = "sphere", radius = 0.5 }\n'
    )
    sim = ss.load_scene(path)
    assert sim.description == "a ball falls"
    assert sim.camera == {"position": (1.0, -2.0, 3.0), "fov": 50.0, "follow": "ball"}
    sim.camera = {"target": (0, 0, 1)}
    sim.save(tmp_path / "again.toml")
    again = ss.load_scene(tmp_path / "again.toml")
    assert again.camera == {"target": (0.0, 0.0, 1.0)} and again.description == "a ball falls"
    twin = pickle.loads(pickle.dumps(sim))
    assert twin.camera == sim.camera and twin.description == sim.description
    wrong: list[tuple[dict[str, object], str]] = [
        ({"fov": 180}, "fov"),
        ({"follow": "bal"}, "bal"),
        ({"zoom": 2}, "zoom"),
        ({"position": (1, 1, 1), "target": (1, 1, 1)}, "target"),
    ]
    for camera, word in wrong:
        with pytest.raises(ss.StickslipError, match=word):
            sim.camera = camera
