"""The state that an AG-UI agent and its client share: snapshots replace it, JSON patches change it."""

from collections.abc import Mapping, Sequence
from typing import Final

from gate.formats.adk_fields import UnreadableEvent, is_mapping, kind
from gate.formats.json_patch import BadPatch, Work, copied, equal, patched, pointers
from gate.frozen import frozen
from gate.model import Json

MOST_COPIED: Final = 2_000_000
"""Values that a run's changes on the way may copy; later ones are told at its end, all in one."""


@frozen
class Change:
    """What has changed since the last time: top-level keys with their new values, and keys that are gone."""

    delta: Mapping[str, Json]
    removed: tuple[str, ...]


class SharedState:
    """The state of one conversation as the client has it; `value` is what the next request carries.

    Only an object has keys that expectations can name: any other state has none. Raises UnreadableEvent for a
    patch that does not apply.
    """

    def __init__(self, start: Mapping[str, Json]) -> None:
        self.value: Json = _plain(start)
        self._told = dict.fromkeys(start)
        self._dirty: dict[str, None] = {}
        self._copied = 0
        self._work = Work()

    def begin(self) -> None:
        """A run begins: it may change as much as the one before."""
        self._copied, self._work = 0, Work()

    def set(self, delta: Mapping[str, Json]) -> None:
        """Change top-level keys, as the case wants it; that is not told as the agent's doing."""
        if delta:
            self.value = {**_keys(self.value), **{key: _plain(item) for key, item in delta.items()}}
            self._told |= dict.fromkeys(delta)

    def replace(self, snapshot: Json) -> None:
        """Take a snapshot for the whole state."""
        before, after = _keys(self.value), _keys(snapshot)
        changed = (key for key, item in after.items() if key not in before or not equal(before[key], item))
        self._dirty |= dict.fromkeys(changed)
        self._dirty |= dict.fromkeys(key for key in before if key not in after)
        self.value = snapshot

    def patch(self, operations: Sequence[Json]) -> None:
        """Apply the operations of a delta."""
        try:
            places = list(pointers(operations))
            if all(places):
                self.value = patched(self.value, operations, self._work)
                self._dirty |= dict.fromkeys(place[0] for place in places)
            else:
                self._replace_patched(operations)
        except BadPatch as error:
            raise UnreadableEvent(f"STATE_DELTA does not apply to the state: {error}") from None

    def change(self, *, final: bool = False) -> Change | None:
        """What has changed since the last call, or None; before the end only as long as that is cheap."""
        if not self._dirty or (self._copied > MOST_COPIED and not final):
            return None
        now, delta = _keys(self.value), dict[str, Json]()
        for key in self._dirty:
            if key in now:
                delta[key], size = copied(now[key])
                self._copied += size
        removed = tuple(key for key in self._dirty if key not in now and key in self._told)
        self._told |= dict.fromkeys(delta)
        for key in removed:
            del self._told[key]
        self._dirty = {}
        return Change(delta=delta, removed=removed) if delta or removed else None

    def described(self) -> str:
        """What state there is, where it has no keys."""
        return "" if self.value is None or is_mapping(self.value) else f"the state is {kind(self.value)}"

    def _replace_patched(self, operations: Sequence[Json]) -> None:
        """A patch of the whole document: what it changes is found out by comparing."""
        before, size = copied(self.value)
        self._work.spend(size)
        after = patched(self.value, operations, self._work)
        self.value = before
        self.replace(after)


def _plain(value: Json) -> Json:
    """A copy of what may be any kind of mapping and sequence, of dicts and lists alone."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value


def _keys(state: Json) -> Mapping[str, Json]:
    return state if is_mapping(state) else {}
