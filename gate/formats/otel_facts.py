"""What one span says: what it is a span of, who acted, what went in and out, in any convention."""

from collections.abc import Mapping
from typing import Final, Literal

from gate.formats.adk_fields import is_mapping
from gate.formats.otel_dialects import CHOICE, inputs, is_counted, outputs
from gate.formats.otel_messages import HIDDEN, NOT_RECORDED, Message, Withheld, arguments
from gate.formats.otel_spans import Span, first, text
from gate.formats.otel_values import NotJson, loose, whole
from gate.frozen import frozen
from gate.model import Json
from gate.model.trace import MOST_TOKENS, Usage

Kind = Literal["agent", "node", "flow", "model", "tool", "other"]
"""`flow` is a workflow or chain around agents; `other` is no step of an agent."""

ADK: Final = "gcp.vertex.agent"
MERGED: Final = "(merged tools)"
"""ADK's span of several results at once; each call has one of its own besides."""

_OPERATIONS: Final[Mapping[str, Kind]] = {
    "invoke_agent": "agent",
    "invoke_node": "node",
    "invoke_workflow": "flow",
    "execute_tool": "tool",
    "chat": "model",
    "generate_content": "model",
    "text_completion": "model",
}
_OPEN_INFERENCE: Final[Mapping[str, Kind]] = {
    "AGENT": "agent",
    "CHAIN": "flow",
    "LLM": "model",
    "TOOL": "tool",
}
_TRACELOOP: Final[Mapping[str, Kind]] = {"agent": "agent", "workflow": "flow", "tool": "tool"}
_CONVERSATION: Final = (
    "gen_ai.conversation.id",
    "gcp.vertex.agent.session_id",
    "session.id",
    "traceloop.association.properties.session_id",
    "traceloop.association.properties.thread_id",
    "traceloop.association.properties.conversation_id",
)
_INPUT_TOKENS: Final = ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
_OUTPUT_TOKENS: Final = (
    "gen_ai.usage.output_tokens",
    "gen_ai.usage.completion_tokens",
    "llm.token_count.completion",
)


@frozen
class Facts:
    """A span as a step of an agent.

    `inputs` and `outputs` are None where they were not recorded. `args` of a tool is None with `args_error`
    where they were not recorded or cannot be read; `result` is None where none was recorded. `problems` says
    what was recorded and cannot be read.
    """

    span: Span
    kind: Kind
    name: str = ""
    agent: str = ""
    conversation: str = ""
    inputs: tuple[Message, ...] | None = None
    outputs: tuple[Message, ...] | None = None
    usage: Usage | None = None
    error: str = ""
    finish: tuple[str, ...] = ()
    call_id: str = ""
    args: Mapping[str, Json] | None = None
    args_error: str = ""
    result: Json = None
    problems: tuple[str, ...] = ()


def facts_of(span: Span) -> Facts:
    """Read one span; never raises for what is odd in it."""
    kind = _kind(span)
    problems: list[str] = []
    given, made = (_read(span, side, problems) for side in ("inputs", "outputs"))
    args, args_error, result = _tool(span) if kind == "tool" else (None, "", None)
    if given is not None and made is None and span.scope == ADK and not problems and not span.lost:
        made = ()  # it records both or none: the model gave nothing
    if span.lost and any(map(is_counted, span.attributes)):
        made = None  # a field of a message may be among what is lost
    return Facts(
        span=span,
        kind=kind,
        name=_name(span, kind),
        agent=first(span.attributes, "gen_ai.agent.name", "agent.name"),
        conversation=first(span.attributes, *_CONVERSATION),
        inputs=given,
        outputs=made,
        usage=_usage(span.attributes),
        error=_error(span),
        finish=_finish(span.attributes),
        call_id=_call_id(span.attributes),
        args=args,
        args_error=args_error,
        result=result,
        problems=tuple(problems),
    )


def _kind(span: Span) -> Kind:
    held = span.attributes
    if text(held.get("gen_ai.tool.name")) == MERGED:
        return "other"
    if operation := text(held.get("gen_ai.operation.name")):
        return _OPERATIONS.get(operation.lower(), "other")
    if said := text(held.get("openinference.span.kind")):
        return _OPEN_INFERENCE.get(said.upper(), "other")
    if said := text(held.get("traceloop.span.kind")):
        return _TRACELOOP.get(said.lower(), "other")
    if span.scope == ADK and span.name in ("call_llm", "invocation"):
        return "model" if span.name == "call_llm" else "flow"
    return "model" if _calls_model(held) else "other"


def _calls_model(held: Mapping[str, Json]) -> bool:
    """Whether an older span is a model's: its model alone says nothing, some emitters write it everywhere."""
    if text(held.get("llm.request.type")) in ("chat", "completion"):
        return True
    return bool(held.get("gen_ai.request.model")) and any(
        name.startswith("gen_ai.usage.") or name.endswith("put.messages") or is_counted(name) for name in held
    )


def _name(span: Span, kind: Kind) -> str:
    held = span.attributes
    match kind:
        case "tool":
            named = first(held, "gen_ai.tool.name", "tool.name", "traceloop.entity.name")
            return named or span.name.removeprefix("execute_tool ").strip()
        case "agent":
            named = first(held, "gen_ai.agent.name", "agent.name", "graph.node.id", "traceloop.entity.name")
            return named or span.name.removeprefix("invoke_agent ").strip()
        case "node":
            return span.name.removeprefix("invoke_node ").strip()
        case "flow":
            return first(held, "gen_ai.workflow.name", "graph.node.id", "traceloop.workflow.name")
        case _:
            return ""


def _read(span: Span, side: str, problems: list[str]) -> tuple[Message, ...] | None:
    try:
        return inputs(span) if side == "inputs" else outputs(span)
    except Withheld:
        return None
    except NotJson as error:
        problems.append(f"its {side} are {error}")
        return None


def _call_id(held: Mapping[str, Json]) -> str:
    found = first(held, "gen_ai.tool.call.id", "tool_call.id", "tool.id")
    return "" if found in HIDDEN else found


def _usage(held: Mapping[str, Json]) -> Usage | None:
    sent, made = _count(held, _INPUT_TOKENS), _count(held, _OUTPUT_TOKENS)
    if sent is None and made is None:
        return None
    return Usage(input_tokens=sent or 0, output_tokens=made or 0)


def _count(held: Mapping[str, Json], names: tuple[str, ...]) -> int | None:
    counts = (whole(held.get(name)) for name in names)
    return next((count for count in counts if count is not None and 0 <= count <= MOST_TOKENS // 2), None)


def _finish(held: Mapping[str, Json]) -> tuple[str, ...]:
    said = held.get("gen_ai.response.finish_reasons") or held.get("gen_ai.response.finish_reason")
    said = said or held.get("llm.finish_reason")
    held_out = loose(said)
    listed = held_out if isinstance(held_out, list) else [held_out]
    return tuple(each.lower() for each in listed if isinstance(each, str))


def _error(span: Span) -> str:
    """How the span failed, "" where it did not."""
    kind, reported = text(span.attributes.get("error.type")), _reported(span.attributes)
    if not span.failed and not kind and not reported:
        return ""
    told = [kind, reported, span.failure]
    for moment in span.moments:
        if moment.name == "exception":
            told += [first(moment.attributes, f"exception.{name}") for name in ("type", "message")]
    words = list(dict.fromkeys(word for word in told if word))
    return ": ".join(w for n, w in enumerate(words) if not any(w in o for o in words[:n])) or "an error"


def _reported(held: Mapping[str, Json]) -> str:
    """The failure that a model reported in its answer to ADK, while the span is well."""
    answer = held.get("gcp.vertex.agent.llm_response")
    answer = loose(answer) if isinstance(answer, str) and "error_" in answer else None
    if not is_mapping(answer):
        return ""
    told = (answer.get("error_code"), answer.get("error_message"))
    return ": ".join(word for word in told if isinstance(word, str) and word)


def _tool(span: Span) -> tuple[Mapping[str, Json] | None, str, Json]:
    """A tool's arguments, why there are none, and its result."""
    held = span.attributes
    if held.get("gcp.vertex.agent.tool_call_args") == "{}" == held.get("gcp.vertex.agent.tool_response"):
        return None, NOT_RECORDED, None  # what ADK writes where it records no content
    args, error = _arguments(span)
    return args, error, _result(span)


def _arguments(span: Span) -> tuple[Mapping[str, Json] | None, str]:
    held = span.attributes
    for name in ("gen_ai.tool.call.arguments", "gcp.vertex.agent.tool_call_args", "input.value"):
        if (given := held.get(name)) is not None and given not in HIDDEN:
            return arguments(given)
    if (given := held.get("traceloop.entity.input")) is not None:
        return _unwrapped(*arguments(given))
    for moment in span.moments:
        if moment.name == "gen_ai.tool.message" and (given := moment.attributes.get("content")) is not None:
            return arguments(given)
    if is_mapping(given := loose(held.get("tool.parameters"))) and "properties" not in given:
        return given, ""
    return None, NOT_RECORDED


def _unwrapped(args: Mapping[str, Json] | None, error: str) -> tuple[Mapping[str, Json] | None, str]:
    """The arguments in OpenLLMetry's envelope: those of a Python function, or those of a LangChain tool."""
    if args is None:
        return None, error
    for key in ("kwargs", "inputs"):
        if is_mapping(inner := args.get(key)) and (inner or not args.get("args")):
            return inner, ""
    if args.get("args"):
        return None, "they were recorded by position, without names"
    return args, error


def _result(span: Span) -> Json:
    held = span.attributes
    for name in (
        "gen_ai.tool.call.result",
        "gcp.vertex.agent.tool_response",
        "output.value",
        "traceloop.entity.output",
    ):
        if (given := held.get(name)) is not None and given not in HIDDEN:
            return _told(loose(given))
    chosen = [m.attributes for m in span.moments if m.name == CHOICE]
    return _told(loose(chosen[-1].get("message", chosen[-1].get("content")))) if chosen else None


def _told(value: Json) -> Json:
    """A result without the envelope of a placeholder, in which ADK says that it has none."""
    if is_mapping(value) and len(value) == 1 and value.get("result") == "<not specified>":
        return None
    if is_mapping(value) and set(value) == {"output"} and is_mapping(inner := value["output"]):
        return inner
    return value
