"""What is kept of a trace once it is scored: outcome, scores, and excerpts for people."""

import json
from collections.abc import Mapping

from gate.model.run import TrialRecord
from gate.model.score import Score
from gate.model.trace import Call, Text, Trace

ANSWER, CALLS, CALL = 500, 20, 200
"""Caps: characters of an answer, number of calls, characters of a call."""


def record_of(trace: Trace, scores: Mapping[str, Score]) -> TrialRecord:
    """The record of one scored trial; its texts are redacted because the trace's are."""
    calls = [part for event in trace.events for part in event.parts if isinstance(part, Call)]
    return TrialRecord(
        case=trace.case,
        trial=trace.trial,
        outcome=trace.outcome,
        scores=scores,
        answer=_answer(trace)[:ANSWER],
        calls=tuple(_call(call)[:CALL] for call in calls[:CALLS]),
        duration_ms=trace.duration_ms,
        retries=trace.retries,
        track=trace.track,
    )


def tokens_of(trace: Trace) -> int | None:
    """All tokens of a trial; None where the agent reported none."""
    usages = [event.usage for event in trace.events if event.usage]
    return sum(usage.total for usage in usages) if usages else None


def _answer(trace: Trace) -> str:
    """The text of the last turn that has any."""
    for turn in reversed(trace.turns):
        texts = [part.text for event in turn.events for part in event.parts if isinstance(part, Text)]
        if texts:
            return "\n".join(texts)
    return ""


def _call(call: Call) -> str:
    return f"{call.name} {json.dumps(call.args, sort_keys=True, ensure_ascii=False)}"
