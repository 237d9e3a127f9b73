"""`agent-gate publish RUN`: comment what another job measured, whose files are a stranger's.

The Action does the same with its input `publish`.
"""

import argparse
import asyncio
import os
from collections.abc import Mapping
from pathlib import Path

from gate.artifact import Wanted, publish_artifact
from gate.errors import PASS, PUBLISH_FAILED, GateError, PublishFailed, UsageError
from gate.github.comment import CommentResult
from gate.github.step import Log, add_summary, set_outputs
from gate.model.finding import Finding, Place
from gate.publish.annotations import render_findings
from gate.publish.escape import fence

_NO_TOKEN = "Set GITHUB_TOKEN; it needs `pull-requests: write`."  # noqa: S105  # a hint
_SAID = {
    "created": "The comment was written:",
    "updated": "The comment was updated:",
    "unchanged": "The comment says it already:",
    "kept": "Another job of this run has written what is no better:",
    "superseded": "Nothing was written: a newer run has, or the pull request's head has moved.",
    "no_pull_request": (
        "Nothing was written: no open pull request has this commit as its head; it was closed, or has moved."
    ),
    "not_needed": "Nothing was written: the run was interrupted, or nothing changed.",
    "off": "Nothing was written: comments are off.",
    "failed": "Nothing was written.",
}


def main(options: argparse.Namespace) -> int:
    """Publish, and say what became of it; raises PublishFailed where GitHub refused."""
    token = os.environ.get("GITHUB_TOKEN", "")
    if not token:
        raise UsageError("GITHUB_TOKEN is not set", hint=_NO_TOKEN)
    wanted = Wanted(token=token, mode=options.comment, comment_id=options.comment_id)
    result = asyncio.run(publish_artifact(Path(options.run), os.environ, wanted))
    if result.action == "failed":
        raise PublishFailed(result.warning)
    print(said(result), *([result.warning] if result.warning else []), sep="\n")
    return PASS


def publish_step(path: Path, environ: Mapping[str, str], wanted: Wanted, log: Log) -> int:
    """The same as a step of a workflow: log, annotation, summary, outputs, exit code."""
    result = CommentResult(action="failed")
    try:
        result = asyncio.run(publish_artifact(path, environ, wanted, redact=log.redact))
        code = PUBLISH_FAILED if result.action == "failed" else PASS
        if result.warning:
            log.show_warning(result.warning)
    except GateError as error:
        code = error.exit_code
        _tell(error, environ, log)
    print(said(result))
    set_outputs(environ, {"exit-code": str(code), "comment-url": result.url})
    return code


def _tell(error: GateError, environ: Mapping[str, str], log: Log) -> None:
    finding = Finding.error("not-published", Place(file=""), error.message, fix=error.hint)
    text = log.redact.text("\n".join(part for part in (error.message, error.hint) if part))
    print(f"agent-gate: {text}")
    log.commands(log.redact.text(render_findings((finding,))).splitlines())
    add_summary(environ, f"### Agent Gate: not published\n\n{fence(text)}\n")


def said(result: CommentResult) -> str:
    """What became of the comment, as a line for people."""
    return f"{_SAID[result.action]} {result.url}".rstrip()
