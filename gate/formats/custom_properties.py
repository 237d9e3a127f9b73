"""`custom_properties` of agents-cli datasets: nodes, state, tools and words that are expected of a case.

Their keys are free text to agents-cli; these are the ones that its users write, in any spelling.
"""

from typing import Final

from gate.formats.adk_fields import kind
from gate.formats.foreign import Fields, Notes, Path
from gate.formats.texts import expected_calls, misspelled, plain, texts
from gate.model import Json
from gate.model.case import Expect, Nodes, Parallel

NAME: Final = "custom_properties"
KEYS: Final = (
    "expected_nodes", "expected_state_keys", "expected_state", "expected_response_substrings",
    "forbidden_substrings", "expected_tools",
)  # fmt: skip
_TEXTS: Final = ("expected_response_substrings", "forbidden_substrings")


def find(fields: Fields, notes: Notes) -> str:
    """The key of the properties as the file spells it, or ""; a second spelling of it is an error."""
    first, *more = [key for key in fields.unread() if plain(key) == plain(NAME)] or [""]
    for key in more:
        what = f"{key!r} and {first!r} say the same thing twice"
        notes.error((*fields.path, key), "duplicate-key", what, fix="Remove one of the two.", key=True)
    fields.skip(*more)
    return first


def read(fields: Fields, notes: Notes) -> tuple[Expect, dict[str, Json]]:
    """What is expected, and all keys that say something else."""
    found: dict[str, str] = {}
    for key in fields.unread():
        name = next((name for name in KEYS if plain(name) == plain(key)), "")
        if name in found:
            what = f"{key!r} and {found[name]!r} say the same thing twice"
            notes.error((*fields.path, key), "duplicate-key", what, fix="Remove one of the two.", key=True)
        elif name:
            found[name] = key
    expect = _expect(fields, found, notes)
    fields.skip(*found.values())
    misspelled(fields, KEYS, notes)
    return expect, {key: fields.value(key) for key in fields.unread()}


def _expect(fields: Fields, found: dict[str, str], notes: Notes) -> Expect:
    state, keys = _state(fields, found, notes)
    listed = {name: texts(fields, found[name], notes) for name in _TEXTS if name in found}
    tools, nodes = found.get("expected_tools"), found.get("expected_nodes")
    if tools and fields.value(tools) == []:
        what = "an empty `expected_tools` expects nothing"
        why = "It asks for tools that must be called, and names none."
        fix = "Where no tool may be called, write `calls: none` in a file of Agent Gate's own format."
        notes.left_out(fields.at(tools), what, why=why, fix=fix)
    return Expect(
        calls=(expected_calls(fields, tools, notes) or None) if tools else None,
        nodes=(_nodes(fields.take(nodes, list) or [], fields.at(nodes), notes) or None) if nodes else None,
        state=state or None,
        state_keys=keys or None,
        contains=listed.get("expected_response_substrings") or None,
        excludes=listed.get("forbidden_substrings") or None,
    )


def _state(fields: Fields, found: dict[str, str], notes: Notes) -> tuple[dict[str, Json], tuple[str, ...]]:
    """Values that must hold, and keys that must be there; `expected_state_keys` may be either."""
    state: dict[str, Json] = {}
    keys: tuple[str, ...] = ()
    for name in ("expected_state", "expected_state_keys"):
        if name not in found:
            continue
        if name == "expected_state" or isinstance(fields.value(found[name]), dict):
            state |= fields.take(found[name], dict) or {}
        else:
            keys = texts(fields, found[name], notes)
        if "" in state:
            notes.error(fields.at(found[name]), "bad-value", "a key of the state is empty", fix="Name it.")
    return state, keys


def _nodes(listed: list[Json], path: Path, notes: Notes) -> Nodes:
    """Names in order; a list or `{parallel: […]}` among them holds branches that run in any order."""
    found: list[str | Parallel] = []
    for index, item in enumerate(listed):
        at = (*path, index)
        match item:
            case str() if item:
                found.append(item)
            case {"parallel": [*branches], **rest} if branches and not rest:
                found.append(Parallel(branches=_branches(branches, (*at, "parallel"), notes)))
            case [*branches] if branches:
                found.append(Parallel(branches=_branches(branches, at, notes)))
            case _:
                what = f"the name of a node, or a list of branches, is expected here, not {kind(item)}"
                notes.error(at, "wrong-type", what, fix="[Router, [BranchA, BranchB], Join]")
    return tuple(found)


def _branches(branches: list[Json], path: Path, notes: Notes) -> tuple[Nodes, ...]:
    return tuple(
        _nodes(branch if isinstance(branch, list) and branch else [branch], (*path, index), notes)
        for index, branch in enumerate(branches)
    )
