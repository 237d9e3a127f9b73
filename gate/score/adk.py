"""Criteria of google-adk by their own names, as google-adk 2.13 computes them.

`tool_trajectory_avg_score` (evaluation/trajectory_evaluator.py) and `response_match_score`
(evaluation/final_response_match_v1.py). What differs was wrong there: a call without arguments equals one
that expects `{}`, true is not 1, the runtime's own `adk_*` calls are no tools and thoughts no answer (both
are settled where events are read), and a turn without an expectation is not scored instead of failed.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

from gate.model.case import ExpectedCall
from gate.model.config import MetricConfig
from gate.model.trace import Call
from gate.score.arguments import BY_ARGS, Comparison
from gate.score.reasons import out_of_order
from gate.score.reference import ToReference
from gate.score.rouge import likeness, tokens
from gate.score.trajectory import Trajectory, inexact, lacking_any

MATCH_TYPES: Mapping[str, Callable[[Sequence[ExpectedCall], Sequence[Call], Comparison], str]] = {
    "EXACT": inexact,
    "IN_ORDER": out_of_order,
    "ANY_ORDER": lacking_any,
}


class ToolTrajectory(Trajectory):
    """1 where the calls are those expected: no others (`EXACT`), or others too (`IN_ORDER`, `ANY_ORDER`)."""

    choices: ClassVar[Mapping[str, tuple[str | bool, ...]]] = {
        "match_type": tuple(MATCH_TYPES),
        "ignore_args": (False, True),
    }

    def __init__(self, config: MetricConfig) -> None:
        super().__init__(config)
        self.grows = self.options["match_type"] != "EXACT"

    @property
    def args(self) -> Comparison:
        """How arguments are compared."""
        return BY_ARGS["ignore" if self.options["ignore_args"] else "exact"]

    def compare(self, expected: Sequence[ExpectedCall], actual: Sequence[Call]) -> tuple[float, str]:
        reason = MATCH_TYPES[str(self.options["match_type"])](expected, actual, self.args)
        return (0.0 if reason else 1.0), reason


class ResponseMatch(ToReference):
    """The F-measure of the words that the last answer shares with the reference, stemmed, of every script."""

    default_pass_at = None

    def compare(self, reference: str, answer: str) -> tuple[float, str]:
        wanted, got = (tokens(text, stemmed=True, unicode=True) for text in (reference, answer))
        return likeness(wanted, got)
