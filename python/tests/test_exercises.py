"""The exercises: the solutions keep the laws they are checked by, the starters wait for a student."""

import os
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[1] / "exercises"
EXERCISES = sorted(path.name for path in FOLDER.glob("*.py"))
CHECKS = "# What must hold"


def run(path):
    env = {**os.environ, "MPLBACKEND": "agg"}
    return subprocess.run([sys.executable, path], capture_output=True, text=True, env=env)


def test_there_are_six_and_each_has_a_solution():
    assert len(EXERCISES) == 6
    assert EXERCISES == sorted(path.name for path in (FOLDER / "solutions").glob("*.py"))


@pytest.mark.parametrize("name", EXERCISES)
def test_solution(name):
    done = run(FOLDER / "solutions" / name)
    assert done.returncode == 0, done.stderr
    assert done.stdout, "a solution says what it found"


@pytest.mark.parametrize("name", EXERCISES)
def test_starter_asks_for_what_is_missing_and_for_nothing_else(name):
    done = run(FOLDER / name)
    assert done.returncode == 1 and "NotImplementedError: " in done.stderr, done.stderr
    starter, solution = (path.read_text() for path in (FOLDER / name, FOLDER / "solutions" / name))
    assert starter.split(CHECKS)[1] == solution.split(CHECKS)[1], "the same is asked of both"
    assert starter.count("raise NotImplementedError") == 1


@pytest.mark.parametrize("folder", [".", "solutions"])
def test_mypy_strict_passes(folder):
    pytest.importorskip("mypy")
    files = [FOLDER / folder / name for name in EXERCISES]
    command = [sys.executable, "-m", "mypy", "--strict", *files]
    done = subprocess.run(command, cwd=FOLDER.parent, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
