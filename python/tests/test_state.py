"""The state: live arrays, saving, copies, pickles, threads."""

import copy
import pickle
import threading

import numpy as np
import pytest

import stickslip as ss


def pile(seed=1):
    """Boxes that fall on each other."""
    sim = ss.Simulator(step=0.01, friction_directions=3)
    sim.add(ss.Body.plane(name="floor"))
    rng = np.random.default_rng(seed)
    for k in range(4):
        turn = rng.normal(size=4)
        sim.add(ss.Body.box(1, 0.8, 0.6, position=(0.2 * k, 0.1 * k, 1 + 1.2 * k), orientation=turn))
    return sim


def test_live_arrays_follow_and_cannot_be_written(sliding):
    positions, velocities = sliding.positions, sliding.velocities
    assert positions.shape == (2, 3) and sliding.orientations.shape == (2, 4)
    before = positions.copy()
    sliding.step(3)
    assert (positions != before).any()
    np.testing.assert_array_equal(positions[1], sliding["cube"].position)
    sliding["cube"].velocity = (0, 7, 0)
    assert velocities[1, 1] == 7
    assert not positions.flags.writeable and not positions.flags.owndata


def test_live_arrays_of_before_a_new_body_stay_as_they_are(falling):
    old = falling.positions
    falling.add(ss.Body.sphere(1, position=(9, 0, 0)))
    falling.step()
    assert old.shape == (1, 3) and falling.positions.shape == (2, 3)
    assert old[0, 2] == 100.0


def test_live_arrays_outlive_the_simulator(falling):
    view = falling.positions
    del falling
    assert view[0, 2] == 100.0


def test_save_and_restore_repeat_the_same_bits():
    sim = pile()
    sim.step(70)
    saved = sim.save()
    sim.step(40)
    first = sim.positions.copy()
    sim.restore(saved)
    assert sim.steps == 70 and sim.time == saved.time
    sim.step(40)
    np.testing.assert_array_equal(sim.positions, first)


@pytest.mark.parametrize(
    "twin_of",
    [ss.Simulator.clone, copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))],
    ids=["clone", "copy", "deepcopy", "pickle"],
)
def test_twins_go_the_same_way_by_themselves(twin_of):
    sim = pile()
    sim.step(70)
    twin = twin_of(sim)
    assert twin.steps == 70 and twin.settings == sim.settings
    before = twin.positions.copy()
    sim.step(40)
    np.testing.assert_array_equal(twin.positions, before)
    twin.step(40)
    np.testing.assert_array_equal(twin.positions, sim.positions)


def test_a_pickle_keeps_pairs_and_ignored_bodies():
    sim = pile()
    sim.pair("floor", "body-2", friction=0.0)
    sim.ignore("floor", "body-3")
    twin = pickle.loads(pickle.dumps(sim))
    assert twin.friction_between("body-2", "floor") == 0.0
    sim.step(150), twin.step(150)
    assert twin["body-3"].position[2] < 0.25, "the floor would hold its centre at 0.3 or more"
    np.testing.assert_array_equal(twin.positions, sim.positions)


def test_a_saved_state_can_be_pickled_and_fits_only_its_own_scene():
    sim = pile()
    sim.step(70)
    saved = sim.save()
    again = pickle.loads(pickle.dumps(saved))
    assert again == saved and len(again) == 5
    with pytest.raises(ss.ModelError, match="the saved state has 5 bodies, the simulator 0"):
        ss.Simulator().restore(saved)
    sim.restore(pile().save())
    other = pile()
    other.add(ss.Joint.revolute("world", "body-2"))
    with pytest.raises(ss.ModelError, match="the saved state has 0 joints, the simulator 1"):
        other.restore(saved)


def test_a_log_can_be_pickled(sliding):
    log = sliding.run(0.1)
    again = pickle.loads(pickle.dumps(log))
    np.testing.assert_array_equal(again["cube"].position, log["cube"].position)
    assert again.summary == log.summary and len(again) == len(log)


def test_threads_run_many_simulators_at_once():
    sims = [pile() for _ in range(4)]
    threads = [threading.Thread(target=sim.run, args=(0.8,)) for sim in sims]
    [t.start() for t in threads]
    [t.join() for t in threads]
    for sim in sims[1:]:
        np.testing.assert_array_equal(sim.positions, sims[0].positions)


def test_the_interpreter_is_free_while_a_simulator_runs():
    sim, ticks = pile(), 0
    thread = threading.Thread(target=sim.run, args=(0.8,))
    thread.start()
    while thread.is_alive():
        ticks += 1
    assert ticks > 100


def test_a_running_simulator_says_so_to_other_threads():
    sim = pile()
    inside, go = threading.Event(), threading.Event()

    def wait(A, b, z0):
        inside.set()
        assert go.wait(30)
        return ss.lcp.solve(A, b).z

    sim.solver = wait
    errors = []

    def run():
        try:
            sim.step(60)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert inside.wait(30)
    for use in (lambda: sim.step(), lambda: sim["body-2"].position, lambda: sim.positions,
                lambda: sim.save(), lambda: sim.clone(), lambda: sim.add(ss.Body.sphere(1)),
                lambda: setattr(sim, "time_step", 1.0)):
        with pytest.raises(ss.BusyError, match="in the middle of a step"):
            use()
    go.set()
    thread.join()
    assert not errors and sim.steps == 60
