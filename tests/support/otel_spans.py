"""Spans as exporters write them, for tests: OTLP/JSON with the values of a few plain Python ones."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

TRACE = "0af7651916cd43dd8448eb211c80319c"
START = 1_800_000_000_000_000_000


def value(held: Any) -> dict[str, Any]:
    """An AnyValue."""
    match held:
        case bool():
            return {"boolValue": held}
        case int():
            return {"intValue": str(held)}
        case float():
            return {"doubleValue": held}
        case str():
            return {"stringValue": held}
        case list():
            return {"arrayValue": {"values": [value(each) for each in held]}}
        case dict():
            return {"kvlistValue": {"values": pairs(held)}}
        case _:
            return {}


def pairs(held: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(each)} for key, each in held.items()]


def span(
    number: int,
    name: str,
    attributes: Mapping[str, Any] | None = None,
    *,
    parent: int = 0,
    at: int = 0,
    lasts: int = 1,
    trace: str = TRACE,
    **more: Any,
) -> dict[str, Any]:
    """A span; `at` and `lasts` are milliseconds, ids are small numbers as hex."""
    return {
        "traceId": trace,
        "spanId": f"{number:016x}",
        **({"parentSpanId": f"{parent:016x}"} if parent else {}),
        "name": name,
        "startTimeUnixNano": str(START + at * 1_000_000),
        "endTimeUnixNano": str(START + (at + lasts) * 1_000_000),
        "attributes": pairs(attributes or {}),
        **more,
    }


def moment(name: str, attributes: Mapping[str, Any], at: int = 0) -> dict[str, Any]:
    """An event of a span."""
    return {
        "name": name,
        "timeUnixNano": str(START + at * 1_000_000),
        "attributes": pairs(attributes),
    }


def request(*spans: Mapping[str, Any], scope: str = "agent", service: str = "svc") -> dict[str, Any]:
    """An ExportTraceServiceRequest."""
    scoped = {"scope": {"name": scope}, "spans": list(spans)}
    return {
        "resourceSpans": [
            {"resource": {"attributes": pairs({"service.name": service})}, "scopeSpans": [scoped]}
        ]
    }


def document(*spans: Mapping[str, Any], scope: str = "agent") -> str:
    return json.dumps(request(*spans, scope=scope))


def jaeger(spans: Sequence[Mapping[str, Any]], scope: str = "agent") -> str:
    """The same spans as Jaeger's API gives them, by its documented mapping of OTLP."""
    traces: dict[str, list[dict[str, Any]]] = {}
    for each in spans:
        traces.setdefault(each["traceId"], []).append(_jaeger_span(each, scope))
    data = [
        {"traceID": name, "spans": held, "processes": {"p1": {"serviceName": "svc", "tags": []}}}
        for name, held in traces.items()
    ]
    return json.dumps({"data": data, "total": 0, "limit": 0, "offset": 0, "errors": None})


def _jaeger_span(each: Mapping[str, Any], scope: str) -> dict[str, Any]:
    start, end = int(each["startTimeUnixNano"]), int(each["endTimeUnixNano"])
    status = each.get("status", {})
    tags = [_tag(pair) for pair in each["attributes"]]
    tags.append({"key": "otel.scope.name", "type": "string", "value": scope})
    if status.get("code") in (2, "STATUS_CODE_ERROR"):
        tags.append({"key": "error", "type": "bool", "value": True})
        tags.append({"key": "otel.status_code", "type": "string", "value": "ERROR"})
        tags.append({"key": "otel.status_description", "type": "string", "value": status.get("message", "")})
    parent = each.get("parentSpanId")
    reference = {"refType": "CHILD_OF", "traceID": each["traceId"], "spanID": parent}
    return {
        "traceID": each["traceId"],
        "spanID": each["spanId"],
        "operationName": each["name"],
        "references": [reference] if parent else [],
        "startTime": start // 1000,
        "duration": (end - start) // 1000,
        "tags": tags,
        "logs": [_log(event) for event in each.get("events", [])],
        "processID": "p1",
        "warnings": None,
    }


def _log(event: Mapping[str, Any]) -> dict[str, Any]:
    fields = [{"key": "event", "type": "string", "value": event["name"]}]
    fields += [_tag(pair) for pair in event["attributes"]]
    return {"timestamp": int(event["timeUnixNano"]) // 1000, "fields": fields}


def _tag(pair: Mapping[str, Any]) -> dict[str, Any]:
    held = pair["value"]
    for kind, name in (("intValue", "int64"), ("doubleValue", "float64"), ("boolValue", "bool")):
        if kind in held:
            exact = int(held[kind]) if kind == "intValue" else held[kind]
            return {"key": pair["key"], "type": name, "value": exact}
    if "stringValue" in held:
        return {"key": pair["key"], "type": "string", "value": held["stringValue"]}
    return {"key": pair["key"], "type": "string", "value": json.dumps(plain(held))}


def plain(held: Mapping[str, Any]) -> Any:
    """What an AnyValue holds; Jaeger keeps lists and objects as JSON text."""
    if "arrayValue" in held:
        return [plain(each) for each in held["arrayValue"]["values"]]
    if "kvlistValue" in held:
        return {pair["key"]: plain(pair["value"]) for pair in held["kvlistValue"]["values"]}
    return next(iter(held.values()), None)
