"""How a step ends: what its comment, summary, annotations, outputs and exit code are made of."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from gate.errors import UNDECIDED, BadInput, GateError
from gate.frozen import frozen
from gate.github.secretless import without_secrets
from gate.model.finding import Finding, Place
from gate.model.verdict import Report
from gate.publish import SINKS
from gate.results import RUN_FILE


@frozen
class Ending:
    """How the step ended: with a report in `out`, or without and then with what to tell instead of it.

    `quiet`: nothing moved, or nothing was measured because nothing could have. `strict`: a comment that
    cannot be written makes a pass a failure.
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
    strict: bool = False

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

    def outputs(self) -> dict[str, str]:
        """The outputs of action.yml, but for the comment's address."""
        outputs = {"exit-code": str(self.code)} | ({"verdict": self.verdict} if self.verdict else {})
        if self.report is None or self.out is None:
            return outputs
        cases = self.report.comparison.cases
        return {
            **outputs,
            "regressed": str(sum(case.klass == "regressed" for case in cases)),
            "run": (self.out / RUN_FILE).as_posix(),
            "junit": (self.out / SINKS["junit"].file).as_posix(),
        }

    def _instead(self, budget: int) -> str:
        from gate.publish.escape import fence

        in_characters = (budget - 500) // 4  # of at most four bytes each
        return f"### Agent Gate: {self.headline}\n\n{fence(self.details, in_characters)}\n"


def of_bad_input(error: BadInput, withheld: Iterable[str], no_secrets: str) -> Ending:
    """With every finding; where all that is missing are secrets that GitHub does not give, it is undecided.

    `withheld` are the variables that are the runner's, `no_secrets` says why there are no secrets, or is "".
    """
    from gate.check.render import render_findings
    from gate.publish.words import count

    findings = tuple(_explained(finding, withheld, no_secrets) for finding in error.findings)
    text = render_findings(findings)
    if all(finding.rule == "no-secrets" for finding in findings if finding.level == "error"):
        said = f"undecided — {no_secrets}"
        return Ending(code=UNDECIDED, verdict="undecided", headline=said, details=text, findings=findings)
    return Ending(
        code=error.exit_code,
        headline=f"not run — {count(len(findings), 'finding')} in the config or the cases",
        details=text,
        findings=findings,
    )


def _explained(finding: Finding, withheld: Iterable[str], no_secrets: str) -> Finding:
    """A variable that is set for the step, but not for the agent, is not simply "not set"."""
    if finding.rule != "unset-variable":
        return finding
    named = [name for name in withheld if name in finding.what.split()]
    if not named:
        return without_secrets(finding, no_secrets) if no_secrets else finding
    return replace(
        finding,
        what=f"the variable {named[0]} is the runner's, and never reaches the agent",
        fix="Give the agent a token of its own, under another name.",
    )


def of_failure(error: GateError) -> Ending:
    """With the error's message and what to do."""
    text = "\n".join([error.message, *([error.hint] if error.hint else [])])
    finding = Finding.error("not-run", Place(file=""), error.message, fix=error.hint)
    verdict = "undecided" if error.exit_code == UNDECIDED else ""
    return Ending(
        code=error.exit_code, verdict=verdict, headline="not run", details=text, findings=(finding,)
    )
