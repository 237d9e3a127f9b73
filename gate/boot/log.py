"""The agent's output: into a file with a cap, without secrets or anything that a terminal or CI obeys."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from gate.errors import UsageError
from gate.redact import Redactor
from gate.work.words import inert

CAP = 8 * 1024 * 1024
"""Bytes that the file gets; what comes after them is counted and dropped."""
TAIL_LINES = 40
_WINDOW = 64 * 1024
_LONGEST_LINE = 500
_KEEP = 8 * 1024
_BLOCK = 16 * 1024
_TRIES = 16


class AgentLog:
    """What the agent printed, over all its restarts; `path` gets it redacted and inert."""

    def __init__(self, path: Path, redact: Redactor, cap: int = CAP) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("w", encoding="utf-8")
        except OSError as error:
            reason = f"cannot write the agent's log to {path}: {error.strerror}"
            raise UsageError(
                reason, hint="Remove what is there, or choose another folder with --out."
            ) from error
        self._redact = redact
        self._room = cap
        self._dropped = 0
        self._pending = b""
        self._next_spill = _BLOCK
        self._window = b""
        self._whole = True

    def feed(self, data: bytes) -> None:
        """Take bytes as they were printed."""
        window = self._window + data
        self._whole = self._whole and len(window) <= _WINDOW
        self._window = window[-_WINDOW:]
        if not self._room:
            self._dropped += len(data)
            return
        self._pending += data
        if len(self._pending) >= self._next_spill:
            self._spill()

    def tail(self) -> str:
        """The last 40 lines of this start of the agent, redacted and inert."""
        window = self._window if self._whole else self._window.partition(b"\n")[2] or self._window
        lines = [line.rstrip()[:_LONGEST_LINE] for line in self._clean(window).split("\n")]
        return "\n".join(lines[-TAIL_LINES - 1 :]).strip("\n")

    def fresh(self, note: str) -> None:
        """Begin anew for a restart: the file keeps what it has, with a note, and the tail forgets."""
        self.feed(b"" if self._window.endswith(b"\n") or not self._window else b"\n")
        self.feed(f"--- {note} ---\n".encode())
        self._window, self._whole = b"", True

    def close(self) -> None:
        """Write what is pending, and say what was dropped."""
        self._write(self._pending)
        self._pending = b""
        if self._dropped:
            self._put(f"\n--- {self._dropped:,} more bytes were dropped: the log is full ---\n")
        with suppress(OSError):
            self._file.close()

    def _clean(self, data: bytes) -> str:
        return self._redact.text(inert(data.decode("utf-8", "replace")))

    def _spill(self) -> None:
        """Write the older part of what is pending, cut where no secret crosses the cut."""
        cut = next(self._safe_cuts(), 0)
        if not cut and len(self._pending) >= _WINDOW:
            cut = len(self._pending) - _KEEP
        self._write(self._pending[:cut])
        self._pending = self._pending[cut:]
        self._next_spill = len(self._pending) + _BLOCK

    def _safe_cuts(self) -> Iterator[int]:
        whole = self._clean(self._pending)
        cut = len(self._pending) - _KEEP
        for _ in range(_TRIES):
            cut = self._pending.rfind(b"\n", 0, max(cut - 1, 0)) + 1
            if not cut:
                return
            if self._clean(self._pending[:cut]) + self._clean(self._pending[cut:]) == whole:
                yield cut

    def _write(self, data: bytes) -> None:
        text = self._clean(data)
        encoded = text.encode()
        if len(encoded) > self._room:
            self._dropped += len(encoded) - self._room
            text = encoded[: self._room].decode("utf-8", "ignore")
        self._room = max(self._room - len(encoded), 0)
        self._put(text)

    def _put(self, text: str) -> None:
        """A disk that is full takes the rest of the log, and nothing else: `tail` needs no file."""
        try:
            self._file.write(text)
            self._file.flush()
        except OSError:
            self._room = 0
