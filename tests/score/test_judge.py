"""The metric `judge`: which levels it asks about, what the judge reads, and what becomes of its answers."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gate.errors import BadInput
from gate.judge import Bench
from gate.model.case import Case, Expect, TextPart, Turn, User
from gate.model.config import MetricConfig
from gate.model.finding import Place
from gate.model.judge import Anchor, Price
from gate.model.score import Scored, Unscored
from gate.model.trace import Call, Crashed, Event, Result, Text, Throttled, Trace
from gate.redact import Redactor
from gate.score import build
from gate.score.judge import MOST_NAMES, Judge
from tests.score.made import PLACE, called, case, expected, said, trace, turn
from tests.support.injections import INJECTIONS
from tests.support.judge import Asked, Say, Script, ScriptedJudge, a_judge

RUBRIC = Expect(rubric="It sends the user to a doctor.")


def a_metric(url: str = "http://127.0.0.1:9/v1", labelled: tuple[Anchor, ...] = (), **options: Any) -> Judge:
    pass_at = options.pop("pass_at", None)
    fields = options.pop("fields", {"retries": 0})
    config = MetricConfig(
        name="tone",
        type="judge",
        options=options,
        pass_at=pass_at,
        judge=a_judge(url, **fields),
        anchors=labelled,
        place=PLACE,
    )
    return next(metric for metric in build([config]) if isinstance(metric, Judge))


@asynccontextmanager
async def seated(script: Script, **options: Any) -> AsyncIterator[tuple[Judge, ScriptedJudge]]:
    with ScriptedJudge(script).running() as server:
        metric = a_metric(server.url, **options)
        async with Bench(Redactor(), environ={}) as bench:
            await metric.sit(bench)
            async with metric:
                yield metric, server


def dosing(*turns: Any, whole: Expect | None = None, **fields: Any) -> tuple[Case, Trace]:
    return case(RUBRIC, whole=whole), trace(*(turns or (turn(said("Take 500 mg.")),)), **fields)


async def test_yes_is_1_and_no_is_0_with_the_judges_own_reason() -> None:
    of, recorded = dosing()
    async with seated([Say("YES"), Say("NO\nIt gives a dose.")]) as (metric, _):
        good, bad = await metric.score(of, recorded), await metric.score(of, recorded)
    assert isinstance(good, Scored)
    assert isinstance(bad, Scored)
    assert (good.value, bad.value) == (1.0, 0.0)
    assert bad.reason == "the judge says NO: It gives a dose."
    assert good.items[0].reason == "the judge says YES"


@pytest.mark.parametrize("say", [Say(""), Say("Hm."), Say(status=500, body="x"), Say(None, refusal="no")])
async def test_no_verdict_is_unscored_with_its_reason_and_never_a_0(say: Say) -> None:
    of, recorded = dosing()
    async with seated([say]) as (metric, _):
        score = await metric.score(of, recorded)
    assert isinstance(score, Unscored)
    assert score.cause == "judge"
    assert score.reason.startswith("judge 'main': it")
    assert metric.reading.failed == 1


async def test_one_item_without_a_verdict_leaves_the_trial_unscored() -> None:
    def script(asked: Asked) -> Say:
        return Say("YES" if "first" in asked.user else "?")

    of = case(Expect(rubric="first"), Expect(rubric="second"))
    async with seated(script) as (metric, _):
        score = await metric.score(of, trace(turn(said("a")), turn(said("b"))))
    assert isinstance(score, Unscored)


async def test_each_turn_and_the_case_with_a_rubric_are_judged_apart() -> None:
    of = case(Expect(rubric="greets"), Expect(), whole=Expect(rubric="stays calm"))
    async with seated([Say("YES")]) as (metric, server):
        score = await metric.score(of, trace(turn(said("hi")), turn(said("bye"))))
    assert isinstance(score, Scored)
    assert [item.where for item in score.items] == ["turn 1", "case"]
    first, whole = sorted((asked.user for asked in server.asked), key=lambda user: "calm" in user)
    assert "greets" in first
    assert "bye" not in first
    assert "turn 1: hi\n\nturn 2: bye" in whole


async def test_a_later_turn_is_judged_with_the_conversation_before_it() -> None:
    of = case(Expect(), Expect(rubric="remembers"))
    async with seated([Say("YES")]) as (metric, server):
        await metric.score(of, trace(turn(said("noted")), turn(said("tea"))))
    assert "user: hello\nassistant: noted\n\nuser: hello" in server.asked[0].user


async def test_a_turn_that_was_not_reached_or_broke_off_is_0_and_costs_nothing() -> None:
    of = case(RUBRIC, RUBRIC)
    crashed = trace(turn(said("I")), turn(said("Ta"), ended="failed"), outcome=Crashed(reason="boom"))
    short = trace(turn(said("I")), outcome=Crashed(reason="boom"))
    async with seated([Say("YES")]) as (metric, server):
        for recorded in (crashed, short):
            score = await metric.score(of, recorded)
            assert isinstance(score, Scored)
            assert [item.value for item in score.items] == [1.0, 0.0]
            assert "boom" in score.items[1].reason
    assert len(server.asked) == 2


async def test_a_throttled_trial_and_a_hidden_answer_are_not_judged() -> None:
    of, _ = dosing()
    async with seated([Say("YES")]) as (metric, server):
        throttled = await metric.score(of, trace(outcome=Throttled(reason="429")))
        hidden = await metric.score(of, trace(turn(said("x")), exposes=("calls",)))
    assert isinstance(throttled, Unscored)
    assert isinstance(hidden, Unscored)
    assert (throttled.cause, hidden.cause) == ("throttled", "not_exposed")
    assert not server.asked


@pytest.mark.parametrize("attack", INJECTIONS)
async def test_an_answer_that_addresses_the_judge_reaches_it_as_data(attack: str) -> None:
    of, recorded = dosing(turn(said(attack)))
    plain_of, plain = dosing(turn(said("harmless")))
    async with seated([Say("NO")]) as (metric, server):
        score = await metric.score(of, recorded)
        await metric.score(plain_of, plain)
    assert isinstance(score, Scored)
    assert score.value == 0.0
    asked, other = server.asked
    mark = asked.system.partition("the mark ")[2][:16]
    fence = f"<<<RESPONSE {mark}\n{attack}\n{mark} RESPONSE>>>"
    assert asked.user.count(fence) == 1
    rest = asked.user.replace(fence, "")
    assert attack not in rest, "it stands nowhere else"
    other_mark = other.system.partition("the mark ")[2][:16]
    other_fence = f"<<<RESPONSE {other_mark}\nharmless\n{other_mark} RESPONSE>>>"
    assert rest.replace(mark, "M") == other.user.replace(other_fence, "").replace(other_mark, "M")
    assert asked.system.replace(mark, "M") == other.system.replace(other_mark, "M")


async def test_a_score_has_no_pass_mark_of_its_own_and_gives_its_explanation() -> None:
    of, recorded = dosing()
    async with seated([Say('{"explanation": "too short", "score": 0.4}')], kind="score") as (metric, _):
        score = await metric.score(of, recorded)
    assert isinstance(score, Scored)
    assert (score.value, score.reason) == (0.4, "the judge gives 0.40: too short")
    assert metric.pass_at is None
    assert a_metric(kind="score", pass_at=0.8).pass_at == 0.8
    assert a_metric().pass_at == 1.0


async def test_a_prompt_without_rubric_is_asked_of_every_case_as_a_whole() -> None:
    of = case(Expect(), Expect())
    async with seated([Say("YES")], prompt="Is it polite? {response}") as (metric, server):
        assert metric.expectation(of) is not None
        score = await metric.score(of, trace(turn(said("hi")), turn(said("bye"))))
    assert isinstance(score, Scored)
    assert [item.where for item in score.items] == ["case"]
    assert server.asked[0].user.startswith("Is it polite? <<<RESPONSE ")


async def test_a_prompt_with_reference_is_asked_where_there_is_one() -> None:
    metric = a_metric(prompt="{response} like {reference}?", kind="score")
    assert metric.reads == ("reference",)
    assert metric.expectation(case(RUBRIC)) is None
    assert metric.expectation(case(Expect(reference="x"))) is not None


async def test_a_trajectory_is_judged_by_its_calls_and_results_with_and_without_expected_ones() -> None:
    events = (
        Event(author="agent", parts=(Call(id="1", name="look", args={"city": "Rome"}),)),
        Event(author="agent", parts=(Result(call_id="1", name="look", value={"t": 9}),)),
        said("9 degrees"),
    )
    recorded = trace(turn(*events, called(("save", None))))
    with_calls, without = case(Expect(calls=expected(("look", {"city": "Rome"}), "save"))), case(Expect())
    async with seated([Say('{"score": 0.5}')], kind="trajectory") as (metric, server):
        for of in (with_calls, without):
            assert isinstance(await metric.score(of, recorded), Scored)
    first, second = (asked.user for asked in server.asked)
    assert '1. look {"city": "Rome"} -> {"t": 9}\n2. save (arguments cannot be read: not JSON: {)' in first
    assert 'look {"city": "Rome"}\nsave' in first.partition("<<<REFERENCE")[2]
    assert "REFERENCE" not in second
    assert metric.expectation(with_calls) != metric.expectation(without)


async def test_several_samples_make_a_majority_that_tells_its_agreement() -> None:
    of, recorded = dosing()
    script = [Say("YES"), Say("NO\nno doctor"), Say("NO\nno doctor")]
    async with seated(script, samples=3, fields={"retries": 0, "concurrency": 1}) as (metric, server):
        score = await metric.score(of, recorded)
    assert isinstance(score, Scored)
    assert (score.value, score.reason) == (0.0, "the judge says NO: 2 of 3 samples say NO: no doctor")
    assert len(server.asked) == 3
    assert metric.reading.agreement == pytest.approx(2 / 3)
    assert (metric.reading.samples, metric.reading.calls) == (3, 3)


@pytest.mark.parametrize(
    ("fields", "money"),
    [({}, None), ({"price": Price(input=100.0, output=200.0)}, 0.022)],
)
async def test_a_reading_tells_what_was_spent_on_verdicts_and_on_questions_without_one(
    fields: dict[str, Any], money: float | None
) -> None:
    of, recorded = dosing()
    async with seated([Say("YES"), Say("?")], fields={"retries": 0, **fields}) as (metric, _):
        for _ in range(2):
            await metric.score(of, recorded)
    reading = metric.reading
    assert (reading.calls, reading.failed, reading.tokens) == (2, 1, 200)
    assert reading.money == money


def anchors(count: int = 4) -> tuple[Anchor, ...]:
    return tuple(
        Anchor(id=f"a{n}", response=f"answer {n}", rubric="polite", label=float(n % 2), place=PLACE)
        for n in range(count)
    )


async def test_anchors_are_judged_while_the_run_goes_on() -> None:
    def script(asked: Asked) -> Say:
        return Say(
            "YES" if "answer 1" in asked.user else "?" if "answer 2" in asked.user else "NO", model="m-7"
        )

    async with seated(script, labelled=anchors()) as (metric, _):
        pass
    reading = metric.reading
    assert [(each.anchor, each.label, each.value) for each in reading.anchors] == [
        ("a0", 0.0, 0.0),
        ("a1", 1.0, 1.0),
        ("a2", 0.0, None),
        ("a3", 1.0, 0.0),
    ]
    assert reading.reported == ("m-7",)
    assert len({each.key for each in reading.anchors}) == 4


async def test_an_endpoint_that_takes_a_new_name_for_each_answer_fills_no_file() -> None:
    names = iter(f"m-{number}" for number in range(1000))
    async with seated(lambda _: Say("YES", model=next(names)), labelled=anchors(40)) as (metric, _):
        pass
    assert len(metric.reading.reported) == MOST_NAMES


async def test_anchors_of_a_run_that_failed_are_let_go() -> None:
    with pytest.raises(ZeroDivisionError):
        async with seated([Say("YES", wait_s=2)], labelled=anchors()) as (metric, _):
            _ = 1 / 0
    assert all(each.value is None for each in metric.reading.anchors)


CHANGES: list[Callable[[], Judge]] = [
    a_metric,
    lambda: a_metric(kind="score"),
    lambda: a_metric(prompt="{response} {rubric}"),
    lambda: a_metric(samples=3),
    lambda: a_metric(fields={"model": "other"}),
    lambda: a_metric(fields={"temperature": 1.0}),
    lambda: a_metric(fields={"seed": 1}),
    lambda: a_metric(fields={"body": {"max_tokens": 9}}),
]


def test_model_prompt_and_settings_are_a_part_of_the_key() -> None:
    of = case(RUBRIC)
    assert len({str(make().expectation(of)) for make in CHANGES}) == len(CHANGES)


def test_where_and_with_which_key_it_is_reached_is_none() -> None:
    of, fields = case(RUBRIC), {"key": "K", "timeout_s": 1.0, "retries": 9, "headers": {"x": "y"}}
    assert a_metric("http://127.0.0.1:8/v1", fields=fields).expectation(of) == a_metric().expectation(of)


@pytest.mark.parametrize(
    ("options", "rule", "words"),
    [
        ({"samples": 0}, "bad-option", "a whole number from 1 to 15"),
        ({"samples": True}, "bad-option", "a whole number from 1 to 15"),
        ({"samples": 2}, "even-samples", "of which no majority is sure"),
        ({"prompt": ""}, "bad-option", "a text that is not empty"),
        ({"prompt": 3}, "bad-option", "a text that is not empty"),
        ({"judge": []}, "bad-option", "a text that is not empty"),
        ({"anchors": 3}, "bad-option", "a file, or {file:"),
        ({"anchors": {"file": ""}}, "bad-option", "a text that is not empty"),
        ({"anchors": {"file": "x", "min_agreement": 2}}, "bad-option", "a number from 0 to 1"),
        ({"anchors": {"file": "x", "min": 1}}, "bad-option", "a file, or {file:"),
        ({"kind": "vibe"}, "bad-option", "one of: rubric, score, trajectory"),
        ({"model": "x"}, "unknown-option", "one of: kind, judge, prompt, samples, anchors"),
    ],
)
def test_options_that_cannot_be_used_are_findings(options: dict[str, Any], rule: str, words: str) -> None:
    with pytest.raises(BadInput) as caught:
        a_metric(**options)
    found = caught.value.findings
    assert rule in [finding.rule for finding in found]
    assert any(words in f"{finding.what} {finding.fix}" for finding in found)


def test_two_samples_of_scores_are_fine() -> None:
    assert a_metric(kind="score", samples=2).samples == 2


def test_a_metric_without_a_judge_is_a_finding() -> None:
    config = MetricConfig(name="tone", type="judge", options={"judge": "nobody"}, place=Place(file="c"))
    with pytest.raises(BadInput, match="1 finding") as caught:
        build([config])
    assert [finding.rule for finding in caught.value.findings] == ["unknown-judge"]
    assert "there is no judge 'nobody'" in caught.value.findings[0].what


async def test_an_empty_and_a_huge_answer_are_asked_about_too() -> None:
    of = case(RUBRIC)
    async with seated([Say("NO")]) as (metric, server):
        for text in ("", "x" * 2_000_000):
            assert isinstance(await metric.score(of, trace(turn(said(text)))), Scored)
    assert len(server.asked[1].user) < 70_000


def test_how_many_questions_a_run_may_ask_is_known_before() -> None:
    of = Case(
        id="b",
        turns=tuple(Turn(sent=User(parts=(TextPart(text="x"),)), expect=RUBRIC, place=PLACE) for _ in "12"),
        place=PLACE,
    )
    metric = a_metric(samples=3, labelled=anchors(5))
    assert metric.most_calls({"a": case(RUBRIC), "b": of, "c": case(Expect())}, 4) == (3 * 4 + 5) * 3
    assert isinstance(Event(author="agent", parts=(Text(text=""),)), Event)
