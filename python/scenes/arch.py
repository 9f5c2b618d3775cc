"""27 dry stones in a half circle, 0.12 of its radius thick."""

import stickslip as ss
from stickslip import masonry


def build() -> ss.Simulator:
    """The scene at time zero."""
    return masonry.build(masonry.arch(stones=27, thickness=0.12))


if __name__ == "__main__":
    print(build().run(2.0))
