"""Files in as documents, and canonical files out, atomically."""

import errno
import gc
import json
import os
import stat
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from gate.documents.document import Document
from gate.documents.json_text import HALF_SURROGATE, parse_json
from gate.errors import UsageError
from gate.model import Json
from gate.model.finding import Finding, Place

MAX_BYTES: Final = 64 * 1024 * 1024


def parse(text: str, file: str, *, dates: Collection[str] = ("until",)) -> Document:
    """Read YAML 1.2 in the types of JSON, JSON or a Python literal where the name ends so.

    Never raises for bad content.

    Dates stay text. Unquoted they are a warning (other tools make dates of them) except as the value of a key
    in `dates`, where a date is what is meant.
    """
    text = text.removeprefix("\ufeff")
    with no_collection():
        if file.endswith(".json"):
            return parse_json(text, file)
        if file.endswith(".py"):
            from gate.documents.python_text import parse_python

            return parse_python(text, file)
        from gate.documents.yaml_text import parse_yaml

        return parse_yaml(text, file, dates)


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file to be read; raises OSError, with a reason for people.

    A pipe or a device is refused: to open one may wait for ever, and to read one may never end.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise OSError(errno.EINVAL, f"no file can have this name ({error})") from None
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISREG(mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    raise OSError(errno.EINVAL, "it is no regular file")


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file of at most `most` bytes; raises OSError, with a reason for people."""
    with open_regular(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most // 1024 // 1024} MiB")
    return content


def read(path: Path, file: str) -> Document:
    """Read a file from disk; `file` is its name in findings. What cannot be read is a finding."""
    try:
        content = read_bytes(path, MAX_BYTES)
    except OSError as error:
        rule = "too-big" if error.errno == errno.EFBIG else "unreadable"
        return _broken(file, rule, f"cannot be read: {_reason(error)}")
    try:
        return parse(content.decode("utf-8"), file)
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8")
        place = Place(file=file, line=before.count("\n") + 1, column=len(before) - before.rfind("\n"))
        what = f"byte {error.start} (0x{content[error.start]:02x}) is not UTF-8"
        return _broken(file, "not-utf8", what, place=place, fix="Save the file as UTF-8.")


def canonical(value: Json, *, indent: int | None = None) -> str:
    """JSON text that is the same for the same value: sorted keys, a newline at the end.

    Raises ValueError on NaN. One line, or indented for files that people diff. Half surrogates, which no file
    can hold, become U+FFFD.
    """
    separators = (",", ":") if indent is None else None
    text = json.dumps(
        value, sort_keys=True, ensure_ascii=False, allow_nan=False, indent=indent, separators=separators
    )
    return HALF_SURROGATE.sub("\ufffd", text) + "\n"


def write_text(path: Path, text: str | Iterable[str]) -> None:
    """Write a file whole or not at all: beside it first, flushed, then renamed.

    Raises UsageError with the reason. Folders are made. A link is replaced, not followed.
    """
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with temporary.open("x", encoding="utf-8", newline="") as file:
                file.writelines([text] if isinstance(text, str) else text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {_reason(error)}") from error


def _broken(file: str, rule: str, what: str, *, place: Place | None = None, fix: str = "") -> Document:
    finding = Finding.error(rule, place or Place(file=file), what, fix=fix)
    return Document(file=file, value=None, findings=(finding,), broken=True)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)


@contextmanager
def no_collection() -> Iterator[None]:
    """A large file makes a million objects and no garbage: walking them all the time is most of the time."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
