"""The papers' experiments from Python."""

import subprocess
import sys
import textwrap

import pytest

import stickslip as ss


def test_an_experiment_writes_its_page_and_says_what_holds(tmp_path):
    report = ss.experiments.run("rotation", quick=True, out=tmp_path)
    assert [claim.reproduced for claim in report.claims] == [True, True]
    page = (tmp_path / "rotation" / "index.html").read_text()
    assert "0.0612" in page and report.claims[0].paper[:20] in page


def test_an_unknown_experiment_lists_the_known():
    assert "peg-in-hole" in ss.experiments.list()
    with pytest.raises(ss.SettingsError, match="peg-in-hole"):
        ss.experiments.run("nothing")


def test_penalty_settings_reach_the_engine():
    sim = ss.Simulator(
        formulation="penalty", integrator="rk4", points="deepest", penalty_stiffness=120.0, step=1e-3
    )
    assert (sim.points, sim.penalty_stiffness) == ("deepest", 120.0)
    sim.add(ss.Body.plane(name="floor"))
    ball = sim.add(ss.Body.sphere(0.5, name="ball", position=(0, 0, 0.5)))
    sim.run(4.0)
    # k_p + k_i / (1 - lambda), per mass, with the static floor counting four times the ball.
    depth = 9.81 / (5 * (120 + 2 / 0.15))
    assert ball.position[2] == pytest.approx(0.5 - depth, abs=1e-5)


def test_ctrl_c_ends_an_experiment(tmp_path):
    program = f"""
        import os, signal, threading
        import stickslip as ss
        # a shell that starts its jobs in the background has them ignore Ctrl-C
        signal.signal(signal.SIGINT, signal.default_int_handler)
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            ss.experiments.run("pile", quick=False, out={str(tmp_path)!r})  # a minute and more
        except KeyboardInterrupt:
            print("stopped")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True
    )
    assert done.stdout == "stopped\n" and done.returncode == 0, done.stderr
    assert not (tmp_path / "pile" / "index.html").exists()
