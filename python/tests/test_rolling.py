"""Rolling and torsional friction from Python."""

import pytest

import stickslip as ss

RHO, R, G = 2e-3, 0.05, 9.81


def ball(**fields):
    return ss.Body.sphere(
        R, name="ball", position=(0, 0, R), velocity=(0.3, 0, 0), angular_velocity=(0, 0.3 / R, 0), **fields
    )


@pytest.mark.parametrize("friction", ["linear", "quadratic"])
def test_a_ball_stops_where_the_energy_says(friction):
    sim = ss.Simulator(step=1e-3, friction=friction)
    sim.add(ss.Body.plane())
    rolling = sim.add(ball(rolling_friction=RHO))
    sim.run(2.5, progress=False)
    assert abs(rolling.position[0] - 0.7 * R * 0.3**2 / (RHO * G)) < 0.3 * 1e-3
    assert abs(rolling.velocity[0]) < 1e-9


def test_a_pair_has_its_own_and_files_keep_it(tmp_path):
    sim = ss.Simulator(step=0.01)
    sim.add(ss.Body.plane(name="floor", torsional_friction=1e-3))
    sim.add(ball(rolling_friction=RHO))
    sim.pair("floor", "ball", rolling_friction=0.0)
    file = tmp_path / "roll.toml"
    sim.save(file)
    for one in (sim, ss.load_scene(file)):
        assert one["ball"].rolling_friction == RHO and one["floor"].torsional_friction == 1e-3
        one.step(50)
        assert abs(one["ball"].velocity[0] - 0.3) < 1e-9
    sim["ball"].rolling_friction = 0.01
    assert sim["ball"].rolling_friction == 0.01


def test_what_cannot_be_done_is_refused():
    with pytest.raises(ss.ModelError, match="rolling friction"):
        ss.Simulator().add(ball(rolling_friction=-1.0))
    sim = ss.Simulator(formulation="peg")
    sim.add(ss.Body.plane())
    sim.add(ball(rolling_friction=RHO))
    with pytest.raises(ss.StickslipError, match="rolling or torsional friction"):
        sim.step()
