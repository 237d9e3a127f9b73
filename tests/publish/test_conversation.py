import re
from dataclasses import replace

from hypothesis import given, settings

from gate.model.case import Answer, Answers, Case, Expect, ExpectedCall, Parallel, TextPart, Turn, User
from gate.model.finding import Place
from gate.model.run import TrialRecord
from gate.model.score import Item, Scored, Unscored
from gate.model.trace import (
    Call,
    Completed,
    Crashed,
    Event,
    Pause,
    Result,
    Text,
    Thought,
    Trace,
    TurnTrace,
)
from gate.publish import conversation
from tests.support.goldens import Golden
from tests.support.hostile import visible

PLACE = Place(file="golden/cards.yaml", line=3, column=5)


def a_user(text: str) -> User:
    return User(parts=(TextPart(text=text),))


def a_case(text: str = "") -> Case:
    """Three turns with every kind of expectation; `text` is added wherever somebody else's words stand."""
    turns = (
        Turn(
            sent=a_user(f"action=ingest{text}"),
            place=PLACE,
            expect=Expect(
                nodes=(f"Router{text}", Parallel(branches=(("Clean", "Dedup"), ("Enrich",))), "HITLConfirm"),
                state={f"draft.phone{text}": "+886912345678"},
                pauses=(f"request_input{text}",),
            ),
        ),
        Turn(
            sent=Answers(answers=(Answer(to="request_input", decision="input", value="confirm"),)),
            place=PLACE,
            expect=Expect(
                calls=(ExpectedCall(name=f"save_card{text}", args={"id": text}),),
                contains=(f"saved{text}",),
                state_keys=(f"saved_card_id{text}",),
            ),
        ),
        Turn(sent=a_user("thanks"), place=PLACE, expect=Expect(calls=())),
    )
    return Case(
        id=f"ingest{text}",
        turns=turns,
        place=PLACE,
        category=f"cards{text}",
        expect=Expect(
            calls=(ExpectedCall(name="save_card"),),
            reference=f"It is saved.{text}",
            rubric=f"It is kind.{text}",
        ),
    )


def a_trace(text: str = "") -> Trace:
    first = (
        Event(node=f"Router{text}", author=text),
        Event(node="Enrich", parts=(Thought(text=f"hm{text}"),)),
        Event(node="HITLConfirm", state_delta={f"draft{text}": {"phone": "+886912345678"}}),
        Event(artifact_delta={f"card{text}.png": 0, "scan.png": {f"odd{text}": text}}),
        Event(
            pauses=(
                Pause(id="1", name=f"request_input{text}", kind="input", message=f"Is this right?{text}"),
            )
        ),
    )
    second = (
        Event(parts=(Call(id="2", name=f"save_card{text}", args={"id": 7, f"k{text}": text}),)),
        Event(
            parts=(Result(call_id="2", name=f"save_card{text}", value={"saved": text, "list": [1] * 200}),)
        ),
        Event(
            parts=(Call(id="3", name=f"adk_x{text}", args={}),), not_in_trajectory=f"runtime plumbing{text}"
        ),
        Event(parts=(Call(id="4", name=f"bad{text}", args=None, args_error=f"not JSON{text}"),)),
        Event(state_removed=(f"old{text}",)),
        Event(parts=(Result(call_id="4", name="bad", value=f"no such tool{text}", is_error=True),)),
        Event(parts=(Text(text=f"The card was saved.\nThank you!{text}"),), error=f"lost the rest{text}"),
    )
    return Trace(
        case=f"ingest{text}",
        trial=2,
        session=f"s-1{text}",
        turns=(
            TurnTrace(sent=f"action=ingest{text}", events=first, ended="paused", started_ms=0, ended_ms=1200),
            TurnTrace(sent="confirm", events=second, ended="failed", started_ms=1200, ended_ms=1650),
        ),
        outcome=Crashed(reason=f"the stream was cut{text}"),
        exposes=("text", "calls", "nodes", "state"),
        retries=1,
        duration_ms=1650,
    )


def scored(*items: tuple[str, float, str]) -> Scored:
    kept = tuple(Item(where=where, value=value, reason=reason) for where, value, reason in items)
    return Scored(value=min(item.value for item in kept), items=kept)


def a_record(text: str = "") -> TrialRecord:
    return TrialRecord(
        case=f"ingest{text}",
        trial=2,
        outcome=Crashed(reason="cut"),
        scores={
            "nodes": scored(("turn 1", 0.0, f"Clean and Dedup were not seen{text}")),
            "pauses": scored(("turn 1", 1.0, "")),
            "calls": scored(("turn 2", 1.0, ""), ("case", 1.0, "")),
            "says": Unscored(cause="refused", reason=f"nothing came{text}"),
            "state": scored(("turn 1", 1.0, ""), ("turn 2", 0.5, "saved_card_id is missing")),
            f"rouge_1{text}": scored(("case", 0.4567, "")),
            f"kind{text}": replace(
                scored(("case", 1.0, f"the judge says YES{text}")), reason=f"the judge says YES{text}"
            ),
            "latency_ms": Scored(value=1650, items=()),
        },
    )


def test_the_view_of_a_conversation_is_the_agreed_one(golden: Golden) -> None:
    golden("show/ingest.txt", conversation.render(a_case(), a_trace(), a_record()))


def test_the_view_without_scores_is_the_agreed_one(golden: Golden) -> None:
    golden("show/ingest_unscored.txt", conversation.render(a_case(), a_trace(), None))


def test_expected_stands_beside_got_with_a_word_for_it() -> None:
    lines = conversation.render(a_case(), a_trace(), a_record()).split("\n")
    at = lines.index("  expected nodes: Router → {Clean → Dedup | Enrich} → HITLConfirm")
    assert lines[at + 1] == "    got    Router → Enrich → HITLConfirm"
    assert lines[at + 2] == "           ✗ missed: Clean and Dedup were not seen"


def test_an_expectation_that_nothing_scores_says_so() -> None:
    record = replace(a_record(), scores={})
    assert conversation.render(a_case(), a_trace(), record).count("? no metric scores this") == 7
    assert "no metric scores" not in conversation.render(a_case(), a_trace(), None)


def test_a_turn_that_was_not_reached_says_so() -> None:
    text = conversation.render(a_case(), a_trace(), None)
    assert "turn 3\n           not reached" in text


def test_a_turn_that_the_case_no_longer_has_is_shown() -> None:
    case = replace(a_case(), turns=a_case().turns[:1])
    assert "the case no longer has this turn" in conversation.render(case, a_trace(), None)


def test_a_trace_without_turns_still_has_its_outcome() -> None:
    trace = replace(a_trace(), turns=(), outcome=Completed())
    assert "outcome: completed\n" in conversation.render(a_case(), trace, None)


def labelled(text: str) -> list[str]:
    shown = conversation.render(a_case(text), a_trace(text), a_record(text))
    return [line[:11] for line in shown.split("\n") if not line.startswith(" " * 11 + "|")]


@settings(max_examples=80)
@given(visible)
def test_hostile_text_stays_behind_its_label(text: str) -> None:
    shown = conversation.render(a_case(text), a_trace(text), a_record(text))
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\ud800-\udfff]", shown)
    assert "##[" not in shown
    assert not any(line.lstrip().startswith("::") for line in shown.split("\n"))
    heads = [line for line in labelled(text) if line.startswith(" ")]
    assert heads == [line for line in labelled("!x") if line.startswith(" ")]
    assert len(labelled(text)) == len(labelled("!x"))
