from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.github import stamp as stamps
from gate.github.stamp import Stamp
from tests.support.hostile import skeleton, texts


def a_stamp(**fields: Any) -> Stamp:
    known: dict[str, Any] = {
        "id": "default",
        "workflow": ".github/workflows/agent-gate.yml",
        "job": "gate",
        "run": 4711,
        "attempt": 2,
        "head": "c0ffee",
        "severity": 1,
        "content": "0123456789abcdef",
    }
    return Stamp(**(known | fields))


PLAIN = texts.map(lambda text: text.encode("utf-8", "ignore").decode()).filter(bool)


@given(PLAIN, PLAIN, PLAIN, st.integers(1, 10**18), st.integers(1, 10**6), texts)
def test_what_is_written_is_read_and_hides_nothing_below_it(
    id_: str, workflow: str, job: str, run: int, attempt: int, body: str
) -> None:
    stamp = a_stamp(id=id_, workflow=workflow, job=job, run=run, attempt=attempt)
    assert stamps.read(stamps.write(stamp, body)) == stamp
    assert "--" not in str(stamp).removeprefix("<!--").removesuffix("-->")
    assert skeleton(f"{stamp}\n\n# visible *text*")[1:] == skeleton("# visible *text*")


@given(texts)
def test_no_text_but_a_stamp_is_read_as_one(text: str) -> None:
    assert stamps.read(text) is None
    assert stamps.read(f"> {a_stamp()}\n{text}") is None


def test_github_may_return_windows_line_ends() -> None:
    assert stamps.read(stamps.write(a_stamp(), "x").replace("\n", "\r\n")) == a_stamp()


def test_the_plain_marker_of_a_file_is_replaced_and_no_other_line() -> None:
    body = "<!-- agent-gate:default -->\n\n### Agent Gate: pass\n\n<!-- agent-gate:x -->\n"
    assert stamps.write(a_stamp(), body) == f"{a_stamp()}\n\n### Agent Gate: pass\n\n<!-- agent-gate:x -->\n"


@pytest.mark.parametrize("other", ["a b", "a%20b", "ab", "A B", "a--b", "a-b", "a-%2Db"])
def test_different_ids_are_different_comments(other: str) -> None:
    assert (str(a_stamp(id=other)) == str(a_stamp(id="a b"))) == (other == "a b")
