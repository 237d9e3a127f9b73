"""What the tests need from npm: installed from its lock, once a lock, whichever test comes first."""

import fcntl
import subprocess
from functools import cache
from pathlib import Path

NODE = Path(__file__).parents[2] / "requirements" / "node"


@cache
def node_modules() -> Path:
    """The folder of the installed packages; two test processes do not install at the same time."""
    installed, lock = NODE / "node_modules" / ".package-lock.json", NODE / "package-lock.json"
    with lock.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
            subprocess.run(command, cwd=NODE, check=True, capture_output=True)
    return installed.parent
