"""The project's own pages in Markdown: what is written for people, with its links, blocks and commands."""

import re
from collections import Counter
from pathlib import Path

from gate.frozen import frozen
from tests.support.commands import ROOT

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TICKS = re.compile(r"`+[^`\n]*`+")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)


@frozen
class Page:
    """A page by its path from the repository's root."""

    name: str
    text: str

    def blocks(self, language: str) -> tuple[str, ...]:
        """What stands in fences of one language."""
        return tuple(body for known, body in _FENCE.findall(self.text) if known == language)

    @property
    def prose(self) -> str:
        """The text without its fenced blocks."""
        return _FENCE.sub("", self.text)

    @property
    def links(self) -> tuple[str, ...]:
        """Where its links and pictures lead, without those that leave the repository."""
        found = _LINK.findall(_TICKS.sub("``", self.prose))
        return tuple(link for link in found if not re.match(r"[a-z]+:", link))

    @property
    def anchors(self) -> frozenset[str]:
        """The anchors that GitHub gives its headings: `a-judge`, and `a-judge-1` for the next of its name."""
        found, seen = set(), Counter[str]()
        for heading in _HEADING.findall(self.prose):
            words = re.sub(r"\]\([^)]*\)|[^\w\- ]", "", heading.lower()).replace(" ", "-")
            found.add(f"{words}-{seen[words]}" if seen[words] else words)
            seen[words] += 1
        return frozenset(found)


def page(path: Path) -> Page:
    """The page in a file of the repository."""
    return Page(name=path.relative_to(ROOT).as_posix(), text=path.read_text(encoding="utf-8"))


PAGES = tuple(page(path) for path in (*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))))
EXAMPLES = tuple(page(path) for path in sorted(ROOT.glob("examples/**/*.md")))
GUIDE = tuple(each for each in PAGES if each.name == "README.md" or each.name.startswith("docs/"))
"""The README and the pages of its details."""
