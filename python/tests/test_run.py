"""Runs: the log, plots, tables, progress, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import stickslip as ss


def test_the_log_has_the_start_and_every_step(sliding):
    log = sliding.run(0.5)
    assert len(log) == 51 and log.bodies == ["floor", "cube"]
    np.testing.assert_allclose(log.time, np.arange(51) * 0.01, atol=1e-12)
    assert log["cube"].position.shape == (51, 3) and log["cube"].orientation.shape == (51, 4)
    np.testing.assert_array_equal(log["cube"].position[-1], sliding["cube"].position)
    assert log.energy[0] == pytest.approx(0.5 + 9.81 * 0.5)
    assert log.contacts[0] == 0 and (log.contacts[1:] >= 4).all()
    assert (np.diff(log.energy) <= 1e-12).all()
    np.testing.assert_array_equal(log["cube"]["speed"], np.linalg.norm(log["cube"].velocity, axis=1))
    with pytest.raises(ss.ModelError, match="a body has no 'colour'"):
        log["cube"]["colour"]
    with pytest.raises(ss.ModelError, match="position has no part 'w'"):
        log["cube"]["position.w"]
    with pytest.raises(ss.UnknownBodyError):
        log["nobody"]
    with pytest.raises(AttributeError):
        log.nothing


def test_every_keeps_some_steps(falling):
    log = falling.run(0.1, every=5)
    np.testing.assert_allclose(log.time, [0, 0.05, 0.1])


def test_the_summary_is_that_of_the_command_line(sliding):
    summary = sliding.run(0.2).summary
    assert json.loads(json.dumps(summary)) == summary
    assert summary["steps"] == 20 and summary["formulation"] == sliding.formulation
    assert set(summary["bodies"]) == {"floor", "cube"}
    assert summary["diagnostics"]["max_penetration"] < 1e-9
    assert summary["diagnostics"]["solver"]["failures"] == 0
    assert sliding.run(0.1, judge=False).summary["diagnostics"]["max_penetration"] is None


def test_a_second_run_goes_on(falling):
    falling.run(0.5)
    log = falling.run(0.5)
    assert log.time[0] == pytest.approx(0.5) and falling.time == pytest.approx(1.0)
    falling.duration = 0.25
    assert len(falling.run()) == 26


def test_plots(sliding):
    log = sliding.run(0.2)
    axes = log.plot("cube", "position.x")
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), log["cube"].position[:, 0])
    assert axes.get_xlabel() == "time [s]" and axes.get_ylabel() == "position.x [m]"
    assert log.plot("cube", "velocity", ax=axes) is axes and len(axes.lines) == 4
    energy = log.plot(what="energy")
    np.testing.assert_array_equal(energy.lines[0].get_ydata(), log.energy)
    with pytest.raises(ss.ModelError):
        log.plot(what="nothing")


def test_tables(sliding):
    log = sliding.run(0.1)
    table = log.to_pandas()
    assert table.shape == (11, 2 * 13) and table.index.name == "time"
    np.testing.assert_array_equal(table["cube", "position.x"], log["cube"].position[:, 0])
    np.testing.assert_array_equal(table["cube"]["orientation.w"], log["cube"].orientation[:, 0])


def test_progress(falling, monkeypatch, capsys):
    falling.run(0.1, progress=True)
    assert "step" in capsys.readouterr().err
    falling.run(0.1)
    assert capsys.readouterr().err == ""
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    falling.run(0.1, progress=True)


def test_an_empty_world_passes_time():
    sim = ss.Simulator()
    log = sim.run(0.1)
    assert len(log) == 11 and sim.time == pytest.approx(0.1)


@pytest.mark.parametrize("call", ["", "sim.after_step = lambda sim: None"])
def test_ctrl_c_stops_cleanly(call):
    program = f"""
        import os, signal, sys, threading
        import stickslip as ss
        sim = ss.Simulator(step=0.001)
        sim.add(ss.Body.plane())
        cube = sim.add(ss.Body.box(1, 1, 1, position=(0, 0, 0.5)))
        {call}
        # a shell that starts its jobs in the background has them ignore Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            sim.run(1e6)
        except KeyboardInterrupt:
            log = sim.log
            assert len(log) == sim.steps + 1 > 1, (len(log), sim.steps)
            assert (log[cube].position[-1] == cube.position).all()
            assert log.summary["steps"] == sim.steps
            sim.step()
            print("stopped")
    """
    env = {**os.environ, "PYTHONFAULTHANDLER": "1"}
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=env
    )
    assert done.stdout == "stopped\n" and done.returncode == 0, done.stderr
    assert done.returncode != -signal.SIGINT
