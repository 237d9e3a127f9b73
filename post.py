#!/opt/agent-gate/bin/python -I
"""What the image starts after the job, in a container of its own: removes what a killed step left."""

import sys

from gate.__main__ import tidy

if __name__ == "__main__":
    sys.exit(tidy())
