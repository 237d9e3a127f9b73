"""Cut a document to a budget at whole sections, and say what was left out."""

from collections.abc import Sequence
from dataclasses import replace

from gate.frozen import frozen
from gate.publish.words import count


@frozen
class Section:
    """A part that is kept or cut whole item by item; `head` and `foot` appear where at least one item does.

    `what` names one item in the line that says what was left out. A section that `must` stay is never cut.
    """

    items: tuple[str, ...]
    head: str = ""
    foot: str = ""
    after_head: str = "\n\n"
    between: str = "\n\n"
    what: str = ""
    must: bool = False

    @property
    def text(self) -> str:
        """The section with all of its items."""
        head = self.head + self.after_head if self.head else ""
        foot = "\n\n" + self.foot if self.foot else ""
        return head + self.between.join(self.items) + foot


def fit(sections: Sequence[Section], budget: int, *, elsewhere: str) -> str:
    """The document in at most `budget` bytes of UTF-8; `elsewhere` says where what was cut can be found.

    Bytes are counted because they are never fewer than characters, whichever of the two the host counts.
    """
    whole = _joined(sections)
    if _size(whole) <= budget:
        return whole
    room = budget - sum(_size(s.text) + 2 for s in sections if s.must) - _size(elsewhere) - 1000
    kept: list[Section] = []
    lost: list[str] = []
    for section in sections:
        fitting = section if section.must else _cut(section, room)
        room -= _size(fitting.text) + 2 if fitting.items and not section.must else 0
        kept.append(fitting)
        if missing := len(section.items) - len(fitting.items):
            lost.append(f"{missing} of {count(len(section.items), section.what or 'part')}")
    note = f"Left out because of the length: {', '.join(lost)}. {elsewhere}"
    return _joined((*kept[:-1], Section(items=(note,)), *kept[-1:]))


def _cut(section: Section, room: int) -> Section:
    room -= _size(replace(section, items=("",)).text)
    items: list[str] = []
    for item in section.items:
        room -= _size(item) + len(section.between)
        if room < 0:
            break
        items.append(item)
    return replace(section, items=tuple(items))


def _joined(sections: Sequence[Section]) -> str:
    return "\n\n".join(section.text for section in sections if section.items) + "\n"


def _size(text: str) -> int:
    return len(text.encode())
