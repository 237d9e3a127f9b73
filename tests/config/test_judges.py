"""`judges:` as data, and what the agent must not see of them."""

from pathlib import Path

from gate.config import from_document
from gate.config.judges import judge_files
from gate.documents import parse
from gate.model.config import CommandBoot, Config
from gate.model.judge import JudgeBudget, Price

TEXT = """\
version: 1
agent: {protocol: adk, app: a, boot: {command: [a]}}
dataset: g.yaml
judge_cache: golden/judged.jsonl
judges:
  main:
    base_url: https://gateway.example/v1/
    model: m
    headers: {x-org: acme}
    headers_from: {api-key: KEY}
    token_command: [t, now]
    token_env: [HOME]
    ca: ca.pem
    temperature: 0.5
    seed: 7
    body: {max_tokens: 9, stop: null}
    timeout: 2m
    retries: 0
    rate: 60/min
    concurrency: 2
    budget: {calls: 1, tokens: 2, money: 0.5}
    price: {input: 0.1, output: 0.2}
metrics:
  tone: {type: judge, anchors: golden/anchors.yaml}
  way: {type: judge, kind: trajectory, anchors: {file: golden/ways.yaml, min_agreement: 0.8}}
  judge: {}
  calls: {}
"""


def config(text: str = TEXT) -> Config:
    loaded = from_document(parse(text, "agent-gate.yml"), Path())
    assert loaded.config, loaded.findings
    return loaded.config


def test_every_key_of_a_judge_is_read() -> None:
    (judge,) = config().judges
    assert (judge.base_url, judge.model, judge.seed, judge.temperature) == (
        "https://gateway.example/v1",
        "m",
        7,
        0.5,
    )
    assert judge.variables == ("KEY", "HOME")
    assert (judge.token_command, judge.ca, dict(judge.headers)) == (("t", "now"), "ca.pem", {"x-org": "acme"})
    assert (judge.timeout_s, judge.retries, judge.rate_per_s, judge.concurrency) == (120.0, 0, 1.0, 2)
    assert judge.budget == JudgeBudget(calls=1, tokens=2, money=0.5)
    assert judge.price == Price(input=0.1, output=0.2)
    assert judge.body == {"max_tokens": 9, "stop": None}
    assert (judge.place.line, judge.root) == (6, ".")


def test_a_metric_asks_the_only_judge_or_the_one_that_it_names() -> None:
    asked = {metric.name: metric.judge and metric.judge.name for metric in config().metrics}
    assert asked == {"tone": "main", "way": "main", "judge": "main", "calls": None}
    two = TEXT.replace("metrics:\n", "  b: {base_url: 'http://b', model: m}\nmetrics:\n")
    two = two.replace("kind: trajectory", "judge: b")
    asked = {metric.name: metric.judge and metric.judge.name for metric in config(two).metrics}
    assert asked == {"tone": None, "way": "b", "judge": None, "calls": None}


def test_anchors_and_judgements_are_hidden_from_the_agent_and_always_count_as_changed() -> None:
    made = config()
    assert isinstance(made.agent.boot, CommandBoot)
    files = ("golden/judged.jsonl", "golden/anchors.yaml", "golden/ways.yaml")
    assert made.agent.boot.hidden == ("g.yaml", "golden/baseline.jsonl", *files)
    assert judge_files(made) == ("golden/anchors.yaml", "golden/ways.yaml", "ca.pem", "golden/judged.jsonl")
