"""Artifacts of A2A tasks: put together from chunks, and told once however often they are sent."""

from collections.abc import Iterator, Mapping, Sequence

from gate.formats.a2a_parts import Content, contents_of, joined, metadata_of
from gate.formats.adk_fields import items, word
from gate.model import Json


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
        kept.parts = [*kept.parts, *parts] if append else list(parts)
        kept.metadata = {**metadata, **metadata_of(artifact)}

    def untold(self) -> Iterator[tuple[Sequence[Content], Mapping[str, Json]]]:
        """What no call has given before, with its metadata."""
        for artifact in self._all.values():
            if parts := artifact.untold():
                yield list(joined(contents_of(parts))), artifact.metadata


class _Artifact:
    def __init__(self) -> None:
        self.parts: list[Json] = []
        self.metadata: Mapping[str, Json] = {}
        self._told: list[Json] = []

    def untold(self) -> list[Json]:
        told, self._told = self._told, self.parts
        return self.parts[len(told) :] if self.parts[: len(told)] == told else self.parts
