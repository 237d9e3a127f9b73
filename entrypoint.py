"""What the Action's image starts: everything is in gate.action."""

import sys

from gate.__main__ import step

if __name__ == "__main__":
    sys.exit(step())
