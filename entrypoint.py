"""What the Action's image starts: everything is in gate.action."""

import sys

from gate.action import main

if __name__ == "__main__":
    sys.exit(main())
