"""Recordings and pages."""

import re
import subprocess
import sys

import numpy as np
import pytest

import stickslip as ss


def test_a_recording_is_read_back_as_a_log(sliding, tmp_path):
    path = tmp_path / "run.h5"
    log = sliding.run(0.3, record=path)
    again = ss.load(path)
    assert again.bodies == log.bodies and len(again) == len(log)
    np.testing.assert_array_equal(again.time, log.time)
    for quantity in ("position", "orientation", "velocity", "angular_velocity"):
        np.testing.assert_array_equal(again["cube"][quantity], log["cube"][quantity])
    np.testing.assert_allclose(again.energy, log.energy)
    assert again.series["penetration"][1:].max() < 1e-9
    assert again.to_pandas().shape == log.to_pandas().shape
    assert len(again.view().page) > 10_000


def test_a_recording_in_two_dimensions(tmp_path):
    sim = ss.Simulator(dimension=2, gravity=(0, 0))
    bar = sim.add(ss.Body.rectangle(2, 1, angular_velocity=8.0, name="bar"))
    log = sim.run(1.0, record=tmp_path / "run.h5")
    again = ss.load(tmp_path / "run.h5")
    np.testing.assert_allclose(again["bar"].orientation, log[bar].orientation, atol=1e-12)
    assert again["bar"].position.shape == (101, 2)


def test_the_simulator_goes_on_as_if_it_had_not_been_recorded(sliding, tmp_path):
    twin = sliding.clone()
    sliding.run(0.2, record=tmp_path / "a.h5")
    twin.run(0.2)
    sliding.run(0.2, record=tmp_path / "b.h5")
    twin.run(0.2)
    np.testing.assert_array_equal(sliding.positions, twin.positions)


def test_a_failed_run_keeps_what_was_recorded(sliding, tmp_path):
    sliding.solver = "pgs"
    sliding.step(3)

    def spoil(sim):
        if sim.steps == 8:
            sim.solver_options = {"max_iterations": 1, "tolerance": 1e-14}

    sliding.before_step = spoil
    with pytest.raises(ss.BusyError, match="the run is being recorded, so its stages"):
        sliding.run(1.0, record=tmp_path / "run.h5")
    assert len(ss.load(tmp_path / "run.h5")) == 6


def test_files_that_are_no_recordings(sliding, tmp_path):
    with pytest.raises(ss.FileError):
        ss.load(tmp_path / "missing.h5")
    (tmp_path / "no.h5").write_text("no")
    with pytest.raises(ss.FileError):
        ss.load(tmp_path / "no.h5")
    with pytest.raises(ss.FileError):
        sliding.run(0.1, record=tmp_path / "no" / "where.h5")
    sliding.run(0.1)


def test_pages(sliding, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    sliding.view(open=False)
    sliding.run(0.1)
    page = sliding.view()
    assert len(opened) == 1 and opened[0].startswith("file://")
    assert re.search("<script type=.application/x-stickslip", page.page)
    assert page._repr_html_().startswith("<iframe")
    assert page.save(tmp_path / "run.html").stat().st_size > 10_000
    other = ss.Simulator()
    other.add(ss.Body.sphere(1))
    with pytest.raises(ss.ModelError, match="other bodies"):
        other.view(sliding.log, open=False)


def test_a_killed_run_leaves_a_readable_file(tmp_path):
    program = f"""
import os, stickslip as ss, time
sim = ss.Simulator()
sim.add(ss.Body.sphere(1, name="ball"))
begin = time.time()
def die(sim):
    if sim.steps > 50 and time.time() > begin + 1.5:
        os._exit(9)
sim.after_step = die
sim.run(1e9, record={str(tmp_path / "run.h5")!r}, every=10**9)
"""
    assert subprocess.run([sys.executable, "-c", program]).returncode == 9
    assert len(ss.load(tmp_path / "run.h5")) > 10
