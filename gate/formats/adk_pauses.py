"""What an ADK agent waits for: three reserved calls (`adk_*`), and tools that go on after they returned."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from gate.formats.adk_fields import field, is_mapping, items, mapping, text
from gate.model import Json
from gate.model.trace import Call, Part, Pause

PLUMBING = "adk_"
"""Calls whose name starts so are the runtime's own, not a tool's."""

CONFIRM, INPUT, CREDENTIAL = "adk_request_confirmation", "adk_request_input", "adk_request_credential"


def is_plumbing(name: str) -> bool:
    """Tell whether a call's name is reserved by the runtime."""
    return name.startswith(PLUMBING)


def pauses_of(
    record: Mapping[str, Json],
    plumbing: Iterable[Mapping[str, Json]],
    calls: Sequence[Part],
    tools: Mapping[str, str],
) -> tuple[Pause, ...]:
    """Read the pauses of one event from its reserved calls, its tools' calls, and adk-go's `requestedInput`.

    `tools` maps the ids of calls seen until now to names, for a credential that names a call by id.
    """
    asked = [_pause(call, tools) for call in plumbing]
    if (request := mapping(record, "requestedInput")) and not any(p.kind == "input" for p in asked):
        asked.append(_input(text(request, "interruptId"), request))
    return (*asked, *_jobs(frozenset(map(str, items(record, "longRunningToolIds"))), calls))


def _jobs(running: frozenset[str], calls: Sequence[Part]) -> Iterator[Pause]:
    for call in calls:
        if isinstance(call, Call) and call.id in running:
            yield Pause(id=call.id, name=call.name, kind="job", tool=call.name)


def _pause(call: Mapping[str, Json], tools: Mapping[str, str]) -> Pause:
    call_id, name = text(call, "id"), text(call, "name")
    raw = field(call, "args")
    args = raw if is_mapping(raw) else {}
    if name == CONFIRM:
        return _confirm(call_id, args)
    if name == CREDENTIAL:
        tool = tools.get(_string(args, "functionCallId"), "")
        return Pause(id=call_id, name=name, kind="credential", tool=tool, message=_string(args, "message"))
    return _input(call_id, args, name=name)


def _confirm(call_id: str, args: Mapping[str, Json]) -> Pause:
    original, asked = field(args, "originalFunctionCall"), field(args, "toolConfirmation")
    return Pause(
        id=call_id,
        name=CONFIRM,
        kind="confirm",
        tool=_string(original, "name") if is_mapping(original) else "",
        message=_string(asked, "hint") if is_mapping(asked) else "",
    )


def _input(call_id: str, args: Mapping[str, Json], *, name: str = INPUT) -> Pause:
    return Pause(
        id=call_id or _string(args, "interruptId"), name=name, kind="input", message=_string(args, "message")
    )


def _string(args: Mapping[str, Json], name: str) -> str:
    # The arguments of a reserved call are the agent's to choose: another kind of value is no broken event.
    value = field(args, name)
    return value if isinstance(value, str) else ""
