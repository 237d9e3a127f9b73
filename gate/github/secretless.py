"""Runs that GitHub gives no secrets: what cannot be measured there is nobody's regression.

https://docs.github.com/en/actions/how-tos/write-workflows/choose-what-workflows-do/use-secrets and
https://docs.github.com/en/code-security/dependabot/troubleshooting-dependabot/troubleshooting-dependabot-on-github-actions
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from gate.errors import UsageError
from gate.github.event import read_context
from gate.model.finding import Finding

DEPENDABOT: Final = "dependabot[bot]"
_OF_THE_BASE: Final = "pull_request_target"


def why_no_secrets(environ: Mapping[str, str]) -> str:
    """`a fork's run has no secrets`; "" for a run that may have them, or of which nothing is known."""
    try:
        context = read_context(environ)
    except UsageError:
        return ""
    if context.event.startswith("pull_request") and context.event != _OF_THE_BASE:
        if context.is_fork:
            return "a fork's run has no secrets"
        if context.actor == DEPENDABOT:
            return "a run of Dependabot has no secrets but Dependabot's own"
    return ""


def without_secrets(finding: Finding, why: str) -> Finding:
    """An unset variable as what it is in such a run: no fault of the pull request."""
    return replace(
        finding,
        rule="no-secrets",
        what=f"{finding.what}: {why}",
        why="So the agent cannot be measured here. The check is undecided: neither good nor bad.",
        fix="A maintainer who has read the change pushes it to a branch of this repository;"
        " or a config without `pass_env` gates forks, with recorded sessions (`protocol: replay`).",
    )
