"""What an A2A agent has said already: statuses, artifacts and histories repeat each other."""

from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias

from gate.formats.a2a_parts import Content

Source: TypeAlias = Literal["message", "artifact"]


class Said:
    """The words of a turn by their source, and the calls and results of the conversation."""

    def __init__(self) -> None:
        self._known: set[str] = set()
        self.begin()

    def begin(self) -> None:
        """Forget the words of the turn before."""
        self._words: dict[Source, set[str]] = {"message": set(), "artifact": set()}
        self._joined: dict[Source, list[str]] = {"message": [], "artifact": []}
        self._raw: dict[Source, set[str]] = {"message": set(), "artifact": set()}

    def news(self, contents: Sequence[Content], source: Source, *, repeats: bool) -> list[Content]:
        """The contents that were not told before.

        Words are told already where the other source has said the same, at once or piece by piece. What may
        repeat its own source `repeats`: the message of a task that is done, or the parts of a whole.
        """
        other: Source = "artifact" if source == "message" else "message"
        words = _squeezed(contents)
        again = bool(words) and (
            words in self._words[other]
            or (repeats and words in self._words[source])
            or self._is_all_of(other, words)
        )
        if words and not again:
            self._words[source].add(words)
            self._joined[source].append(words)
        new = [
            content
            for content in contents
            if not (again if content.words else self._is_known(content, other))
        ]
        self._known |= {content.raw for content in contents if content.has_id}
        self._raw[source] |= {content.raw for content in contents}
        return new

    def _is_all_of(self, source: Source, words: str) -> bool:
        """Whether the words are all that a source has said, put together."""
        said = self._joined[source]
        if len(said) > 1:
            said[:] = ["".join(said)]
        return said == [words]

    def _is_known(self, content: Content, other: Source) -> bool:
        return content.raw in self._raw[other] or (content.has_id and content.raw in self._known)


def _squeezed(contents: Iterable[Content]) -> str:
    return "".join("".join(content.words.split()) for content in contents)
