"""Artifacts of A2A tasks: put together from chunks, and told once however often they are sent."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from gate.formats.a2a_parts import Content, contents_of, joined, metadata_of, vendor_field
from gate.formats.adk_fields import items, word
from gate.model import Json

Untold: TypeAlias = tuple[Sequence[Content], Mapping[str, Json]]
"""Contents, with the metadata of their artifact."""


class Artifacts:
    """The artifacts of a conversation, in the order in which they began."""

    def __init__(self) -> None:
        self._all: dict[tuple[str, str], _Artifact] = {}

    def put(
        self, task: str, artifact: Mapping[str, Json], metadata: Mapping[str, Json], *, append: bool
    ) -> None:
        """Take an artifact as it is now, or a chunk that is appended to it."""
        kept = self._all.setdefault((task, word(artifact, "artifactId")), _Artifact())
        parts = items(artifact, "parts")
        if append:
            kept.parts.extend(parts)
        else:
            kept.parts = list(parts)
        kept.metadata = {**metadata, **metadata_of(artifact)}

    def untold(self, only: tuple[str, str] | None = None) -> Iterator[Untold]:
        """What no call has given before, of all or of one (task and id); parts of a whole come last."""
        chosen = [*self._all.values()] if only is None else [self._all[only]]
        for one in sorted(chosen, key=lambda one: vendor_field(one.metadata, "partial") is True):
            if parts := one.untold():
                yield list(joined(contents_of(parts))), one.metadata


class _Artifact:
    def __init__(self) -> None:
        self.parts: list[Json] = []
        self.metadata: Mapping[str, Json] = {}
        self._told: list[Json] = []
        self._many = 0

    def untold(self) -> list[Json]:
        told, many = self._told, self._many
        self._told, self._many = self.parts, len(self.parts)
        # Most often the list itself has grown: it is not compared again with every chunk.
        goes_on = told is self.parts or self.parts[:many] == told[:many]
        return self.parts[many:] if goes_on else self.parts
