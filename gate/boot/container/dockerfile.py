"""What the engine's own builder, which has no BuildKit, cannot build."""

import re
from collections.abc import Iterator
from typing import Final

RECIPE: Final = (
    "Build it with BuildKit in a step before: docker/setup-buildx-action and docker/build-push-action with"
    " `load: true` and `tags: agent:ci` (on a laptop: docker build -t agent:ci .), then write"
    " boot: {image: agent:ci}."
)
_NEEDS: Final = (
    (re.compile(r"RUN\s+(?:--\S+\s+)*--(?:mount|network|security)\b", re.IGNORECASE), "RUN --mount"),
    (
        re.compile(
            r"(?:COPY|ADD)\s+(?:--\S+\s+)*--(?:link|chmod|checksum|exclude|parents|keep-git-dir)\b",
            re.IGNORECASE,
        ),
        "COPY --link or --chmod",
    ),
    (re.compile(r"(?:RUN|COPY|ADD)\s.*(?<!<)<<-?[\"']?[A-Za-z_]", re.IGNORECASE), "a heredoc"),
    (
        re.compile(r"FROM\s+--platform=\S*\$\{?(?:BUILD|TARGET)PLATFORM", re.IGNORECASE),
        "FROM --platform=$…PLATFORM",
    ),
)
_SYNTAX: Final = re.compile(r"#\s*syntax\s*=", re.IGNORECASE)
_DIRECTIVE: Final = re.compile(r"#\s*\w+\s*=")


def buildkit_needs(text: str) -> Iterator[tuple[int, str]]:
    """The line (from 1) and name of every instruction of a Dockerfile that only BuildKit understands."""
    for number, line in _instructions(text):
        for pattern, name in _NEEDS:
            if pattern.match(line):
                yield number, name


def asks_for_buildkit(text: str) -> bool:
    """Whether the Dockerfile begins with a `# syntax=` line, which the engine's own builder passes over."""
    for line in text.splitlines():
        if not _DIRECTIVE.match(line):
            return False
        if _SYNTAX.match(line):
            return True
    return False


def _instructions(text: str) -> Iterator[tuple[int, str]]:
    """Each instruction as one line, with the number of its first."""
    begun = 0
    parts: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        begun = begun if parts else number
        parts.append(line.strip().rstrip("\\`").strip())
        if not line.rstrip().endswith(("\\", "`")):
            yield begun, " ".join(parts)
            parts = []
    if parts:
        yield begun, " ".join(parts)
