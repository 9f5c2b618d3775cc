"""The program ``complementarity-ampl``, which comes with this package: reads ``stub.nl``, writes ``stub.sol``."""

import sys

from . import _complementarity


def main() -> int:
    """Does what the command line says; 1 with a message where that cannot be done."""
    try:
        _complementarity.run_ampl(sys.argv)
    except RuntimeError as error:
        print(f"complementarity-ampl: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
