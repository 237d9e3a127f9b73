"""What is wrong with the `http` protocol's mapping: what is never sent, and what is expected but unread.

A LangGraph run's `input` is such a template too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from gate.documents import Document
from gate.documents.messages import did_you_mean
from gate.errors import BadInput
from gate.model import Json
from gate.model.case import Case
from gate.model.config import PLACEHOLDERS, Config
from gate.model.finding import Finding
from gate.model.trace import Exposed
from gate.score import build
from gate.score.items import HIDDEN, ExpectMetric

_WHAT_THE_CASE_SAYS = {"text", "parts", "history", "answers", "case"}
_KEYS: Mapping[Exposed, tuple[str, ...]] = {"state": ("state", "state_delta")}
_WORD = re.compile(r"\{(\w+)\}")


def mapping_findings(config: Config, cases: Sequence[Case], document: Document) -> Iterator[Finding]:
    """Findings about `agent.http`, held against the cases, and about `agent.langgraph.input`."""
    if config.agent.protocol == "langgraph":
        yield from _sent(config, document, "input", ("input",), "{question: '{text}'}")
    if config.agent.protocol == "http" and config.agent.options:
        example = "{message: '{text}', session: '{session}'}"
        yield from _sent(config, document, "request", ("path", "request", "headers"), example)
        yield from _read(config, cases, document)
        yield from _nameless(config, document)


def _sent(
    config: Config, document: Document, name: str, keys: Sequence[str], example: str
) -> Iterator[Finding]:
    """The template `name`: whether it, or another of the keys, carries what a case says."""
    parts = [config.agent.options.get(key) for key in keys]
    words = [word for part in parts for word in _words(part)]
    if name not in config.agent.options or _WHAT_THE_CASE_SAYS.intersection(words):
        return
    unknown = next((word for word in words if word not in PLACEHOLDERS), "")
    meant = did_you_mean(unknown, PLACEHOLDERS) if unknown else ""
    wrong = f", and {{{unknown}}} is no placeholder{meant}" if meant else ""
    yield Finding.warn(
        "no-text",
        document.place(("agent", config.agent.protocol, name), key=True),
        f"the {name} never carries {{text}}{wrong}",
        why="The agent would not hear what the case says.",
        fix=f"Write for example {name}: {example}.",
    )


def _words(value: Json) -> Iterator[str]:
    match value:
        case str():
            yield from _WORD.findall(value)
        case Mapping():
            for child in value.values():
                yield from _words(child)
        case list() | tuple():
            for child in value:
                yield from _words(child)
        case _:
            return


def _read(config: Config, cases: Sequence[Case], document: Document) -> Iterator[Finding]:
    response = config.agent.options.get("response")
    mapped = response if isinstance(response, Mapping) else {}
    try:
        metrics = build(config.metrics)
    except BadInput:
        return
    for metric in metrics:
        if not isinstance(metric, ExpectMetric) or any(key in mapped for key in _keys(metric.needs)):
            continue
        having = [case for case in cases if metric.expectation(case) is not None]
        if having:
            what, keys = HIDDEN[metric.needs]
            more = f" and {len(having) - 1} more" if len(having) > 1 else ""
            yield Finding.warn(
                "not-mapped",
                document.place(("agent", "http", "response"), key=True),
                f"'{metric.name}' of case '{having[0].id}'{more} needs {what}, which `response` does not map",
                why="It could never be measured, and the run would end undecided.",
                fix=f"Map {keys} under `response`, or remove the expectation.",
            )


def _nameless(config: Config, document: Document) -> Iterator[Finding]:
    """A cost that never has a price, as nothing says which model was called."""
    costs = [metric for metric in config.metrics if metric.type == "cost"]
    response = config.agent.options.get("response")
    usage = response.get("usage") if isinstance(response, Mapping) else None
    for metric in costs:
        if isinstance(usage, Mapping) and "model" not in usage and "model" not in metric.options:
            yield Finding.warn(
                "no-model",
                document.place(("agent", "http", "response", "usage"), key=True),
                f"'{metric.name}' needs the model of each call, which `usage` does not map",
                why="Nothing would have a price, and no trial a cost.",
                fix=f"Map `model` under `usage`, or write metrics: {{{metric.name}: {{model: NAME}}}}.",
            )


def _keys(needs: Exposed) -> tuple[str, ...]:
    return _KEYS.get(needs, (needs,))
