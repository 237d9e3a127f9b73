"""Spans of OTLP/JSON and Jaeger files, with the log records that were written within them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from gate.formats.adk_fields import field, is_mapping, kind
from gate.formats.otel_values import any_value, attributes, identifier, nanoseconds, whole
from gate.frozen import frozen
from gate.model import Json

_ERROR: Final = (2, "2", "STATUS_CODE_ERROR", "ERROR")
_RESOURCES: Final = ("resourceSpans", "batches")
_SCOPES: Final = ("scopeSpans", "instrumentationLibrarySpans")


@frozen
class Moment:
    """An event of a span, or a log record within it; `body` is what older conventions wrote apart."""

    name: str
    at_ns: int
    attributes: Mapping[str, Json]
    body: Json = None


@frozen
class Span:
    """One span, whatever wrote it. `failed` is its status; `lost` says that an exporter dropped parts of it.

    `shown` is the id as the file spells it, `line` where it stands in a file of one document a line.
    """

    trace: str
    id: str
    parent: str
    shown: str
    name: str
    scope: str
    start_ns: int
    end_ns: int
    attributes: Mapping[str, Json]
    resource: Mapping[str, Json]
    moments: tuple[Moment, ...] = ()
    failed: bool = False
    failure: str = ""
    lost: bool = False
    line: int = 0

    @property
    def key(self) -> tuple[str, str]:
        """What names it in the file."""
        return self.trace, self.id


@frozen
class LogRecord:
    """A log record, and the span that it was written in."""

    trace: str
    span: str
    moment: Moment


class NotSpans(ValueError):
    """The value is no document of spans; the message says what it is instead."""


def is_otlp(value: Json) -> bool:
    """Whether a value is an ExportTraceServiceRequest, or one of logs or metrics beside it."""
    if not is_mapping(value):
        return False
    return any(field(value, name) is not None for name in (*_RESOURCES, "resourceLogs", "resourceMetrics"))


def is_jaeger(value: Json) -> bool:
    """Whether a value is what Jaeger's API and its UI's download give."""
    return is_mapping(value) and isinstance(value.get("data"), list)


def otlp(value: Json) -> tuple[list[Span], list[LogRecord]]:
    """The spans and log records of one document; raises NotSpans."""
    if not is_otlp(value) or not is_mapping(value):
        raise NotSpans(f"it has no resourceSpans and no resourceLogs; it is {kind(value)}")
    spans = [
        _span(each, text(scope.get("name")), resource)
        for resource, holder in _resources(value, _RESOURCES)
        for scope, listed in _scopes(holder, _SCOPES)
        for each in listed
    ]
    logs = [
        _log(each)
        for _, holder in _resources(value, ("resourceLogs",))
        for _, listed in _scopes(holder, ("scopeLogs",), "logRecords")
        for each in listed
    ]
    return spans, logs


def with_logs(spans: Sequence[Span], logs: Sequence[LogRecord]) -> tuple[list[Span], int]:
    """The spans with their log records as moments in order of time, and how many records had no span."""
    held: dict[tuple[str, str], list[Moment]] = {}
    for log in logs:
        held.setdefault((log.trace, log.span), []).append(log.moment)
    found = [_with_moments(span, held.pop(span.key, [])) for span in spans]
    return found, sum(len(moments) for moments in held.values())


def text(value: Json) -> str:
    """The value where it is text, else ""."""
    return value if isinstance(value, str) else ""


def first(values: Mapping[str, Json], *names: str) -> str:
    """The first of these attributes that is a text that is not empty."""
    return next((held for name in names if (held := text(values.get(name)))), "")


def _with_moments(span: Span, moments: list[Moment]) -> Span:
    if not moments:
        return span
    return replace(span, moments=(*span.moments, *sorted(moments, key=lambda moment: moment.at_ns)))


def _resources(value: Mapping[str, Json], names: Sequence[str]) -> Iterator[tuple[Mapping[str, Json], Json]]:
    for name in names:
        for number, holder in enumerate(_listed(value, name), start=1):
            if not is_mapping(holder):
                raise NotSpans(f"item {number} of {name} is {kind(holder)}, not an object")
            resource = holder.get("resource")
            yield attributes(resource.get("attributes")) if is_mapping(resource) else {}, holder


def _scopes(
    holder: Json, names: Sequence[str], leaf: str = "spans"
) -> Iterator[tuple[Mapping[str, Json], list[Json]]]:
    for name in names if is_mapping(holder) else ():
        for number, scoped in enumerate(_listed(holder, name), start=1):
            if not is_mapping(scoped):
                raise NotSpans(f"item {number} of {name} is {kind(scoped)}, not an object")
            scope = field(scoped, "scope") or field(scoped, "instrumentationLibrary")
            yield scope if is_mapping(scope) else {}, _listed(scoped, leaf)


def _listed(value: Json, name: str) -> list[Json]:
    held = field(value, name) if is_mapping(value) else None
    if held is None:
        return []
    if not isinstance(held, list):
        raise NotSpans(f"{name} is {kind(held)}, not a list")
    return held


def _span(value: Json, scope: str, resource: Mapping[str, Json]) -> Span:
    if not is_mapping(value):
        raise NotSpans(f"a span is {kind(value)}, not an object")
    trace, name = identifier(field(value, "traceId")), identifier(field(value, "spanId"))
    if not trace or not name:
        raise NotSpans(f"the span {text(value.get('name'))[:80]!r} has no traceId or no spanId")
    status = value.get("status")
    status = status if is_mapping(status) else {}
    start = nanoseconds(field(value, "startTimeUnixNano"))
    return Span(
        trace=trace,
        id=name,
        parent=identifier(field(value, "parentSpanId")),
        shown=text(field(value, "spanId")),
        name=text(value.get("name")),
        scope=scope,
        start_ns=start,
        end_ns=max(start, nanoseconds(field(value, "endTimeUnixNano"))),
        attributes=attributes(value.get("attributes")),
        resource=resource,
        moments=tuple(_moment(event) for event in _listed(value, "events") if is_mapping(event)),
        failed=status.get("code") in _ERROR,
        failure=text(status.get("message")),
        lost=any(whole(field(value, name)) for name in ("droppedAttributesCount", "droppedEventsCount")),
    )


def _moment(event: Mapping[str, Json]) -> Moment:
    return Moment(
        name=text(event.get("name")),
        at_ns=nanoseconds(field(event, "timeUnixNano")),
        attributes=attributes(event.get("attributes")),
    )


def _log(value: Json) -> LogRecord:
    if not is_mapping(value):
        raise NotSpans(f"a log record is {kind(value)}, not an object")
    held = attributes(value.get("attributes"))
    at_ns = nanoseconds(field(value, "timeUnixNano")) or nanoseconds(field(value, "observedTimeUnixNano"))
    name = text(field(value, "eventName")) or first(held, "event.name", "otel.event.name")
    return LogRecord(
        trace=identifier(field(value, "traceId")),
        span=identifier(field(value, "spanId")),
        moment=Moment(name=name, at_ns=at_ns, attributes=held, body=any_value(value.get("body"))),
    )
