import pytest

from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User
from gate.model.finding import Place
from gate.model.trace import Call, Completed, Event, Pause, Text, Trace, TurnTrace
from gate.publish.expected import Check, checks

PLACE = Place(file="golden/x.yaml", line=1)


def a_case(*expects: Expect, whole: Expect | None = None) -> Case:
    sent = User(parts=(TextPart(text="hi"),))
    turns = tuple(Turn(sent=sent, expect=expect, place=PLACE) for expect in expects)
    return Case(id="x", turns=turns, place=PLACE, expect=whole or Expect())


def a_trace(*turns: tuple[Event, ...], **fields: object) -> Trace:
    seen = tuple(
        TurnTrace(
            sent="hi",
            events=events,
            ended="paused" if any(event.pauses for event in events) else "answered",
            started_ms=0,
            ended_ms=1,
        )
        for events in turns
    )
    known = {"case": "x", "trial": 1, "session": "s", "turns": seen, "outcome": Completed(), "exposes": ()}
    return Trace(**(known | fields))  # type: ignore[arg-type]


CALLED = (
    Event(parts=(Call(id="1", name="find", args={"b": 1, "a": "é"}),)),
    Event(parts=(Call(id="2", name="adk_x", args={}),), not_in_trajectory="plumbing"),
    Event(node="A"),
    Event(node="A", parts=(Text(text="one"),)),
    Event(node="B", parts=(Text(text="two"),)),
    Event(pauses=(Pause(id="p", name="confirm", kind="confirm", tool="delete"),)),
)


@pytest.mark.parametrize(
    ("expect", "check"),
    [
        (
            Expect(calls=(ExpectedCall(name="find", args={"a": "é"}), ExpectedCall(name="stop"))),
            Check(metric="calls", expected='find {"a": "é"}, stop', got='find {"a": "é", "b": 1}'),
        ),
        (Expect(calls=()), Check(metric="calls", expected="none", got='find {"a": "é", "b": 1}')),
        (Expect(nodes=("A", "B")), Check(metric="nodes", expected="A → B", got="A → B")),
        (Expect(pauses=()), Check(metric="pauses", expected="none", got="confirm (delete)")),
        (
            Expect(contains=("one",), excludes=("three",)),
            Check(metric="says", expected='contains "one", excludes "three"', got="one two"),
        ),
        (Expect(rubric="It counts."), Check(metric="rubric", expected="It counts.", got="one two")),
        (Expect(reference="one or two"), Check(metric="reference", expected="one or two", got="one two")),
    ],
)
def test_a_key_of_expect_has_both_sides(expect: Expect, check: Check) -> None:
    assert list(checks(a_case(expect), a_trace(CALLED), 1)) == [check]


@pytest.mark.parametrize(
    ("path", "got"),
    [
        ("user", 'user = {"names": ["ann"]}'),
        ("user.names.0", 'user.names.0 = "ann"'),
        ("a.b", "a.b = 1"),
        ("c.d.e", "c.d.e = 3"),
        ("gone", "gone = null"),
        ("user.names.7", "user.names.7 = missing"),
        ("nowhere.at.all", "nowhere.at.all = missing"),
    ],
)
def test_state_is_looked_up_by_literal_key_and_then_by_path(path: str, got: str) -> None:
    events = (Event(state_delta={"a.b": 1, "gone": None, "a": {"b": 2}, "c.d": {"e": 3}}),)
    trace = a_trace(events, start_state={"user": {"names": ["ann"]}})
    (check,) = checks(a_case(Expect(state_keys=(path,))), trace, 1)
    assert (check.expected, check.got) == (f"{path} is set", got)


def test_state_is_that_at_the_end_of_its_turn() -> None:
    gone = Event(state_removed=("n",))
    trace = a_trace((gone, Event(state_delta={"n": 1})), (gone,))
    expect = Expect(state={"n": 1})
    got = [
        check.got for turn in (1, 2, 0) for check in checks(a_case(expect, expect, whole=expect), trace, turn)
    ]
    assert got == ["n = 1", "n = missing", "n = missing"]


def test_a_turn_beyond_the_trace_got_nothing() -> None:
    (check,) = checks(a_case(Expect(), Expect(contains=("x",))), a_trace(()), 2)
    assert check.got == ""
