"""`state`: the session's state holds what is expected when the turn, or the case, ends.

The state is the one that the trial began with, and every delta up to the end of the turn; a key that was set
to null is there and is null. A path is dotted (`draft_card.phone`, `hits.0`); a key that has the dots in its
name wins.
"""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from gate.model import Json
from gate.model.case import Expect
from gate.model.derived import found_at, state_after
from gate.model.trace import Exposed
from gate.score.items import ExpectMetric, Level
from gate.score.values import ABSENT, Difference, differences, names, plain, quoted, shown

MOST = 3
"""How many differences inside one expected value a reason names."""


class StateHolds(ExpectMetric):
    """The share of the expected values and keys that the state holds.

    Where the record broke off a value shows nothing, since it could have changed, and a key only if it was
    set there.
    """

    reads = ("state", "state_keys")
    always = True
    needs: ClassVar[Exposed] = "state"

    def wants(self, expect: Expect) -> Json:
        found: dict[str, Json] = {}
        if expect.state:
            found["state"] = plain(expect.state)
        if expect.state_keys:
            found["state_keys"] = sorted(expect.state_keys)
        return found or None

    def measure(self, level: Level) -> tuple[float, str]:
        earlier = level.trace.turns[: level.first]
        before = state_after(level.trace.start_state, (event for turn in earlier for event in turn.events))
        after = state_after(before, level.events)
        checks = [*_values(level.expect, after), *_keys(level.expect, after)]
        if level.broken:
            proved = {path for path, why in _keys(level.expect, before) if why}
            checks = [(path, why or ("" if path in proved else _unproved(path))) for path, why in checks]
        misses = [why for _, why in checks if why]
        return (len(checks) - len(misses)) / len(checks), "; ".join(misses)


def look_up(value: Json, path: str) -> Json:
    """What stands at a dotted path, or ABSENT."""
    return next(found_at(value, path), ABSENT)


def _values(expect: Expect, state: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield each expected value by its path, and why it is not there, or ""."""
    for path, expected in (expect.state or {}).items():
        yield f"the value of {quoted(path)}", _unlike(path, expected, look_up(state, path), state)


def _keys(expect: Expect, state: Mapping[str, Json]) -> Iterator[tuple[str, str]]:
    """Yield each expected key, and why it is not there, or ""."""
    for path in expect.state_keys or ():
        absent = look_up(state, path) is ABSENT
        yield (
            f"the key {quoted(path)}",
            f"the state has no {quoted(path)}{_there(path, state)}" if absent else "",
        )


def _unlike(path: str, expected: Json, actual: Json, state: Mapping[str, Json]) -> str:
    if actual is ABSENT:
        return f"the state has no {quoted(path)}{_there(path, state)}; expected {shown(expected)}"
    found = list(differences(expected, actual))
    more = [f"{len(found) - MOST} more differences in {quoted(path)}"] if len(found) > MOST else []
    return "; ".join([*(_difference(path, item) for item in found[:MOST]), *more])


def _difference(path: str, item: Difference) -> str:
    place = quoted(".".join((path, *item.path)))
    return f"the state's {place} is {shown(item.actual)}; expected {shown(item.expected)}"


def _there(path: str, state: Mapping[str, Json]) -> str:
    """What is there instead: the keys beside the one that is missing."""
    parents = (".".join(path.split(".")[:length]) for length in range(path.count("."), 0, -1))
    parent, beside = next(((p, v) for p in parents if (v := look_up(state, p)) is not ABSENT), ("", state))
    owner = quoted(parent) if parent else "it"
    if isinstance(beside, Mapping):
        return f" ({owner} has {names([str(key) for key in beside]) or 'no keys'})"
    return f" ({owner} is {shown(beside)})"


def _unproved(what: str) -> str:
    return f"{what} is as expected, which shows nothing of what was not run"
