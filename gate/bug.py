"""What to tell of a bug of the gate's own: the lines of a report, without the secrets of its environment."""

import os
import platform
import re
import traceback
from typing import Final

from gate import __version__
from gate.redact import Redactor

_SECRET_NAME: Final = re.compile("auth|credential|key|pass|secret|token", re.IGNORECASE)


def bug_report() -> str:
    """What to print of the exception that is being handled, where no class of gate.errors fits."""
    secrets = [value for name, value in os.environ.items() if _SECRET_NAME.search(name)]
    return "\n".join(
        (
            "agent-gate: this is a bug in the gate, not in your agent; please report it with these lines:",
            f"agent-gate {__version__}, Python {platform.python_version()}, {platform.platform()}",
            Redactor(secrets).text(traceback.format_exc()),
        )
    )
