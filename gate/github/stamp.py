"""The hidden first line of our comment: which comment it is, and which run wrote it.

Only the first line of a comment by our own login is ever read as a stamp, so that nothing that an agent or
a stranger writes can be taken for one.
"""

import re
from urllib.parse import quote, unquote

from gate.frozen import frozen

_FIRST_LINE = re.compile(
    r"<!-- agent-gate:(?P<id>[\w.%-]+) workflow=(?P<workflow>[\w.%-]*) job=(?P<job>[\w.%-]*)"
    r" run=(?P<run>\d{1,19}) attempt=(?P<attempt>\d{1,9}) head=(?P<head>[0-9a-f]*)"
    r" severity=(?P<severity>\d) content=(?P<content>[0-9a-f]+) -->\r?(?:\n|\Z)",
    re.ASCII,
)
_MARKER = re.compile(r"<!-- agent-gate:[^\n]*-->\n+")


@frozen
class Stamp:
    """`id`, `workflow` and `job` say which comment this is; the rest which run of it, and how bad it is.

    `severity` grows from 0 (pass) to 9. `content` is a digest: two jobs of one run differ in nothing else.
    """

    id: str
    workflow: str
    job: str
    run: int
    attempt: int
    head: str = ""
    severity: int = 0
    content: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same in all runs that share one comment."""
        return self.id, self.workflow, self.job

    @property
    def order(self) -> tuple[int, int]:
        """Grows with time: GitHub numbers runs upwards, and the attempts of one run."""
        return self.run, self.attempt

    def __str__(self) -> str:
        return (
            f"<!-- agent-gate:{_plain(self.id)} workflow={_plain(self.workflow)} job={_plain(self.job)}"
            f" run={self.run} attempt={self.attempt} head={self.head} severity={self.severity}"
            f" content={self.content} -->"
        )


def read(body: str) -> Stamp | None:
    """The stamp at the very start of a comment's body."""
    found = _FIRST_LINE.match(body)
    if not found:
        return None
    return Stamp(
        id=unquote(found["id"]),
        workflow=unquote(found["workflow"]),
        job=unquote(found["job"]),
        run=int(found["run"]),
        attempt=int(found["attempt"]),
        head=found["head"],
        severity=int(found["severity"]),
        content=found["content"],
    )


def write(stamp: Stamp, body: str) -> str:
    """The body under its stamp, which takes the place of the plain marker that a file has."""
    return f"{stamp}\n\n{_MARKER.sub('', body, count=1) if _MARKER.match(body) else body.lstrip()}"


def _plain(text: str) -> str:
    """Percent-encoded, so that no text ends the HTML comment: neither `>` nor two hyphens are left."""
    return quote(text, safe="").replace("~", "%7E").replace("--", "-%2D")
