import json
from pathlib import Path

import pytest

from gate.drive import drive
from gate.errors import BadInput
from gate.formats.records import dump
from gate.model.config import RunConfig
from gate.model.trace import Completed, Crashed, Event, Refused, Text, Trace, TurnTrace
from gate.redact import Redactor
from tests.support.driving import StillAgent, case, config


def recorded(case_id: str, trial: int, words: str = "hello") -> Trace:
    event = Event(seq=1, turn=1, at_ms=12.5, parts=(Text(text=words),))
    turn = TurnTrace(sent="hi", events=(event,), ended="answered", started_ms=1.0, ended_ms=20.0)
    return Trace(
        case=case_id,
        trial=trial,
        session="s",
        turns=(turn,),
        outcome=Completed(),
        exposes=("text",),
        duration_ms=21.0,
    )


def write(path: Path, *traces: Trace) -> Path:
    path.write_text("".join(json.dumps(dump(trace), ensure_ascii=False) + "\n" for trace in traces), "utf-8")
    return path


async def replay(file: Path, *wanted: tuple[str, int], redact: Redactor | None = None) -> list[Trace]:
    plan = tuple((case(case_id), (trial,)) for case_id, trial in wanted)
    options = config({"traces": str(file)}, protocol="replay")
    return [trace async for trace in drive(StillAgent(""), options, RunConfig(), plan, redact or Redactor())]


async def test_a_recorded_trial_comes_back_as_it_was_and_names_its_line(tmp_path: Path) -> None:
    file = write(tmp_path / "traces.jsonl", recorded("a", 1, "é\u2028"), recorded("b", 1), recorded("a", 2))
    second, first = await replay(file, ("a", 2), ("a", 1))
    assert (second.trial, second.source) == (2, f"{file}:3")
    assert first.turns == recorded("a", 1, "é\u2028").turns
    assert first.duration_ms == 21.0


async def test_what_was_not_recorded_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "traces.jsonl", recorded("a", 1))
    (trace,) = await replay(file, ("a", 2))
    assert isinstance(trace.outcome, Refused)
    assert "has no trial 2 of 'a'" in trace.outcome.reason


async def test_a_recorded_failure_is_a_failure_again(tmp_path: Path) -> None:
    lost = Trace(case="a", trial=1, session="", turns=(), outcome=Crashed(reason="boom"), exposes=("text",))
    (trace,) = await replay(write(tmp_path / "t.jsonl", lost), ("a", 1))
    assert trace.outcome == Crashed(reason="boom")


async def test_the_last_recording_of_a_trial_counts(tmp_path: Path) -> None:
    file = write(tmp_path / "t.jsonl", recorded("a", 1, "old"), recorded("a", 1, "new"))
    (trace,) = await replay(file, ("a", 1))
    assert trace.events[0].parts == (Text(text="new"),)


async def test_secrets_of_an_old_recording_are_taken_out(tmp_path: Path) -> None:
    file = write(tmp_path / "t.jsonl", recorded("a", 1, "key canary-12345678"))
    (trace,) = await replay(file, ("a", 1), redact=Redactor(["canary-12345678"]))
    assert trace.events[0].parts == (Text(text="key ***"),)


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"{", 1, "not JSON"),
        (b'\n{"case": "a"}\n', 2, "names no case and trial"),
        (b"[]", 1, "names no case and trial"),
        (b'{"case": "a", "trial": 1}\n', 1, "Trace"),
        (b'"\xff"', 1, "not UTF-8"),
    ],
)
async def test_a_file_that_is_no_recording_is_a_finding_with_its_line(
    tmp_path: Path, content: bytes, line: int, words: str
) -> None:
    file = tmp_path / "t.jsonl"
    file.write_bytes(content)
    with pytest.raises(BadInput) as failure:
        await replay(file, ("a", 1))
    (finding,) = failure.value.findings
    assert (finding.rule, finding.place.line) == ("unreadable-traces", line)
    assert words in finding.what


async def test_a_missing_file_is_a_finding(tmp_path: Path) -> None:
    with pytest.raises(BadInput) as failure:
        await replay(tmp_path / "nowhere.jsonl", ("a", 1))
    assert "No such file" in failure.value.findings[0].what
