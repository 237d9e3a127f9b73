"""Who acts where in a run of AG-UI: subagents are authors, steps are nodes."""

from typing import Final, TypeVar

AUTHOR: Final = "assistant"

_Key = TypeVar("_Key")


def newest(keys: dict[_Key, None]) -> _Key:
    """The last of these keys, which are some; `reversed` would walk over all that were deleted."""
    key, _ = keys.popitem()
    keys[key] = None
    return key


class Places:
    """The open steps and the subagents of one run."""

    def __init__(self) -> None:
        self._steps: dict[str | None, dict[str, None]] = {}
        self._names: dict[str, str] = {}

    def start(self, subagent: str, name: str) -> None:
        """A subagent begins; its name is known from then on."""
        self._names[subagent] = name

    def enter(self, owner: str | None, step: str) -> None:
        """A step of an agent begins."""
        self._steps.setdefault(owner, {})[step] = None

    def leave(self, owner: str | None, step: str) -> None:
        """A step of an agent ends."""
        self._steps.get(owner, {}).pop(step, None)

    def author(self, owner: str | None) -> str:
        """The subagent's name, else the agent."""
        return AUTHOR if owner is None else self._names.get(owner, AUTHOR)

    def node(self, owner: str | None) -> str:
        """The step that an agent began last and has not ended; without one a subagent's name."""
        steps = self._steps.get(owner)
        if steps:
            return newest(steps)
        if owner is None:
            return ""
        return self._names.get(owner) or self.node(None)
