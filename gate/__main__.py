"""`python -m gate` is the command `agent-gate`."""

import sys

from gate.cli import main

if __name__ == "__main__":
    sys.exit(main())
