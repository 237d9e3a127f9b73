"""What an AG-UI run has begun and not ended: messages, thoughts and calls, piece by piece."""

from typing import Final

from gate.formats.ag_ui_places import AUTHOR
from gate.formats.openai_fields import NO_CONTENT, THOUGHT_ONLY, ReadArguments
from gate.frozen import frozen
from gate.model.trace import Call, Event, Part, Text, Thought

TO_THE_MODEL: Final = "a message of the role {role}: not the agent's answer"


@frozen
class Place:
    """Who acts, and in which node."""

    author: str
    node: str


class Growing:
    """A message (`role` is who speaks), a thought (`role` reasoning) or a call (`name` is its tool's)."""

    def __init__(self, ident: str, place: Place, *, role: str = "", name: str = "") -> None:
        self.id = ident
        self.place = place
        self.role = role
        self.name = name
        self._pieces: list[str] = []

    @property
    def words(self) -> str:
        """All that has come."""
        return "".join(self._pieces)

    def add(self, piece: str) -> None:
        """The next piece."""
        self._pieces.append(piece)

    def event(self, arguments: ReadArguments) -> Event:
        """What it came to."""
        if self.name or not self.role:
            args, why = arguments(self.words)
            return placed(self.place, Call(id=self.id, name=self.name, args=args, args_error=why))
        return said(self.place, self.role, self.words)


def said(place: Place, role: str, words: str) -> Event:
    """A message as an event: what is not for the reader, such as a system message, is a thought."""
    if not words:
        return placed(place, silent=NO_CONTENT)
    if role == "user":
        return placed(Place(author="user", node=place.node), Text(text=words))
    if role == "reasoning":
        return placed(place, Thought(text=words), silent=THOUGHT_ONLY)
    if role != AUTHOR:
        return placed(place, Thought(text=words), silent=TO_THE_MODEL.format(role=role))
    return placed(place, Text(text=words))


def placed(place: Place, *parts: Part, silent: str = "") -> Event:
    """An event of these parts; `silent` says why it adds nothing to the trajectory."""
    return Event(author=place.author, node=place.node, parts=parts, not_in_trajectory=silent)
