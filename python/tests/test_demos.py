"""The longer programs do what they say."""

import pathlib
import re
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parents[1] / "demos"


def test_the_arm_finds_the_hole():
    """Within five turns of the spiral; the hand holds the peg, and the peg is beside the walls."""
    done = subprocess.run([sys.executable, FOLDER / "spiral_search.py"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found, _, slip, overlap = (float(x) for x in re.findall(r"\d+\.\d+", done.stdout))
    assert found < 6.0, done.stdout
    assert slip < 1.0 and overlap < 1000.0, done.stdout
