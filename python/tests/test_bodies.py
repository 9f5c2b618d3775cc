"""Shapes and keywords."""

import math
import pickle

import numpy as np
import pytest

import stickslip as ss

B = ss.Body
CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
FACES = [
    (0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
    (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3),
]  # fmt: skip

VOLUMES = [
    (B.box(1, 2, 3), 6.0),
    (B.sphere(2), 4 / 3 * math.pi * 8),
    (B.cylinder(1, 2), 2 * math.pi),
    (B.cylinder(1, 2, sides=4), 4.0),
    (B.cone(1, 3), math.pi),
    (B.capsule(1, 2), 2 * math.pi + 4 / 3 * math.pi),
    (B.tube(1, 2, 3), 9 * math.pi),
    (B.bored_box(2, 3, 4, radius=0.5), 24 - math.pi),
    (B.tetrahedron(1), 1 / (6 * math.sqrt(2))),
    (B.octahedron(1), math.sqrt(2) / 3),
    (B.dodecahedron(1), (15 + 7 * math.sqrt(5)) / 4),
    (B.icosahedron(1), 5 / 12 * (3 + math.sqrt(5))),
    (B.convex(CUBE), 1.0),
    (B.mesh(CUBE, FACES), 1.0),
    (B.mesh(CUBE, FACES, scale=2), 8.0),
    (B.polygon([(0, 0), (2, 0), (2, 2), (1, 0.5), (0, 2)]), 2.5),
    (B.rectangle(2, 3), 6.0),
    (B.regular(4, 1), 2.0),
    (B.disc(2), 4 * math.pi),
    (B.compound([B.box(1, 1, 1), B.box(1, 1, 1, position=(2, 0, 0))]), 2.0),
    (B.plane(), math.inf),
    (B.half_plane((1, 1)), math.inf),
]


@pytest.mark.parametrize("body, volume", VOLUMES, ids=lambda x: getattr(getattr(x, "shape", None), "kind", ""))
def test_volumes_and_scaling(body, volume):
    planar = body.shape.kind in ("polygon", "rectangle", "regular", "disc")
    assert body.volume == pytest.approx(volume, rel=1e-12)
    half = body.scaled(0.5)
    assert half.volume == pytest.approx(volume * (0.25 if planar else 0.125), rel=1e-12)
    again = pickle.loads(pickle.dumps(half))
    assert again == half and again.volume == half.volume


def test_scaling_keeps_the_mass_but_not_with_a_density():
    assert B.box(1, 1, 1, mass=3).scaled(2).mass == 3
    assert B.box(1, 1, 1, density=3).scaled(2).mass == 24
    sim = ss.Simulator()
    box = sim.add(B.box(1, 1, 1, mass=3).scaled(2))
    np.testing.assert_allclose(box.inertia, np.eye(3) * 3 * 4 / 6)


def test_points_are_recentred():
    body = B.convex(CUBE)
    np.testing.assert_allclose(body.center, [0.5, 0.5, 0.5])


def test_a_mesh_that_is_not_convex_moves_in_parts_that_fill_it():
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 3), (0, 3)]
    corners = [(x, y, z) for z in (0.0, 0.5) for x, y in outline]
    fan = [(0, k, k + 1) for k in range(1, 5)]
    faces = [(a, c, b) for a, b, c in fan] + [(a + 6, b + 6, c + 6) for a, b, c in fan]
    for k in range(6):
        n = (k + 1) % 6
        faces += [(k, n, n + 6), (k, n + 6, k + 6)]
    body = B.mesh(corners, faces)
    assert body.volume == pytest.approx(2.0, rel=1e-12)
    sim = ss.Simulator()
    sim.add(B.plane(friction=0.0))
    # Its corner at the notch, 1 m from both walls, is over a post: nothing touches.
    post = sim.add(B.box(0.5, 0.5, 0.5, position=(1.4, 1.4, 0.25), static=True))
    handle = sim.add(body.with_(position=(*np.asarray(body.center)[:2], 0.25), name="l"))
    sim.step(20)
    assert handle.position[2] == pytest.approx(0.25, abs=1e-12)
    assert sim.distance("l", post.name) == pytest.approx(0.15, abs=1e-9)


def test_mesh_files(tmp_path):
    path = tmp_path / "cube.obj"
    lines = [f"v {x} {y} {z}" for x, y, z in CUBE]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in FACES]
    path.write_text("\n".join(lines))
    assert B.mesh(path).volume == pytest.approx(1.0)
    with pytest.raises(ss.FileError, match="cannot be read"):
        B.mesh(tmp_path / "missing.obj")


def test_a_heightfield_holds_a_ball():
    sim = ss.Simulator()
    sim.add(B.heightfield(np.zeros((3, 3)), size=(4, 4)))
    ball = sim.add(B.sphere(0.5, position=(0.2, 0.1, 0.5)))
    sim.run(0.3)
    assert ball.position[2] == pytest.approx(0.5, abs=1e-6)


def test_names_and_lookup():
    sim = ss.Simulator()
    first, named = sim.add(B.sphere(1)), sim.add(B.sphere(1, name="ball", position=(9, 0, 0)))
    assert first.name == "body-1" and sim["ball"] == named and "ball" in sim
    assert [b.name for b in sim] == ["body-1", "ball"] and len(sim) == 2
    with pytest.raises(ss.UnknownBodyError, match="no body is named 'bal'|no body is named \"bal\""):
        sim["bal"]


def test_properties_can_be_changed_during_a_run(sliding):
    cube = sliding["cube"]
    sliding.step(5)
    before, time = cube.position, sliding.time
    cube.friction = 0.0
    np.testing.assert_array_equal(cube.position, before)
    assert sliding.time == time
    speed = cube.velocity[0]
    sliding["floor"].change(friction=0.0)
    sliding.step(10)
    assert cube.velocity[0] == pytest.approx(speed)
    cube.change(mass=4.0)
    assert cube.mass == 4.0 and cube.inertia[0, 0] == pytest.approx(4 / 6)


def test_a_body_added_later_joins_in(falling):
    falling.step(10)
    late = falling.add(B.sphere(0.5, position=(5, 0, 0)))
    assert falling.steps == 10
    falling.step(10)
    assert late.velocity[2] == pytest.approx(-9.81 * 0.1)
    assert falling["ball"].velocity[2] == pytest.approx(-9.81 * 0.2)
