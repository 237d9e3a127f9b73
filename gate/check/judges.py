"""What is wrong with judges and the metrics that ask them: all that costs money or trust once a run began."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from gate.documents import Document, read_bytes
from gate.documents.messages import did_you_mean
from gate.errors import BadInput
from gate.git import is_in_checkout
from gate.judge import BadCache, parse_cache
from gate.judge.cache import LARGEST
from gate.judge.templates import PLACEHOLDERS, named, unknown
from gate.model.case import Case
from gate.model.config import CommandBoot, Config, ContainerBoot, MetricConfig
from gate.model.finding import Finding
from gate.model.judge import Anchor, JudgeConfig
from gate.redact import credentials_of
from gate.score import build, judges_among
from gate.score.judge import EVEN, Judge

FEW: Final = 10
"""With fewer anchors a judge can change a lot before anybody can tell."""
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")


def judge_findings(
    config: Config, cases: Sequence[Case], environ: Mapping[str, str], document: Document
) -> Iterator[Finding]:
    """Findings about `judges` and every metric of type `judge`; their anchors have been read."""
    for judge in config.judges:
        yield from _credentials(judge, config, environ)
        yield from _spending(judge)
    asking = [metric for metric in config.metrics if metric.judge]
    for metric in asking:
        yield from _prompt(metric)
        yield from _anchored(metric)
    for judge in config.judges:
        if all(metric.judge and metric.judge.name != judge.name for metric in asking):
            yield Finding.warn("judge-unused", judge.place, f"no metric asks the judge '{judge.name}'")
    yield from _budgets(config, cases)
    yield from _cached(config, document)


def _credentials(judge: JudgeConfig, config: Config, environ: Mapping[str, str]) -> Iterator[Finding]:
    for name in judge.variables:
        if not environ.get(name):
            yield Finding.error(
                "unset-variable",
                judge.place,
                f"the variable {name} of judge '{judge.name}' is {'empty' if name in environ else 'not set'}",
                why="The judge would not answer, and the run would end undecided.",
                fix=f"In a workflow: env: {{{name}: ${{{{ secrets.{name} }}}}}}; forks get no secrets.",
            )
    boot = config.agent.boot
    passed = boot.pass_env if isinstance(boot, CommandBoot | ContainerBoot) else ()
    for name in judge.variables:
        if name in passed:
            yield Finding.error(
                "judge-key-passed",
                judge.place,
                f"the agent gets {name}, which judge '{judge.name}' reads",
                why="An agent that knows its judge's key can spend it, or read what it is judged by.",
                fix="Give the two keys of their own, and remove this one from `agent.boot.pass_env`.",
            )
    if any(credentials_of(judge.headers)):
        what = f"a header of judge '{judge.name}' carries a credential as a text"
        fix = "Name the variable that holds it: headers_from: {api-key: JUDGE_KEY}."
        yield Finding.error("judge-secret-literal", judge.place, what, fix=fix)
    if judge.key and judge.token_command:
        what = f"judge '{judge.name}' has both 'key' and 'token_command'"
        yield Finding.error("two-credentials", judge.place, what, fix="Remove one of the two.")
    parts = urlsplit(judge.base_url)
    secret = judge.key or judge.headers_from or judge.token_command
    if secret and parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        what = f"the credential of judge '{judge.name}' would go over the network unencrypted"
        yield Finding.warn("judge-in-clear", judge.place, what, fix="base_url: https://…")


def _spending(judge: JudgeConfig) -> Iterator[Finding]:
    if judge.budget.money is not None and judge.price is None:
        what = f"judge '{judge.name}' has a budget of money, and nothing says what its tokens cost"
        fix = "price: {input: 0.15, output: 0.60}, for a million tokens."
        yield Finding.error("budget-without-price", judge.place, what, fix=fix)


def _prompt(metric: MetricConfig) -> Iterator[Finding]:
    prompt = metric.options.get("prompt")
    if not isinstance(prompt, str):
        return
    needed = "trajectory" if metric.options.get("kind") == "trajectory" else "response"
    if needed not in named(prompt):
        yield Finding.error(
            "prompt-without-answer",
            metric.place,
            f"the prompt of metric '{metric.name}' has no {{{needed}}}",
            why="The judge would never see what it judges.",
        )
    for word in unknown(prompt):
        if meant := did_you_mean(word, PLACEHOLDERS):
            what = f"{{{word}}} in the prompt of metric '{metric.name}' is no placeholder{meant}"
            yield Finding.warn("unknown-placeholder", metric.place, what)


def _anchored(metric: MetricConfig) -> Iterator[Finding]:
    try:
        (judge,) = (built for built in build([metric]) if built.name == metric.name)
    except BadInput:
        return
    if not isinstance(judge, Judge):
        return
    if "anchors" not in metric.options:
        yield Finding.warn(
            "unanchored",
            metric.place,
            f"metric '{metric.name}' has no anchors",
            why="If its judge changes, nobody can tell that from a change of the agent.",
            fix="anchors: {file: golden/anchors.yaml, min_agreement: 0.9}: answers with your own labels.",
        )
        return
    anchors = metric.anchors
    for anchor in anchors:
        yield from _lacking(metric, judge, anchor)
    if anchors and len(anchors) < FEW:
        what = f"metric '{metric.name}' has only {len(anchors)} anchors"
        why = f"With fewer than {FEW} a judge can change a lot before it shows."
        yield Finding.warn("few-anchors", metric.place, what, why=why)
    if anchors and len({anchor.label >= EVEN for anchor in anchors}) == 1:
        what = f"the anchors of metric '{metric.name}' all have the same verdict"
        why = "A judge that says the same to everything agrees with all of them."
        yield Finding.warn("one-sided-anchors", metric.place, what, why=why)


def _lacking(metric: MetricConfig, judge: Judge, anchor: Anchor) -> Iterator[Finding]:
    if judge.kind_asked == "rubric" and anchor.label not in (0, 1):
        what = f"the label of anchor '{anchor.id}' is a number, and metric '{metric.name}' says yes or no"
        yield Finding.error("anchor-label", anchor.place, what, fix="label: true, or label: false")
    for name in sorted(judge.needs & {"rubric", "trajectory"} | (judge.needs & set(judge.reads))):
        if not getattr(anchor, name):
            what = f"anchor '{anchor.id}' has no '{name}', which metric '{metric.name}' asks about"
            yield Finding.error("anchor-lacks", anchor.place, what, fix=f"Add '{name}' to it.")


def _budgets(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    try:
        metrics = judges_among(build(config.metrics))
    except BadInput:
        return
    expected = {case.id: case for case in cases}
    for judge in config.judges:
        mine = [metric for metric in metrics if metric.judge.name == judge.name]
        calls = sum(metric.most_calls(expected, config.run.trials) for metric in mine)
        most = judge.budget.calls
        if most is not None and calls > most:
            yield Finding.warn(
                "judge-budget",
                judge.place,
                f"the budget of judge '{judge.name}' is {most} calls, and a run may need {calls}",
                why="What is left over is not judged, and a rule that hangs on it is undecided.",
            )


def _cached(config: Config, document: Document) -> Iterator[Finding]:
    if not config.judge_cache:
        return
    root, place = Path(config.root), document.place(("judge_cache",))
    path = root / config.judge_cache
    if not is_in_checkout(root, path):
        what = f"'{config.judge_cache}' is outside of this repository"
        yield Finding.error("bad-judge-cache", place, what, fix="judge_cache: golden/judgements.jsonl")
        return
    try:
        parse_cache(read_bytes(path, LARGEST))
    except FileNotFoundError:
        return
    except (OSError, BadCache) as error:
        what = f"'{config.judge_cache}' cannot be read, and nothing of it is used: {error}"
        fix = "Remove the file; the next run on one side writes it anew."
        yield Finding.warn("bad-judge-cache", place, what, fix=fix)
