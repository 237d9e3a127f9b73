"""`expect:` of Agent Gate's own golden files to the model, as strictly as own.py reads the rest."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from gate.dataset.narrow import Refused, free_mapping, many, mapping, text, texts
from gate.model import Json
from gate.model.case import Expect, ExpectedCall, Nodes, Parallel

_CALL_KEYS = frozenset({"name", "args"})
_PARALLEL = frozenset({"parallel"})


def expect_of(value: Json) -> Expect:
    """What a turn or a case expects; raises Refused for what the schema refuses."""
    found = free_mapping(value)
    if not found:
        return _NOTHING
    if not found.keys() <= EXPECTED.keys():
        raise Refused
    return Expect(**{key: EXPECTED[key](held) for key, held in found.items()})


def _calls(value: Json) -> tuple[ExpectedCall, ...]:
    return () if value == "none" else many(_call, value)


def _call(value: Json) -> ExpectedCall:
    if isinstance(value, str):
        return ExpectedCall(name=text(value))
    found = mapping(value, _CALL_KEYS, "name")
    args = free_mapping(found["args"]) if "args" in found else None
    return ExpectedCall(name=text(found["name"]), args=args)


def _nodes(value: Json) -> Nodes:
    return many(_node, value)


def _node(value: Json) -> str | Parallel:
    if isinstance(value, str):
        return text(value)
    found = mapping(value, _PARALLEL, "parallel")
    return Parallel(branches=many(_branch, found["parallel"]))


def _branch(value: Json) -> Nodes:
    return (text(value),) if isinstance(value, str) else _nodes(value)


def _state(value: Json) -> dict[str, Json]:
    found = free_mapping(value)
    if not found or "" in found:
        raise Refused
    return found


def _pauses(value: Json) -> tuple[str, ...]:
    return () if value == "none" else texts(value)


_NOTHING: Final = Expect()
EXPECTED: Final[Mapping[str, Callable[[Json], Any]]] = {
    "calls": _calls,
    "nodes": _nodes,
    "state": _state,
    "state_keys": partial(many, text),
    "contains": texts,
    "excludes": texts,
    "pauses": _pauses,
    "reference": text,
    "rubric": text,
}
