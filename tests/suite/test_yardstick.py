"""What a side holds a run against, without the secrets in it."""

from dataclasses import replace
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from gate.model.case import Case, Expect, ExpectedCall, Parallel, TextPart, Turn, User
from gate.model.config import AgentConfig, Config, MetricConfig, NoBoot, RunConfig
from gate.model.finding import Place
from gate.redact import Redactor
from gate.suite.yardstick import yardstick

HERE = Place(file="golden/a.yaml")
SECRET = "canary-secret"
CONFIG = Config(
    file="agent-gate.yml",
    root=".",
    agent=AgentConfig(protocol="http", boot=NoBoot()),
    dataset=("golden/*.yaml",),
    run=RunConfig(),
    metrics=(),
    rules=(),
    undecided={},
    baseline="golden/baseline.jsonl",
)
words = st.sampled_from(["a", SECRET, f"say {SECRET}!", "b"])
texts = st.none() | st.lists(words, max_size=2).map(tuple)
json = st.recursive(
    words | st.booleans() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(words, inner)
)
calls = st.builds(ExpectedCall, name=words, args=st.none() | st.dictionaries(words, json))
nodes = st.recursive(
    words,
    lambda inner: st.builds(
        Parallel, branches=st.lists(st.lists(inner, min_size=1, max_size=2).map(tuple), max_size=2).map(tuple)
    ),
    max_leaves=4,
)
expects = st.builds(
    Expect,
    calls=st.none() | st.lists(calls, max_size=2).map(tuple),
    nodes=st.none() | st.lists(nodes, max_size=2).map(tuple),
    state=st.none() | st.dictionaries(words, json),
    state_keys=texts,
    contains=texts,
    excludes=texts,
    pauses=texts,
    reference=st.none() | words,
    rubric=st.none() | words,
)


def expected(expect: Expect, redact: Redactor) -> Expect:
    case = Case(
        id="a", turns=(Turn(sent=User(parts=(TextPart(text="hi"),)), place=HERE),), place=HERE, expect=expect
    )
    return yardstick(CONFIG, [case], redact, date(2030, 1, 1)).expected["a"].expect


@given(expects)
def test_no_expectation_keeps_a_secret_whatever_its_form(expect: Expect) -> None:
    clean = expected(expect, Redactor([SECRET]))
    assert SECRET not in repr(clean)
    assert (clean == expect) == (SECRET not in repr(expect))


@given(expects)
def test_without_a_secret_expectations_stay_as_they_are(expect: Expect) -> None:
    assert expected(expect, Redactor(["another-secret"])) == expect


def test_what_metrics_hear_from_elsewhere_goes_through_the_suites_redactor() -> None:
    metric = MetricConfig(name="mine", type="python", options={"code": "x"}, place=HERE)
    side = yardstick(replace(CONFIG, metrics=(metric,)), (), Redactor([SECRET]), date(2026, 1, 1))
    assert {each.redact.text(SECRET) for each in side.metrics} == {"***"}
