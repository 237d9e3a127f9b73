from hypothesis import given
from hypothesis import strategies as st

from gate.check.render import render, render_findings
from gate.model.finding import Finding, Place

FINDINGS = (
    Finding(
        rule="unknown-key",
        level="error",
        place=Place(file="golden/cards.yaml", line=14, column=11),
        what="'expects' is not a key of a turn; did you mean 'expect'?",
    ),
    Finding(
        rule="half-a-suite",
        level="warn",
        place=Place(file="agent-gate.yml", line=19, column=3),
        what="every 'calls' is at_most: an agent that calls nothing passes",
        fix="Add a case that requires a call.",
    ),
    Finding(
        rule="duplicate-id",
        level="error",
        place=Place(file="golden/cards.yaml", line=31, column=5),
        what="case 'greeting' is also at golden/smalltalk.yaml:3",
        why="An id stands for one case.",
        fix="Rename one.",
    ),
)


def test_findings_are_printed_like_a_compiler_prints_them() -> None:
    assert (
        render(FINDINGS, (), ("a", "b", "c"))
        == """\
golden/cards.yaml:14:11  error  unknown-key   'expects' is not a key of a turn; did you mean 'expect'?
agent-gate.yml:19:3      warn   half-a-suite  every 'calls' is at_most: an agent that calls nothing passes.
                                              Add a case that requires a call.
golden/cards.yaml:31:5   error  duplicate-id  case 'greeting' is also at golden/smalltalk.yaml:3.
                                              An id stands for one case.
                                              Rename one.
2 errors, 1 warning in 0 cases (3 files). Nothing was run."""
    )


def test_no_finding_is_one_line() -> None:
    assert render((), (), ("a",)) == "No findings in 0 cases (1 file). Nothing was run."
    assert render_findings(()) == ""


def test_a_place_that_is_very_long_does_not_push_the_others_away() -> None:
    long = Finding(rule="x", level="warn", place=Place(file="f" * 200, line=1), what="w")
    short = Finding(rule="x", level="warn", place=Place(file="f"), what="w")
    assert render_findings((long, short)).splitlines()[1] == f"f{' ' * 59}  warn   x  w"


@given(st.text(), st.text(), st.text(), st.text())
def test_hostile_text_is_inert(file: str, what: str, why: str, fix: str) -> None:
    finding = Finding(rule="x", level="error", place=Place(file=file, line=1), what=what, why=why, fix=fix)
    shown = render_findings((finding,))
    assert shown.count("\n") <= 2
    assert not any(
        ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in shown.replace("\n", "")
    )
    assert not any(text.lstrip().startswith("::") for text in shown.splitlines())


def test_a_terminal_escape_in_a_case_id_does_not_reach_the_terminal() -> None:
    finding = Finding(
        rule="x", level="error", place=Place(file="a"), what="case '\x1b[31m\n::set-output::x' is bad"
    )
    assert render_findings((finding,)) == "a  error  x  case ' ::set-output::x' is bad"
