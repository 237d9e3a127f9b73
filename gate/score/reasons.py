"""Why calls are not those expected: which one is missing or too many, and which argument differs."""

from collections.abc import Iterator, Sequence
from itertools import groupby, islice

from gate.model.case import ExpectedCall
from gate.model.trace import Call
from gate.score.arguments import Comparison
from gate.score.matching import pairs, subsequence
from gate.score.values import ABSENT, Difference, line, names, quoted, shown

MOST = 3
"""How many calls, or differing arguments, a reason names."""

CANDIDATES = 50
"""How many calls of the same tool are looked at to find the one that an expected call was meant to be."""


def missing(expected: ExpectedCall, spare: Sequence[Call], actual: Sequence[Call], args: Comparison) -> str:
    """Why no call is the expected one: the nearest call that is still to spare, or what was called."""
    if not actual:
        return f"expected a call of {_wanted(expected, args)}; the agent called no tool"
    near = [call for call in spare if call.name == expected.name][:CANDIDATES]
    if near:
        return _unlike(expected, min(near, key=lambda call: args.distance(expected, call)), args)
    again = "another" if any(call.name == expected.name for call in actual) else "a"
    return f"expected {again} call of {_wanted(expected, args)}; the agent called {listed(actual)}"


def extra(spare: Sequence[Call], lacking: Sequence[ExpectedCall], args: Comparison) -> str:
    """Why calls are none of those expected: what differs from one of the same tool, and which have none."""
    pairs_of_tools = ((want, call) for call in spare for want in lacking if want.name == call.name)
    near = list(islice(pairs_of_tools, CANDIDATES))
    differs = [_unlike(*min(near, key=lambda pair: args.distance(*pair)), args)] if near else []
    known = {want.name for want in lacking}
    beyond = [call for call in spare if call.name not in known]
    told = [f"called beyond what is expected: {listed(beyond, args=True)}"] if beyond else []
    return joined([*differs, *told])


def listed(calls: Sequence[Call], *, args: bool = False) -> str:
    """Calls in a row for a reason, by name, or with their arguments where asked for and repeats counted."""
    if not args:
        return names([call.name for call in calls])
    runs = [(made, sum(1 for _ in same)) for made, same in groupby(map(_made, calls))][:MOST]
    rest = len(calls) - sum(times for _, times in runs)
    told = [f"{made} {times} times" if times > 1 else made for made, times in runs]
    return ", ".join([*told, *([f"and {rest} more"] if rest else [])])


def unmatched(
    expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Comparison
) -> tuple[list[ExpectedCall], list[Call]]:
    """What a largest one-to-one matching leaves over: expected calls not made, and calls beyond them."""
    matched = pairs(expected, actual, args.fits)
    taken = set(matched.values())
    lacking = [want for index, want in enumerate(expected) if index not in matched]
    return lacking, [call for index, call in enumerate(actual) if index not in taken]


def out_of_order(expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Comparison) -> str:
    """Which expected call is not found in its order, with any others between; "" where all are."""
    found = subsequence(expected, actual, args.fits)
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


def joined(reasons: Sequence[str], by: str = "; ") -> str:
    """Reasons in a row: the first few, and how many more there are."""
    return by.join(_first(reasons))


def _wanted(call: ExpectedCall, args: Comparison) -> str:
    return (
        f"`{line(call.name)} {shown(call.args)}`"
        if call.args and args.of(call) != "ignore"
        else quoted(call.name)
    )


def _made(call: Call) -> str:
    if call.args is None:
        return f"{quoted(call.name)} (arguments unreadable: {line(call.args_error)})"
    return f"`{line(call.name)} {shown(call.args)}`" if call.args else quoted(call.name)


def _unlike(expected: ExpectedCall, actual: Call, args: Comparison) -> str:
    name = quoted(actual.name)
    if actual.args is None:
        why = f"{name} was called with arguments that could not be read ({line(actual.args_error)})"
        return f"{why}; expected {shown(expected.args)}"
    found = [_difference(item) for item in args.differences(expected, actual)]
    return f"{name} was called {joined(found, ' and ')}"


def _difference(item: Difference) -> str:
    path = line(".".join(item.path))
    if item.actual is ABSENT:
        return f"without {path}; expected {shown(item.expected)}"
    if item.expected is ABSENT:
        return f"with {path} = {shown(item.actual)}, which is not expected"
    return f"with {path} = {shown(item.actual)}; expected {shown(item.expected)}"


def _first(reasons: Sequence[str]) -> Iterator[str]:
    yield from reasons[:MOST]
    if len(reasons) > MOST:
        yield f"{len(reasons) - MOST} more"
