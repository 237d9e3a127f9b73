"""What the runner reads of a step: the commands in its log, and the files of outputs and summary.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands has both.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import TextIOBase
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TextIO

from gate.redact import Redactor

SHORTEST_SECRET: Final = 8
"""Values with fewer characters are not masked: the runner would mask half of every text."""


class Log:
    """The step's log. All that is printed inside the block is text, whatever it looks like.

    The runner obeys no command in it (stop-commands, with a token that nobody can guess), and `inert` breaks
    what looks like one. Standard error is joined in: in two streams the order would not be kept. `redact`
    knows all that is masked.
    """

    def __init__(self, stream: TextIO, inert: Callable[[str], str]) -> None:
        self.redact = Redactor()
        self._stream = stream
        self._inert = inert
        self._text = _Text(stream, self._clean)
        self._token = ""
        self._secrets: set[str] = set()
        self._redirected = ExitStack()

    def __enter__(self) -> Self:
        self._stop()
        self._redirected.enter_context(redirect_stdout(self._text))
        self._redirected.enter_context(redirect_stderr(self._text))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._redirected.close()
        self._text.end_line()
        self._resume()

    def mask(self, values: Iterable[str]) -> None:
        """Take these out of the log, and have the runner do so in whatever later steps print."""
        found = {value.strip() for value in values if len(value.strip()) >= SHORTEST_SECRET}
        self._secrets |= found | {line for value in found for line in value.splitlines()}
        self.redact = Redactor(self._secrets)
        self.commands(f"::add-mask::{_escaped(value)}" for value in sorted(found))

    def show_warning(self, text: str) -> None:
        """Print a warning that the run's page shows as well."""
        self.commands([f"::warning title=Agent Gate::{_escaped(self._clean(text))}"])

    @contextmanager
    def unhindered(self, what: str) -> Iterator[None]:
        """Make a warning of a file that cannot be had: `what` is not done, and the verdict stands."""
        try:
            yield
        except OSError as error:
            why = f"{error.filename}: {error.strerror}"
            self.show_warning(f"Agent Gate could not {what} ({why}); the verdict stands.")

    def commands(self, lines: Iterable[str]) -> None:
        """Print lines that the runner shall obey, each of them one whole command."""
        if told := list(lines):
            self._text.end_line()
            self._resume()
            self._print(*told)
            self._stop()

    def _clean(self, text: str) -> str:
        return self._inert(self.redact.text(text))

    def _stop(self) -> None:
        self._token = secrets.token_hex(16)
        self._print(f"::stop-commands::{self._token}")

    def _resume(self) -> None:
        self._print(f"::{self._token}::")

    def _print(self, *lines: str) -> None:
        print(*lines, sep="\n", file=self._stream, flush=True)


class _Text(TextIOBase):
    """Passes whole lines on, inert: half a line cannot be judged."""

    def __init__(self, stream: TextIO, inert: Callable[[str], str]) -> None:
        self._stream = stream
        self._inert = inert
        self._begun = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        whole, newline, self._begun = (self._begun + text).rpartition("\n")
        if newline:
            self._stream.write(self._inert(whole) + "\n")
            self._stream.flush()
        return len(text)

    def end_line(self) -> None:
        """Pass on the line that was begun, as a line."""
        if self._begun:
            self.write("\n")


def set_outputs(environ: Mapping[str, str], outputs: Mapping[str, str]) -> None:
    """Append to GITHUB_OUTPUT; the delimiter is random, so that no value can end itself and set another."""
    for name, value in outputs.items():
        _append(environ, "GITHUB_OUTPUT", _entry(name, value))


def save_state(environ: Mapping[str, str], name: str, value: str) -> None:
    """Append to GITHUB_STATE: the post step finds it as the variable `STATE_` and the name."""
    _append(environ, "GITHUB_STATE", _entry(name, value))


def add_summary(environ: Mapping[str, str], markdown: str) -> None:
    """Append to the job's summary; GitHub drops the whole of one that exceeds 1 MiB."""
    _append(environ, "GITHUB_STEP_SUMMARY", markdown)


def _append(environ: Mapping[str, str], variable: str, text: str) -> None:
    """Append to the file that a variable names, or raise an OSError that names it too."""
    if name := environ.get(variable):
        try:
            with Path(name).open("a", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:  # a full disk names no file
            raise OSError(error.errno, error.strerror, name) from error


def _entry(name: str, value: str) -> str:
    delimiter = f"ghadelimiter_{secrets.token_hex(16)}"
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def _escaped(data: str) -> str:
    return data.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
