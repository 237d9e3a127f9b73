r"""The leaf escapers: hostile text in, text that is inert on its surface out.

Whatever an agent, a dataset or a config wrote passes through exactly one of these on its way out. All of them
take out terminal escapes, control, bidi, invisible and surrogate characters and noncharacters, and break by a
visible backslash what a CI runner would read as a command: `::` at a line's start (the runner trims the line
first, so a space would not help) becomes `\::`, and `##[`, `##vso[`, `##teamcity[` become `##\[` and so on.
The marker that our comments carry becomes `<!-\- agent-gate:`.
"""

import re
from collections.abc import Callable
from typing import TypeAlias

Quote: TypeAlias = Callable[[str], str]
"""How a surface shows other people's words: `code` in Markdown, `line` on a terminal."""

_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    # OSC, DCS and the like: titles, links. A body ends where another starts, which keeps the search linear.
    r"|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x90\x98\x9c-\x9f\n]*(?:\x07|\x1b\\|\x9c)"
    r"|\x1b[ -/]*[0-~]"
)
_LINE_ENDS = re.compile(r"\r\n|[\r\x0b\x0c\x85\u2028\u2029]")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x9f\xad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff"
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
    + "]"
)
_COMMAND = re.compile(r"^([^\S\n]*)(?=::)", re.MULTILINE)
_OLD_COMMAND = re.compile(r"##(?=\w*\[)")
_MARKER = re.compile(r"<!-(?=-\s*agent-gate:)", re.IGNORECASE)
_SPACE = re.compile(r"\s+")
_TICKS = re.compile(r"`+")

LINE, BLOCK = 300, 4000
EMPTY = "(empty)"


def lines(text: str, cap: int = BLOCK) -> str:
    """Text that may have several lines, for a log, an XML element or a fence: at most `cap` characters."""
    visible = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", _ESCAPES.sub("", text)))
    return _foreign(_capped(visible, cap))


def line(text: str, cap: int = LINE) -> str:
    """Text as one line without line breaks, at most `cap` characters, for a log or an XML attribute."""
    visible = _INVISIBLE.sub("", _LINE_ENDS.sub("\n", _ESCAPES.sub("", text)))
    return _foreign(_capped(_SPACE.sub(" ", visible).strip(), cap))


def code(text: str, cap: int = LINE) -> str:
    """Text as a Markdown code span (CommonMark 6.1), where mentions, links, images and HTML are inert."""
    inner = line(text, cap)
    if not inner:
        return EMPTY
    ticks = "`" * (_longest_run(inner) + 1)
    pad = " " if "`" in (inner[0], inner[-1]) else ""
    return f"{ticks}{pad}{inner}{pad}{ticks}"


def cell(text: str, cap: int = LINE) -> str:
    """Text as a code span in a cell of a Markdown table (GFM 4.10): a pipe would end the cell."""
    return code(text, cap).replace("|", r"\|")


def fence(text: str, cap: int = BLOCK) -> str:
    """Text as a fenced code block of its own lines, for the top level of a document."""
    inner = lines(text, cap).strip("\n")
    ticks = "`" * max(3, _longest_run(inner) + 1)
    return f"{ticks}text\n{inner}\n{ticks}"


def tail(text: str, cap: int = BLOCK) -> str:
    """The last `cap` characters of `text`, from the start of a line where there is one."""
    if len(text) <= cap:
        return text
    kept = text[-cap:]
    return "…\n" + (kept.partition("\n")[2] or kept)


def _capped(text: str, cap: int) -> str:
    return text if len(text) <= cap else text[: cap - 1].rstrip() + "…"


def _foreign(text: str) -> str:
    """Text that is not ours: no command, and not the marker by which a comment of ours is found again."""
    return without_commands(_MARKER.sub(r"<!-\\", text))


def without_commands(text: str) -> str:
    """Text in which no line is a runner's command; for whole lines that are put together of several texts."""
    return _OLD_COMMAND.sub(r"##\\", _COMMAND.sub(r"\1\\", text))


def _longest_run(text: str) -> int:
    return max((len(run) for run in _TICKS.findall(text)), default=0)
