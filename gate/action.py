"""GitHub's side of a run: the Action's inputs in; log, summary, outputs, comment and exit code out."""

import asyncio
import os
import secrets
import signal
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from gate.bug import bug_report
from gate.errors import BUG, PASS, UNDECIDED, BadInput, GateError, UsageError
from gate.github.acceptance import find_acceptance
from gate.github.api import connect
from gate.github.comment import CommentResult, publish_comment
from gate.github.event import RunContext, read_context
from gate.github.inputs import Inputs, read_inputs, withhold
from gate.github.sides import base_of
from gate.github.step import Log, add_summary, save_state, set_outputs
from gate.github.workspace import give_back, without_links
from gate.model.bar import Acceptance, NotAccepted
from gate.model.config import AcceptPolicy
from gate.model.finding import Finding, Place
from gate.model.run import Report
from gate.publish.escape import without_commands

if TYPE_CHECKING:
    from gate.suite import Sides

OUTPUTS: Final = ("verdict", "exit-code", "regressed", "run", "junit", "comment-url", "baseline-url")
SEVERITIES: Final = MappingProxyType({"pass": 0, "undecided": 1, "regression": 2, "": 3})
"""Of the jobs of one run that share a comment the worst stays; no verdict at all is worst."""

_SIGNAL_EXIT, _BOOT = 128, "boot"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the step ended: with a report in `out`, or without and then with what to tell instead of it.

    `quiet`: nothing moved, or nothing was measured because nothing could have.
    """

    code: int
    verdict: str = ""
    quiet: bool = False
    report: Report | None = None
    out: Path | None = None
    headline: str = ""
    details: str = ""
    findings: tuple[Finding, ...] = ()
    interrupted: bool = False

    def comment(self, budget: int) -> str:
        """The comment's body in `budget` bytes."""
        from gate.publish import comment

        return comment.render(self.report, budget=budget) if self.report else self._instead(budget)

    def summary(self) -> str:
        """The job's summary."""
        from gate.publish import summary

        return summary.render(self.report) if self.report else self._instead(summary.BUDGET)

    def annotations(self) -> str:
        """Workflow commands that show what is wrong where it is, one a line."""
        from gate.publish import annotations

        if self.report:
            return annotations.render(self.report)
        return annotations.render_findings(self.findings)

    def _instead(self, budget: int) -> str:
        from gate.publish.escape import fence

        in_characters = (budget - 500) // 4  # of at most four bytes each
        return f"### Agent Gate: {self.headline}\n\n{fence(self.details, in_characters)}\n"


def main() -> int:
    """Run the step; returns its exit code. A bug is 70: never a code that reads as a verdict."""
    environ = withhold(os.environ)
    with Log(sys.stdout, without_commands) as log:
        try:
            return _step(environ, log)
        except KeyboardInterrupt:
            print("agent-gate: interrupted")
            return _SIGNAL_EXIT + signal.SIGINT
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
    from gate.offering import errand, offer_evidence

    workspace = Path(environ.get("GITHUB_WORKSPACE") or ".").resolve()
    os.chdir(workspace)
    inputs, ending, note = None, None, ""
    try:
        inputs = read_inputs(environ, workspace)
        with log.unhindered("tell the post step what to look for"):
            _named_boot(environ)
        log.mask([inputs.token])
        wanted = errand(inputs, environ, workspace)
        ending = _judged(inputs, environ, log)
        if wanted and ending.report and ending.out and not ending.interrupted:
            code, note = offer_evidence(wanted, ending.report, ending.out, environ, log)
            ending = replace(ending, code=ending.code or code)
    except BadInput as error:
        ending = _bad_input(error, environ.keys() - os.environ.keys())
    except GateError as error:
        ending = _failed(error)
    if ending.out:
        with log.unhindered("give its files to the workspace's owner"):
            give_back(ending.out, workspace)
    with log.unhindered("write the outputs"):
        set_outputs(environ, _outputs(ending))
    with log.unhindered("write the summary"):
        add_summary(environ, log.redact.text(ending.summary() + note))
    log.commands(log.redact.text(ending.annotations()).splitlines())
    if inputs and not ending.interrupted:
        _comment(inputs, ending, environ, log)
    return ending.code


def _judged(inputs: Inputs, environ: Mapping[str, str], log: Log) -> Ending:
    from gate.commands.output import Progress, claim, show_report
    from gate.pipeline import run
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
    code = _SIGNAL_EXIT + number if number else report.comparison.exit_code
    show_report(report, out=inputs.out, code=code)
    return Ending(
        code=code,
        verdict=report.comparison.verdict,
        report=report,
        out=inputs.out,
        interrupted=bool(number),
        quiet=not _is_notable(report),
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


def _bad_input(error: BadInput, withheld: Iterable[str]) -> Ending:
    from gate.check import render_findings

    findings = tuple(_explained(finding, withheld) for finding in error.findings)
    text = render_findings(findings)
    print(text)
    count = f"{len(findings)} finding" + "s" * (len(findings) != 1)
    return Ending(
        code=error.exit_code,
        headline=f"not run — {count} in the config or the cases",
        details=text,
        findings=findings,
    )


def _explained(finding: Finding, withheld: Iterable[str]) -> Finding:
    """A variable that is set for the step, but not for the agent, is not simply "not set"."""
    named = [name for name in withheld if finding.rule == "unset-variable" and name in finding.what.split()]
    if not named:
        return finding
    return replace(
        finding,
        what=f"the variable {named[0]} is the runner's, and never reaches the agent",
        fix="Give the agent a token of its own, under another name.",
    )


def _failed(error: GateError) -> Ending:
    text = "\n".join([error.message, *([error.hint] if error.hint else [])])
    print(f"agent-gate: {text}")
    finding = Finding.error("not-run", Place(file=""), error.message, fix=error.hint)
    verdict = "undecided" if error.exit_code == UNDECIDED else ""
    return Ending(
        code=error.exit_code, verdict=verdict, headline="not run", details=text, findings=(finding,)
    )


def _outputs(ending: Ending) -> dict[str, str]:
    from gate.publish import SINKS
    from gate.results import RUN_FILE

    outputs = {"exit-code": str(ending.code)} | ({"verdict": ending.verdict} if ending.verdict else {})
    if ending.report is None or ending.out is None:
        return outputs
    comparison = ending.report.comparison
    return {
        **outputs,
        "regressed": str(sum(case.klass == "regressed" for case in comparison.cases)),
        "run": (ending.out / RUN_FILE).as_posix(),
        "junit": (ending.out / SINKS["junit"].file).as_posix(),
    }


def _comment(inputs: Inputs, ending: Ending, environ: Mapping[str, str], log: Log) -> None:
    """Write the comment where there is a pull request; what stands in the way is a warning."""
    if inputs.comment == "off" or not environ.get("GITHUB_EVENT_PATH"):
        return
    try:
        result = asyncio.run(_published(inputs, ending, environ, log))
    except UsageError as error:
        result = CommentResult(action="failed", warning=f"No comment was written: {error.message}")
    if result.warning:
        log.show_warning(result.warning)
    print(f"Comment: {result.action.replace('_', ' ')} {result.url}".rstrip())
    with log.unhindered("write the comment's address"):
        set_outputs(environ, {"comment-url": result.url})


async def _published(inputs: Inputs, ending: Ending, environ: Mapping[str, str], log: Log) -> CommentResult:
    context = read_context(environ)
    link = f"[Summary and files of run {context.run_id}, attempt {context.attempt}]({context.run_url})\n"
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


def _is_notable(report: Report) -> bool:
    """Whether anything moved; where nothing is compared, whether it is no pass."""
    from gate.publish.groups import group
    from gate.publish.headline import got_worse

    found, bar = group(report), report.comparison.bar
    moved = found.broke or found.undecided or found.fixed or found.new or found.changed or found.removed
    return bool(moved or (bar and bar.changes)) or report.comparison.verdict != "pass" or got_worse(report)
