"""`calls`: the agent calls the tools that are expected, with the arguments that are expected.

Modes: `at_least` (each expected call is matched by a call of its own, more may come), `exactly` (one to one,
in any order), `at_most` (an allow-list: each call is matched by an expected one, as many times as it is
listed), `in_order` (the expected calls are found in this order, more may come between). No call expected is
exact in every mode.
"""

from collections.abc import Mapping, Sequence
from typing import ClassVar, cast

from gate.model import Json
from gate.model.case import Expect, ExpectedCall
from gate.model.trace import Call, Exposed
from gate.score.arguments import BY_ARGS, Comparison
from gate.score.items import ExpectMetric, Level
from gate.score.reasons import joined, listed, missing, out_of_order, unmatched
from gate.score.values import ARGS, Args, plain


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

    def scores(self, expect: Expect) -> bool:
        return expect.calls is not None

    def measure(self, level: Level) -> tuple[float, str]:
        expected, actual = level.expect.calls or (), level.calls
        reason = self._mismatch(expected, actual, BY_ARGS[cast("Args", self.options["args"])])
        more_may_come = bool(expected) and self.options["mode"] in {"at_least", "in_order"}
        return (0.0 if reason or (level.broken and not more_may_come) else 1.0), reason

    def _mismatch(self, expected: Sequence[ExpectedCall], actual: Sequence[Call], args: Comparison) -> str:
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
        return joined(reasons)


def reference(expect: Expect) -> Json:
    """The expected calls as plain JSON; None where calls are not expected on."""
    if expect.calls is None:
        return None
    return [
        {"name": call.name} if call.args is None else {"name": call.name, "args": plain(call.args)}
        for call in expect.calls
    ]
