"""Sweeps on several executors: the numbers of the command line, and workers that die."""

import concurrent.futures
import csv
import multiprocessing
import os
import pathlib
import shutil
import signal
import subprocess
import threading

import pytest

import stickslip as ss

GRID = {"step": [0.02, 0.01], "body.box.friction": [0.1, 0.5]}
SCENE = """
[simulation]
duration = 0.2
step = 0.01
[[body]]
name = "floor"
shape = { type = "plane" }
static = true
[[body]]
name = "box"
shape = { type = "box", size = [1, 1, 1] }
position = [0, 0, 0.5]
velocity = [2, 0, 0]
"""


def program():
    """The command-line program, if it is built or installed."""
    root = pathlib.Path(__file__).parents[2]
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", root / "target"))
    built = target / "debug" / "stickslip"
    return str(built) if built.exists() else shutil.which("stickslip")


@pytest.fixture
def scene(tmp_path):
    file = tmp_path / "slide.toml"
    file.write_text(SCENE)
    return file


def plain(found):
    """Summaries without times."""
    return [{k: v for k, v in s.items() if k != "wall"} for s in found.summaries]


def test_the_numbers_are_those_of_the_command_line(scene, tmp_path):
    found = ss.sweep(scene, GRID, seeds=[0, 3], executor="serial")
    tool = program()
    if tool is None:
        pytest.skip("the program stickslip is not there")
    file = tmp_path / "sweep.toml"
    file.write_text(
        f'scene = "{scene}"\nseeds = [0, 3]\n[grid]\nstep = [0.02, 0.01]\nbody.box.friction = [0.1, 0.5]\n'
    )
    run = subprocess.run(
        [tool, "sweep", str(file), "--out", str(tmp_path / "out")], capture_output=True, text=True
    )
    assert run.returncode == 0, run.stderr
    with open(tmp_path / "out" / "sweep.csv", encoding="utf-8") as text:
        rows = list(csv.DictReader(text))
    assert len(rows) == len(found.rows) == 8
    for theirs, ours in zip(rows, found.rows, strict=True):
        assert list(theirs) == list(ours)
        for key, value in ours.items():
            if key == "wall.per_step_median":
                continue
            if isinstance(value, float):
                assert float(theirs[key]) == value, key
            else:
                assert theirs[key] == ("" if value is None else str(value)), key
    # Python goes on in the folder of the command line: nothing is left to do, times are those of that
    text = (tmp_path / "out" / "sweep.csv").read_text()
    again = ss.sweep(scene, GRID, seeds=[0, 3], executor="serial", out=tmp_path / "out")
    assert again.csv() == text == (tmp_path / "out" / "sweep.csv").read_text()


def test_a_sweep_goes_on_where_it_was(scene, tmp_path):
    told = []
    first = ss.sweep(scene, GRID, executor="serial", out=tmp_path / "out", progress=lambda k, n: told.append((k, n)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    (tmp_path / "out" / "runs" / "000002.json").unlink()
    told.clear()
    again = ss.sweep(scene, GRID, executor="serial", out=tmp_path / "out", progress=lambda k, n: told.append((k, n)))
    assert told == [(4, 4)] and plain(again) == plain(first)
    kept = [k for k in range(4) if again.summaries[k] == first.summaries[k]]
    assert kept[:2] == [0, 1] and 3 in kept
    # another grid in the same folder is another sweep
    other = ss.sweep(scene, {"step": [0.02]}, executor="serial", out=tmp_path / "out")
    assert other.rows[0]["steps"] == 10


def test_threads_and_processes_give_the_same(scene):
    serial = ss.sweep(scene, GRID, executor="serial")
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        assert plain(ss.sweep(scene, GRID, executor=threads)) == plain(serial)
    assert plain(ss.sweep(scene, GRID, workers=2)) == plain(serial)
    assert [row["body.box.friction"] for row in serial.rows] == ["0.1", "0.5"] * 2


class Fragile(concurrent.futures.Executor):
    """Its worker dies at the second run, as a process pool does: all that waits is lost."""

    def __init__(self):
        self.calls = 0

    def submit(self, fn, /, *args, **kwargs):
        self.calls += 1
        future = concurrent.futures.Future()
        if self.calls == 1:
            future.set_result(fn(*args, **kwargs))
        else:
            future.set_exception(concurrent.futures.process.BrokenProcessPool("a process died"))
        return future


def test_a_worker_that_dies_loses_nothing(scene):
    broken = Fragile()
    found = ss.sweep(scene, GRID, executor=broken, workers=1)
    assert broken.calls == 4
    assert plain(found) == plain(ss.sweep(scene, GRID, executor="serial"))
    assert all(row["error"] is None for row in found.rows)


@pytest.fixture
def long_scene(tmp_path):
    """Runs that take long enough for their worker to be killed in the middle of one."""
    file = tmp_path / "long.toml"
    file.write_text(SCENE.replace("duration = 0.2", "duration = 60").replace("velocity = [2, 0, 0]", "velocity = [2, 0, 9]"))
    return file


class Killer(threading.Thread):
    """Kills one process of those that `find` names, as soon as there is one."""

    def __init__(self, find):
        super().__init__(daemon=True)
        self.find, self.killed, self.over = find, None, threading.Event()

    def run(self):
        while not self.over.wait(0.02):
            for process in self.find():
                os.kill(process, signal.SIGKILL)
                self.killed = process
                return

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.join()


def test_a_killed_process_loses_nothing(long_scene):
    serial = ss.sweep(long_scene, GRID, executor="serial")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        # A process that has begun is in the list.
        with Killer(lambda: list(pool._processes or {})) as killer:
            found = ss.sweep(long_scene, GRID, executor=pool)
    assert killer.killed is not None
    assert plain(found) == plain(serial)
    assert all(row["error"] is None for row in found.rows)


def test_dask_gives_the_same_and_a_killed_worker_loses_nothing(long_scene):
    distributed = pytest.importorskip("distributed", reason="pip install distributed")
    serial = ss.sweep(long_scene, GRID, executor="serial")
    cluster = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**cluster) as local, distributed.Client(local) as client:
        assert plain(ss.sweep(long_scene, GRID, executor=client)) == plain(serial)
        before = client.run(os.getpid)

        def at_work():
            # Those that compute, by their address.
            busy = [name for name, tasks in client.processing().items() if tasks]
            return [before[name] for name in busy if name in before]

        with Killer(at_work) as killer:
            assert plain(ss.sweep(long_scene, GRID, executor=client)) == plain(serial)
        assert killer.killed is not None


def test_ray_gives_the_same_and_a_killed_worker_loses_nothing(long_scene):
    ray = pytest.importorskip("ray", reason="pip install ray")
    psutil = pytest.importorskip("psutil", reason="pip install psutil")
    serial = ss.sweep(long_scene, GRID, executor="serial")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        assert plain(ss.sweep(long_scene, GRID, executor="ray")) == plain(serial)

        def at_work():
            ours = psutil.Process().children(recursive=True)
            return [p.pid for p in ours if p.is_running() and "ray::_one" in " ".join(p.cmdline())]

        with Killer(at_work) as killer:
            assert plain(ss.sweep(long_scene, GRID, executor="ray")) == plain(serial)
        assert killer.killed is not None
    finally:
        ray.shutdown()


def test_mistakes_are_named(scene):
    with pytest.raises(ss.StickslipError, match="frction"):
        ss.sweep(scene, {"body.box.frction": [1]}, executor="serial")
    with pytest.raises(ss.ModelError, match="list of values"):
        ss.sweep(scene, {"step": 0.1}, executor="serial")
    with pytest.raises(ss.ModelError, match="submit"):
        ss.sweep(scene, {}, executor=3)
