"""Every way in which a judge can answer, by what a real server sends, and what is made of it."""

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import pytest

from gate.judge.answers import Failed
from gate.judge.budget import Tab
from gate.judge.endpoint import DOWN_AFTER, Answered, Endpoint
from gate.judge.templates import Prompt
from gate.judge.verdicts import VERDICTS
from gate.model.judge import JudgeBudget, JudgeKind, Price
from gate.redact import Redactor
from tests.support.judge import MODEL, Asked, Say, Script, ScriptedJudge, a_judge

PROMPT = Prompt(system="be strict", user="is it good?")


@asynccontextmanager
async def an_endpoint(
    script: Script, environ: Mapping[str, str] | None = None, secrets: tuple[str, ...] = (), **fields: Any
) -> AsyncIterator[tuple[Endpoint, ScriptedJudge, list[float]]]:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)
        await asyncio.sleep(0)

    with ScriptedJudge(script).running() as server:
        made = Endpoint(
            a_judge(server.url, **fields), redact=Redactor(secrets), environ=environ or {}, sleep=sleep
        )
        async with made as endpoint:
            yield endpoint, server, waited


async def ask(endpoint: Endpoint, kind: JudgeKind = "rubric", sample: int = 0) -> Answered | str:
    try:
        return await endpoint.ask(PROMPT, VERDICTS[kind], sample)
    except Failed as failed:
        return failed.reason


YES, NO = 1.0, 0.0
HTML = Say(body="<html><body>Sign in</body></html>", headers={"Content-Type": "text/html"})
OUTCOMES: list[tuple[str, JudgeKind, Say, float | str]] = [
    ("a bare YES", "rubric", Say("YES"), YES),
    ("a bare NO", "rubric", Say("NO"), NO),
    ("small letters, bold, a full stop", "rubric", Say("**no.**"), NO),
    ("YES with an explanation below", "rubric", Say("YES\nIt sends the user to a doctor."), YES),
    ("YES with an explanation behind a comma", "rubric", Say("Yes, it sends the user to a doctor."), YES),
    ("YES behind prose", "rubric", Say("After some thought: YES"), "did not begin with YES or NO"),
    ("No as a word of a sentence", "rubric", Say("No doubt it is good. YES"), "did not begin with YES or NO"),
    ("both verdicts", "rubric", Say("YES\nNO"), "said both YES and NO"),
    ("another word", "rubric", Say("YESTERDAY it rained"), "did not begin with YES or NO"),
    (
        "a refusal in words",
        "rubric",
        Say("I'm sorry, I can't help with that."),
        "did not begin with YES or NO",
    ),
    ("YES in a code fence", "rubric", Say("```\nYES\n```"), YES),
    ("thoughts in front", "rubric", Say("<think>NO? Hm.</think>\nYES"), YES),
    ("JSON", "score", Say('{"explanation": "fine", "score": 0.7}'), 0.7),
    ("JSON in fences", "score", Say('```json\n{"score": 0.25, "explanation": "x"}\n```'), 0.25),
    ("a whole number", "score", Say('{"score": 1}'), 1.0),
    ("JSON with prose around", "score", Say('Here: {"score": 1}'), "no JSON object that can be read"),
    ("two scores", "score", Say('{"score": 0, "score": 1}'), "'score' is there twice"),
    ("NaN", "score", Say('{"score": NaN}'), "is no number that JSON and a float can hold"),
    ("out of range", "score", Say('{"score": 7}'), "outside of 0 to 1"),
    ("below the range", "score", Say('{"score": -0.1}'), "outside of 0 to 1"),
    ("huge", "score", Say('{"score": 1' + "0" * 500 + "}"), "a number of 501 digits"),
    ("a number as text", "score", Say('{"score": "0.7"}'), "is no number"),
    ("true", "score", Say('{"score": true}'), "is no number"),
    ("no score", "score", Say('{"verdict": 1}'), "no JSON object with a 'score'"),
    ("a list", "score", Say("[0.7]"), "no JSON object with a 'score'"),
    ("deep nesting", "score", Say("[" * 5000), "no JSON object that can be read"),
    ("an explanation that is none", "score", Say('{"score": 1, "explanation": {}}'), "is no text"),
    ("empty", "rubric", Say(""), "its answer was empty"),
    ("nothing but space", "rubric", Say(" \n "), "its answer was empty"),
    ("no text at all", "rubric", Say(None), "its answer was empty"),
    ("cut off before a word", "rubric", Say("", finish="length"), "raise max_tokens"),
    (
        "a refusal",
        "rubric",
        Say(None, refusal="I will not judge this."),
        "it refused: I will not judge this.",
    ),
    ("blocked", "rubric", Say("YES", finish="content_filter"), "blocked by a content filter"),
    ("HTML", "rubric", HTML, "its answer is not JSON"),
    ("no chat completion", "rubric", Say(body='{"object": "list"}'), "has no choices"),
    ("an error in a 200", "rubric", Say(body='{"error": {"message": "overloaded"}}'), "200 with an error"),
    ("a choice of the wrong shape", "rubric", Say(body='{"choices": ["YES"]}'), "has no choices"),
    ("a message of the wrong shape", "rubric", Say(body='{"choices": [{"message": "YES"}]}'), "was empty"),
    ("not UTF-8's JSON", "rubric", Say(body="\x00"), "its answer is not JSON"),
    (
        "a redirect",
        "rubric",
        Say(status=307, body="", headers={"Location": "/x"}),
        "redirects are not followed",
    ),
    ("wrong key", "rubric", Say(status=401, body="{}"), "401: {}; look at its key"),
    (
        "wrong model name",
        "rubric",
        Say(status=404, body='{"error": "no such model"}'),
        "look at 'base_url' and 'model'",
    ),
    ("connection reset", "rubric", Say(reset=True), "closed the connection without an answer"),
]


@pytest.mark.parametrize(("kind", "say", "outcome"), [o[1:] for o in OUTCOMES], ids=[o[0] for o in OUTCOMES])
async def test_each_answer_of_a_judge_is_a_verdict_or_says_why_it_is_none(
    kind: JudgeKind, say: Say, outcome: float | str
) -> None:
    async with an_endpoint([say], retries=0) as (endpoint, _, _):
        found = await ask(endpoint, kind)
    if isinstance(outcome, float):
        assert isinstance(found, Answered), found
        assert found.verdict.value == outcome
        assert found.model == MODEL
    else:
        assert isinstance(found, str)
        assert outcome in found
        assert found.startswith("judge 'main': ")


async def test_what_gives_no_verdict_is_asked_again_and_then_told() -> None:
    script = [Say("Well..."), Say(status=500, body="oops"), Say("YES")]
    async with an_endpoint(script, retries=2) as (endpoint, server, waited):
        found = await ask(endpoint)
    assert isinstance(found, Answered)
    assert len(server.asked) == 3
    assert waited == [1.0, 2.0]
    async with an_endpoint([Say("Well...")], retries=2) as (endpoint, server, _):
        assert "(asked 3 times)" in str(await ask(endpoint))
    assert len(server.asked) == 3


async def test_what_cannot_get_better_is_not_asked_again() -> None:
    async with an_endpoint([Say(status=400, body="bad seed")], retries=3) as (endpoint, server, waited):
        assert "400: bad seed" in str(await ask(endpoint))
    assert len(server.asked) == 1
    assert not waited


@pytest.mark.parametrize(
    ("say", "wait_s"),
    [
        (Say(status=429, body="slow", headers={"Retry-After": "7"}), 7.0),
        (Say(status=503, body='{"retryDelay": "12s"}'), 12.0),
        (Say(status=429, body="slow"), 1.0),
    ],
)
async def test_a_limit_is_waited_for_as_long_as_it_asks(say: Say, wait_s: float) -> None:
    async with an_endpoint([say, Say("YES")]) as (endpoint, _, waited):
        assert isinstance(await ask(endpoint), Answered)
    assert waited == [wait_s]


async def test_a_limit_that_asks_for_an_hour_is_not_waited_for() -> None:
    say = Say(status=429, body="slow", headers={"Retry-After": "3600"})
    async with an_endpoint([say]) as (endpoint, server, waited):
        assert "it asks to wait 3600 s" in str(await ask(endpoint))
    assert len(server.asked) == 1
    assert not waited


async def test_a_slow_judge_is_given_up() -> None:
    async with an_endpoint([Say("YES", wait_s=3)], timeout_s=0.05, retries=0) as (endpoint, _, _):
        found = await ask(endpoint)
    assert "was silent for 0.05 s" in str(found) or "did not answer within 0.05 s" in str(found)


async def test_nobody_at_the_address_is_told() -> None:
    endpoint = Endpoint(a_judge("http://127.0.0.1:9/v1", retries=0), redact=Redactor(), environ={})
    async with endpoint:
        assert "cannot connect to http://127.0.0.1:9/v1/chat/completions" in str(await ask(endpoint))


async def test_the_request_pins_model_temperature_and_seed_and_takes_more_keys() -> None:
    body = {"max_tokens": 300, "temperature": None}
    async with an_endpoint([Say("?"), Say("YES")], seed=7, body=body, retries=1) as (endpoint, server, _):
        await ask(endpoint, sample=2)
    first, again = (asked.body for asked in server.asked)
    messages = [{"role": "system", "content": "be strict"}, {"role": "user", "content": "is it good?"}]
    assert first == {"model": MODEL, "messages": messages, "seed": 39, "max_tokens": 300}
    assert again["seed"] == 40
    async with an_endpoint([Say("YES")]) as (endpoint, server, _):
        await ask(endpoint)
    assert server.asked[0].body == {"model": MODEL, "messages": messages, "temperature": 0.0}
    assert server.asked[0].headers[":path"] == "/v1/chat/completions"


async def test_the_key_and_secret_headers_come_from_their_variables_and_are_in_no_reason() -> None:
    def echo(asked: Asked) -> Say:
        return Say(status=400, body=json.dumps(dict(asked.headers)))

    environ = {"JUDGE_KEY": "canary-key-12345", "TEAM": "canary-team-12345", "OTHER": "canary-other-12345"}
    secrets = (environ["JUDGE_KEY"], environ["TEAM"])
    fields = {"key": "JUDGE_KEY", "headers": {"x-org": "acme"}, "headers_from": {"x-team": "TEAM"}}
    async with an_endpoint(echo, environ, secrets, **fields) as (endpoint, server, _):
        reason = str(await ask(endpoint))
    headers = server.asked[0].headers
    assert headers["authorization"] == "Bearer canary-key-12345"
    assert (headers["x-team"], headers["x-org"]) == ("canary-team-12345", "acme")
    assert "canary" not in reason
    assert "canary-other" not in json.dumps(dict(headers))


@pytest.mark.parametrize(
    ("budget", "price", "calls", "told"),
    [
        (JudgeBudget(calls=3), None, 3, "3 of 3 calls"),
        (JudgeBudget(tokens=250), None, 3, "300 of 250 tokens"),
        (JudgeBudget(money=0.03), Price(input=100.0, output=200.0), 3, "0.03 of 0.03 in money"),
    ],
)
async def test_a_budget_ends_the_asking(
    budget: JudgeBudget, price: Price | None, calls: int, told: str
) -> None:
    async with an_endpoint([Say("YES")], budget=budget, price=price) as (endpoint, server, _):
        found = [await ask(endpoint) for _ in range(5)]
    assert [isinstance(each, Answered) for each in found] == [True] * calls + [False] * (5 - calls)
    assert f"its budget is spent ({told})" in str(found[-1])
    assert len(server.asked) == calls


async def test_all_that_a_question_takes_goes_on_its_tab_retries_and_lost_ones_too() -> None:
    script = [Say("Well..."), Say(status=500, body="oops"), Say("YES"), Say("Well...")]
    price = Price(input=100.0, output=200.0)
    async with an_endpoint(script, retries=2, price=price) as (endpoint, _, _):
        good, lost = Tab(), Tab()
        await endpoint.ask(PROMPT, VERDICTS["rubric"], 0, good)
        with pytest.raises(Failed):
            await endpoint.ask(PROMPT, VERDICTS["rubric"], 0, lost)
    assert (good.calls, good.tokens, round(good.money, 6)) == (3, 200, 0.022)
    assert (lost.calls, lost.tokens, round(lost.money, 6)) == (3, 300, 0.033)
    assert (endpoint.purse.calls, endpoint.purse.tokens) == (6, 500)


async def test_tokens_are_estimated_where_the_endpoint_reports_none() -> None:
    async with an_endpoint([Say("YES", usage=None)]) as (endpoint, _, _):
        await ask(endpoint)
    assert endpoint.purse.tokens == (len(PROMPT.system) + len(PROMPT.user)) // 3 + 1


async def test_a_judge_that_never_answers_is_down_and_not_asked_any_more() -> None:
    async with an_endpoint([Say(status=500, body="oops")], retries=0) as (endpoint, server, _):
        found = [await ask(endpoint) for _ in range(DOWN_AFTER + 3)]
    assert len(server.asked) == DOWN_AFTER
    assert f"{DOWN_AFTER} questions in a row got no verdict; the last: it answered 500: oops" in str(
        found[-1]
    )


async def test_one_verdict_in_between_shows_that_it_is_up() -> None:
    script = [*[Say("?")] * (DOWN_AFTER - 1), Say("YES"), *[Say("?")] * (DOWN_AFTER - 1), Say("YES")]
    async with an_endpoint(script, retries=0) as (endpoint, server, _):
        found = [await ask(endpoint) for _ in script]
    assert isinstance(found[-1], Answered)
    assert len(server.asked) == len(script)


async def test_requests_keep_to_the_rate_with_their_retries() -> None:
    async with an_endpoint([Say("?"), Say("YES")], rate_per_s=0.001, retries=1) as (endpoint, _, waited):
        await ask(endpoint)
        await ask(endpoint)
    backoff, *places = waited
    assert (backoff, [round(seconds, -2) for seconds in places]) == (1.0, [1000.0, 2000.0])


async def test_no_more_requests_run_at_once_than_it_may_have() -> None:
    running, most = 0, 0

    def count(_: Asked) -> Say:
        nonlocal most
        most = max(most, running)
        return Say("YES", wait_s=0.01)

    async with an_endpoint(count, concurrency=3) as (endpoint, server, _):
        persist = endpoint._persist

        async def counted(*given: Any) -> Answered:
            nonlocal running
            running += 1
            try:
                return await persist(*given)
            finally:
                running -= 1

        endpoint._persist = counted  # type: ignore[method-assign, assignment]
        await asyncio.gather(*(ask(endpoint) for _ in range(12)))
    assert most == 3
    assert len(server.asked) == 12


async def test_a_judge_that_is_withheld_is_never_reached() -> None:
    async with an_endpoint([Say("YES")], withheld="it is new here") as (endpoint, server, _):
        assert str(await ask(endpoint)) == "judge 'main': it is new here"
    assert not server.asked


@pytest.mark.parametrize(
    "choice",
    [
        {"finish_reason": "length", "message": {"content": ""}},
        {"finish_reason": "content_filter", "message": {"content": "YES"}},
        {"message": {"refusal": "I cannot judge that."}},
        {"message": {"content": "Well."}},
    ],
    ids=["cut off", "blocked", "refused", "no verdict"],
)
async def test_what_gives_no_verdict_is_paid_for_all_the_same(choice: dict[str, Any]) -> None:
    usage = {"prompt_tokens": 900, "completion_tokens": 100}
    say = Say(body=json.dumps({"choices": [choice], "usage": usage}))
    async with an_endpoint([say] * 9, budget=JudgeBudget(tokens=3000), retries=4) as (endpoint, server, _):
        assert "its budget is spent (3000 of 3000 tokens)" in str(await ask(endpoint))
    assert len(server.asked) == 3


async def test_what_was_not_let_in_costs_nothing() -> None:
    async with an_endpoint([Say(status=429)] * 9, retries=2) as (endpoint, _, _waited):
        await ask(endpoint)
        assert (endpoint.purse.calls, endpoint.purse.tokens) == (3, 0)
