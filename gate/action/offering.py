"""The workflow that keeps the baseline fresh: may this run's evidence be offered, and where to."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

from gate.baselines import baseline_of, bytes_of
from gate.compare.baseline import must_not, pool, refusals
from gate.compare.joining import joined
from gate.config import load
from gate.errors import PASS, PublishFailed, UsageError
from gate.frozen import frozen
from gate.github.api import connect
from gate.github.baseline import Add, Addition, Offered, offer_by_pull_request, offer_on_branch
from gate.github.errors import GitHubError
from gate.github.event import RunContext, read_context
from gate.github.inputs import Inputs
from gate.github.step import Log, set_outputs
from gate.model.baseline import Baseline
from gate.model.config import AcceptPolicy, Config
from gate.model.verdict import Report
from gate.publish import baseline as words
from gate.publish.escape import code
from gate.results import StoredRun, read_run

EVENTS: Final = ("push", "schedule", "workflow_dispatch")
"""A pull request must not write what it is held against, so none of its events is among them."""
_OWN_BRANCH = "agent-gate/baseline"


@frozen
class Errand:
    """An offer to be made: checked before anything is spent."""

    context: RunContext
    token: str
    path: str
    branch: str
    accept: AcceptPolicy

    @property
    def place(self) -> str:
        """Where the evidence goes, for people."""
        return f"the branch {self.branch}" if self.branch else "a pull request"


def errand(inputs: Inputs, environ: Mapping[str, str], workspace: Path) -> Errand | None:
    """The offer that the workflow asks for, None for none; raises UsageError where it can never be made.

    A config that cannot be read is left to whoever needs the whole of it.
    """
    if inputs.baseline == "compare":
        return None
    context = read_context(environ)
    _refuse_event(context, environ)
    config = load(inputs.config).config
    if config is None:
        return None
    _refuse_form(inputs, config)
    return Errand(
        context=context,
        token=inputs.token,
        path=_from_top(workspace, Path(config.root) / config.baseline),
        branch=config.baseline_branch,
        accept=config.accept,
    )


def _refuse_event(context: RunContext, environ: Mapping[str, str]) -> None:
    if context.event not in EVENTS:
        raise UsageError(
            f"the input `baseline` writes the baseline, which the event {context.event} must not do",
            hint="Set it in a workflow of its own: README, Keeping the baseline fresh.",
        )
    ref, default = environ.get("GITHUB_REF", ""), context.default_branch
    if context.event != "schedule" and (not default or ref != f"refs/heads/{default}"):
        raise UsageError(
            f"the input `baseline` is for the default branch, {default or 'which the event does not name'};"
            f" this run is of {ref or 'no branch'}",
            hint="Only what was merged is evidence: restrict the workflow to the default branch.",
        )


def _refuse_form(inputs: Inputs, config: Config) -> None:
    if inputs.baseline == "branch" and not config.baseline_branch:
        raise UsageError(
            f"the input `baseline` is 'branch', but {inputs.config} names none",
            hint=f"Write `baseline: {{branch: {_OWN_BRANCH}}}` into it, or set the input to `pull-request`.",
        )
    if inputs.baseline == "pull-request" and config.baseline_branch:
        raise UsageError(
            f"the input `baseline` is 'pull-request', but {inputs.config} keeps the baseline on the branch"
            f" {config.baseline_branch}, which no pull request merges into",
            hint="Set the input to `branch`.",
        )


def _from_top(workspace: Path, file: Path) -> str:
    """The file as the repository's top names it; raises UsageError for one outside."""
    path = os.path.relpath(os.path.abspath(file), workspace)  # noqa: PTH100  # a link stays what it is
    if path.startswith(".."):
        raise UsageError(f"the baseline {file} is outside of the repository")
    return PurePosixPath(path).as_posix()


def why_not(report: Report) -> str:
    """Why a run's evidence is not offered, in words; "" where it is."""
    return must_not(report) or "; ".join(refusals(report))


async def offer(wanted: Errand, out: Path) -> Offered:
    """Offer the evidence of the run in `out`; raises PublishFailed with what to do."""
    stored, context = read_run(out), wanted.context
    add = _adds(stored, wanted)
    try:
        async with connect(context.api_url, wanted.token) as api:
            if wanted.branch:
                return await offer_on_branch(api, context, wanted.branch, wanted.path, add)
            return await offer_by_pull_request(api, context, wanted.path, add)
    except GitHubError as error:
        raise PublishFailed(f"the baseline was not offered: {error.message}", hint=error.hint) from error


def offer_evidence(
    wanted: Errand, report: Report, out: Path, environ: Mapping[str, str], log: Log
) -> tuple[int, str]:
    """Offer a good run's evidence and tell it; returns an exit code and a line for the summary.

    Nothing is written of a run that is no evidence. What was asked for and failed is no pass.
    """
    if reason := why_not(report):
        return PASS, _told(log, f"No evidence was offered to the baseline: {reason}")
    try:
        offered = asyncio.run(offer(wanted, out))
    except PublishFailed as error:
        return error.exit_code, _told(log, " ".join(f"{error.message}. {error.hint}".split()))
    print(f"Baseline: {wanted.place}: {offered.action} {offered.url}")
    set_outputs(environ, {"baseline-url": offered.url})
    return PASS, f"\n\nBaseline: [{wanted.place}]({offered.url}) {offered.action}.\n"


def _told(log: Log, text: str) -> str:
    log.show_warning(text)
    return f"\n\n{code(text, 1000)}\n"


def _adds(stored: StoredRun, wanted: Errand) -> Add:
    alone = pool(None, stored.evidence, "")
    report, run_url = stored.report, wanted.context.run_url

    def add(accepted: bytes | None, pending: bytes | None) -> Addition:
        before = _read(accepted, wanted, "where it is accepted")
        after = joined(joined(before, _read(pending, wanted, "in the open pull request")), alone) or alone
        step = words.Step(before=before, after=after, path=wanted.path, accept=wanted.accept)
        return Addition(
            data=bytes_of(after),
            message=words.message(report, run_url),
            title=words.title(step),
            body=words.body(report, step, run_url),
            known=before is not None and any(run.run == report.meta.run for run in before.runs),
            newest=after.runs[-1].run == report.meta.run,
        )

    return add


def _read(data: bytes | None, wanted: Errand, where: str) -> Baseline | None:
    """A baseline that cannot be read is not written over: nobody could tell what is lost."""
    if data is None:
        return None
    baseline, facts, findings = baseline_of(data, wanted.path)
    if baseline is None:
        problem = "; ".join(finding.what for finding in findings) or facts.problem
        raise PublishFailed(
            f"the baseline was not offered: {wanted.path} as it is {where} cannot be read: {problem}",
            hint="Restore it from the commit before, or close the pull request; then run the workflow again.",
        )
    return baseline
