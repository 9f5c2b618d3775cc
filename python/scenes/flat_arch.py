"""A level lintel of seven wedges between two skewbacks."""

import stickslip as ss
from stickslip import masonry


def build() -> ss.Simulator:
    """The scene at time zero."""
    return masonry.build(masonry.flat_arch(stones=7, friction=0.4))


if __name__ == "__main__":
    print(build().run(2.0))
