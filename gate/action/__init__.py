"""GitHub's side of a run: the Action's inputs in; log, summary, outputs, comment and exit code out."""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from gate.action.ending import Ending, of_bad_input, of_failure
from gate.bug import bug_report
from gate.errors import BUG, BY_SIGNAL, INTERRUPTED, PASS, PUBLISH_FAILED, BadInput, GateError, UsageError
from gate.github.acceptance import find_acceptance
from gate.github.api import connect
from gate.github.comment import CommentResult, publish_comment, run_link
from gate.github.event import RunContext, read_context
from gate.github.inputs import Inputs, read_inputs, withhold
from gate.github.secretless import why_no_secrets
from gate.github.sides import base_of
from gate.github.step import Log, add_summary, save_state, set_outputs
from gate.github.workspace import give_back, without_links
from gate.model.bar import Acceptance, NotAccepted
from gate.model.config import AcceptPolicy
from gate.publish.escape import without_commands

if TYPE_CHECKING:
    from gate.suite import Sides

OUTPUTS: Final = ("verdict", "exit-code", "regressed", "run", "junit", "comment-url", "baseline-url")

_BOOT = "boot"


def main() -> int:
    """Run the step; returns its exit code. A bug is 70: never a code that reads as a verdict."""
    environ = withhold(os.environ)
    with Log(sys.stdout, without_commands) as log:
        try:
            return _step(environ, log)
        except KeyboardInterrupt:
            print("agent-gate: interrupted")
            return INTERRUPTED
        except Exception:  # noqa: BLE001  # the boundary: a bug must not look like a verdict
            print(bug_report())
            return BUG


def tidy() -> int:
    """The post step: remove what a step that was killed has left at the engine; never fails the job."""
    environ = withhold(os.environ)
    with Log(sys.stdout, without_commands) as log:
        try:
            if boot := environ.get(f"STATE_{_BOOT}"):
                from gate.boot.container import left_overs_removed

                asyncio.run(left_overs_removed(boot))
        except Exception:  # noqa: BLE001  # the verdict has been given
            print(bug_report())
            log.show_warning("Agent Gate could not look for containers that it left.")
    return 0


def _named_boot(environ: Mapping[str, str]) -> None:
    """Give what is started at the engine a name that the post step knows."""
    from gate.boot.container import BOOT_ID

    os.environ[BOOT_ID] = secrets.token_hex(8)
    save_state(environ, _BOOT, os.environ[BOOT_ID])


def _step(environ: Mapping[str, str], log: Log) -> int:
    from gate.action.offering import errand, offer_evidence

    workspace = Path(environ.get("GITHUB_WORKSPACE") or ".").resolve()
    os.chdir(workspace)
    inputs, ending, note = None, None, ""
    try:
        inputs = read_inputs(environ, workspace)
        log.mask([inputs.token])
        if inputs.publish:
            return _hand_on(inputs, inputs.publish, environ, log)
        with log.unhindered("tell the post step what to look for"):
            _named_boot(environ)
        wanted = errand(inputs, environ, workspace)
        ending = _judged(inputs, environ, log)
        if wanted and ending.report and ending.out and not ending.interrupted:
            code, note = offer_evidence(wanted, ending.report, ending.out, environ, log)
            ending = replace(ending, code=ending.code or code)
    except BadInput as error:
        ending = of_bad_input(error, environ.keys() - os.environ.keys(), why_no_secrets(environ))
        print(ending.details)
    except GateError as error:
        ending = of_failure(error)
        print(f"agent-gate: {ending.details}")
    if ending.out:
        with log.unhindered("give its files to the workspace's owner"):
            give_back(ending.out, workspace)
    with log.unhindered("write the outputs"):
        set_outputs(environ, ending.outputs())
    with log.unhindered("write the summary"):
        add_summary(environ, log.redact.text(ending.summary() + note))
    log.commands(log.redact.text(ending.annotations()).splitlines())
    if inputs and not ending.interrupted and not _comment(inputs, ending, environ, log):
        return _unpublished(ending, environ)
    return ending.code


def _hand_on(inputs: Inputs, folder: Path, environ: Mapping[str, str], log: Log) -> int:
    from gate.artifact import Wanted
    from gate.commands.publish import publish_step

    wanted = Wanted(token=inputs.token, mode=inputs.comment, comment_id=inputs.comment_id)
    return publish_step(folder, environ, wanted, log)


def _unpublished(ending: Ending, environ: Mapping[str, str]) -> int:
    """The exit code without a comment: `strict_publish` makes a 4 of a 0, and of nothing else."""
    from gate.publish.words import exit_line

    if ending.code or not ending.strict:
        return ending.code
    print(exit_line(PUBLISH_FAILED))
    set_outputs(environ, {"exit-code": str(PUBLISH_FAILED)})
    return PUBLISH_FAILED


def _judged(inputs: Inputs, environ: Mapping[str, str], log: Log) -> Ending:
    from gate.commands.output import Progress, claim, show_report
    from gate.pipeline import run
    from gate.publish.comment import is_notable
    from gate.suite import Selection, passed_over, prepare, secrets_of

    sides = _sides(inputs, environ)
    if sides and (reason := passed_over(inputs.config, sides)):
        print(f"Agent Gate: pass — {reason}")
        return Ending(
            code=PASS, verdict="pass", headline="pass — nothing to measure", details=reason, quiet=True
        )
    suite = prepare(inputs.config, Selection(), secrets=[inputs.token], sides=sides)
    log.mask(secrets_of(suite.config))
    without_links(inputs.out)
    claim(inputs.out, suite)
    report, number = asyncio.run(run(suite, inputs.out, Progress(sys.stdout)))
    if number:
        for following in (signal.SIGINT, signal.SIGTERM):  # the runner sends both; the rest is quickly done
            signal.signal(following, signal.SIG_IGN)
    code = BY_SIGNAL + number if number else report.comparison.exit_code
    show_report(report, out=inputs.out, code=code)
    return Ending(
        code=code,
        verdict=report.comparison.verdict,
        report=report,
        out=inputs.out,
        interrupted=bool(number),
        quiet=not is_notable(report),
        strict=suite.config.strict_publish,
    )


def _sides(inputs: Inputs, environ: Mapping[str, str]) -> "Sides | None":
    """The base of the pull request, and how to ask who accepted it; None where there is one side."""
    from gate.suite import Sides

    if not environ.get("GITHUB_EVENT_PATH"):
        return None
    context = read_context(environ)
    base = base_of(context, inputs.config.parent)
    if base is None:
        return None
    return Sides(
        base=base,
        commit=context.head_sha,
        ask=lambda policy: asyncio.run(_asked(context, inputs.token, policy)),
    )


async def _asked(context: RunContext, token: str, policy: AcceptPolicy) -> Acceptance | NotAccepted:
    try:
        async with connect(context.api_url, token) as api:
            return await find_acceptance(api, context, policy)
    except UsageError as error:
        return NotAccepted(reason=error.message, hint=error.hint)


def _comment(inputs: Inputs, ending: Ending, environ: Mapping[str, str], log: Log) -> bool:
    """Write the comment where there is a pull request; what stands in the way is a warning, and false."""
    if inputs.comment == "off" or not environ.get("GITHUB_EVENT_PATH"):
        return True
    try:
        result = asyncio.run(_published(inputs, ending, environ, log))
    except UsageError as error:
        result = CommentResult(action="failed", warning=f"No comment was written: {error.message}")
    if result.warning:
        log.show_warning(result.warning)
    print(f"Comment: {result.action.replace('_', ' ')} {result.url}".rstrip())
    set_outputs(environ, {"comment-url": result.url})
    return result.action != "failed"


async def _published(inputs: Inputs, ending: Ending, environ: Mapping[str, str], log: Log) -> CommentResult:
    from gate.publish.comment import SEVERITIES

    context = read_context(environ)
    link = run_link(context)
    async with connect(context.api_url, inputs.token) as api:
        return await publish_comment(
            api,
            context,
            lambda budget: log.redact.text(f"{ending.comment(budget - len(link.encode()) - 1)}\n{link}"),
            comment_id=inputs.comment_id,
            mode=inputs.comment if ending.report or ending.code else "changes",
            notable=not ending.quiet,
            severity=SEVERITIES[ending.verdict],
        )
