"""Jaeger's JSON to spans, as its API and its UI's download give it.

From the documentation of Jaeger's JSON and of its mapping of OTLP
(https://opentelemetry.io/docs/specs/otel/trace/sdk_exporters/jaeger/): times are microseconds, the scope and
the status are tags, an event of a span is a log with a field `event`.
"""

from collections.abc import Iterator, Mapping

from gate.formats.adk_fields import is_mapping, kind
from gate.formats.otel_spans import Moment, NotSpans, Span, first, text
from gate.formats.otel_values import any_value, identifier, nanoseconds
from gate.model import Json

_TYPES: Mapping[str, str] = {
    "int64": "intValue",
    "float64": "doubleValue",
    "bool": "boolValue",
    "binary": "bytesValue",
}


def jaeger(value: Json) -> list[Span]:
    """The spans of all traces of a document; raises NotSpans."""
    traces = value.get("data") if is_mapping(value) else None
    if not isinstance(traces, list):
        raise NotSpans(f"it has no list `data`; it is {kind(value)}")
    return [span for number, trace in enumerate(traces, start=1) for span in _trace(trace, number)]


def _trace(trace: Json, number: int) -> Iterator[Span]:
    if not is_mapping(trace) or not isinstance(listed := trace.get("spans"), list):
        raise NotSpans(f"trace {number} of its data has no list of spans")
    processes = trace.get("processes")
    processes = processes if is_mapping(processes) else {}
    for span in listed:
        if not is_mapping(span):
            raise NotSpans(f"a span of trace {number} is {kind(span)}, not an object")
        own = span.get("process")
        yield _span(span, own if is_mapping(own) else processes.get(text(span.get("processID"))))


def _span(span: Mapping[str, Json], process: Json) -> Span:
    tags = _tags(span.get("tags"))
    trace, name = identifier(span.get("traceID")), identifier(span.get("spanID"))
    if not trace or not name:
        raise NotSpans(f"the span {text(span.get('operationName'))[:80]!r} has no traceID or no spanID")
    start = nanoseconds(span.get("startTime")) * 1000
    return Span(
        trace=trace,
        id=name,
        parent=_parent(span, trace),
        shown=text(span.get("spanID")),
        name=text(span.get("operationName")),
        scope=first(tags, "otel.scope.name", "otel.library.name"),
        start_ns=start,
        end_ns=start + nanoseconds(span.get("duration")) * 1000,
        attributes=tags,
        resource=_resource(process),
        moments=tuple(_logs(span.get("logs"))),
        failed=text(tags.get("otel.status_code")).upper() == "ERROR" or tags.get("error") is True,
        failure=first(tags, "otel.status_description", "error.message"),
        lost=bool(span.get("warnings")),
    )


def _parent(span: Mapping[str, Json], trace: str) -> str:
    """The span that this one is a child of, in the same trace."""
    references = span.get("references")
    for reference in references if isinstance(references, list) else ():
        if not is_mapping(reference) or reference.get("refType") != "CHILD_OF":
            continue
        if identifier(reference.get("traceID")) in ("", trace):
            return identifier(reference.get("spanID"))
    return identifier(span.get("parentSpanID"))


def _tags(value: Json) -> dict[str, Json]:
    found: dict[str, Json] = {}
    for tag in value if isinstance(value, list) else ():
        if is_mapping(tag) and isinstance(key := tag.get("key"), str):
            found.setdefault(key, any_value({_TYPES.get(text(tag.get("type")), ""): tag.get("value")}))
            if found[key] is None:
                found[key] = tag.get("value")
    return found


def _resource(process: Json) -> Mapping[str, Json]:
    if not is_mapping(process):
        return {}
    return {"service.name": process.get("serviceName")} | _tags(process.get("tags"))


def _logs(value: Json) -> Iterator[Moment]:
    for log in value if isinstance(value, list) else ():
        if is_mapping(log):
            fields = _tags(log.get("fields"))
            name = first(fields, "event", "name")
            yield Moment(name=name, at_ns=nanoseconds(log.get("timestamp")) * 1000, attributes=fields)
