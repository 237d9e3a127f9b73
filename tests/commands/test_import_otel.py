"""`agent-gate import otel`: recorded spans become traces that `agent-gate grade` scores."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.commands import gate
from tests.support.otel_spans import document, span

CONFIG = """
version: 1
agent:
  protocol: replay
  replay: {traces: traces.jsonl}
dataset: golden.yaml
"""
GOLDEN = """
cases:
  - id: weather
    user: Weather in London?
    expect: {calls: [{name: get_weather, args: {city: London}}], contains: [degrees]}
  - id: greeting
    user: Hi
    expect: {calls: none}
"""
CHAT = {"gen_ai.operation.name": "chat"}


def said(role: str, *parts: Any) -> dict[str, Any]:
    return {
        "role": role,
        "parts": [{"type": "text", "content": p} if isinstance(p, str) else p for p in parts],
    }


def talk(number: int, asked: str, answer: str, *, calls: bool = False, content: bool = True) -> list[Any]:
    """One conversation of an agent that records its tools."""
    trace = f"{number:032x}"
    given, made = json.dumps([said("user", asked)]), json.dumps([said("assistant", answer)])
    held = {"gen_ai.input.messages": given, "gen_ai.output.messages": made} if content else {}
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "get_weather",
        "gen_ai.tool.call.arguments": '{"city": "London"}',
    }
    spans = [span(3, "tool", tool, parent=1, trace=trace, at=number)] if calls else []
    top = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "a"}
    return [
        span(1, "x", top, trace=trace, at=number),
        span(2, "chat", CHAT | held, parent=1, trace=trace, at=number + 1),
        *spans,
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("agent-gate.yml", CONFIG), ("golden.yaml", GOLDEN), ("traces.jsonl", "")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    good = [*talk(1, "Weather in London?", "14 degrees.", calls=True), *talk(2, "Hi", "Hello!")]
    bad = [*talk(1, "Weather in London?", "14 degrees."), *talk(2, "Hi", "Hello!")]
    hidden = [*talk(1, "Weather in London?", "", content=False), *talk(2, "Hi", "", content=False)]
    for name, spans in (("good", good), ("bad", bad), ("hidden", hidden)):
        (tmp_path / f"{name}.json").write_text(document(*spans), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("to", ["spans", "spans/mine.jsonl"])
def test_spans_of_a_good_agent_are_graded_green_and_of_one_that_skips_its_tool_red(
    folder: Path, to: str
) -> None:
    graded = None
    for name, code in (("good", 0), ("bad", 1)):
        done = gate(
            "import", "otel", f"{name}.json", "--config", "agent-gate.yml", "--to", f"{name}/{to}", cwd=folder
        )
        assert (done.code, done.out) == (0, ""), done.err
        assert "is written: 2 traces of 2 cases." in done.err
        graded = gate("grade", f"{name}/{to}", cwd=folder)
        assert graded.code == code, graded.out
    assert graded
    assert 'expected a call of `get_weather {"city": "London"}`; the agent called no tool' in graded.out


def test_what_was_not_recorded_is_undecided_and_never_no_tool_called(folder: Path) -> None:
    names = {"0" * 31 + "1": "weather", "0" * 31 + "2": "greeting"}
    text = (folder / "hidden.json").read_text(encoding="utf-8")
    spans = json.loads(text)["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for each in spans:
        held = {"key": "test.case", "value": {"stringValue": names[each["traceId"]]}}
        each["attributes"].append(held)
    (folder / "hidden.json").write_text(document(*spans), encoding="utf-8")
    arguments = ("--config", "agent-gate.yml", "--case-from", "test.case", "--to", "spans")
    done = gate("import", "otel", "hidden.json", *arguments, cwd=folder)
    assert done.code == 0, done.err
    assert "which tools it called was not recorded in 2 of 2 conversations" in done.err
    graded = gate("grade", "spans", cwd=folder)
    assert graded.code == 3, graded.out
    assert "does not expose tool calls" in graded.out
    assert "called no tool" not in graded.out


def test_without_to_the_traces_are_printed_and_named_as_the_conversations_are(folder: Path) -> None:
    done = gate("import", "otel", "good.json", cwd=folder)
    assert done.code == 0
    assert [json.loads(line)["case"] for line in done.out.splitlines()] == ["1", "2"]


def test_a_conversation_that_no_case_fits_is_told_at_its_place(folder: Path) -> None:
    spans = [*talk(1, "Weather in London?", "14 degrees."), *talk(2, "Bye", "Bye!")]
    (folder / "more.json").write_text("\n".join(document(each) for each in spans), encoding="utf-8")
    done = gate("import", "otel", "more.json", "--config", "agent-gate.yml", cwd=folder)
    assert done.code == 0
    assert len(done.out.splitlines()) == 1
    assert "more.json:3:" in done.err
    assert "warn   unassigned    the conversation '2' is no trial of a case" in done.err
    assert "1 case of the suite has no trial in this file: greeting" in done.err


def test_a_case_that_nobody_recorded_is_not_measured_and_no_run_was_interrupted(folder: Path) -> None:
    (folder / "one.json").write_text(document(*talk(1, "Weather in London?", "14 degrees.", calls=True)))
    done = gate("import", "otel", "one.json", "--config", "agent-gate.yml", "--to", "some", cwd=folder)
    assert done.code == 0, done.err
    graded = gate("grade", "some", cwd=folder)
    assert graded.code == 3, graded.out
    assert "greeting: 0 of 1 trial measured: 1 refused: some/traces.jsonl has no trial 1 of it" in graded.out
    assert "interrupted" not in graded.out


def test_nothing_is_written_where_nothing_can_be_assigned(folder: Path) -> None:
    (folder / "bye.json").write_text(document(*talk(1, "Bye", "Bye!")), encoding="utf-8")
    done = gate("import", "otel", "bye.json", "--config", "agent-gate.yml", "--to", "x", cwd=folder)
    assert done.code == 2
    assert "nothing-to-import" in done.err
    assert not (folder / "x").exists()


def test_nothing_is_written_over(folder: Path) -> None:
    for to in (".", "traces.jsonl"):
        done = gate("import", "otel", "good.json", "--to", to, cwd=folder)
        assert done.code == 2
        assert "traces.jsonl is there already" in done.err
    assert (folder / "traces.jsonl").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"{", "odd.json  error  not-json"),
        (b"\xff", "odd.json is not UTF-8"),
        (b'{"eval_cases": []}', "error  not-spans  this is no document of spans"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(folder: Path, content: bytes, says: str) -> None:
    (folder / "odd.json").write_bytes(content)
    done = gate("import", "otel", "odd.json", "--to", "x", cwd=folder)
    assert done.code == 2
    assert says in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", ["nowhere.json", "."])
def test_a_file_that_is_not_there_is_told(folder: Path, name: str) -> None:
    done = gate("import", "otel", name, cwd=folder)
    assert done.code == 2
    assert f"cannot read {name}" in done.err


def test_more_trials_than_a_run_can_have_are_told(folder: Path) -> None:
    spans = [each for number in range(1, 1003) for each in talk(number, "Hi", "Hello!")]
    (folder / "many.json").write_text(document(*spans), encoding="utf-8")
    done = gate("import", "otel", "many.json", "--config", "agent-gate.yml", cwd=folder)
    assert done.code == 2
    assert "error  too-many-trials" in done.err
    assert "the case 'greeting' has 1002 trials, and 1000 is the most" in done.err


def test_a_token_in_a_span_is_in_no_trace(folder: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    (folder / "x.json").write_text(document(*talk(1, "Hi", f"use {token}")), encoding="utf-8")
    done = gate("import", "otel", "x.json", cwd=folder)
    assert done.code == 0
    assert token not in done.out
    assert "use ***" in done.out


@pytest.mark.parametrize("option", [("--config", "agent-gate.yml"), ("--case-from", "x")])
def test_the_options_of_otel_are_refused_for_golden_files(folder: Path, option: tuple[str, str]) -> None:
    done = gate("import", "agents-cli", "good.json", *option, cwd=folder)
    assert done.code == 2
    assert "--config and --case-from are for otel, not for agents-cli" in done.err


@pytest.mark.parametrize(
    "to", ["good.json/x", "good.json/x.jsonl", "good.json/deep/x.jsonl", "n" * 300 + ".jsonl"]
)
def test_a_place_that_cannot_be_written_to_is_named(folder: Path, to: str) -> None:
    (folder / "x.json").write_text(document(*talk(1, "Hi", "Hello!")), encoding="utf-8")
    (folder / "good.json").write_text("{}", encoding="utf-8")
    done = gate("import", "otel", "x.json", "--to", to, cwd=folder)
    assert done.code == 2
    assert f"cannot write {to}" in done.err
