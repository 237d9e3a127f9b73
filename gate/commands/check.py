"""`agent-gate check`: every finding about config, cases and baseline, and nothing is run."""

import argparse
from pathlib import Path

from gate.baselines import load_baseline
from gate.check import check, stops
from gate.check.render import render
from gate.errors import BAD_INPUT, PASS
from gate.model.finding import Finding, Place


def main(options: argparse.Namespace) -> int:
    """Print the findings like a compiler; 2 where one of them is an error (or any, with --strict)."""
    checked = check(Path(options.config))
    findings = list(checked.findings)
    if config := checked.config:
        _, facts, wrong = load_baseline(Path(config.root), config.baseline, config.baseline_branch)
        findings += wrong
        if facts.problem:
            why = "A run would be undecided: without the baseline nothing can be called better or worse."
            findings.append(
                Finding.error("baseline-unreadable", Place(file=facts.path), facts.problem, why=why)
            )
    print(render(findings, checked.cases, checked.files))
    return BAD_INPUT if stops(findings, strict=options.strict) else PASS
