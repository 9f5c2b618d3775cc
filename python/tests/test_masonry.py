"""Block structures: builders, and whether they can rest."""

import math

import numpy as np
import pytest

import stickslip as ss
from stickslip import masonry


def test_builders_have_the_volume_of_what_they_build():
    t, depth = 0.2, 0.5
    # stones have straight sides: a little less than the ring
    chord = math.sin(math.pi / 27) / (math.pi / 27)
    ring = math.pi * t * depth
    volume = sum(b.volume for b in masonry.arch(27, 1.0, t, depth) if not b.static)
    assert volume == pytest.approx(ring * chord, rel=1e-9)
    for bond in ("running", "stack"):
        vault = masonry.barrel_vault(27, 3, 1.0, t, depth, bond=bond)
        assert sum(b.volume for b in vault if not b.static) == pytest.approx(3 * ring * chord, rel=1e-9)
        wall = masonry.wall(5, 4, (0.25, 0.12, 0.06), bond=bond)
        assert sum(b.volume for b in wall if not b.static) == pytest.approx(20 * 0.25 * 0.12 * 0.06)


@pytest.mark.parametrize(
    "bodies",
    [
        masonry.arch(9, thickness=0.3),
        masonry.arch(9, thickness=0.3, dimension=2),
        masonry.segmental_arch(7),
        masonry.pointed_arch(6),
        masonry.flat_arch(5),
        masonry.barrel_vault(9, 2, thickness=0.3),
        masonry.barrel_vault(9, 2, thickness=0.3, bond="stack"),
        masonry.dome(4, 8, thickness=0.3),
        masonry.wall(4, 5),
        masonry.wall(4, 5, dimension=2),
        masonry.column(4),
        masonry.column(4, sides=12),
    ],
    ids=lambda bodies: f"{len(bodies)}-{bodies[-1].name}",
)
def test_what_is_built_can_rest_and_does(bodies):
    sim = masonry.build(bodies, accuracy="exact")
    found = ss.stability(sim, simulate=0.05)
    assert found.stands, found.imbalance
    assert not found.moved and found.farthest < 1e-8, found.moved


def test_stones_touch_and_do_not_overlap():
    for bodies in (masonry.pointed_arch(8), masonry.flat_arch(7), masonry.dome(4, 10)):
        sim = masonry.build(bodies, accuracy="exact")
        log = sim.run(0.01)
        assert log.summary["diagnostics"]["max_penetration"] < 1e-12


def test_an_arch_has_its_critical_thickness():
    def stands(t):
        return ss.stability(masonry.build(masonry.arch(27, thickness=t))).stands

    assert stands(0.1067209 * (1 + 1e-6)) and not stands(0.1067209 * (1 - 1e-6))


def test_a_thin_arch_says_how_it_falls():
    sim = masonry.build(masonry.arch(27, thickness=0.1))
    sim.name = "thin"
    found = ss.stability(sim, simulate=1.0, html=True)
    assert not found.stands and found.moved and len(found.mechanism) == len(found.missing) == 27
    # symmetric, the crown goes down
    assert found.mechanism["stone-14"].velocity[2] < 0
    left, right = (found.mechanism[f"stone-{k}"].velocity for k in (5, 23))
    np.testing.assert_allclose(left * [-1, 1, 1], right, atol=1e-4)
    assert "<svg" in found.html and "thin cannot rest" in found.html


def test_tilt_load_push_and_friction():
    sim = masonry.build(masonry.column(5, radius=0.5, height=0.6, sides=4, friction=0.9))
    half = 0.5 / math.sqrt(2)
    found = ss.stability(
        sim,
        tilt=["x", (0, 1, 0)],
        push={"drum-5": ((1, 0, 0), (0, 0, 3.0))},
        load={"drum-5": (0, 0, -100)},
        friction=True,
    )
    assert found.load.value == math.inf and found.friction < 1e-6
    weight = sum(b.mass for b in sim.bodies if not b.static) * 9.81 + 100
    arm = [half, 0.5]
    assert min(abs(found.push[0].value - weight * b / 3.0) for b in arm) < 1e-5 * weight
    # the load does not turn with gravity, so that the angle is smaller than that of the column alone
    alone = ss.stability(sim, tilt="y").tilt_angle
    assert min(abs(math.tan(alone) - b / 1.5) for b in arm) < 1e-6
    assert found.tilt_angle > alone and len(found.tilt) == 4


def test_blocks_come_from_an_obj_of_many_parts(tmp_path):
    def cube(name, z, first):
        corners = [(x, y, z + h) for h in (0, 1) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
        faces = [(1, 4, 3, 2), (5, 6, 7, 8), (1, 2, 6, 5), (2, 3, 7, 6), (3, 4, 8, 7), (4, 1, 5, 8)]
        lines = [f"o {name}", *(f"v {x} {y} {z}" for x, y, z in corners)]
        return [*lines, *("f " + " ".join(f"{first + i - 1}//1" for i in f) for f in faces)]

    file = tmp_path / "two.obj"
    file.write_text("\n".join(cube("lower", 0, 1) + cube("upper", 1, 9)))
    bodies = masonry.from_obj(file, static=["lower"])
    sim = masonry.build(bodies)
    assert sim["upper"].position == pytest.approx([0.5, 0.5, 1.5])
    assert ss.stability(sim, simulate=0.1).moved == {}
    file.write_text("o a\nv 0 0 0\nf 1 2 3\n")
    with pytest.raises(ss.FileError, match="two.obj:3"):
        masonry.from_obj(file)
    with pytest.raises(ss.FileError, match="no faces"):
        file.write_text("")
        masonry.from_obj(file)


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: masonry.arch(0), "stones = 0"),
        (lambda: masonry.arch(thickness=2.5), "room"),
        (lambda: masonry.wall(bond="flemish"), "running"),
        (lambda: masonry.pointed_arch(radius=0.5), "half the span"),
        (lambda: masonry.dome(oculus=2.0), "oculus"),
        (lambda: masonry.column(height=-1), "height"),
        (lambda: masonry.arch(dimension=4), "2 or 3"),
        (lambda: ss.stability(masonry.build(masonry.arch(3)), tilt="w"), "'x', 'y', 'z'"),
        (lambda: ss.stability(masonry.build(masonry.arch(3)), load={"stone-7": (0, 0, 1)}), "stone-3"),
    ],
)
def test_what_cannot_be_built_is_told(make, part):
    with pytest.raises(ss.ModelError, match=part):
        make()


def hanging(strength, **settings):
    """A brick of 2 kg glued to the underside of a beam, 0.2 x 0.1 m."""
    sim = ss.Simulator(**settings)
    sim.add(ss.Body.box(1, 1, 1, name="beam", static=True))
    sim.add(ss.Body.box(0.2, 0.1, 0.3, name="brick", mass=2.0, position=(0, 0, -0.65)))
    sim.pair("beam", "brick", tensile_strength=strength)
    return sim


def test_mortar_holds_a_brick_up_to_its_strength():
    right = 2.0 * 9.81 / 0.02
    assert ss.stability(hanging(1.000001 * right)).stands
    assert not ss.stability(hanging(0.999999 * right)).stands
    for factor, falls in ((1.01, False), (0.99, True)):
        sim = hanging(factor * right)
        sim.step(50)
        assert (sim["brick"].position[2] < -0.7) == falls


def test_broken_mortar_stays_broken_through_copies_and_files(tmp_path):
    sim = hanging(900.0, sleep=False)
    sim.step(20)
    saved, height = sim.save(), sim["brick"].position[2]
    assert height < -0.66
    sim.save(tmp_path / "glued.toml")
    again = ss.load_scene(tmp_path / "glued.toml")
    again.restore(saved)
    again.step(20), sim.step(20)
    np.testing.assert_array_equal(again.positions, sim.positions)
    copy = sim.clone()
    copy.step(5), sim.step(5)
    np.testing.assert_array_equal(copy.positions, sim.positions)


def test_mortar_of_a_whole_structure():
    thin = masonry.arch(27, thickness=0.08)
    assert not ss.stability(masonry.build(thin)).stands
    sim = masonry.build(thin, tensile_strength=2e4)
    assert ss.stability(sim).stands
    start = sim.positions.copy()
    sim.step(20)
    assert np.abs(sim.positions - start).max() < 1e-8
    with pytest.raises(ss.ModelError):
        masonry.build(thin, tensile_strength=-1.0)


def test_a_dome_cut_into_lunes_has_its_critical_thickness():
    """0.042 of the radius (Heyman 1977), here with twenty courses."""
    assert ss.stability(masonry.build(masonry.lune(20, thickness=0.0432, friction=1.0))).stands
    assert not ss.stability(masonry.build(masonry.lune(20, thickness=0.0418, friction=1.0))).stands
