"""`trajectory_match`: the modes of agentevals' trajectory match evaluator, decided by a best matching.

`strict`: the calls that are expected, in their order, and no others; those that the agent makes side by side,
in one message, may come in any order. `unordered`: the same in any order. `subset`: none but those expected.
`superset`: all those expected. That is how https://github.com/langchain-ai/agentevals words them; it compares
messages, of which an expectation has only the calls: they are divided as the agent's are. `conformant: true`
decides as agentevals 0.0.9 does (conformant.py).
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar, Literal, TypeAlias, cast

from gate.model import Json
from gate.model.case import Case, Expect, ExpectedCall
from gate.model.config import MetricConfig
from gate.model.derived import calls_by_event
from gate.model.score import Score, Unscored
from gate.model.trace import Call, Exposed, Trace
from gate.score import conformant
from gate.score.arguments import Comparison, Way
from gate.score.calls import reference
from gate.score.items import ExpectMetric, Level
from gate.score.reasons import extra, joined, listed, missing, unmatched
from gate.score.values import line, quoted

Mode: TypeAlias = Literal["strict", "unordered", "subset", "superset"]
Messages: TypeAlias = Sequence[Sequence[Call]]
Compare: TypeAlias = Callable[[Sequence[ExpectedCall], Messages, Comparison], str]
"""Why the calls of these messages are not those expected, or ""."""

WAYS = ("exact", "ignore", "subset", "superset")


class Unreadable(Exception):
    """The arguments of `call` could not be read, and the verdict hangs on them."""

    def __init__(self, call: Call) -> None:
        super().__init__(call.name)
        self.call = call


def wrong_tools(value: Json) -> str:
    """What to write in place of a value of `tools`; "" where it is fine."""
    fine = isinstance(value, Mapping) and all(_is_way(_args(tool)) for tool in value.values())
    ways = ", ".join(WAYS)
    return "" if fine else f"tools: {{NAME: {{args: one of {ways}, or a list of arguments}}}}"


class TrajectoryMatch(ExpectMetric):
    """1 where the calls match, else 0; unscored where that hangs on arguments that could not be read."""

    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {
        "mode": ("strict", "unordered", "subset", "superset"),
        "args": WAYS,
        "conformant": (False, True),
    }
    shapes: ClassVar[Mapping[str, Callable[[Json], str]]] = {"tools": wrong_tools}
    needs: ClassVar[Exposed] = "calls"

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        tools = cast("Mapping[str, Json]", self.options.get("tools", {}))
        self._comparison = Comparison(
            way=cast("Way", self.options["args"]), tools={name: _way(tool) for name, tool in tools.items()}
        )

    def wants(self, expect: Expect) -> Json:
        return reference(expect)

    def scores(self, expect: Expect) -> bool:
        return expect.calls is not None

    async def score(self, case: Case, trace: Trace) -> Score:
        try:
            return await super().score(case, trace)
        except Unreadable as unreadable:
            call = unreadable.call
            why = f"the arguments of {quoted(call.name)} could not be read ({line(call.args_error)})"
            return Unscored(cause="malformed", reason=f"{why}, so that nobody knows whether they match")

    def measure(self, level: Level) -> tuple[float, str]:
        expected = level.expect.calls or ()
        events = (event for turn in level.turns for event in turn.events)
        reason = self._mismatch(expected, list(calls_by_event(events)))
        more_may_come = bool(expected) and self.options["mode"] == "superset"
        return (0.0 if reason or (level.broken and not more_may_come) else 1.0), reason

    def _mismatch(self, expected: Sequence[ExpectedCall], messages: Messages) -> str:
        """The reason; raises Unreadable where arguments that cannot be read would decide."""
        mode, how = cast("Mode", self.options["mode"]), self._comparison
        unread = next((call for calls in messages for call in calls if call.args is None), None)
        if self.options["conformant"]:
            if unread:  # agentevals gives no score, even where arguments are ignored
                raise Unreadable(unread)
            return AGENTEVALS[mode](expected, messages, how)
        reason = MODES[mode](expected, messages, how)
        if reason and unread and not MODES[mode](expected, messages, replace(how, unreadable=True)):
            raise Unreadable(unread)
        return reason


def _strict(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    done = 0
    for calls in messages:
        wants = expected[done : done + len(calls)]
        lacking, spare = unmatched(wants, calls, comparison)
        if lacking or spare:
            return f"call {done + 1}: {_unlike(lacking, spare, calls, comparison)}"
        done += len(calls)
    if done < len(expected):
        return missing(expected[done], (), _flat(messages), comparison)
    return ""


def _unordered(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    actual = _flat(messages)
    lacking, spare = unmatched(expected, actual, comparison)
    return _unlike(lacking, spare, actual, comparison) if lacking or spare else ""


def _subset(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    lacking, spare = unmatched(expected, _flat(messages), comparison)
    return extra(spare, lacking, comparison) if spare else ""


def _superset(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    actual = _flat(messages)
    lacking, spare = unmatched(expected, actual, comparison)
    return joined([missing(want, spare, actual, comparison) for want in lacking])


def _as_strict(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    divided, fits = list(_divided(expected, messages)), conformant.fitting(comparison)
    number, call = conformant.departure(
        [("assistant", wants) for wants in divided], [("assistant", calls) for calls in messages], fits
    )
    if call:
        others = [want for want in divided[number - 1] if not fits(want, call)]
        return f"message {number}: {extra([call], others, comparison)}"
    return _strict(expected, messages, Comparison(way="ignore")) if number else ""


def _as_subset(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    swapped = conformant.turned(comparison)
    fits = conformant.fitting(swapped)
    call = conformant.beyond(expected, _flat(messages), fits)
    return extra([call], [want for want in expected if not fits(want, call)], swapped) if call else ""


def _as_superset(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    actual, fits = _flat(messages), conformant.fitting(comparison)
    want = conformant.lacking(expected, actual, fits)
    others = [call for call in actual if want and not fits(want, call)]
    return missing(want, others, actual, comparison) if want else ""


def _as_unordered(expected: Sequence[ExpectedCall], messages: Messages, comparison: Comparison) -> str:
    return _as_superset(expected, messages, comparison) or _as_subset(expected, messages, comparison)


MODES: Mapping[Mode, Compare] = {
    "strict": _strict,
    "unordered": _unordered,
    "subset": _subset,
    "superset": _superset,
}
AGENTEVALS: Mapping[Mode, Compare] = {
    "strict": _as_strict,
    "unordered": _as_unordered,
    "subset": _as_subset,
    "superset": _as_superset,
}


def _divided(expected: Sequence[ExpectedCall], messages: Messages) -> Iterable[Sequence[ExpectedCall]]:
    """The expected calls in messages as large as the agent's; what is left over is one more."""
    done = 0
    for calls in messages:
        yield expected[done : done + len(calls)]
        done += len(calls)
    if done < len(expected):
        yield expected[done:]


def _unlike(
    lacking: Sequence[ExpectedCall], spare: Sequence[Call], actual: Sequence[Call], comparison: Comparison
) -> str:
    if lacking:
        return joined([missing(want, spare, actual, comparison) for want in lacking])
    return f"called beyond what is expected: {listed(spare, args=True)}"


def _flat(messages: Messages) -> list[Call]:
    return [call for calls in messages for call in calls]


def _args(tool: Json) -> Json:
    """What a value of `tools` says of arguments: it may be written alone."""
    return tool["args"] if isinstance(tool, Mapping) and tool.keys() == {"args"} else tool


def _is_way(args: Json) -> bool:
    if isinstance(args, list | tuple):
        return bool(args) and all(isinstance(name, str) and name for name in args)
    return isinstance(args, str) and args in WAYS


def _way(tool: Json) -> Way:
    args = _args(tool)
    return tuple(args) if isinstance(args, list) else cast("Way", args)
