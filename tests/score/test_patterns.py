from typing import Any

import pytest

from gate.errors import BadInput
from gate.model.case import Case, Expect
from gate.model.score import Unscored
from gate.model.trace import Crashed
from gate.score import bounded
from tests.score.made import case, metric, said, score, scored, trace, turn

CASE = case(Expect(), Expect())
ANSWER = trace(turn(said("Order AB-12 is placed.")), turn(said("Cafe\u0301 closed.")))
BROKEN = trace(turn(said("Order")), turn(ended="failed"), outcome=Crashed(reason="HTTP 500"))


def value(pattern: str, **options: Any) -> tuple[float, str]:
    found = scored(metric("regex", pattern=pattern, **options), CASE, ANSWER)
    return found.value, found.reason


@pytest.mark.parametrize(
    ("pattern", "options", "expected"),
    [
        (r"[A-Z]{2}-\d+", {}, 1),
        (r"order ab", {}, 0),
        (r"order ab", {"ignore_case": True}, 1),
        (r"(?i)order ab", {}, 1),
        (r"^Caf\u00e9", {}, 0),
        (r"(?m)^Caf\u00e9", {}, 1),
        (r"placed", {"found": False}, 0),
        (r"refund", {"found": False}, 1),
    ],
)
def test_a_pattern_is_searched_for_in_all_that_was_said(
    pattern: str, options: dict[str, Any], expected: float
) -> None:
    assert value(pattern, **options)[0] == expected


def test_a_reason_names_the_pattern_and_what_was_said() -> None:
    assert value(r"\d{9}")[1].startswith(r"expected the answer to match `\d{9}`; it said ")
    assert value("AB-..", found=False)[1] == 'the answer matches `AB-..`, which it must not: "AB-12"'


def test_what_broke_off_shows_what_it_has_and_not_what_it_would_not_have_said() -> None:
    assert scored(metric("regex", pattern="Order"), CASE, BROKEN).value == 1
    found = scored(metric("regex", pattern="refund", found=False), CASE, BROKEN)
    assert found.value == 0
    assert found.reason.startswith("nothing shows that the answer would not match `refund`; a turn failed")


@pytest.mark.parametrize("found", [True, False])
def test_a_search_without_end_is_unscored_never_good_or_bad(
    found: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded.bounded, "__defaults__", (0.05,))
    evil = trace(turn(said("a" * 60 + "b")), turn())
    got = score(metric("regex", pattern=r"(a+)+$", found=found), CASE, evil)
    assert isinstance(got, Unscored)
    assert got.cause == "malformed"
    assert '"(a+)+$" took more than' in got.reason


def test_tags_choose_the_cases_and_make_no_other_value() -> None:
    subject = metric("regex", pattern="x", tags=["medical", "legal"])
    tagged = Case(id="c", turns=CASE.turns, place=CASE.place, tags=("legal",))
    assert subject.expectation(CASE) is None
    assert subject.expectation(tagged) == metric("regex", pattern="x").expectation(tagged)
    assert metric("regex", pattern="y").expectation(tagged) != subject.expectation(tagged)


@pytest.mark.parametrize(
    ("options", "fix"),
    [
        ({"pattern": "("}, "a pattern of Python's `re`; of this one it says: missing )"),
        ({"pattern": "x" * 10_001}, "a pattern of Python's `re`; of this one it says: it has more than"),
        ({"pattern": "(" * 9_000 + ")" * 9_000}, "a pattern of Python's `re`; of this one it says: "),
        ({"pattern": "a{99999999999999999999}"}, "a pattern of Python's `re`; of this one it says: "),
        ({"pattern": 3}, "a pattern of Python's `re`"),
        ({}, "pattern: a text that is not empty"),
        ({"pattern": "x", "tags": "a"}, "tags: a list of tags of cases"),
        ({"pattern": "x", "tags": []}, "tags: a list of tags of cases"),
        ({"pattern": "x", "tags": [1]}, "tags: a list of tags of cases"),
    ],
)
def test_an_option_that_cannot_be_used_is_a_finding(options: dict[str, Any], fix: str) -> None:
    with pytest.raises(BadInput) as error:
        metric("regex", **options)
    assert any(finding.fix.startswith(fix) for finding in error.value.findings)


def test_text_that_is_not_exposed_is_not_scored() -> None:
    assert isinstance(score(metric("regex", pattern="x"), CASE, trace(turn(), turn(), exposes=())), Unscored)
