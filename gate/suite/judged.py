"""The file of earlier judgements: read from the work tree where there is one side, and written back there.

A pull request may commit a file of forged judgements. So a run that has a base reads its base's file from
git, whoever has accepted what, and writes none.
"""

from contextlib import suppress
from pathlib import Path

from gate.documents import read_bytes, write_text
from gate.errors import UsageError
from gate.git import is_in_checkout
from gate.model.config import Config

LARGEST = 64 * 1024 * 1024


def earlier_judgements(config: Config) -> bytes:
    """The file's bytes; nothing where there is none, or it leads out of the repository."""
    root = Path(config.root)
    if not config.judge_cache or not is_in_checkout(root, root / config.judge_cache):
        return b""
    try:
        return read_bytes(root / config.judge_cache, LARGEST)
    except OSError:  # the first run, or one that pays for every judgement again
        return b""


def keep_judgements(config: Config, text: str) -> None:
    """Write the file anew; where that is impossible the next run pays again, and this verdict stands."""
    path = Path(config.root) / config.judge_cache
    with suppress(OSError, UsageError):
        if is_in_checkout(Path(config.root), path):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
