"""A moment as people write it on the command line."""

import re
import time
from datetime import UTC, datetime
from typing import Final

_UNITS: Final = {"m": 60, "h": 3600, "d": 86400, "w": 604_800}
_AGO: Final = re.compile(r"([0-9]{1,6})([mhdw])")


def since(text: str) -> float:
    """Seconds since 1970 of `2026-11-30`, `2026-11-30T18:00:00Z` (UTC where nothing is said), or `2h` ago.

    Raises ValueError.
    """
    if ago := _AGO.fullmatch(text):
        return time.time() - int(ago[1]) * _UNITS[ago[2]]
    try:
        found = datetime.fromisoformat(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        what = f"{text!r} is no time: write 2026-11-30, 2026-11-30T18:00:00Z, or how long ago: 90m, 2h, 7d"
        raise ValueError(what) from None
