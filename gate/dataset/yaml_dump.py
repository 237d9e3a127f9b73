"""Cases as the text of a golden file in our own format, YAML or JSON, that reads back as the same cases."""

import json
import re
from collections.abc import Sequence
from typing import Final

from gate.dataset.dump import dump_case
from gate.model import Json
from gate.model.case import Case

_PLAIN: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:[ ./()'-]{1,2}[A-Za-z0-9_]+)*[.)]?")
_WORDS: Final = frozenset({"true", "false", "null", "yes", "no", "on", "off", "y", "n"})
_SHORT: Final = 88
_LONGEST_KEY: Final = 300
"""A key of more than 1024 characters has to be marked as one (YAML 1.2.2, section 7.4.2)."""


def as_text(cases: Sequence[Case], *, as_json: bool = False) -> str:
    """The whole file; the value that a text stands for never depends on which YAML a tool speaks."""
    return value_text({"cases": [dump_case(case) for case in cases]}, as_json=as_json)


def value_text(value: Json, *, as_json: bool = False) -> str:
    """Any value as JSON or as block YAML; small lists and mappings stay on one line."""
    if as_json:
        return json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n"
    return "\n".join(_block(value, "")) + "\n"


def _block(value: Json, margin: str) -> list[str]:
    if isinstance(value, dict) and value:
        return [line for key, held in value.items() for line in _pair(_flow(key), held, margin)]
    if isinstance(value, list) and value:
        return [line for item in value for line in _item(item, margin)]
    return [margin + _flow(value)]


def _pair(key: str, held: Json, margin: str) -> list[str]:
    if len(key) < _LONGEST_KEY:
        return _entry(f"{margin}{key}:", held, margin)
    return [f"{margin}? {key}", *_entry(f"{margin}:", held, margin)]


def _entry(head: str, held: Json, margin: str) -> list[str]:
    flow = _flow(held)
    if not held or not isinstance(held, dict | list) or _fits(held, head, flow):
        return [f"{head} {flow}"]
    return [head, *_block(held, margin + "  ")]


def _item(item: Json, margin: str) -> list[str]:
    flow = _flow(item)
    if not item or not isinstance(item, dict | list) or _fits(item, margin, flow):
        return [f"{margin}- {flow}"]
    first, *rest = _block(item, margin + "  ")
    return [f"{margin}- {first[len(margin) + 2 :]}", *rest]


def _fits(value: Json, before: str, flow: str) -> bool:
    """Whether a list or mapping is small enough for one line: a case never is."""
    return len(before) + len(flow) < _SHORT and not (isinstance(value, dict) and "id" in value)


def _flow(value: Json) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_flow_key(key)}: {_flow(held)}" for key, held in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_flow, value)) + "]"
    if isinstance(value, str):
        return value if _is_plain(value) else _quoted(value)
    number = json.dumps(value, allow_nan=False)
    # YAML 1.1 takes 1e-05 for a text.
    return number.replace("e", ".0e") if isinstance(value, float) and "." not in number else number


def _flow_key(key: str) -> str:
    flow = _flow(key)
    return flow if len(flow) < _LONGEST_KEY else f"? {flow} "


def _is_plain(text: str) -> bool:
    """A text that every YAML reads as this text, in a block and in brackets."""
    return len(text) < _LONGEST_KEY and bool(_PLAIN.fullmatch(text)) and text.lower() not in _WORDS


def _quoted(text: str) -> str:
    r"""A double-quoted scalar of one line, in which what is not printable is escaped as YAML and JSON do.

    `##[error]` is a command anywhere in a line of a runner's log: here it reads `#\u0023[error]`.
    """
    escaped = "".join(map(_escaped, json.dumps(text, ensure_ascii=False)))
    return escaped.replace("##", "#\\u0023")


def _escaped(char: str) -> str:
    if char.isprintable():
        return char
    return f"\\U{ord(char):08x}" if ord(char) > 0xFFFF else f"\\u{ord(char):04x}"  # noqa: PLR2004 - the BMP's end
