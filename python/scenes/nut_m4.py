"""A nut of M4 runs down its bolt, turned by a wrench: the scene of M16 at another size."""

import pathlib
import runpy

import stickslip as ss

FAMILY = runpy.run_path(str(pathlib.Path(__file__).with_name("nut_and_bolt.py")))


def build() -> ss.Simulator:
    """The scene at time zero."""
    sim: ss.Simulator = FAMILY["build"](FAMILY["M4"])
    return sim


if __name__ == "__main__":
    print(build().run(3.8))
