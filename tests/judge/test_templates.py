import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.judge.templates import MOST, PLACEHOLDERS, default_template, fill, named, template_digest, unknown
from gate.model.judge import JudgeKind

TEXTS = st.dictionaries(st.sampled_from(PLACEHOLDERS), st.text(max_size=80))
KINDS: tuple[JudgeKind, ...] = ("rubric", "score", "trajectory")


def mark_of(system: str) -> str:
    found = re.search(r"the mark ([0-9a-f]{16})", system)
    assert found
    return found[1]


@given(TEXTS, st.lists(st.sampled_from([*("{" + name + "}" for name in PLACEHOLDERS), " and ", "{}", "{x}"])))
def test_every_text_stands_whole_between_fences_that_it_cannot_hold(
    texts: dict[str, str], parts: list[str]
) -> None:
    prompt = fill("rubric", "".join(parts), texts)
    mark = mark_of(prompt.system)
    assert not any(mark in text.lower() for text in texts.values())
    expected = "".join(
        f"<<<{part[1:-1].upper()} {mark}\n{texts.get(part[1:-1], '')}\n{mark} {part[1:-1].upper()}>>>"
        if part[1:-1] in PLACEHOLDERS
        else part
        for part in parts
    )
    assert prompt.user == expected


def test_a_mark_that_stands_in_a_text_is_not_taken() -> None:
    texts = {"response": "hello"}
    first = mark_of(fill("rubric", "{response}", texts).system)
    # The mark follows from the texts, so that a text cannot hold its own; a second text may be made to.
    assert mark_of(fill("rubric", "{response}", texts).system) == first
    other = mark_of(fill("rubric", "{response}", {**texts, "prompt": first}).system)
    assert other != first


def test_the_next_mark_is_tried_where_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    from gate.judge import templates

    marks = iter(["a" * 64, "b" * 64])
    monkeypatch.setattr(templates, "_digest", lambda *_: next(marks))
    assert templates._mark({"response": f"x {'A' * 16} x"}) == "b" * 16


def test_the_same_question_is_the_same_bytes() -> None:
    one, two = (
        fill("score", default_template("score"), {"response": "hi", "rubric": "polite"}) for _ in "12"
    )
    assert one == two
    assert one.digest == two.digest
    assert (
        one.digest != fill("score", default_template("score"), {"response": "hi", "rubric": "short"}).digest
    )


def test_a_placeholder_in_a_text_is_not_filled() -> None:
    prompt = fill(
        "rubric", "{response}", {"response": "{rubric}{reference}", "rubric": "be kind", "reference": "x"}
    )
    assert "{rubric}{reference}" in prompt.user
    assert "be kind" not in prompt.user


def test_a_text_beyond_all_measure_is_cut_and_says_so() -> None:
    prompt = fill("rubric", "{response}", {"response": "x" * (MOST + 7)})
    assert "[7 more characters are left out here]" in prompt.user
    assert len(prompt.user) < MOST + 200


@pytest.mark.parametrize("kind", KINDS)
def test_the_default_templates_show_what_is_judged(kind: JudgeKind) -> None:
    for reference in (False, True):
        words = named(default_template(kind, reference=reference))
        assert {"prompt", "response"} <= words
        assert ("rubric" in words) is (kind != "trajectory")
        assert ("trajectory" in words) is (kind == "trajectory")
        assert ("reference" in words) is (kind == "trajectory" and reference)
    assert (
        len({template_digest(kind, text) for text in ("{response}", "{response} ", default_template(kind))})
        == 3
    )


def test_words_in_braces_that_are_no_placeholders_are_known() -> None:
    assert unknown('{respones} {response} {"score": 1} {} {A} {respones}') == ("respones",)
