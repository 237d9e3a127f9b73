"""What the `http` protocol hears: JSONPath from the config turns any JSON answer into events."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeGuard

from gate.drive.arguments import arguments_of, shown
from gate.drive.http_template import as_text
from gate.drive.recorder import MOST_THINGS
from gate.formats.json_paths import BadPath, JsonPath
from gate.http import BadBody, TooBig
from gate.model import Json
from gate.model.trace import MOST_TOKENS, Call, Event, Exposed, Part, Pause, Result, Text, Usage

_PARTS: Mapping[str, Mapping[str, str]] = {
    "call": {"id": "$.id", "name": "$.name", "args": "$.arguments"},
    "result": {"call_id": "$.call_id", "name": "$.name", "value": "$.output", "is_error": "$.is_error"},
    "pause": {"id": "$.id", "name": "$.name", "tool": "$.tool", "message": "$.message"},
    "usage": {},
}
"""How each call, result and pause is read where its block does not say so, relative to its own node."""

_EXPOSES: Mapping[str, Exposed] = {
    "text": "text",
    "calls": "calls",
    "nodes": "nodes",
    "state": "state",
    "state_delta": "state",
    "usage": "usage",
    "pauses": "pauses",
}


class ResponseBlock:
    """The `response` block, compiled: it reads answers; `exposes` is what it maps. Raises BadPath."""

    def __init__(self, block: Mapping[str, Json]) -> None:
        self._paths = {key: _path(key, text) for key, text in block.items() if key not in _PARTS}
        self._parts = {
            part: {
                key: _path(f"{part}.{key}", text) for key, text in {**known, **_block(block, part)}.items()
            }
            for part, known in _PARTS.items()
        }
        self.exposes: tuple[Exposed, ...] = tuple(
            dict.fromkeys(_EXPOSES[key] for key in block if key in _EXPOSES)
        )

    def session(self, body: Json) -> str:
        """The agent's own id of the session, or ""."""
        found = self._first("session", body)
        return "" if found is None else as_text(found)

    def events(self, body: Json, state: Mapping[str, Json]) -> Iterator[Event]:
        """One event a node visit, and one for all else; `state` is the one before. Raises BadBody, TooBig."""
        for node in self._found("nodes", body):
            yield Event(node=as_text(node), not_in_trajectory="a node visit without content")
        calls = [self._call(node) for node in self._found("calls", body)]
        names = {call.id: call.name for call in calls}
        results = [self._result(node, names) for node in self._found("results", body)]
        error = self._first("error", body)
        changes, removed = self._state(body, state)
        yield Event(
            author="agent",
            parts=(*calls, *results, *self._text(body)),
            state_delta=changes,
            state_removed=removed,
            usage=self._usage(body),
            error="" if error is None else as_text(error),
            pauses=tuple(self._pause(node) for node in self._found("pauses", body)),
        )

    def _found(self, key: str, body: Json) -> Sequence[Json]:
        path = self._paths.get(key)
        found = path.find(body) if path else ()
        if len(found) > MOST_THINGS:
            raise TooBig(
                f"http.response.{key} selects {len(found):,} values; at most {MOST_THINGS:,} are read"
            )
        return found

    def _first(self, key: str, body: Json) -> Json:
        path = self._paths.get(key)
        return path.first(body) if path else None

    def _text(self, body: Json) -> tuple[Part, ...]:
        texts = [as_text(node) for node in self._found("text", body) if node is not None]
        return (Text(text="\n".join(texts)),) if any(texts) else ()

    def _call(self, node: Json) -> Call:
        paths = self._parts["call"]
        call_id, name = _string(paths["id"].first(node)), _string(paths["name"].first(node))
        if not name:
            raise BadBody(f"a tool call has no name at {paths['name'].text}: {shown(node)}")
        args, why = arguments_of(paths["args"].first(node))
        return Call(id=call_id, name=name, args=args, args_error=why)

    def _result(self, node: Json, names: Mapping[str, str]) -> Result:
        paths = self._parts["result"]
        call_id = _string(paths["call_id"].first(node))
        return Result(
            call_id=call_id,
            name=_string(paths["name"].first(node)) or names.get(call_id, ""),
            value=paths["value"].first(node),
            is_error=paths["is_error"].first(node) is True,
        )

    def _pause(self, node: Json) -> Pause:
        paths = self._parts["pause"]
        pause_id, name, tool, message = (
            _string(paths[key].first(node)) for key in ("id", "name", "tool", "message")
        )
        if not (name or pause_id or tool):
            raise BadBody(f"a pause has no id at {paths['id'].text}: {shown(node)}")
        return Pause(
            id=pause_id or name or tool,
            name=name or pause_id,
            kind="confirm" if tool else "input",
            tool=tool,
            message=message,
        )

    def _usage(self, body: Json) -> Usage | None:
        paths = self._parts["usage"]
        counts = [paths[key].first(body) if key in paths else None for key in ("input", "output")]
        if not any(map(_is_count, counts)):
            return None
        known = [int(count) if _is_count(count) else 0 for count in counts]
        cached = paths["cached"].first(body) if "cached" in paths else None
        return Usage(
            input_tokens=known[0],
            output_tokens=known[1],
            cached_tokens=min(int(cached), known[0]) if _is_count(cached) else 0,
            model=_string(paths["model"].first(body)) if "model" in paths else "",
        )

    def _state(self, body: Json, state: Mapping[str, Json]) -> tuple[dict[str, Json], tuple[str, ...]]:
        """What changed and what is gone: as the agent says it, or against a snapshot of the whole state."""
        delta = self._first("state_delta", body)
        changes = {**delta} if isinstance(delta, dict) else {}
        snapshot = self._first("state", body)
        if not isinstance(snapshot, dict):
            return changes, ()
        changes |= {key: value for key, value in snapshot.items() if key not in state or state[key] != value}
        return changes, tuple(key for key in state if key not in snapshot)


def _path(key: str, text: Json) -> JsonPath:
    if not isinstance(text, str):
        raise BadPath(f"http.response.{key} is not a JSONPath but {shown(text)}")
    try:
        return JsonPath(text)
    except BadPath as error:
        raise BadPath(f"http.response.{key}: {error}") from None


def _block(block: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    found = block.get(key)
    return found if isinstance(found, Mapping) else {}


def _is_count(value: Json) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS


def _string(value: Json) -> str:
    return "" if value is None else as_text(value)
