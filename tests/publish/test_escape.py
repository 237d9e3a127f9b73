import re

import pytest
from hypothesis import example, given

from gate.publish import escape
from tests.support.hostile import in_code, skeleton, texts, visible

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200b\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
COMMAND = re.compile(r"^\s*::", re.MULTILINE)
OLD_COMMAND = re.compile(r"##\w*\[")


@given(texts)
def test_a_line_is_one_line_and_no_command(text: str) -> None:
    shown = escape.line(text)
    assert "\n" not in shown
    assert not HIDDEN.search(shown)
    assert not COMMAND.search(shown)
    assert not OLD_COMMAND.search(shown)
    assert shown == shown.strip()


@given(texts)
def test_lines_hold_no_hidden_character_and_no_command(text: str) -> None:
    shown = escape.lines(text)
    assert not HIDDEN.search(shown)
    assert not COMMAND.search(shown)
    assert not OLD_COMMAND.search(shown)
    shown.encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("::error::x", r"\::error::x"),
        ("  ::set-output name=x::y", r"\::set-output name=x::y"),
        ("\u00a0::x", r"\::x"),
        ("a ::x", "a ::x"),
        ("##[error]x", r"##\[error]x"),
        ("a ###[group]x", r"a ###\[group]x"),
        ("##vso[task.complete]x", r"##\vso[task.complete]x"),
        ("##\x00[x]", r"##\[x]"),
        (":\u200b:x", r"\::x"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\", "click"),
        ("\x9b2Jx", "x"),
        ("\x1b\x1b[[31m", "31m"),
        ("a\r\nb\rc\u2028d", "a b c d"),
        ("user\u202etxt.exe", "usertxt.exe"),
        ("a\ud800b", "ab"),
        ("👩\u200d💻", "👩\u200d💻"),
        ("", ""),
    ],
)
def test_a_line_shows(text: str, shown: str) -> None:
    assert escape.line(text) == shown


@given(texts)
@example("`")
@example("a\\|b")
@example("\\")
def test_code_is_one_code_span_and_disturbs_nothing(text: str) -> None:
    document = f"before {escape.code(text)} after *x*"
    if escape.line(text):
        assert skeleton(document) == skeleton("before `x` after *x*")
        assert in_code(document) == [escape.line(text)]
    else:
        assert escape.code(text) == escape.EMPTY


@given(visible, visible)
@example("a\\|b", "|")
@example("\\", "`|`")
@example("|", "\\\\|")
def test_a_cell_is_one_code_span_and_leaves_its_row_whole(one: str, two: str) -> None:
    def table(first: str, second: str) -> str:
        return f"| a | b | c |\n|---|---:|---|\n| {first} | {second} | *x* |\n| y | z | w |"

    document = table(escape.cell(one), escape.cell(two))
    assert skeleton(document) == skeleton(table("`x`", "`x`"))
    assert in_code(document) == [escape.line(one), escape.line(two)]


@given(texts)
def test_a_fence_is_one_code_block_and_disturbs_nothing(text: str) -> None:
    document = f"<details><summary>s</summary>\n\n{escape.fence(text)}\n\n</details>\n\nafter *x*"
    assert skeleton(document) == skeleton(
        "<details><summary>s</summary>\n\n```text\nx\n```\n\n</details>\n\nafter *x*"
    )
    assert in_code(document) == [escape.lines(text).strip("\n") + "\n"]


def test_text_is_cut_at_its_cap_and_shows_it() -> None:
    assert escape.line("x" * 400) == "x" * 299 + "…"
    assert escape.line("x" * 300) == "x" * 300
    assert len(escape.lines("y\n" * 9000, 100)) == 100


def test_a_tail_starts_with_a_whole_line() -> None:
    assert escape.tail("first line\nsecond line\nthird", 14) == "…\nthird"
    assert escape.tail("short", 18) == "short"
    assert escape.tail("x" * 30, 10) == "…\n" + "x" * 10


def test_a_flood_of_hostile_text_is_escaped_in_passing() -> None:
    for piece in ("\x1b[", "\x1b]", "##", "`", "\\", " ", "::", "\x90"):
        assert len(escape.code(piece * 100_000)) < 1000
