from pathlib import Path

import pytest

from gate.config import Loaded, from_document
from gate.documents import parse
from gate.model.config import Amount, CommandBoot, MetricConfig, NoBoot, Ready, Rule, RunConfig, UrlBoot
from gate.model.finding import Place

SMALL = """\
version: 1
agent:
  protocol: adk
  app: card_agent
  boot:
    command: [adk, api_server, --port, "{port}"]
    ready: {path: /health, within: 2m}
    env: {DRY_RUN: "true"}
    pass_env: [GOOGLE_API_KEY]
    headers: {X-A: b}
    stop_grace: 500ms
dataset: golden/*.yaml
"""


def load(text: str) -> Loaded:
    return from_document(parse(text, "agent-gate.yml"), Path("sub"))


def test_a_small_config_gets_every_default() -> None:
    loaded = load(SMALL)
    config = loaded.config
    assert config
    assert loaded.findings == ()
    assert (config.file, config.root, config.dataset) == ("agent-gate.yml", "sub", ("golden/*.yaml",))
    assert config.agent.boot == CommandBoot(
        command=("adk", "api_server", "--port", "{port}"),
        ready=Ready(path="/health", within_s=120),
        env={"DRY_RUN": "true"},
        pass_env=("GOOGLE_API_KEY",),
        headers={"X-A": "b"},
        stop_grace_s=0.5,
        hidden=("golden/*.yaml", "golden/baseline.jsonl"),
    )
    assert (config.agent.protocol, config.agent.app, config.agent.options) == ("adk", "card_agent", {})
    assert config.run == RunConfig()
    assert config.metrics == ()
    assert config.rules == (
        Rule(metric="cases", counts={"regressed": 0, "new_failing": 0}, place=Place(file="agent-gate.yml")),
        Rule(metric="completed", max_drop=Amount(value=0), place=Place(file="agent-gate.yml")),
    )
    assert (config.undecided, config.baseline, config.enforce) == ({}, "golden/baseline.jsonl", "block")


LARGE = """\
version: 1
agent:
  protocol: http
  boot: {url: "http://127.0.0.1:8000/", headers: {Host: a}, ready: {within: 3}}
  http: {path: /chat, request: {m: "{text}"}, response: {text: $.reply}}
dataset: [a.yaml, b/*.json]
run: {trials: 3, concurrency: 1, trial_timeout: 1h, rate: 15/min, retries: 0}
metrics:
  calls: {mode: in_order, args: subset}
  wording: {type: rouge_1, pass_at: 0.5}
rules:
  cases: {removed: 1, level: warn}
  completed: {min: 0.9}
  calls:
    - {max_drop: 0.02, max_rise: 25%}
    - {by: category, max: 1, ignore_below: 0.1, level: info}
undecided: {throttled: warn}
baseline: base.jsonl
enforce: report
"""


def test_a_large_config_is_read_whole() -> None:
    config = load(LARGE).config
    assert config
    assert config.agent.boot == UrlBoot(
        url="http://127.0.0.1:8000", headers={"Host": "a"}, ready=Ready(within_s=3)
    )
    assert config.agent.options == {
        "path": "/chat",
        "request": {"m": "{text}"},
        "response": {"text": "$.reply"},
    }
    assert config.run == RunConfig(trials=3, concurrency=1, trial_timeout_s=3600, rate_per_s=0.25, retries=0)
    assert config.metrics == (
        MetricConfig(
            name="calls",
            type="calls",
            options={"mode": "in_order", "args": "subset"},
            place=Place(file="agent-gate.yml", line=9, column=3),
            root="sub",
        ),
        MetricConfig(
            name="wording",
            type="rouge_1",
            pass_at=0.5,
            place=Place(file="agent-gate.yml", line=10, column=3),
            root="sub",
        ),
    )
    cases, completed, drop, by = config.rules
    assert (cases.counts, cases.level) == ({"removed": 1}, "warn")
    assert (completed.min, completed.max_drop) == (0.9, None)
    assert (drop.max_drop, drop.max_rise) == (Amount(value=0.02), Amount(value=25, percent=True))
    assert str(drop.place) == "agent-gate.yml:15:7"
    assert (by.by, by.max, by.ignore_below, by.level) == ("category", 1.0, 0.1, "info")
    assert (config.undecided, config.baseline, config.enforce) == (
        {"throttled": "warn"},
        "base.jsonl",
        "report",
    )


def test_an_agent_that_is_not_started_has_no_boot() -> None:
    text = "version: 1\nagent: {protocol: replay, replay: {traces: t.jsonl}}\ndataset: g.yaml\n"
    config = load(text).config
    assert config
    assert config.agent.boot == NoBoot()
    assert config.agent.options == {"traces": "t.jsonl"}


@pytest.mark.parametrize("text", ["", "[", "version: 2\n", SMALL + "extra: 1\n", SMALL + "version: 1\n"])
def test_a_config_with_an_error_is_none_and_says_why(text: str) -> None:
    loaded = load(text)
    assert loaded.config is None
    assert any(finding.level == "error" for finding in loaded.findings)


def test_a_warning_does_not_take_the_config_away() -> None:
    loaded = load(SMALL + "run: {trials: 02}\n")
    assert loaded.config
    assert loaded.config.run.trials == 2
    assert [finding.rule for finding in loaded.findings] == ["yaml-surprise"]


@pytest.mark.parametrize(
    "more",
    [
        "run: {rate: 0/s}",
        "run: {rate: 5/day}",
        "run: {trial_timeout: 0}",
        "run: {trial_timeout: -1s}",
        "run: {trials: true}",
        "rules: {calls: {max_drop: 5 percent}}",
        "rules: {calls: []}",
        "metrics: {latency_ms: {pass_at: 1}}",
        "metrics: {says: {mode: exactly}}",
        "metrics: {x: {}}",
        "metrics: {x: {type: says, mode: exactly}}",
        "undecided: {throttled: ignore}",
        "undecided: {agent_down: pass}",
        "enforce: never",
    ],
)
def test_what_no_value_can_be_is_refused(more: str) -> None:
    assert load(f"{SMALL}{more}\n").config is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/chat", '"/ch\\nat"'),
        ("/chat", '"/ch at"'),
        ("Host: a", 'Host: "a\\nX: b"'),
        ("Host: a", 'Host: "\u263a"'),
        ("within: 3", "within: 0s"),
        ("within: 3", "within: 00.0s"),
        ("within: 3", f"within: {'9' * 400}h"),
        ("within: 3", "within: 1e300"),
        ("[a.yaml", '["a\\0b"'),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/\\0"),
    ],
)
def test_what_no_system_could_use_is_a_finding_and_never_an_error_later(old: str, new: str) -> None:
    assert old in LARGE
    loaded = load(LARGE.replace(old, new, 1))
    assert loaded.config is None
    assert any(finding.rule == "bad-value" for finding in loaded.findings)


@pytest.mark.parametrize(
    "more",
    [
        f"rules: {{calls: {{min: {'9' * 310}}}}}",
        f"rules: {{calls: {{max_drop: {'9' * 400}%}}}}",
        "rules: {latency_ms: {max: 1.0e+200}}",
        "rules: {cases: {regressed: 1.0e+200}}",
        f"run: {{rate: {'9' * 400}/s}}",
        "metrics: {calls: {pass_at: 0}}",
    ],
)
def test_a_number_that_bounds_nothing_or_is_beyond_measure_is_a_finding(more: str) -> None:
    loaded = load(SMALL + more)
    assert loaded.config is None
    assert loaded.findings


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("mean", ("mean", 0)),
        ("pass_rate", ("pass_rate", 0)),
        ("min", ("min", 0)),
        ("max", ("max", 0)),
        ("p50", ("percentile", 50)),
        ("p95", ("percentile", 95)),
        ("p5", ("percentile", 5)),
        ("pass^1", ("pass_k", 1)),
        ("pass^12", ("pass_k", 12)),
    ],
)
def test_an_aggregate_is_read_and_written_back(written: str, expected: tuple[str, int]) -> None:
    loaded = load(f"{SMALL}rules: {{calls: {{aggregate: {written}, at: 0.8, by: tag, min: 0.5}}}}\n")
    assert loaded.config
    rule = loaded.config.rules[-1]
    assert ((rule.aggregate, rule.number), rule.folded, rule.at, rule.by) == (expected, written, 0.8, "tag")


@pytest.mark.parametrize(
    "wrong", ["p0", "p100", "pass^0", "pass^", "p", "median", "P95", "pass^100", "[p95]"]
)
def test_an_aggregate_that_is_none_is_a_finding(wrong: str) -> None:
    assert load(f"{SMALL}rules: {{calls: {{aggregate: {wrong}, min: 0.5}}}}\n").findings


def test_a_share_of_trials_has_no_floor_of_calls() -> None:
    loaded = load(f"{SMALL}rules: {{turns: {{aggregate: pass_rate, at: 3, max_drop: 10%}}}}\n")
    assert loaded.config
    assert loaded.config.rules[-1].ignore_below is None
