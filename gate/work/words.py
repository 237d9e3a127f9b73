"""What a started program printed, for people: without anything that a terminal or CI obeys."""

import re

_NEAR_THE_END = 10
_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]{0,64}[ -/]{0,16}[@-~]|\][^\x07\x1b\n]{0,4096}(?:\x07|\x1b\\)?|[ -/]{1,4}[0-~]|[0-~])?"
)
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff]"
)
# The runner takes `::x::` at the start of a line, after any blanks, and `##[x]` anywhere.
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_TELLING = re.compile(r"error|exception|panic|fatal|cannot|no such|not found|denied", re.IGNORECASE)


def inert(text: str) -> str:
    """The text without terminal escapes, invisible and bidi controls, and workflow commands."""
    lines = _ESCAPE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    return _COMMAND.sub(r"\1: ", _INVISIBLE.sub("", lines)).replace("##[", "## [")


def telling_line(tail: str) -> str:
    """The line that most likely says why the program ended: the last that names an error, or the last."""
    lines = [line.strip() for line in tail.splitlines() if re.search(r"\w", line)]
    telling = [line for line in lines[-_NEAR_THE_END:] if _TELLING.search(line)]
    return (telling or lines or [""])[-1][:300]
