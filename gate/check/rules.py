"""What is wrong with metrics and rules: names, bounds, and measures that meet no case."""

from collections.abc import Iterator, Sequence

from gate.config.build import JUNIT
from gate.documents.messages import did_you_mean
from gate.errors import BadInput
from gate.model.case import Case, Expect
from gate.model.config import Config, Rule
from gate.model.finding import Finding
from gate.score import METRICS, build
from gate.score.metric import Metric

_BEST, _ALL_PERCENT = 1.0, 100


def rule_findings(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    """Findings about `metrics` and `rules`, held against the cases that there are."""
    try:
        metrics = {metric.name: metric for metric in build(config.metrics)}
    except BadInput as error:
        yield from error.findings
        return
    held = {name: metric for name, metric in metrics.items() if metric.type != JUNIT}
    unmet = {name for name, metric in held.items() if cases and not _meets(metric, cases)}
    for configured in config.metrics:
        if configured.name in unmet:
            yield Finding.warn(
                "metric-without-cases",
                configured.place,
                f"no case has what the metric '{configured.name}' is held against",
                why="It will never be measured.",
                fix=_needs(metrics[configured.name]),
            )
    tracks = {track.name for track in config.tracks}
    for rule in config.rules:
        if rule.place.line:
            of_metric = _rule(rule, metrics, unmet, cases, config.run.trials)
            yield from _of_track(rule) if rule.metric in tracks else of_metric
    yield from _unscored(metrics, cases)


def _meets(metric: Metric, cases: Sequence[Case]) -> bool:
    return any(metric.expectation(case) is not None for case in cases)


def _needs(metric: Metric) -> str:
    return f"Add {' or '.join(f'`{key}`' for key in metric.reads)} to a case." if metric.reads else ""


def _rule(
    rule: Rule, metrics: dict[str, Metric], unmet: set[str], cases: Sequence[Case], trials: int
) -> Iterator[Finding]:
    name = rule.metric
    if name == "cases":
        if not rule.counts:
            yield _finding(
                rule, "empty-rule", "the rule for 'cases' bounds nothing", fix="cases: {regressed: 0}"
            )
        return
    if name not in metrics:
        yield _unknown(rule, metrics)
        return
    if rule.counts:
        what = f"'{name}' is a metric: only `cases` and tracks are counted"
        yield _finding(rule, "bad-rule", what, fix=f"{name}: {{max_drop: 0.05}}")
        return
    yield from _aggregated(rule, metrics[name], trials)
    yield from _bounds(rule, metrics[name])
    if name in unmet:
        what = f"no case has what the rule for '{name}' is held against"
        yield _finding(
            rule, "rule-without-cases", what, why="It can never fail.", fix=_needs(metrics[name]), warn=True
        )
    if rule.by == "category" and cases and not any(case.category for case in cases):
        what = f"the rule for '{name}' is by category, and no case has a category"
        yield _finding(rule, "rule-without-cases", what, fix="Give the cases a `category`.", warn=True)
    if rule.by == "tag" and cases and not any(case.tags for case in cases):
        what = f"the rule for '{name}' is by tag, and no case has a tag"
        yield _finding(rule, "rule-without-cases", what, fix="Give the cases `tags`.", warn=True)


def _of_track(rule: Rule) -> Iterator[Finding]:
    """A track is counted, as cases are."""
    if any(bound is not None for bound in (rule.min, rule.max, rule.max_drop, rule.max_rise)):
        what = f"'{rule.metric}' is a track: its rule counts tests, and has no bounds of a metric"
        yield _finding(rule, "bad-rule", what, fix=f"{rule.metric}: {{regressed: 0, new_failing: 0}}")
    elif not rule.counts:
        what = f"the rule for the track '{rule.metric}' bounds nothing"
        yield _finding(rule, "empty-rule", what, fix=f"{rule.metric}: {{regressed: 0}}")


def _finding(rule: Rule, id_: str, what: str, *, why: str = "", fix: str = "", warn: bool = False) -> Finding:
    make = Finding.warn if warn else Finding.error
    return make(id_, rule.place, what, why=why, fix=fix)


def _unknown(rule: Rule, metrics: dict[str, Metric]) -> Finding:
    name = rule.metric
    if name in METRICS:
        what = f"the rule for '{name}' has no metric: '{name}' is measured only where it is configured"
        return _finding(rule, "unknown-metric", what, fix=f"metrics: {{{name}: {{}}}}")
    known = ["cases", *metrics, *METRICS]
    return _finding(
        rule,
        "unknown-metric",
        f"there is no metric '{name}'{did_you_mean(name, known)}",
        fix=f"Metrics here: {', '.join(dict.fromkeys(['cases', *metrics]))}.",
    )


def _aggregated(rule: Rule, metric: Metric, trials: int) -> Iterator[Finding]:
    """What is wrong with how trials are folded."""
    subject = f"the rule for '{rule.metric}'"
    if not rule.counts_passes:
        if rule.at is not None:
            fix = f"{rule.metric}: {{aggregate: pass_rate, at: {rule.at:g}, min: 0.9}}"
            yield _finding(rule, "at-without-passes", f"{subject} has `at`, and counts no passes", fix=fix)
        return
    if rule.at is None and metric.pass_at is None:
        what = f"{subject} counts trials that pass, and nothing says what a trial passes at"
        yield _finding(rule, "passes-without-at", what, fix="Write `at`.")
    if rule.aggregate == "pass_k" and rule.number > trials:
        what = f"{subject} needs {rule.number} trials of a case, and `run.trials` is {trials}"
        yield _finding(rule, "too-few-trials", what, fix=f"run: {{trials: {rule.number}}}")


def _bounds(rule: Rule, metric: Metric) -> Iterator[Finding]:
    if all(bound is None for bound in (rule.min, rule.max, rule.max_drop, rule.max_rise, rule.coverage)):
        fix = f"{rule.metric}: {{max_drop: 0.05}}"
        yield _finding(rule, "empty-rule", f"the rule for '{rule.metric}' bounds nothing", fix=fix)
    elif rule.min is not None and rule.max is not None and rule.min > rule.max:
        what = f"the rule for '{rule.metric}' can never hold: min {rule.min:g} is over max {rule.max:g}"
        yield _finding(rule, "rule-never-holds", what)
    elif _is_share(rule, metric) and ((rule.min or 0) > _BEST or (rule.max is not None and rule.max < 0)):
        what = f"the rule for '{rule.metric}' can never hold: its values lie between 0 and 1"
        yield _finding(rule, "rule-never-holds", what)
    elif rule.coverage is None and all(_vacuous(rule, metric)):
        what = f"the rule for '{rule.metric}' can never fail"
        why = "A share lies between 0 and 1, and nothing falls by more than all of it."
        yield _finding(rule, "rule-never-fails", what, why=why, fix="Tighten the bound.", warn=True)


def _vacuous(rule: Rule, metric: Metric) -> Iterator[bool]:
    """For each bound that is written, whether every possible value keeps to it."""
    quality = _is_share(rule, metric)
    if rule.min is not None:
        yield rule.min <= 0
    if rule.max is not None:
        yield quality and rule.max >= _BEST
    if rule.max_drop is not None:
        yield (
            rule.max_drop.value >= _ALL_PERCENT
            if rule.max_drop.percent
            else quality and rule.max_drop.value >= _BEST
        )
    if rule.max_rise is not None:
        yield quality and not rule.max_rise.percent and rule.max_rise.value >= _BEST


def _is_share(rule: Rule, metric: Metric) -> bool:
    """Whether what is bounded lies between 0 and 1."""
    return rule.counts_passes or metric.kind == "quality"


def _unscored(metrics: dict[str, Metric], cases: Sequence[Case]) -> Iterator[Finding]:
    """Expectations that no metric reads: one finding a key, at the first case that has it."""
    read = {key for metric in metrics.values() for key in metric.reads}
    for key in Expect.__dataclass_fields__:
        if key in read:
            continue
        having = [case for case in cases if any(getattr(expect, key) is not None for expect in case.expects)]
        if having:
            more = f" and {len(having) - 1} more" if len(having) > 1 else ""
            yield Finding.warn(
                "unscored-expectation",
                having[0].place,
                f"nothing scores the '{key}' of case '{having[0].id}'{more}",
                why="It is expected, and never checked.",
                fix=_scorers(key),
            )


def _scorers(key: str) -> str:
    if key == "rubric":
        judge = "judges: {main: {base_url: https://gateway.example/v1, model: …, key: JUDGE_KEY}}"
        return f"A judge does: {judge} and metrics: {{judge: {{}}}}"
    able = [name for name, metric in METRICS.items() if key in metric.reads and not metric.foreign]
    return f"metrics: {{{able[0]}: {{}}}}" if able else "Remove it, or check the same by `contains`."
