"""`calls`: the agent calls the tools that are expected, with the arguments that are expected.

Modes: `at_least` (each expected call is matched by a call of its own, more may come), `exactly` (one to one,
in any order), `at_most` (an allow-list: each call is matched by an expected one, as many times as it is
listed), `in_order` (the expected calls are found in this order, more may come between). No call expected is
exact in every mode.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import ClassVar, cast

from gate.model import Json
from gate.model.case import Expect, ExpectedCall
from gate.model.trace import Call, Exposed
from gate.score.items import ExpectMetric, Level
from gate.score.matching import pairs, subsequence
from gate.score.values import (
    ABSENT,
    ARGS,
    Args,
    Difference,
    differences,
    line,
    names,
    plain,
    quoted,
    same,
    shown,
)

MOST = 3
"""How many calls, or differing arguments, a reason names."""

CANDIDATES = 50
"""How many calls of the same tool are looked at to find the one that an expected call was meant to be."""


class Calls(ExpectMetric):
    """1 where the calls are as expected in the configured mode, else 0."""

    reads = ("calls",)
    always = True
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {
        "mode": ("at_least", "exactly", "at_most", "in_order"),
        "args": ARGS,
    }
    needs: ClassVar[Exposed] = "calls"

    def wants(self, expect: Expect) -> Json:
        return reference(expect)

    def measure(self, level: Level) -> tuple[float, str]:
        expected, actual = level.expect.calls or (), level.calls
        args = cast("Args", self.options["args"])
        reason = self._mismatch(expected, actual, args)
        more_may_come = bool(expected) and self.options["mode"] in {"at_least", "in_order"}
        return (0.0 if reason or (level.broken and not more_may_come) else 1.0), reason

    def _mismatch(self, expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Args) -> str:
        if not expected:
            return f"expected no tool call; the agent called {listed(actual, args=True)}" if actual else ""
        if self.options["mode"] == "in_order":
            return out_of_order(expected, actual, args)
        lacking, spare = unmatched(expected, actual, args)
        reasons = (
            []
            if self.options["mode"] == "at_most"
            else [missing(want, spare, actual, args) for want in lacking]
        )
        if self.options["mode"] != "at_least" and spare and not reasons:
            reasons = [f"called beyond what is expected: {listed(spare, args=True)}"]
        return _joined(reasons)


def reference(expect: Expect) -> Json:
    """The expected calls as plain JSON; None where calls are not expected on."""
    if expect.calls is None:
        return None
    return [
        {"name": call.name} if call.args is None else {"name": call.name, "args": plain(call.args)}
        for call in expect.calls
    ]


def fits(expected: ExpectedCall, actual: Call, args: Args) -> bool:
    """Whether a call is what was expected; where arguments matter, those that could not be read never fit."""
    if expected.name != actual.name:
        return False
    if expected.args is None or args == "ignore":
        return True
    return actual.args is not None and same(expected.args, actual.args, subset=args == "subset")


def missing(expected: ExpectedCall, spare: Sequence[Call], actual: Sequence[Call], args: Args) -> str:
    """Why no call is the expected one: the nearest call that is still to spare, or what was called."""
    if not actual:
        return f"expected a call of {_wanted(expected, args)}; the agent called no tool"
    near = [call for call in spare if call.name == expected.name][:CANDIDATES]
    if near:
        return min((_unlike(expected, call, args) for call in near), key=lambda found: found[0])[1]
    again = "another" if any(call.name == expected.name for call in actual) else "a"
    return f"expected {again} call of {_wanted(expected, args)}; the agent called {listed(actual)}"


def listed(calls: Sequence[Call], *, args: bool = False) -> str:
    """Calls in a row for a reason, by name, or with their arguments where asked for and repeats counted."""
    if not args:
        return names([call.name for call in calls])
    runs = [(made, sum(1 for _ in same)) for made, same in groupby(map(_made, calls))][:MOST]
    rest = len(calls) - sum(times for _, times in runs)
    told = [f"{made} {times} times" if times > 1 else made for made, times in runs]
    return ", ".join([*told, *([f"and {rest} more"] if rest else [])])


def unmatched(
    expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Args
) -> tuple[list[ExpectedCall], list[Call]]:
    """What a largest one-to-one matching leaves over: expected calls not made, and calls beyond them."""
    matched = pairs(expected, actual, lambda want, call: fits(want, call, args))
    taken = set(matched.values())
    lacking = [want for index, want in enumerate(expected) if index not in matched]
    return lacking, [call for index, call in enumerate(actual) if index not in taken]


def out_of_order(expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Args) -> str:
    """Which expected call is not found in its order, with any others between; "" where all are."""
    found = subsequence(expected, actual, lambda want, call: fits(want, call, args))
    if len(found) == len(expected):
        return ""
    want = expected[len(found)]
    if not found:
        return missing(want, actual, actual, args)
    last = found[len(found) - 1]
    before = f"after {quoted(actual[last].name)}, "
    later = actual[last + 1 :]
    if not later:
        return f"{before}expected a call of {_wanted(want, args)}; the agent called nothing more"
    return before + missing(want, later, later, args)


def _wanted(call: ExpectedCall, args: Args) -> str:
    return f"`{line(call.name)} {shown(call.args)}`" if call.args and args != "ignore" else quoted(call.name)


def _made(call: Call) -> str:
    if call.args is None:
        return f"{quoted(call.name)} (arguments unreadable: {line(call.args_error)})"
    return f"`{line(call.name)} {shown(call.args)}`" if call.args else quoted(call.name)


def _unlike(expected: ExpectedCall, actual: Call, args: Args) -> tuple[float, str]:
    name = quoted(actual.name)
    if actual.args is None:
        why = f"{name} was called with arguments that could not be read ({line(actual.args_error)})"
        return float("inf"), f"{why}; expected {shown(expected.args)}"
    found = list(differences(expected.args or {}, actual.args, subset=args == "subset"))
    return len(found), f"{name} was called {_joined([_difference(item) for item in found], ' and ')}"


def _difference(item: Difference) -> str:
    path = line(".".join(item.path))
    if item.actual is ABSENT:
        return f"without {path}; expected {shown(item.expected)}"
    if item.expected is ABSENT:
        return f"with {path} = {shown(item.actual)}, which is not expected"
    return f"with {path} = {shown(item.actual)}; expected {shown(item.expected)}"


def _joined(reasons: Sequence[str], by: str = "; ") -> str:
    return by.join(_first(reasons))


def _first(reasons: Sequence[str]) -> Iterator[str]:
    yield from reasons[:MOST]
    if len(reasons) > MOST:
        yield f"{len(reasons) - MOST} more"
