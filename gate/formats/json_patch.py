"""JSON Patch (RFC 6902) with JSON Pointer (RFC 6901), applied in place and within bounds."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gate.formats.adk_fields import is_mapping, kind
from gate.formats.quoting import quoted, start_of
from gate.model import Json

DEEPEST: Final = 100
"""Levels that a patched document may have: code that walks one recursively must not overflow."""
MOST_WORK: Final = 5_000_000
"""Values that all patches together may walk, copy or move: a `copy` can double a document again and again."""

_INDEX: Final = re.compile("0|[1-9][0-9]{0,17}")
_BAD_ESCAPE: Final = re.compile("~(?![01])")
_MOVED_AT_ONCE: Final = 64
"""Entries of a list that shift as quickly as one value is walked."""


class BadPatch(ValueError):
    """A patch that is none, or that does not apply; the message says which operation, where and why."""


class Work:
    """What patches may still cost; `spend` raises BadPatch once all is used up."""

    def __init__(self, most: int = MOST_WORK) -> None:
        self._left = most

    def spend(self, steps: int) -> None:
        """Take from what is left."""
        self._left -= steps
        if self._left < 0:
            raise BadPatch("the patches copy and move more values than any document of state has")


def patched(document: Json, patch: Sequence[Json], work: Work) -> Json:
    """Apply the operations in order and return the document, which is changed in place; raises BadPatch.

    After a failure the document is half patched and of no use. Values of the patch become part of it.
    """
    for number, operation in enumerate(patch, 1):
        try:
            document = _applied(document, operation, work)
        except BadPatch as error:
            raise BadPatch(f"operation {number} ({_shown(operation)}): {error}") from None
    return document


def pointers(patch: Sequence[Json]) -> Iterator[list[str]]:
    """The tokens of every place that the operations may change."""
    for operation in patch:
        if is_mapping(operation):
            names = ("path", "from") if operation.get("op") == "move" else ("path",)
            yield from (tokens(operation.get(name)) for name in names if operation.get("op") != "test")


def tokens(pointer: Json) -> list[str]:
    """The reference tokens of a JSON Pointer, none for the whole document; raises BadPatch."""
    if not isinstance(pointer, str):
        raise BadPatch(f"its pointer is {kind(pointer)}, not text")
    if not pointer:
        return []
    if not pointer.startswith("/") or _BAD_ESCAPE.search(pointer):
        raise BadPatch(f"{quoted(pointer)} is no JSON Pointer")
    if pointer.count("/") > DEEPEST:
        raise BadPatch(f"its pointer is deeper than {DEEPEST} levels")
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer[1:].split("/")]


def equal(left: Json, right: Json) -> bool:
    """Equality of RFC 6902 section 4.6: numbers by value, objects whatever the order; true is not 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if is_mapping(left) and is_mapping(right):
        return left.keys() == right.keys() and all(equal(item, right[key]) for key, item in left.items())
    return type(left) is type(right) and left == right


def copied(value: Json) -> tuple[Json, int]:
    """A copy that shares nothing, and how many values it has; the value is not nested deeply."""
    if isinstance(value, list):
        pairs = [copied(item) for item in value]
        return [item for item, _ in pairs], 1 + sum(size for _, size in pairs)
    if is_mapping(value):
        members = {key: copied(item) for key, item in value.items()}
        return {key: item for key, (item, _) in members.items()}, 1 + sum(n for _, n in members.values())
    return value, 1


def _applied(document: Json, operation: Json, work: Work) -> Json:
    if not is_mapping(operation):
        raise BadPatch(f"it is {kind(operation)}, not an object")
    path = tokens(operation.get("path"))
    work.spend(1 + len(path))
    match operation.get("op"):
        case "add":
            return _added(document, path, _value(operation), work)
        case "remove":
            return _removed(document, path, work)
        case "replace":
            return _replaced(document, path, _value(operation), work)
        case "move":
            return _moved(document, tokens(operation.get("from")), path, work)
        case "copy":
            value, size = copied(_bounded(_at(document, tokens(operation.get("from"))), 0, work))
            work.spend(size)
            return _added(document, path, value, work)
        case "test":
            if not equal(_at(document, path), _value(operation)):
                raise BadPatch("there is another value")
            return document
        case other:
            raise BadPatch(f"{quoted(str(other))} is no operation of RFC 6902")


def _value(operation: Mapping[str, Json]) -> Json:
    if "value" not in operation:
        raise BadPatch("it has no value")
    return operation["value"]


def _at(document: Json, path: Sequence[str]) -> Json:
    # Messages count levels, and the pointer is shown whole: nobody knows a piece of a secret as one.
    for level, token in enumerate(path, 1):
        if is_mapping(document):
            if token not in document:
                raise BadPatch(f"level {level} of its pointer names nothing that is there")
            document = document[token]
        elif isinstance(document, list):
            document = document[_index(token, len(document), level)]
        else:
            raise BadPatch(f"level {level} of its pointer leads into {kind(document)}")
    return document


def _index(token: str, length: int, level: int) -> int:
    if not _INDEX.fullmatch(token):
        raise BadPatch(f"level {level} of its pointer is no index of a list")
    if int(token) >= length:
        raise BadPatch(f"level {level} of its pointer is an index beyond a list of {length}")
    return int(token)


def _added(document: Json, path: Sequence[str], value: Json, work: Work) -> Json:
    _bounded(value, len(path), work)
    if not path:
        return value
    holder, last = _at(document, path[:-1]), path[-1]
    if isinstance(holder, dict):
        holder[last] = value
    elif isinstance(holder, list):
        place = len(holder) if last == "-" else _index(last, len(holder) + 1, len(path))
        work.spend((len(holder) - place) // _MOVED_AT_ONCE)
        holder.insert(place, value)
    else:
        raise BadPatch(f"nothing can be added to {kind(holder)}")
    return document


def _removed(document: Json, path: Sequence[str], work: Work) -> Json:
    if not path:
        return None
    _at(document, path)
    holder, last = _at(document, path[:-1]), path[-1]
    if isinstance(holder, dict):
        del holder[last]
    elif isinstance(holder, list):
        work.spend((len(holder) - int(last)) // _MOVED_AT_ONCE)
        del holder[int(last)]
    return document


def _replaced(document: Json, path: Sequence[str], value: Json, work: Work) -> Json:
    _bounded(value, len(path), work)
    if not path:
        return value
    _at(document, path)
    holder, last = _at(document, path[:-1]), path[-1]
    if isinstance(holder, dict):
        holder[last] = value
    elif isinstance(holder, list):
        holder[int(last)] = value
    return document


def _moved(document: Json, source: Sequence[str], path: Sequence[str], work: Work) -> Json:
    value = _at(document, source)
    if list(source) == list(path):
        return document
    if list(path[: len(source)]) == list(source):
        raise BadPatch("a value cannot be moved into itself")
    return _added(_removed(document, source, work), path, value, work)


def _bounded(value: Json, above: int, work: Work) -> Json:
    """The value itself, if the document stays within its depth with it."""
    level: list[Json] = [value]
    while level:
        work.spend(len(level))
        level = [
            item
            for node in level
            if isinstance(node, list | dict)
            for item in (node.values() if isinstance(node, dict) else node)
        ]
        above += bool(level)
        if above > DEEPEST:
            raise BadPatch(f"the document would be nested deeper than {DEEPEST} levels")
    return value


def _shown(operation: Json) -> str:
    if not is_mapping(operation):
        return kind(operation)
    words = (operation.get(name) for name in ("op", "from", "path"))
    return " ".join(start_of(word) for word in words if isinstance(word, str)) or "without a path"
