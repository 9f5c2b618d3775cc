"""The Panda's own two fingers hold things by friction, with as much force as Coulomb's law says."""

import importlib.util
import math
import pathlib
import re
import warnings

import pytest

import stickslip as ss

FRICTION, MASS, STEP = 0.5, 0.2, 0.01
#: Turns the axis of a cylinder along the pads of the fingers.
LYING = (math.sqrt(0.5), 0, math.sqrt(0.5), 0)


def hand(place):
    """The hand alone, from the wheel `pybullet`: its meshes, its gear between the fingers."""
    found = importlib.util.find_spec("pybullet_data")
    if found is None:
        pytest.skip("pip install pybullet")
    source = pathlib.Path(found.submodule_search_locations[0], "franka_panda/panda.urdf")
    text = source.read_text()
    parts = re.findall(r'<link name="panda_(?:hand|leftfinger|rightfinger)">.*?</link>', text, re.DOTALL)
    parts += re.findall(r'<joint name="panda_finger_joint\d".*?</joint>', text, re.DOTALL)
    body = "".join(parts).replace("package://", f"{source.parent}/")
    file = place / "hand.urdf"
    file.write_text(f'<robot name="hand">{re.sub(r"<visual>.*?</visual>", "", body, flags=re.DOTALL)}</robot>')
    return file


def gripped(file, kind, part):
    """Something between the fingers, which close with ``part`` of the force that the law asks for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        down = {"axis": [1, 0, 0], "angle": math.pi}
        sim = ss.load_robot(
            file, base="fixed", orientation=down, positions={"panda_finger_joint1": 0.0201}, step=STEP, sleep=False
        )
    pads = -0.0584 - 0.045
    if kind == "cube":
        thing = ss.Body.box(0.04, 0.04, 0.04, name="thing", position=(0, 0, pads), mass=MASS)
    elif kind == "lying cylinder":
        thing = ss.Body.cylinder(0.02, 0.06, name="thing", position=(0, 0, pads), orientation=LYING, mass=MASS)
    else:
        thing = ss.Body.cylinder(0.02, 0.06, name="thing", position=(0, 0, pads - 0.025), mass=MASS)
    thing = sim.add(thing)
    for body in sim.bodies:
        body.friction = FRICTION
    # Two contacts carry `mu N` each, and the gear shares the force of the motor between the fingers: mu F = m g.
    force = part * MASS * 9.81 / FRICTION
    sim.joint("panda_finger_joint1").motor = {"target_velocity": -0.05, "max_force": force}
    sim.step(round(0.5 / STEP))
    return sim, thing


@pytest.mark.parametrize("kind", ["cube", "lying cylinder", "hanging cylinder"])
def test_one_percent_more_holds_for_a_minute(tmp_path, kind):
    sim, thing = gripped(hand(tmp_path), kind, 1.01)
    start = thing.position.copy()
    report = sim.step(round(60 / STEP))
    assert report.failures == 0
    assert abs(thing.position - start).max() < 1e-9


@pytest.mark.parametrize("kind", ["cube", "lying cylinder", "hanging cylinder"])
def test_one_percent_less_drops_it(tmp_path, kind):
    sim, thing = gripped(hand(tmp_path), kind, 0.99)
    sim.step(round(1 / STEP))
    assert thing.position[2] < -0.3
