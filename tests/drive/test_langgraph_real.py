"""The langgraph protocol against LangGraph's own server, streamed in two ways and waited for."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from gate.drive import drive
from gate.model.case import Answer, Answers, Turn
from gate.model.config import AgentConfig, NoBoot, RunConfig
from gate.model.derived import calls_of, state_after, texts_of, tokens_of, visits
from gate.model.trace import (
    Call,
    Completed,
    Crashed,
    Outcome,
    Pause,
    Paused,
    Refused,
    Result,
    Thought,
    Throttled,
    TimedOut,
    Trace,
)
from gate.redact import Redactor
from tests.support.conformance.script import ODD
from tests.support.driving import HERE, FastPace, StillAgent, answering, case, says
from tests.support.langgraph_server import LangGraphServer, langgraph_server

# The first test makes the server's environment.
pytestmark = pytest.mark.timeout(600)
WAYS: Mapping[str, Mapping[str, Any]] = {
    "streamed": {},
    "by nodes": {"tokens": False},
    "waited for": {"streaming": False},
}


def replying(**answers: Any) -> Turn:
    """Answers to several pauses at once."""
    given = (Answer(to=to, decision="input", value=value) for to, value in answers.items())
    return Turn(sent=Answers(answers=tuple(given)), place=HERE)


@dataclass(frozen=True)
class Talk:
    """What is said to which graph."""

    turns: tuple[Turn, ...]
    app: str = "agent"
    options: Mapping[str, Any] = field(default_factory=dict)
    start: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 60.0


def talk(*turns: Turn | str, **fields: Any) -> Talk:
    return Talk(tuple(says(turn) if isinstance(turn, str) else turn for turn in turns), **fields)


QUESTION = {"input": {"question": "{text}", "language": "de"}, "output": "answer"}
RULING = {"type": "reject", "message": "no"}
PLAYED: Mapping[str, Talk] = {
    "text": talk("say"),
    "two turns": talk("say", "say"),
    "the same again": talk("same", "same", "same"),
    "calls": talk("weather"),
    "malformed": talk("malformed"),
    "model": talk("stream"),
    "odd": talk("odd"),
    "huge": talk("huge"),
    "branches": talk("split"),
    "sends": talk("fan"),
    "edited": talk("edits"),
    "configured": talk("configured", options={"body": {"config": {"configurable": {"model": "small"}}}}),
    "interrupts": talk("approval", answering("approval", {"yes": True}), answering("approval", {})),
    "null": talk("approval", replying(approval=None), answering("approval")),
    "one by one": talk("both", replying(one="a"), replying(two={"b": 1})),
    "at once": talk("both", replying(one="a", two=[])),
    "approved": talk("delete", answering("delete_file")),
    "edited arguments": talk("delete", answering("delete_file", {"path": "/b"})),
    "ruled": talk("delete", answering("tools", RULING)),
    "reviewed": talk("3", replying(delete_file={"path": "/b"}, send_mail=RULING), app="reviewed"),
    "all approved": talk("3", answering("send_mail", None), app="reviewed"),
    "within": talk("expert", answering("expert", "yes")),
    "unanswered": talk("approval"),
    "restarted": talk("approval", "say"),
    "breakpoint": talk("hi", answering("quiet"), app="stops"),
    "no way past": talk("hi", replying(quiet="no"), app="stops"),
    "error": talk("boom"),
    "masked": talk("masked"),
    "limit": talk("limit"),
    "dicts": talk("x", "x", app="dicts"),
    "tuples": talk("x", "x", app="talk"),
    "start": talk("odd", start={"city": "Rome", "log": ["before"]}),
    "history": talk(
        "say", start={"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    ),
    "start that has no place": talk("x", app="narrow", start={"secret": "y", "city": "Rome"}),
    "question": talk("Why", "Why", app="answers", options=QUESTION),
    "unread": talk("Why", app="answers", options={"input": QUESTION["input"]}),
    "unknown": talk("x", app="nobody"),
    "unnamed": talk("x", app=""),
    "slow": talk("slow", timeout_s=1.5),
}


async def held(url: str, name: str, way: str) -> Trace:
    played = PLAYED[name]
    config = AgentConfig(
        protocol="langgraph", boot=NoBoot(), app=played.app, options={**WAYS[way], **played.options}
    )
    run = RunConfig(concurrency=1, retries=0, trial_timeout_s=played.timeout_s)
    plan = ((case("c", *played.turns, start_state=played.start), (1,)),)
    (trace,) = [each async for each in drive(StillAgent(url), config, run, plan, Redactor(), pace=FastPace())]
    return trace


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LangGraphServer]:
    with langgraph_server(tmp_path_factory.mktemp("langgraph"), jobs=32) as running:
        yield running


@pytest.fixture(scope="module")
def traces(server: LangGraphServer) -> Mapping[tuple[str, str], Trace]:
    """All conversations in all ways, held side by side: a run waits up to a second for its turn there."""

    async def hold() -> list[Trace]:
        return await asyncio.gather(*(held(server.url, name, way) for name in PLAYED for way in WAYS))

    return dict(zip([(name, way) for name in PLAYED for way in WAYS], asyncio.run(hold()), strict=True))


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


class Heard:
    """Traces by the names of their conversations, in one way of talking."""

    def __init__(self, traces: Mapping[tuple[str, str], Trace], way: str) -> None:
        self._traces, self._way = traces, way

    def __call__(self, name: str, outcome: type[Outcome] = Completed, words: str = "") -> Trace:
        trace = self._traces[name, self._way]
        assert type(trace.outcome) is outcome, trace.outcome
        assert words in trace.outcome.reason
        return trace


@pytest.fixture
def heard(traces: Mapping[tuple[str, str], Trace], way: str) -> Heard:
    return Heard(traces, way)


@pytest.fixture
def streamed(traces: Mapping[tuple[str, str], Trace]) -> Heard:
    return Heard(traces, "streamed")


def said(trace: Trace) -> list[list[str]]:
    return [list(texts_of(turn.events)) for turn in trace.turns]


def waits(trace: Trace) -> list[list[Pause]]:
    return [[pause for event in turn.events for pause in event.pauses] for turn in trace.turns]


def state(trace: Trace) -> dict[str, Any]:
    return state_after(trace.start_state, trace.events)


def parts(trace: Trace, kind: type[Any]) -> list[Any]:
    return [part for event in trace.events for part in event.parts if isinstance(part, kind)]


def test_a_turn_has_only_what_is_new_of_the_conversation(heard: Heard) -> None:
    assert said(heard("two turns")) == [["Turn 1."], ["Turn 3."]]
    assert said(heard("the same again")) == [["OK"], ["OK"], ["OK"]]


def test_messages_without_ids_are_told_apart_by_their_place(heard: Heard) -> None:
    trace = heard("dicts")
    assert said(trace) == [["Yes.", "Yes."], ["Yes.", "Yes."]]
    assert [(call.id, call.args) for call in calls_of(trace.events)] == [("c1", {"city": "Paris"})] * 2
    assert said(heard("tuples")) == [["Hello."], ["Hello."]]


def test_tokens_are_counted_once(heard: Heard, way: str) -> None:
    trace = heard("text")
    assert tokens_of(trace.events) == (36 if way == "streamed" else 18)


def test_a_models_talk_with_itself_is_a_thought_with_its_tokens(streamed: Heard) -> None:
    trace = streamed("text")
    assert [part.text for part in parts(trace, Thought)] == ["route: say"]
    (event,) = [event for event in trace.events if any(isinstance(part, Thought) for part in event.parts)]
    assert (event.author, event.node, event.usage is not None) == ("router", "", True)
    assert said(trace) == [["Turn 1."]]


def test_calls_have_their_results_and_errors(heard: Heard) -> None:
    trace = heard("calls")
    assert [(call.name, call.args) for call in calls_of(trace.events)] == [
        ("look_up", {"city": "Paris", "days": 2}),
        ("look_up", {"city": "Oslo", "days": 2}),
        ("ping", {}),
    ]
    results = {part.call_id: part for part in parts(trace, Result)}
    assert (results["c1"].name, results["c1"].value) == ("look_up", '{"t": 20, "days": 2}')
    assert [results[name].is_error for name in ("c1", "c2", "c3")] == [False, False, True]
    assert "no answer to ping" in results["c3"].value
    assert said(trace) == [["Done."]]
    assert "Now I know." in [part.text for part in parts(trace, Thought)]


def test_arguments_that_nobody_can_read_are_no_arguments(heard: Heard) -> None:
    (call,) = parts(heard("malformed"), Call)
    assert (call.name, call.args) == ("look_up", None)
    assert "not JSON" in call.args_error


def test_a_call_that_a_later_node_edits_is_told_again(heard: Heard, way: str) -> None:
    cities = [call.args["city"] for call in parts(heard("edited"), Call)]
    assert cities == (["Oslo"] if way == "waited for" else ["Rome", "Oslo"])


def test_what_a_model_streams_is_one_answer(heard: Heard) -> None:
    assert said(heard("model")) == [["It is 20 °C."]]


def test_odd_and_huge_answers_arrive_whole(heard: Heard) -> None:
    assert said(heard("odd")) == [[ODD]]
    assert said(heard("huge")) == [["0123456789abcdef" * 65536]]


def test_nodes_are_visited_in_order_and_branches_side_by_side(traces: Mapping[Any, Trace]) -> None:
    for way in ("streamed", "by nodes"):
        heard = Heard(traces, way)
        assert visits(heard("calls").events) == ("router", "weather", "tools", "done")
        nodes = visits(heard("branches").events)
        assert (nodes[:2], set(nodes[2:4]), nodes[4:]) == (
            ("router", "split"),
            {"left", "right"},
            ("joined",),
        )
        assert visits(heard("sends").events) == ("router", "fan", "leaf")


def test_a_run_that_is_waited_for_claims_no_nodes(traces: Mapping[Any, Trace]) -> None:
    trace = Heard(traces, "waited for")("branches")
    assert "nodes" not in trace.exposes
    assert visits(trace.events) == ()


def test_state_is_what_the_reducers_made_of_it(heard: Heard) -> None:
    assert state(heard("two turns")) == {"city": "Paris", "log": ["router", "router"]}
    assert sorted(state(heard("sends"))["log"]) == ["fan", "leaf 1", "leaf 2", "router"]


def test_a_start_state_is_where_the_graph_begins(heard: Heard) -> None:
    assert state(heard("start")) == {"city": "Rome", "log": ["before", "router"]}
    assert said(heard("history")) == [["Turn 3."]]


def test_a_start_state_that_the_graph_does_not_take_is_refused(heard: Heard) -> None:
    trace = heard("start that has no place", Refused, "takes no 'secret' of the start state")
    assert "messages" in trace.outcome.reason


def test_an_interrupt_is_answered_over_several_turns(heard: Heard) -> None:
    trace = heard("interrupts")
    assert [turn.ended for turn in trace.turns] == ["paused", "paused", "answered"]
    assert [[pause.message for pause in asked] for asked in waits(trace)] == [["Shall I?"], ["Really?"], []]
    assert {pause.name for asked in waits(trace) for pause in asked} == {"approval"}
    assert said(trace)[2] == ["first {'yes': True}, second {}"]
    assert said(heard("null"))[2] == ["first None, second 'approve'"]


def test_several_interrupts_are_answered_together_or_one_after_the_other(heard: Heard) -> None:
    trace = heard("at once")
    assert sorted(pause.name for pause in waits(trace)[0]) == ["one", "two"]
    assert sorted(state(trace)["log"]) == ["both", "one 'a'", "router", "two []"]
    trace = heard("one by one")
    assert [turn.ended for turn in trace.turns] == ["paused", "paused", "answered"]
    assert [pause.name for pause in waits(trace)[1]] == ["two"]
    assert sorted(state(trace)["log"]) == ["both", "one 'a'", "router", "two {'b': 1}"]


def test_a_node_that_ran_before_the_pause_is_not_visited_again(streamed: Heard) -> None:
    trace = streamed("one by one")
    assert [visits(turn.events) for turn in trace.turns] == [
        ("router", "both", *visits(trace.turns[0].events)[2:]),
        ("one", "two"),
        ("two", "joined"),
    ]


def test_a_call_that_a_person_reviews_is_decided_in_the_middlewares_form(heard: Heard) -> None:
    trace = heard("approved")
    (pause,) = waits(trace)[0]
    assert (pause.kind, pause.tool, pause.name, pause.message) == (
        "confirm",
        "delete_file",
        "tools",
        "It needs a review.",
    )
    decided = {name: parts(heard(name), Result)[-1].value for name in ("edited arguments", "ruled")}
    assert parts(trace, Result)[-1].value == "decided: {'type': 'approve'}"
    edit = {"type": "edit", "edited_action": {"name": "delete_file", "args": {"path": "/b"}}}
    assert decided == {"edited arguments": f"decided: {edit}", "ruled": f"decided: {RULING}"}


def test_langchains_own_middleware_is_answered_call_by_call(heard: Heard) -> None:
    trace = heard("reviewed")
    assert [pause.tool for pause in waits(trace)[0]] == ["delete_file", "send_mail"]
    made = [(call.name, call.args) for call in calls_of(trace.turns[0].events)]
    assert made == [("delete_file", {"path": "/a"}), ("send_mail", {"to": "x"}), ("look", {"at": "z"})]
    results = {part.name: part for part in parts(trace, Result)}
    assert "deleted /b" in results["delete_file"].value
    assert (results["send_mail"].is_error, "no" in results["send_mail"].value) == (True, True)
    assert results["look"].value == "saw z"
    assert tokens_of(trace.events) == 36
    heard("all approved", Paused, "'delete_file' has no answer")


def test_a_subgraph_waits_in_the_name_of_its_node(heard: Heard, way: str) -> None:
    trace = heard("within")
    assert [pause.name for pause in waits(trace)[0]] == ["expert"]
    assert said(trace)[1] == ["from within: yes"]
    if way != "waited for":
        assert visits(trace.events) == ("router", "expert/think", "expert", "expert/asks", "expert")


def test_a_pause_that_nobody_answers_is_a_pause(heard: Heard) -> None:
    heard("unanswered", Paused, "'approval'")
    heard("no way past", Paused, "only `approve`")


def test_a_message_in_place_of_an_answer_begins_again(heard: Heard) -> None:
    assert said(heard("restarted"))[1] == ["Turn 2."]


def test_a_breakpoint_is_a_pause_that_approval_passes(heard: Heard, way: str) -> None:
    trace = heard("breakpoint")
    assert [[pause.tool for pause in asked] for asked in waits(trace)] == [["quiet"], []]
    assert said(trace) == [["Hello."], []]
    if way != "waited for":
        assert [visits(turn.events) for turn in trace.turns] == [("chat",), ("quiet",)]


def test_an_error_names_its_node(heard: Heard) -> None:
    for name, node, words in (
        ("error", "boom", "RuntimeError: it broke\u2028here"),
        ("masked", "masked", "IndexError('list index out of range')"),
    ):
        trace = heard(name, Crashed, words)
        assert [event.node for event in trace.events if event.error] == [node]
        assert trace.turns[0].ended == "failed"


def test_a_limit_of_a_provider_is_no_crash(heard: Heard) -> None:
    heard("limit", Throttled, "429")


def test_a_graph_without_messages_is_asked_and_read_by_its_keys(heard: Heard, way: str) -> None:
    trace = heard("question")
    assert said(trace) == [["Why in de?"], ["Why in de?"]]
    assert "calls" not in trace.exposes
    assert ("usage" in trace.exposes) == (way != "waited for")
    heard("unread", Refused, "no 'messages' to read an answer from")


def test_the_rest_of_a_request_is_the_configs(heard: Heard) -> None:
    assert said(heard("configured")) == [["model small"]]


def test_an_unknown_graph_is_told_with_those_that_are_there(heard: Heard) -> None:
    there = "it has: agent, answers, dicts, narrow, reviewed, stops, talk"
    heard("unknown", Refused, f"no graph 'nobody'; {there}")
    heard("unnamed", Refused, f"`agent.app` names none; {there}")


def test_a_trial_that_runs_out_of_time_leaves_nothing_behind(heard: Heard, server: LangGraphServer) -> None:
    heard("slow", TimedOut)
    assert server.post("/threads/search", {"limit": 1000}) == []


def test_the_server_had_nobody_to_talk_to(traces: Mapping[Any, Trace], server: LangGraphServer) -> None:
    assert traces
    assert server.strangers == []
