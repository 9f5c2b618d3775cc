"""52 bricks in a running bond on a rough floor."""

import stickslip as ss
from stickslip import masonry


def build() -> ss.Simulator:
    """The scene at time zero."""
    return masonry.build(masonry.wall(bricks=6, courses=8), accuracy="exact")


if __name__ == "__main__":
    print(build().run(2.0))
