"""The `show CASE` view: the conversation as it went, with expected beside got."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest

from gate.formats.records import kind_of
from gate.model.case import Case
from gate.model.run import TrialRecord
from gate.model.score import Score, Scored
from gate.model.trace import Call, Event, Pause, Result, Text, Thought, Trace, TurnTrace
from gate.publish.escape import line, lines
from gate.publish.expected import REFERENCE, RUBRIC, checks
from gate.publish.words import amount, count, duration

_TEXT = 2000
_VALUE = 200
_LABEL = 9


def render(case: Case | None, trace: Trace, record: TrialRecord | None) -> str:
    """One trial of a case for a terminal; without a `record` nothing is said of what holds.

    Without a `case` it is a conversation of which nothing is expected.
    """
    if case is None:
        turns = ([f"turn {number}", *_exchange(seen)] for number, seen in enumerate(trace.turns, 1))
        return _joined([_head(None, trace), *turns])
    blocks = [_head(case, trace)]
    for number, (turn, seen) in enumerate(zip_longest(case.turns, trace.turns), start=1):
        exchange = _exchange(seen, is_gone=turn is None)
        blocks.append([f"turn {number}", *exchange, *_checks(case, trace, record, number)])
    whole = list(_checks(case, trace, record, 0))
    blocks += [["whole case", *whole]] if whole else []
    others = list(_others(record))
    blocks += [["metrics", *others]] if others else []
    return _joined(blocks)


def _joined(blocks: Sequence[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def _head(case: Case | None, trace: Trace) -> list[str]:
    category = f" ({line(case.category)})" if case and case.category else ""
    place = f" at {line(str(case.place))}" if case and case.place.file else ""
    name = line(case.id if case else trace.case) or "a session without an id"
    ended = kind_of(trace.outcome).replace("_", " ")
    reason = f": {line(trace.outcome.reason)}" if trace.outcome.reason else ""
    again = f", {count(trace.retries, 'retry', 'retries')}" if trace.retries else ""
    spent = f"{duration(trace.duration_ms / 1000)}{again}"
    return [
        f"{name}{category}{place}",
        f"trial {trace.trial}, {spent}, session {line(trace.session)}, source {line(trace.source)}",
        f"outcome: {ended}{reason}",
    ]


def _exchange(seen: TurnTrace | None, *, is_gone: bool = False) -> Iterator[str]:
    if seen is None:
        yield _entry("", "not reached")
        return
    yield _entry("sent", seen.sent, cap=_TEXT)
    if is_gone:
        yield _entry("", "the case no longer has this turn")
    for event in seen.events:
        yield from _event(event)
    yield _entry(seen.ended, f"after {duration((seen.ended_ms - seen.started_ms) / 1000)}")


def _event(event: Event) -> Iterator[str]:
    if event.node:
        yield _entry("node", event.node)
    for part in event.parts:
        yield _part(part)
    for path, value in event.state_delta.items():
        yield _entry("state", f"{path} = {shown(value)}")
    for path in event.state_removed:
        yield _entry("state", f"{path} is gone")
    for name, version in event.artifact_delta.items():
        yield _entry("artifact", f"{name}, version {shown(version)}")
    for pause in event.pauses:
        yield _entry("pause", _pause(pause))
    if event.error:
        yield _entry("error", event.error, cap=_TEXT)
    if event.not_in_trajectory and event.parts:
        yield _entry("", f"(not in the trajectory: {event.not_in_trajectory})")


def _part(part: Text | Thought | Call | Result) -> str:
    match part:
        case Text(text=text):
            return _entry("agent", text, cap=_TEXT)
        case Thought(text=text):
            return _entry("thought", text)
        case Call(name=name, args=None, args_error=error):
            return _entry("call", f"{name} with arguments that cannot be read: {error}")
        case Call(name=name, args=args):
            return _entry("call", f"{name} {shown(args)}")
        case Result(name=name, value=value, is_error=is_error):
            return _entry("result", f"{name} {'failed: ' if is_error else ''}{shown(value)}")


def _pause(pause: Pause) -> str:
    tool = f" of {pause.tool}" if pause.tool else ""
    message = f": {pause.message}" if pause.message else ""
    return f"{pause.kind}{tool} ({pause.name}){message}"


def _entry(label: str, text: str, *, cap: int = _VALUE * 2) -> str:
    """A labelled text; lines after the first are set in, so that none of them starts a line of its own."""
    margin = "\n" + " " * (_LABEL + 2) + "| "
    return f"  {label:<{_LABEL}}{lines(text, cap).strip(chr(10)).replace(chr(10), margin)}".rstrip()


def _checks(case: Case, trace: Trace, record: TrialRecord | None, number: int) -> Iterator[str]:
    for check in checks(case, trace, number):
        yield _entry("expected", f"{check.metric}: {check.expected}")
        if number > len(trace.turns):
            continue
        yield _entry("  got", check.got or "nothing")
        if check.metric not in (REFERENCE, RUBRIC):
            yield from _judged(record, check.metric, f"turn {number}" if number else "case")


def _judged(record: TrialRecord | None, metric: str, where: str) -> Iterator[str]:
    score = record.scores.get(metric) if record else None
    match score:
        case Scored(items=items):
            for item in items:
                if item.where == where:
                    yield _entry("", "✓ holds" if item.value >= 1 else _missed(item.reason))
        case None:
            if record:
                yield _entry("", "? no metric scores this")
        case _:
            yield _entry("", f"? not scored ({score.cause}): {score.reason}")


def _missed(reason: str) -> str:
    return f"✗ missed: {reason}" if reason else "✗ missed"


def _others(record: TrialRecord | None) -> Iterator[str]:
    for name, score in (record.scores if record else {}).items():
        yield _entry("", f"{name}: {_score(score)}")


def _score(score: Score) -> str:
    if isinstance(score, Scored):
        number = amount(score.value, "") if score.items else f"{score.value:.4g}"
        return f"{number} ({score.reason})" if score.reason else number
    return f"not scored, {score.cause}: {score.reason}"


def shown(value: object) -> str:
    """A JSON value as canonical text, cut where it is long."""
    import json

    return line(json.dumps(value, ensure_ascii=False, sort_keys=True, default=str), _VALUE)
