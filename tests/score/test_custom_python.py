"""Python functions as metrics: what they take, what they return, and what becomes of it."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from gate.model.case import Expect
from gate.model.score import Item, Scored
from gate.model.trace import Call, Completed, Crashed, Event, Result, Throttled
from tests.score.customs import CASE, TRIAL, of_function, running, scores, why
from tests.score.made import called, case, delta, expected, said, scored, trace, turn


@pytest.mark.parametrize(
    ("returned", "value", "reason"),
    [
        ("0.25", 0.25, ""),
        ("1", 1.0, ""),
        ("True", 1.0, ""),
        ("False", 0.0, ""),
        ("{'score': 0.5, 'explanation': 'so\\n so'}", 0.5, "so so"),
        ("{'score': True, 'other': 1}", 1.0, ""),
        ("[1, 0.5]", 0.75, ""),
        ("[{'score': 1}, {'score': 0, 'explanation': 'no'}]", 0.5, "item 2: no"),
        ("type('R', (), {'score': 0.5, 'explanation': 'an object'})()", 0.5, "an object"),
        ("type('N', (), {'item': lambda self: 0.5})()", 0.5, ""),
    ],
)
async def test_a_number_a_bool_a_dict_and_a_list_are_scores(
    returned: str, value: float, reason: str, tmp_path: Path
) -> None:
    found = await of_function(tmp_path, f"def evaluate(instance): return {returned}")
    assert isinstance(found, Scored), found
    assert (found.value, found.reason) == (value, reason)


@pytest.mark.parametrize(
    ("returned", "says"),
    [
        ("None", "it returned None, which is no score"),
        ("float('nan')", "it returned nan"),
        ("float('-inf')", "it returned -inf"),
        ("'0.5'", "it returned str"),
        ("{'value': 1}", "it returned a dict without 'score'"),
        ("{'score': None}", "it returned None"),
        ("[]", "its list of scores is empty"),
        ("[1, None]", "it returned None"),
        ("object()", "it returned object"),
        ("5", "the score 5 lies outside of 0 to 1 (a scale of its own is written as `scale: [0, 5]`)"),
        ("-0.1", "the score -0.1 lies outside of 0 to 1"),
        ("10**400", "digits is too long"),
        ("{1: 2}", "it returned a dict without 'score'"),
    ],
)
async def test_what_is_no_score_is_unscored_and_says_why(returned: str, says: str, tmp_path: Path) -> None:
    assert says in why(await of_function(tmp_path, f"def evaluate(instance): return {returned}"))


@pytest.mark.parametrize(
    ("returned", "value"), [("3", 0.5), ("1", 0.0), ("5", 1.0), ("True", 1.0), ("[1, 5]", 0.5)]
)
async def test_a_scale_is_brought_to_0_to_1(returned: str, value: float, tmp_path: Path) -> None:
    found = await of_function(tmp_path, f"def evaluate(instance): return {returned}", scale=[1, 5])
    assert isinstance(found, Scored)
    assert found.value == value


async def test_a_score_outside_of_its_scale_is_unscored(tmp_path: Path) -> None:
    found = await of_function(tmp_path, "def evaluate(instance): return 7", scale=[0, 5])
    assert why(found).startswith("the score 7 lies outside of 0 to 5")


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("def evaluate(instance):\n  return instance['no']", "KeyError: 'no' (line 2 of metrics.py)"),
        ("import sys\ndef evaluate(instance): sys.exit(3)", "SystemExit: 3"),
        ("import os\ndef evaluate(instance): os._exit(7)", "it ended with exit code 7"),
        ("import time\ndef evaluate(instance): time.sleep(60)", "it did not answer within 0.5 s"),
        ("def evaluate(instance): return evaluate(instance)", "RecursionError"),
        ("def evaluate(a, b, c): pass", "it takes a, b, c; what is known: instance, or actual, expected"),
        ("import nothing_like_it", "ModuleNotFoundError: No module named 'nothing_like_it'"),
        ("def other(instance): pass", "there is no function 'evaluate'"),
        ("raise SystemExit(2)", "its function cannot be loaded: SystemExit: 2"),
        ("def evaluate(instance:", "SyntaxError"),
    ],
)
async def test_a_function_that_fails_is_unscored_and_says_where(body: str, says: str, tmp_path: Path) -> None:
    assert says in why(await of_function(tmp_path, body, timeout=0.5))


async def test_a_crash_costs_its_trial_and_the_next_is_asked_of_a_new_process(tmp_path: Path) -> None:
    body = (
        "import os\ncount = 0\ndef evaluate(instance):\n  global count\n  count += 1\n"
        "  if 'die' in instance['response']['parts'][0]['text']: os._exit(9)\n"
        "  return [1, 0.5, 0.25][count - 1]"
    )
    (tmp_path / "metrics.py").write_text(body)
    trials = [trace(turn(said(text))) for text in ("a", "b", "die", "c", "d")]
    found = await scores(tmp_path, "python", trials, file="metrics.py")
    assert [each.value if isinstance(each, Scored) else each.cause for each in found] == [
        1,
        0.5,
        "metric",
        1,
        0.5,
    ]


async def test_one_that_always_crashes_is_not_started_for_ever(tmp_path: Path) -> None:
    body = "import os\nopen(os.environ['COUNT'], 'a').write('x') if 'COUNT' in os.environ else None\n"
    (tmp_path / "metrics.py").write_text(body + "def evaluate(instance): os._exit(1)")
    found = await scores(tmp_path, "python", [TRIAL] * 8, file="metrics.py")
    assert [why(each) for each in found[:5]] == ["it ended with exit code 1"] * 5
    assert "it failed 5 times in a row and is not asked any more" in why(found[7])


async def test_its_last_words_are_shown_without_secrets_and_inert(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    said_last = f"'::error::token {token} is wrong\\x1b[31m'"
    body = f"import os\ndef evaluate(instance):\n  print({said_last}, flush=True)\n  os._exit(1)"
    reason = why(await of_function(tmp_path, body))
    assert "it printed" in reason
    assert "is wrong" in reason
    assert token not in reason
    assert "\x1b" not in reason
    assert "::error" not in reason


async def test_an_explanation_is_without_secrets_and_cut(tmp_path: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    body = f"def evaluate(instance): return {{'score': 0, 'explanation': '{token}' + ' x' * 5000}}"
    found = await of_function(tmp_path, body)
    assert isinstance(found, Scored)
    assert found.reason.startswith("*** x")
    assert len(found.reason) < 600


async def test_what_it_prints_and_reads_does_not_disturb_the_answers(tmp_path: Path) -> None:
    body = (
        "import os, sys\ndef evaluate(instance):\n  print('{\"score\": 1}'); os.write(1, b'noise\\n')\n"
        "  os.system('echo child')\n  return 0.5 if sys.stdin.read() == '' else 0"
    )
    found = await of_function(tmp_path, body)
    assert isinstance(found, Scored)
    assert found.value == 0.5


async def test_it_sees_no_secret_of_the_gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    canary = "canary-of-the-gate-4711"
    monkeypatch.setenv("GITHUB_TOKEN", canary)
    monkeypatch.setenv("GOOGLE_API_KEY", canary)
    body = (
        "import os\ndef evaluate(instance):\n"
        "  return {'score': 0, 'explanation': ' '.join(sorted(os.environ))"
        " + ('LEAK' if 'canary-of' in str(dict(os.environ)) else '')}"
    )
    found = await of_function(tmp_path, body)
    assert isinstance(found, Scored)
    names = set(found.reason.split())
    assert names <= {"PATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR", "AGENT_GATE_WORKER", "LC_CTYPE"}
    assert {"HOME", "TMPDIR"} <= names


async def test_async_functions_and_code_in_the_config_work(tmp_path: Path) -> None:
    code = "import asyncio\nasync def grade(instance):\n  await asyncio.sleep(0)\n  return 0.5"
    (found,) = await scores(tmp_path, "python", code=code, function="grade")
    assert isinstance(found, Scored)
    assert found.value == 0.5


async def test_modules_import_their_neighbours_and_read_files_beside_them(tmp_path: Path) -> None:
    (tmp_path / "evals" / "inner").mkdir(parents=True)
    (tmp_path / "evals/metrics.py").write_text(
        "from pathlib import Path\nfrom helpers import half\nfrom evals.inner.words import WORD\n"
        "def evaluate(instance):\n"
        "  return half() if Path(__file__).with_name('data.txt').read_text() == WORD else 0"
    )
    (tmp_path / "evals/helpers.py").write_text("def half(): return 0.5")
    (tmp_path / "evals/inner/words.py").write_text("WORD = 'data'")
    (tmp_path / "evals/data.txt").write_text("data")
    async with running(tmp_path, "python", module="metrics", **{"in": "evals"}) as metric:
        found = await metric.score(CASE, TRIAL)
        assert metric.parts == {"evals/metrics.py", "evals/helpers.py", "evals/inner/words.py"}
    assert isinstance(found, Scored), found
    assert found.value == 0.5


SHOWN = "import json\ndef evaluate(instance): return {'score': 1, 'explanation': json.dumps(%s)}"


async def shown(folder: Path, what: str, **more: Any) -> Any:
    found = await of_function(folder, SHOWN % what, **more)
    assert isinstance(found, Scored), found
    return json.loads(found.reason)


async def test_an_instance_has_what_agents_cli_hands_over(tmp_path: Path) -> None:
    trial = trace(
        turn(
            Event(author="bot", parts=(Call(id="1", name="get", args={"city": "Rome"}),)),
            Event(author="bot", parts=(Result(call_id="1", name="get", value={"t": 20}),)),
            delta(last="Rome"),
            said("20 degrees"),
        )
    )
    of = case(Expect(contains=("20",), state_keys=("last",), nodes=("Router", "End"), reference="It is 20."))
    events = "instance['agent_data']['turns'][0]['events']"
    made = f"[{events}[0]['content']['parts'], {events}[1]['content']['role'], {events}[2]]"
    assert await shown(tmp_path, made, of=of, trial=trial) == [
        [{"function_call": {"id": "1", "name": "get", "args": {"city": "Rome"}}}],
        "user",
        {"author": "agent", "event_time": "1970-01-01T00:00:00Z", "state_delta": {"last": "Rome"}},
    ]
    properties = await shown(tmp_path, "instance['custom_Properties']", of=of, trial=trial)
    assert properties == {
        "expected_nodes": ["Router", "End"],
        "expected_state_keys": ["last"],
        "expected_response_substrings": ["20"],
    }
    rest = "[instance['prompt'], instance['reference'], instance['response'], instance['evalCaseId']]"
    assert await shown(tmp_path, rest, of=of, trial=trial) == [
        {"role": "user", "parts": [{"text": "hello"}]},
        {"response": {"role": "model", "parts": [{"text": "It is 20."}]}},
        {"role": "model", "parts": [{"text": "20 degrees"}]},
        "a_case",
    ]


@pytest.mark.parametrize(
    "signature",
    [
        "actual, expected",
        "eval_metric, actual_invocations, expected_invocations, conversation_scenario=None",
        "eval_metric, actual_invocations, expected_invocations, conversation_scenario",
        "one, two",
        "*, actual, expected",
        "expected, actual",
    ],
)
async def test_invocations_are_handed_over_as_adk_does(signature: str, tmp_path: Path) -> None:
    first, second = ("one", "two") if signature == "one, two" else ("actual", "expected")
    if "invocations" in signature:
        first, second = "actual_invocations", "expected_invocations"
    body = (
        f"def evaluate({signature}):\n"
        f"  return [float(a.intermediate_data.tool_uses[0].args == e.intermediate_data.tool_uses[0].args\n"
        f"    and a.final_response.parts[0].text == 'hi there' and a.user_content.parts[0].text == 'hello')\n"
        f"    for a, e in zip({first}, {second})]"
    )
    trial = trace(*(turn(called(("get", {"a": n})), said("hi there")) for n in (1, 2)))
    of = case(Expect(calls=expected(("get", {"a": 1}))), Expect(calls=expected(("get", {"a": 3}))))
    found = await of_function(tmp_path, body, of=of, trial=trial)
    assert isinstance(found, Scored), found
    assert found.items == (Item(where="turn 1", value=1.0), Item(where="turn 2", value=0.0))


async def test_a_metric_that_is_written_for_adk_gets_adks_own_classes(tmp_path: Path) -> None:
    body = (
        "from google.adk.evaluation.eval_case import Invocation\n"
        "from google.adk.evaluation.evaluator import EvaluationResult, PerInvocationResult\n"
        "def evaluate(eval_metric, actual_invocations, expected_invocations, conversation_scenario=None):\n"
        "  assert all(isinstance(each, Invocation) for each in actual_invocations)\n"
        "  each = [PerInvocationResult(actual_invocation=a, score=0.5) for a in actual_invocations]\n"
        "  return EvaluationResult(overall_score=0.5, per_invocation_results=each)"
    )
    found = await of_function(
        tmp_path, body, trial=trace(turn(called(("get", {"a": 1})), said("hi"))), memory="4g"
    )
    assert isinstance(found, Scored), found
    assert found.items == (Item(where="turn 1", value=0.5),)


async def test_a_trial_that_broke_off_is_0_without_being_asked_and_one_that_was_throttled_is_unscored(
    tmp_path: Path,
) -> None:
    (tmp_path / "metrics.py").write_text("def evaluate(instance): return 1")
    crashed = trace(turn(said("x"), ended="failed"), outcome=Crashed(reason="it died"))
    short = trace(turn(said("x")), outcome=Completed())
    throttled = trace(outcome=Throttled(reason="429"))
    two = case(Expect(), Expect())
    found = await scores(tmp_path, "python", [crashed, short, throttled], two, file="metrics.py")
    assert [each.value if isinstance(each, Scored) else each.cause for each in found] == [
        0.0,
        0.0,
        "throttled",
    ]
    assert "it died" in found[0].reason


def test_metrics_of_other_kinds_are_as_they_were() -> None:
    assert scored("says", case(Expect(contains=("x",))), trace(turn(said("x")))).value == 1


async def test_trials_that_are_scored_side_by_side_get_their_own_answers(tmp_path: Path) -> None:
    body = "def evaluate(instance):\n    return len(instance['response']['parts'][0]['text']) / 10\n"
    (tmp_path / "metrics.py").write_text(body, encoding="utf-8")
    trials = [trace(turn(said("x" * n))) for n in range(1, 9)]
    async with running(tmp_path, "python", file="metrics.py") as metric:
        found = await asyncio.gather(*(metric.score(CASE, each) for each in trials))
    assert [score.value for score in found if isinstance(score, Scored)] == [n / 10 for n in range(1, 9)]
