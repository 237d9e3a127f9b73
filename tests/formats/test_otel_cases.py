"""Conversations become trials of a suite's cases; what fits none is told."""

import json
from typing import Any

import pytest

from gate.formats import otel
from gate.formats.otel_cases import Asked, Assigned, asked, assign
from gate.model.case import Answer, Answers, Case, TextPart, Turn, User
from gate.model.finding import Place
from tests.support.otel_spans import document, span

CASES: Asked = {
    "greet": ("hello",),
    "weather": ("hello", "weather in London"),
    "order": ("order", None, "thanks"),
}


def talk(name: str, *said: str, at: int = 0, fails: bool = False, case: str = "") -> list[dict[str, Any]]:
    """A conversation of one trace a turn, with the whole history in each."""
    found, history = [], list[Any]()
    for number, words in enumerate(said):
        history.append({"role": "user", "parts": [{"type": "text", "content": words}]})
        ok = [{"role": "assistant", "parts": [{"type": "text", "content": "ok"}]}]
        held = {
            "gen_ai.operation.name": "chat",
            "gen_ai.conversation.id": name,
            "gen_ai.input.messages": json.dumps(history),
            "gen_ai.output.messages": json.dumps(ok),
            **({"test.case": case} if case else {}),
        }
        last = fails and number == len(said) - 1
        status = {"code": 2 if last else 0}
        found.append(
            span(1, "chat", held, trace=f"{name}{number}".encode().hex(), at=at + number, status=status)
        )
        history += ok
    return found


def assigned(*talks: list[dict[str, Any]], cases: Asked | None = CASES, attribute: str = "") -> Assigned:
    text = document(*(each for spans in talks for each in spans))
    return assign(otel.read(text, "f.json").conversations, "f.json", cases, attribute)


def got(found: Assigned) -> list[tuple[str, int, str]]:
    return [(trace.case, trace.trial, trace.session) for trace in found.traces]


def told(found: Assigned) -> list[tuple[str, str]]:
    return [(finding.rule, finding.what) for finding in found.findings if finding.rule != "case-missing"]


def test_a_conversation_is_a_trial_of_the_case_whose_user_says_the_same() -> None:
    found = assigned(
        talk("s1", "hello", "weather  in\nLondon"),
        talk("s2", "hello"),
        talk("s3", "order", "two, please", "thanks"),
    )
    assert got(found) == [("greet", 1, "s2"), ("order", 1, "s3"), ("weather", 1, "s1")]
    assert found.findings == ()


def test_several_of_one_case_are_its_trials_in_order_of_time() -> None:
    found = assigned(talk("late", "hello", at=50), talk("early", "hello"), talk("later", "hello", at=90))
    assert got(found) == [("greet", 1, "early"), ("greet", 2, "late"), ("greet", 3, "later")]


def test_the_cases_id_as_the_conversations_decides_before_the_words() -> None:
    assert got(assigned(talk("weather", "something else"))) == [("weather", 1, "weather")]


def test_without_a_suite_each_conversation_is_a_case() -> None:
    found = assigned(talk("s2", "x"), talk("s1", "y"), cases=None)
    assert got(found) == [("s1", 1, "s1"), ("s2", 1, "s2")]
    assert found.findings == ()


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (("bye",), "no case has its 1 turns, of which the first says 'bye'"),
        (("hello", "bye"), "no case has its 2 turns"),
        (("hello", "weather in London", "more"), "no case has its 3 turns"),
        (("order", "two"), "no case has its 2 turns"),
    ],
)
def test_what_fits_no_case_is_told_and_nothing_is_assigned(said: tuple[str, ...], why: str) -> None:
    found = assigned(talk("s1", *said))
    assert got(found) == []
    [(rule, what), last] = told(found)
    assert rule == "unassigned"
    assert "the conversation 's1' is no trial of a case" in what
    assert why in what
    assert last == ("nothing-to-import", "no conversation is a trial of a case")


def test_one_that_failed_early_is_a_trial_of_the_case_that_it_began() -> None:
    found = assigned(talk("s1", "order", "two", fails=True))
    assert got(found) == [("order", 1, "s1")]
    assert type(found.traces[0].outcome).__name__ == "Crashed"
    assert got(assigned(talk("s1", "hello", fails=True))) == [("greet", 1, "s1")]


def test_cases_whose_users_say_the_same_cannot_be_told_apart_by_words() -> None:
    cases: Asked = {"a": ("hello",), "b": ("hello",)}
    found = assigned(talk("s1", "hello"), talk("b", "hello"), cases=cases)
    assert got(found) == [("b", 1, "b")]
    assert "its user says the same as that of the cases a, b" in told(found)[0][1]


def test_words_that_were_not_recorded_fit_no_case() -> None:
    bare = span(1, "chat", {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 1})
    assert "what its user said was not recorded" in told(assigned([bare]))[0][1]


@pytest.mark.parametrize("cases", [CASES, None])
def test_an_attribute_names_the_case(cases: Asked | None) -> None:
    found = assigned(
        talk("s1", "anything", case="greet"),
        talk("s2", "hello"),
        cases=cases,
        attribute="test.case",
    )
    assert got(found) == [("greet", 1, "s1")]
    assert "none of its spans has the attribute test.case" in told(found)[0][1]


def test_a_resources_attribute_names_the_case_too() -> None:
    assert got(assigned(talk("s1", "x"), cases=None, attribute="service.name")) == [("svc", 1, "s1")]


def test_an_attribute_with_a_case_that_is_not_there_is_told() -> None:
    found = assigned(talk("greet", "hello", case="greeet"), attribute="test.case")
    assert got(found) == []
    assert "test.case is 'greeet', and the suite has no such case" in told(found)[0][1]


def test_what_a_users_answers_say_is_any_text_and_secrets_are_taken_out_on_both_sides() -> None:
    place = Place(file="g")
    said = Turn(sent=User(parts=(TextPart(text="use  token-1234"),)), place=place)
    answer = Turn(sent=Answers(answers=(Answer(to="x", decision="approve"),)), place=place)
    case = Case(id="a", turns=(said, answer), place=place)
    assert asked([case], lambda text: text.replace("token-1234", "***")) == {"a": ("use ***", None)}


def test_cases_without_a_trial_are_told() -> None:
    found = assigned(talk("s1", "hello"))
    [finding] = found.findings
    assert (finding.rule, finding.level) == ("case-missing", "warn")
    assert finding.what == "2 cases of the suite have no trial in this file: weather, order"


def test_many_that_fit_nothing_are_told_in_a_few_lines() -> None:
    found = assigned(*(talk(f"s{n}", "bye", at=n) for n in range(50)), talk("s", "hello"))
    assert [rule for rule, _ in told(found)] == ["unassigned"] * 21
    assert told(found)[-1][1] == "30 more conversations are no trials of a case"
