"""Recorded OpenTelemetry spans to traces: OTLP/JSON (one document, or one a line) and Jaeger's JSON.

A conversation is a trace of ours, a turn of it what one top span of an agent or workflow holds. What a file
does not record is not exposed by its trace: no span says that an agent called no tool.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gate.formats.adk_fields import is_mapping, kind
from gate.formats.otel_facts import Facts, facts_of
from gate.formats.otel_jaeger import jaeger
from gate.formats.otel_spans import LogRecord, NotSpans, Span, is_jaeger, is_otlp, otlp, with_logs
from gate.formats.otel_told import Told
from gate.formats.otel_tree import Forest, Group, Step, groups
from gate.formats.otel_turns import OtelTurn, TurnReader, toolers, turn_trace
from gate.formats.strict import strict_json
from gate.frozen import frozen
from gate.model import Json
from gate.model.finding import Finding, Place
from gate.model.trace import Completed, Exposed, Outcome, Paused, Trace

_ORDER: Final[tuple[Exposed, ...]] = ("text", "calls", "nodes", "usage")
_ACCEPTED: Final = (
    "It reads OTLP/JSON (resourceSpans, as one document or one a line) and Jaeger's JSON (data, spans)."
)


@frozen
class Conversation:
    """A conversation: its trace (whose case is its id), what the user said turn by turn, and its spans."""

    trace: Trace
    said: tuple[str, ...]
    steps: tuple[Step, ...]
    start_ns: int
    place: Place


@frozen
class Reading:
    """What a file holds, and what is wrong or missing in it."""

    conversations: tuple[Conversation, ...]
    findings: tuple[Finding, ...]


def read(content: str, file: str) -> Reading:
    """Read a whole file; never raises for what is in it."""
    told = Told(content, file)
    spans, logs = _spans(content, told)
    if told.failed:
        return Reading(conversations=(), findings=told.findings())
    unique = _unique(spans, told)
    joined, loose = with_logs(unique, logs)
    if loose:
        what = f"{loose} log records belong to no span of this file"
        told.warn("loose-logs", what, why="What they say is not in the traces.")
    facts = [facts_of(span) for span in joined]
    found = _conversations(facts, told)
    _tell_hidden(found, told)
    if not found and not told.failed:
        told.error("no-spans", "it has no span of an agent, a model or a tool", fix=_ACCEPTED)
    return Reading(conversations=tuple(found), findings=told.findings())


def _spans(content: str, told: Told) -> tuple[list[Span], list[LogRecord]]:
    spans: list[Span] = []
    logs: list[LogRecord] = []
    for line, value in _documents(content, told):
        try:
            more, records = _of_document(value)
        except (NotSpans, RecursionError) as error:
            told.error("not-spans", str(error), line=line, fix=_ACCEPTED)
            continue
        spans += [replace(span, line=line) for span in more]
        logs += records
    return spans, logs


def _of_document(value: Json) -> tuple[list[Span], list[LogRecord]]:
    if isinstance(value, list) and value and all(is_otlp(each) for each in value):
        parts = [otlp(each) for each in value]
        return [span for part, _ in parts for span in part], [log for _, part in parts for log in part]
    if is_otlp(value):
        return otlp(value)
    if is_jaeger(value):
        return jaeger(value), []
    held = f" with {', '.join(sorted(map(repr, value))[:5])}" if is_mapping(value) and value else ""
    raise NotSpans(f"this is no document of spans but {kind(value)}{held}")


def _documents(content: str, told: Told) -> Iterator[tuple[int, Json]]:
    """The values of a file with their lines, 0 for a single one."""
    lines = [(number, line) for number, line in enumerate(content.split("\n"), start=1) if line.strip()]
    if len(lines) > 1 and _parses(lines[0][1]):
        for number, line in lines:
            try:
                yield number, strict_json(line)
            except ValueError as error:
                fix = "Remove the line if the file was cut off there." if number == lines[-1][0] else ""
                told.error("not-json", f"this line is not JSON: {error}", line=number, fix=fix)
        return
    try:
        yield 0, strict_json(content)
    except ValueError as error:
        told.error("not-json", f"it is not JSON: {error}", fix=_ACCEPTED)


def _parses(line: str) -> bool:
    try:
        strict_json(line)
    except ValueError:
        return False
    return True


def _unique(spans: Sequence[Span], told: Told) -> list[Span]:
    """Each span once: an exporter that tries again sends it twice. The fuller one counts."""
    found: dict[tuple[str, str], Span] = {}
    for span in spans:
        held = found.get(span.key)
        if held is not None and replace(held, line=span.line) != span:
            what = f"the span {span.shown} is there twice, and differs"
            told.warn("span-twice", what, span=span, why="The one with more attributes counts.")
            held = max(held, span, key=lambda each: (len(each.attributes), each.end_ns))
        found[span.key] = held or span
    return list(found.values())


def _conversations(facts: Sequence[Facts], told: Told) -> list[Conversation]:
    forest = Forest(facts)
    _tell_cut(forest, told)
    by_id: dict[str, list[Group]] = {}
    for group in groups(forest):
        by_id.setdefault(group.conversation, []).append(group)
    for each in facts:
        _tell_odd(each, told)
    emitters = toolers(facts)
    return [_conversation(name, turns, emitters, told) for name, turns in by_id.items()]


def _tell_cut(forest: Forest, told: Told) -> None:
    """Missing parents: one outer span that another program holds is usual, an agent's is not."""
    for (_, parent), orphans in forest.without_parent.items():
        inner = [each for each in orphans if each.kind in ("model", "tool")]
        if inner:
            what = f"the parent {parent} of {len(orphans)} spans is not in this file"
            why = "They are taken together as one turn; what else ran beside them may be missing."
            told.warn("parent-missing", what, span=inner[0].span, why=why)


def _tell_odd(facts: Facts, told: Told) -> None:
    for problem in facts.problems if facts.kind != "other" else ():
        why = "What it said is not in the trace; metrics that need it read `not exposed`."
        told.warn(
            "unreadable-content", f"span {facts.span.name!r}: {problem}", span=facts.span, why=why, fix=_LIMIT
        )
    if facts.span.lost:
        what = f"span {facts.span.name!r} has lost attributes or events on its way"
        told.warn("lost-attributes", what, span=facts.span, fix=_LIMIT)


def _tell_hidden(found: Sequence[Conversation], told: Told) -> None:
    for name, what in (("text", "what the agent answered"), ("calls", "which tools it called")):
        hidden = [each for each in found if name not in each.trace.exposes]
        if hidden:
            says = f"{what} was not recorded in {len(hidden)} of {len(found)} conversations"
            why = "Metrics that need it read `not exposed`; nothing is taken for not said or not called."
            told.warn("not-recorded", says, at=hidden[0].place, why=why, fix=_CAPTURE)


_CAPTURE: Final = (
    "Have content recorded: OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (or true) where the "
    "agent runs."
)
_LIMIT: Final = "Raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT and OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT of the agent."


def _conversation(name: str, turns: Sequence[Group], emitters: frozenset[str], told: Told) -> Conversation:
    zero = min(group.start_ns for group in turns)
    reader = TurnReader(zero, emitters)
    read_turns = [reader.read(group) for group in turns]
    before = 0
    made = []
    for number, turn in enumerate(read_turns, start=1):
        made.append(turn_trace(turn, number, before, zero))
        before += len(turn.events)
    first = turns[0].steps[0].facts.span
    place = told.place(first)
    trace = Trace(
        case=name,
        trial=1,
        session=name,
        turns=tuple(made),
        outcome=_outcome(read_turns),
        exposes=_exposed(read_turns),
        source=str(place),
        duration_ms=max(turn.ended_ms for turn in made),
    )
    steps = tuple(step for group in turns for step in group.steps)
    said = tuple(turn.sent for turn in read_turns)
    return Conversation(trace=trace, said=said, steps=steps, start_ns=zero, place=place)


def _outcome(turns: Sequence[OtelTurn]) -> Outcome:
    """The first turn that failed decides, as it would end a live trial; else how the last one ended."""
    failed = (turn.outcome for turn in turns if not isinstance(turn.outcome, Completed | Paused))
    return next(failed, turns[-1].outcome)


def _exposed(turns: Sequence[OtelTurn]) -> tuple[Exposed, ...]:
    """What every turn shows; a name of a node or a count of tokens shows that they are recorded at all."""
    shown: Mapping[Exposed, bool] = {
        "text": all("text" in turn.exposes for turn in turns),
        "calls": all("calls" in turn.exposes for turn in turns),
        "nodes": any("nodes" in turn.exposes for turn in turns),
        "usage": any("usage" in turn.exposes for turn in turns),
    }
    return tuple(name for name in _ORDER if shown[name])
