"""The six trajectory metrics of Vertex AI's evaluation service, over the `calls` that are expected.

https://cloud.google.com/vertex-ai/generative-ai/docs/models/evaluation-agents defines them; what it leaves
open is decided here. Both sides empty is 1. An empty reference asks for nothing (in order, any order and
recall are 1) but the calls that were made are wrong (exact match and precision are 0). No calls where some
are expected is 0.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from gate.model import Json
from gate.model.case import Case, Expect, ExpectedCall
from gate.model.score import Item, Score
from gate.model.trace import Call, Exposed, Trace
from gate.score.arguments import BY_ARGS, Comparison
from gate.score.calls import reference
from gate.score.items import ExpectMetric, Level, levels, scored, unmeasured_by
from gate.score.matching import pairs
from gate.score.metric import Metric
from gate.score.reasons import listed, missing, out_of_order, unmatched
from gate.score.values import ARGS, Args, quoted

DUPLICATES: tuple[str | bool, ...] = ("membership", "multiset")


class Trajectory(ExpectMetric):
    """A comparison of the calls that were made with the reference; `args` says how arguments are compared."""

    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"args": ARGS}
    needs: ClassVar[Exposed] = "calls"
    grows = True
    """Whether more calls can only raise the value, so that a record that broke off shows what it has."""

    def wants(self, expect: Expect) -> Json:
        return reference(expect)

    def scores(self, expect: Expect) -> bool:
        return expect.calls is not None

    def measure(self, level: Level) -> tuple[float, str]:
        expected, actual = level.expect.calls or (), level.calls
        value, reason = self.compare(expected, actual)
        proved = not level.broken or (self.grows and bool(expected))
        return (value if proved else 0.0), reason

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        """The value, and why it is not 1."""
        raise NotImplementedError

    @property
    def args(self) -> Comparison:
        """How arguments are compared."""
        return BY_ARGS[cast("Args", self.options["args"])]


class ExactMatch(Trajectory):
    """1 where the calls are those of the reference, in its order and no others."""

    grows = False

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        return _held(inexact(expected, actual, self.args))


class InOrderMatch(Trajectory):
    """1 where all calls of the reference were made in its order, with any others between."""

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        return _held(out_of_order(expected, actual, self.args))


class AnyOrderMatch(Trajectory):
    """1 where each call of the reference has a call of its own, in any order, with any others."""

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        return _held(lacking_any(expected, actual, self.args))


class Share(Trajectory):
    """A share of calls that have a counterpart.

    `duplicates: membership`, as the service's documentation words it, asks whether there is any counterpart:
    calling a tool thrice where once is expected has precision 1. `multiset` gives each call a counterpart of
    its own: 1/3.
    """

    default_pass_at = None
    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {"args": ARGS, "duplicates": DUPLICATES}

    def matched(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[set[int], set[int]]:
        """The indexes of expected and of actual calls that have a counterpart."""
        if self.options["duplicates"] == "multiset":
            matched = pairs(expected, actual, self.args.fits)
            return set(matched), set(matched.values())
        lefts = {i for i, want in enumerate(expected) if any(self.args.fits(want, call) for call in actual)}
        rights = {i for i, call in enumerate(actual) if any(self.args.fits(want, call) for want in expected)}
        return lefts, rights


class Precision(Share):
    """The share of the agent's calls that are in the reference."""

    grows = False

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        if not actual:
            return (0.0, "the agent called no tool") if expected else (1.0, "")
        _, rights = self.matched(expected, actual)
        extra = [call for index, call in enumerate(actual) if index not in rights]
        reason = f"called beyond the reference: {listed(extra, args=True)}" if extra else ""
        return len(rights) / len(actual), reason


class Recall(Share):
    """The share of the reference's calls that the agent made."""

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        if not expected:
            return 1.0, ""
        lefts, rights = self.matched(expected, actual)
        lacking = [want for index, want in enumerate(expected) if index not in lefts]
        spare = [call for index, call in enumerate(actual) if index not in rights]
        reason = missing(lacking[0], spare, actual, self.args) if lacking else ""
        return len(lefts) / len(expected), reason


class F1(Share):
    """The harmonic mean of precision and recall: partial credit for calls, which more calls do not raise.

    2pr / (p + r), van Rijsbergen, Information retrieval, 1979; 0 where nothing has a counterpart, 1 where
    neither side has a call.
    """

    grows = False

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        if not expected or not actual:
            return _held(inexact(expected, actual, self.args))
        lefts, rights = self.matched(expected, actual)
        precision, recall = len(rights) / len(actual), len(lefts) / len(expected)
        lacking = [want for index, want in enumerate(expected) if index not in lefts]
        spare = [call for index, call in enumerate(actual) if index not in rights]
        reasons = [missing(lacking[0], spare, actual, self.args)] if lacking else []
        if spare and not (lacking and any(call.name == lacking[0].name for call in spare)):
            reasons.append(f"called beyond the reference: {listed(spare, args=True)}")
        total = precision + recall
        return (2 * precision * recall / total if total else 0.0), "; ".join(reasons)


class SingleToolUse(Metric):
    """1 where the tool of option `tool` was called at least once in the trial; it needs no reference."""

    texts = ("tool",)

    def expectation(self, case: Case) -> Json:  # noqa: ARG002 - it applies to every case
        return {"tool": self.options["tool"]}

    async def score(self, case: Case, trace: Trace) -> Score:
        if unmeasured := unmeasured_by(trace, "calls"):
            return unmeasured
        *_, whole = levels(case, trace)
        return scored(iter([self._item(whole)]))

    def _item(self, whole: Level) -> Item:
        calls = whole.calls
        if any(call.name == self.options["tool"] for call in calls):
            return Item(where="case", value=1.0)
        called = f"the agent called {listed(calls) if calls else 'no tool'}"
        reason = f"expected a call of {quoted(str(self.options['tool']))}; {called}"
        return Item(
            where="case", value=0.0, reason="; ".join(part for part in (reason, whole.broken) if part)
        )


def inexact(expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Comparison) -> str:
    """Which call is not the expected one at its place; "" where all are, and there are no others."""
    for index, (want, call) in enumerate(zip(expected, actual, strict=False), 1):
        if not args.fits(want, call):
            return f"call {index}: {missing(want, [call], [call], args)}"
    if len(actual) > len(expected):
        return f"called beyond the reference: {listed(actual[len(expected) :], args=True)}"
    if len(expected) > len(actual):
        return missing(expected[len(actual)], (), actual, args)
    return ""


def lacking_any(expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Comparison) -> str:
    """Which expected call has no call of its own; "" where each has."""
    lacking, spare = unmatched(expected, actual, args)
    return missing(lacking[0], spare, actual, args) if lacking else ""


def _held(reason: str) -> tuple[float, str]:
    return (0.0 if reason else 1.0), reason
