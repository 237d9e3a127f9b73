"""A comment from the artifact of a run that another job measured: verified against GitHub, rendered anew.

Whoever wrote the artifact decides nothing but the words in it: which pull request it is about, which commit
and which run measured come from the event and from GitHub.
"""

from collections.abc import Mapping
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Final

from gate.artifact.reading import read_artifact
from gate.errors import UsageError
from gate.frozen import frozen
from gate.github.api import connect
from gate.github.comment import CommentResult, Mode, publish_comment, run_link
from gate.github.event import RunContext, read_context
from gate.model.verdict import Report
from gate.publish import comment
from gate.redact import Redactor

OF_A_FORK: Final = (
    "_Measured by the fork's own workflow, without secrets: whoever opened the pull request could have"
    " written this. It is information, not a gate._"
)


@frozen
class Wanted:
    """How the comment is to be written, and with which token."""

    token: str = field(repr=False)
    mode: Mode = "on"
    comment_id: str = "default"


async def publish_artifact(
    path: Path,
    environ: Mapping[str, str],
    wanted: Wanted,
    *,
    redact: Redactor | None = None,
) -> CommentResult:
    """Comment what the run in this folder found; raises UsageError for what cannot be used.

    Nothing is written about an artifact of another commit than the event's, nor where the pull request's head
    has moved since. `redact` is the last sweep over the whole body.
    """
    context = read_context(environ)
    report = read_artifact(path).report
    _check_head(report.meta.head, context)
    if report.meta.interrupted:
        return CommentResult(action="not_needed")
    sweep = redact or Redactor([wanted.token])

    @cache
    def body_for(budget: int) -> str:
        return sweep.text(body(report, context, budget))

    async with connect(context.api_url, wanted.token) as api:
        return await publish_comment(
            api,
            context,
            body_for,
            comment_id=wanted.comment_id,
            mode=wanted.mode,
            notable=comment.is_notable(report),
            severity=comment.SEVERITIES[report.comparison.verdict],
        )


def body(report: Report, context: RunContext, budget: int) -> str:
    """The comment in `budget` bytes, with where it comes from: the run's page, and a fork if it was one."""
    note = f"{OF_A_FORK}\n\n" if context.is_fork else ""
    link = run_link(context)
    text = comment.render(report, budget=budget - len(note.encode()) - len(link.encode()) - 1)
    marker, title, *rest = text.split("\n\n", 2)
    return f"{marker}\n\n{title.rstrip()}\n\n{note}{''.join(rest)}\n{link}"


def _check_head(head: str, context: RunContext) -> None:
    """Refuse a run of another commit: its words would stand under code that they are not about."""
    if not head:
        raise UsageError(
            "the run does not say of which commit of the pull request it is",
            hint="Measure it in a workflow, with this version of agent-gate.",
        )
    if head != context.head_sha:
        raise UsageError(
            f"the run is of commit {head:.12}, and the event is about {context.head_sha:.12}",
            hint="Publish the artifact of the very run that the event names (`run-id`).",
        )
