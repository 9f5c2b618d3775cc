"""Five courses of twelve stones, open at the top."""

import stickslip as ss
from stickslip import masonry


def build() -> ss.Simulator:
    """The scene at time zero."""
    return masonry.build(masonry.dome(courses=5, segments=12), accuracy="exact")


if __name__ == "__main__":
    print(build().run(2.0))
