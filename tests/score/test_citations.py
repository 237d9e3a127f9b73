from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import BadInput
from gate.model.case import Expect
from gate.model.score import Unscored
from gate.model.trace import Call, Crashed, Event, Result
from gate.score import bounded
from tests.score.made import case, metric, said, score, scored, trace, turn

ONE = case(Expect())


def cited(answer: str, value: Any, **options: Any) -> tuple[float, str]:
    call = Event(author="agent", parts=(Call(id="1", name="search", args={}),))
    result = Event(author="agent", parts=(Result(call_id="1", name="search", value=value),))
    found = scored(metric("citations", **options), ONE, trace(turn(call, result, said(answer))))
    return found.value, found.reason


@pytest.mark.parametrize(
    ("answer", "value", "expected"),
    [
        ("So it is [doc-1].", {"id": "doc-1"}, 1),
        ("So it is [doc-2].", {"id": "doc-1"}, 0),
        ("[doc-1][doc-2]", {"id": "doc-1"}, 0.5),
        ("[doc-1, doc-2; doc-3]", [{"id": "doc-1"}, {"id": "doc-2"}, {"id": "doc-3"}], 1),
        ("[doc-1] [doc-1] [no]", {"id": "doc-1"}, 0.5),
        ("[7]", {"id": 7}, 1),
        ("[7]", {"id": 77}, 0),
        ("[doc-1]", {"doc-1": {}}, 1),
        ("[doc-1]", "found doc-1, doc-2.", 1),
        ("[doc-2]", "found doc-1, doc-2.", 1),
        ("[doc-1]", "found doc-12", 0),
        ("see [the site](http://x) and [a link](y)", {}, 1),
        ("[https://x.org/a]", {"url": "https://x.org/a"}, 1),
        ("[site](http://x)", {}, 1),
        ("[doc-1.]", {"id": "doc-1"}, 1),
        ("[see above]", {}, 1),
        ("none", {}, 1),
        ("[doc-1]", None, 0),
    ],
)
def test_what_is_cited_is_looked_for_in_what_the_tool_returned(
    answer: str, value: Any, expected: float
) -> None:
    assert cited(answer, value)[0] == expected


def test_a_reason_names_what_nobody_returned() -> None:
    assert cited("[a] [b]", {"id": "a"})[1] == "no tool returned `b`, which the answer cites"
    assert cited("nothing", {}, required=True) == (0, "it cites nothing")


@pytest.mark.parametrize(
    ("cites", "answer", "expected"),
    [
        (r"\(source: (\w+)\)", "it is (source: a1)", 1),
        (r"\(source: (\w+)\)", "it is (source: b1)", 0),
        (r"KB\d+", "see KB12 and KB13", 0.5),
        (r"x(y)?", "x", 1),
    ],
)
def test_a_pattern_says_what_is_cited(cites: str, answer: str, expected: float) -> None:
    assert cited(answer, ["a1", "KB12"], cites=cites)[0] == expected


def test_a_pattern_without_end_is_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded.bounded, "__defaults__", (0.05,))
    evil = trace(turn(said("a" * 60 + "b")))
    found = score(metric("citations", cites="(a+)+$"), ONE, evil)
    assert isinstance(found, Unscored)
    assert found.cause == "malformed"


def test_a_pattern_that_is_none_is_a_finding() -> None:
    with pytest.raises(BadInput):
        metric("citations", cites="(")


def test_an_answer_that_broke_off_proves_nothing() -> None:
    broken = trace(turn(said("fine"), ended="failed"), outcome=Crashed(reason="HTTP 500"))
    assert scored("citations", ONE, broken).value == 0


@given(st.text() | st.text("[](),; a1", max_size=60), st.text() | st.integers())
def test_no_text_makes_it_raise_or_leave_the_shares(answer: str, value: Any) -> None:
    assert 0 <= cited(answer, value)[0] <= 1
    assert 0 <= cited(f"[{answer}]", value)[0] <= 1
