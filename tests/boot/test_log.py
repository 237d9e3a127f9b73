"""The agent's output, made safe."""

from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.boot.log import AgentLog
from gate.redact import Redactor
from gate.work.words import inert, telling_line


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("hostile", "harmless"),
    [
        ("::error::x", ": :error::x"),
        ("a\n \t::set-output name=x::y", "a\n \t: :set-output name=x::y"),
        ("a ::b", "a ::b"),
        ("x##[group]y", "x## [group]y"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("\x1b(Bplain\x1b7", "plain"),
        ("10 %\r100 %\r\ndone", "10 %\n100 %\ndone"),
        ("a\r::error::b", "a\n: :error::b"),
        ("abc\x00\x07\u202egnp.exe\u2066\u200b\x9b", "abcgnp.exe"),
        ("\x1b[m::error::x", ": :error::x"),
        ("\u200b::error::x", ": :error::x"),
        ("tab\tand é 天 stay", "tab\tand é 天 stay"),
    ],
)
def test_what_a_terminal_or_a_runner_obeys_is_taken_out(hostile: str, harmless: str) -> None:
    assert inert(hostile) == harmless


@given(st.text(st.sampled_from("\x1b[]0;m\x07\\:#[\r\n a\u200b\x9b"), max_size=60))
def test_no_text_keeps_a_command_or_an_escape(text: str) -> None:
    made = inert(text)
    assert "\x1b" not in made
    assert "##[" not in made
    assert not [line for line in made.split("\n") if line.lstrip().startswith("::")]
    assert inert(made) == made


PEM = "-----BEGIN PRIVATE KEY-----\n" + "MIIEvQIBADANBgkqhkiG9w0BAQEF\n" * 30 + "-----END PRIVATE KEY-----\n"


@settings(max_examples=30)
@given(data=st.data())
def test_no_secret_gets_through_however_the_output_is_cut(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    secret = "canary\nof several\nlines " + "s" * 300
    filler = data.draw(st.lists(st.integers(1, 9000), min_size=6, max_size=20))
    text = "".join(f"{'x' * (n % 79)}\n" * (n // 79 + 1) + (secret if n % 2 else PEM) + "\n" for n in filler)
    path = tmp_path_factory.mktemp("log") / "agent.log"
    raw = text.encode()
    size = data.draw(st.integers(1000, 70_000))
    with closing(AgentLog(path, Redactor([secret]))) as log:
        for start in range(0, len(raw), size):
            log.feed(raw[start : start + size])
    assert "several" not in read(path)
    assert "MIIE" not in read(path)
    assert read(path).count("***") == len(filler)


def test_one_endless_line_does_not_grow_in_memory(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "log", Redactor())
    for _ in range(64):
        log.feed(b"x" * 65536)
        assert len(log._pending) <= 2 * 65536
    log.close()
    assert read(tmp_path / "log") == "x" * 65536 * 64
    assert set(log.tail()) == {"x"}
    assert len(log.tail()) <= 500


def test_what_exceeds_the_cap_is_counted_and_dropped(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "log", Redactor(), cap=1000)
    for number in range(5000):
        log.feed(f"line {number:04}\n".encode())
    assert log.tail().splitlines()[-1] == "line 4999"
    log.close()
    assert read(tmp_path / "log").startswith("line 0000\nline 0001\n")
    assert read(tmp_path / "log")[1000:] == "\n--- 49,000 more bytes were dropped: the log is full ---\n"


def test_the_tail_is_the_last_forty_lines(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "log", Redactor())
    log.feed(b"".join(b"line %d\n" % number for number in range(100)))
    assert log.tail().split("\n") == [f"line {number}" for number in range(60, 100)]
    log.close()


def test_a_restart_starts_a_tail_of_its_own(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "log", Redactor())
    log.feed(b"old words")
    log.fresh("restarted")
    assert log.tail() == ""
    log.feed(b"new words\n")
    assert log.tail() == "new words"
    log.close()
    assert read(tmp_path / "log") == "old words\n--- restarted ---\nnew words\n"


def test_bytes_that_are_no_utf_8_are_shown_as_such(tmp_path: Path) -> None:
    log = AgentLog(tmp_path / "log", Redactor())
    log.feed(b"\xff\xfe ok\n")
    log.close()
    assert read(tmp_path / "log") == "\ufffd\ufffd ok\n"


@pytest.mark.parametrize(
    ("tail", "line"),
    [
        ("", ""),
        ("starting\nlistening", "listening"),
        ("Traceback\n  File x\nKeyError: 'a'\n", "KeyError: 'a'"),
        (
            "ERROR: [Errno 98] address already in use\nINFO: shutdown\n",
            "ERROR: [Errno 98] address already in use",
        ),
        ("Error: no module\n    at load (x.js:1)\n\nNode.js v20\n}\n", "Error: no module"),
        ("0 errors found\n" + "serving\n" * 20, "serving"),
        ("./run.sh: line 3: adk: command not found\n---\n", "./run.sh: line 3: adk: command not found"),
    ],
)
def test_the_line_that_says_why(tail: str, line: str) -> None:
    assert telling_line(tail) == line
