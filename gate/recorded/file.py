"""Recorded sessions in a text file: session JSON, lists and lines of events, exported rows."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from gate.documents import read_bytes
from gate.errors import UsageError
from gate.formats.stored import Listed, NotASession, Recording, read_recordings, timestamp
from gate.recorded.address import Address
from gate.recorded.source import Wanted

MAX_BYTES: Final = 1 << 30
_HINT: Final = (
    "It reads traces.jsonl, session JSON of ADK and kagent, a list of events, JSON lines of events or rows, "
    "traces of agents-cli, and databases of ADK and kagent. OpenTelemetry spans: `agent-gate import otel`."
)


class TextFile:
    """The sessions of one file, read when they are asked for; see Source."""

    def __init__(self, where: Address, clean: Callable[[str], str]) -> None:
        self.shown = where.shown
        self._path = Path(where.target)
        self._clean = clean
        self._recordings: tuple[Recording, ...] | None = None
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The whole file; raises UsageError."""
        if self._text is None:
            self._text = self._clean(_text(self._path, self.shown))
        return self._text

    def sessions(self, wanted: Wanted, most: int) -> tuple[Listed, ...]:
        """See Source."""
        listed = [_listed(recording) for recording in self._read()]
        fits = [one for one in listed if _fits(one, wanted)]
        return tuple(sorted(fits, key=lambda one: -one.last)[:most])

    def recording(self, listed: Listed) -> Recording:
        """See Source."""
        return next(recording for recording in self._read() if recording.key == listed.key)

    def _read(self) -> tuple[Recording, ...]:
        if self._recordings is None:
            try:
                self._recordings = read_recordings(self.text)
            except NotASession as error:
                what = f"{self.shown} holds no session that this command knows: {error}"
                raise UsageError(what, hint=_HINT) from error
        return self._recordings


def _text(path: Path, shown: str) -> str:
    try:
        return read_bytes(path, MAX_BYTES).decode("utf-8").removeprefix("\ufeff")
    except OSError as error:
        raise UsageError(f"cannot read {shown}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown} is not UTF-8: {error.reason} at byte {error.start}") from error


def _fits(one: Listed, wanted: Wanted) -> bool:
    pairs = ((wanted.session, one.id), (wanted.app, one.app), (wanted.user, one.user))
    return all(not asked or asked == held for asked, held in pairs) and one.last >= wanted.since


def _listed(recording: Recording) -> Listed:
    times = [at for frame in recording.frames if (at := timestamp(frame))]
    return Listed(
        store="file",
        id=recording.id,
        app=recording.app,
        user=recording.user,
        events=len(recording.frames),
        first=min(times, default=0.0),
        last=max(times, default=0.0),
    )
