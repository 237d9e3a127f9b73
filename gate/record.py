"""What is kept of a trace once it is scored: outcome, scores, and excerpts for people."""

import json
from collections.abc import Mapping

from gate.model.derived import calls_of, texts_of
from gate.model.run import TrialRecord
from gate.model.score import Score
from gate.model.trace import Call, Trace

ANSWER, CALLS, CALL = 500, 20, 200
"""Caps: characters of an answer, number of calls, characters of a call."""


def record_of(trace: Trace, scores: Mapping[str, Score]) -> TrialRecord:
    """The record of one scored trial; its texts are redacted because the trace's are."""
    calls = list(calls_of(trace.events))
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


def _answer(trace: Trace) -> str:
    """The text of the last turn that has any."""
    for turn in reversed(trace.turns):
        if texts := list(texts_of(turn.events)):
            return "\n".join(texts)
    return ""


def _call(call: Call) -> str:
    return f"{call.name} {json.dumps(call.args, sort_keys=True, ensure_ascii=False)}"
