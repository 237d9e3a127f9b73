"""Real emitters of spans besides ADK, and a reader beside ours: agentevals-cli, on every file there is."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gate.formats import otel
from gate.model.derived import calls_of, last_words
from gate.model.trace import Result, Trace, TurnTrace
from tests.formats.conftest import Record
from tests.formats.test_otel_adk import SETTINGS
from tests.formats.test_otel_dialects import DIALECTS, FORMS
from tests.support.commands import ROOT, environment
from tests.support.otel_emitters import INSTRUMENTS
from tests.support.own_environment import own_environment

pytestmark = pytest.mark.timeout(900)  # the first of them makes the environment

CAPTURE = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
OPT_IN = {"OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"}


@pytest.fixture(scope="session")
def programs() -> Path:
    return own_environment("peers")


def run(programs: Path, script: str, *arguments: str, **settings: str) -> str:
    done = subprocess.run(
        [programs / "python", ROOT / "tests/support" / script, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment(PYTHONWARNINGS="ignore", **settings),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def read(text: str) -> list[Trace]:
    return [conversation.trace for conversation in otel.read(text, "f").conversations]


EMITTED: dict[str, tuple[str, dict[str, str]]] = {
    "openinference": ("openinference", {}),
    "openllmetry": ("openllmetry", {}),
    "opentelemetry, an event a message": ("opentelemetry", {CAPTURE: "true"}),
    "opentelemetry, attributes": ("opentelemetry", {CAPTURE: "SPAN_ONLY", **OPT_IN}),
    "opentelemetry, an event of details": ("opentelemetry", {CAPTURE: "EVENT_ONLY", **OPT_IN}),
}


@pytest.mark.parametrize("case", EMITTED)
def test_an_agent_on_openais_client_reads_the_same_whoever_records_it(
    programs: Path, tmp_path: Path, case: str
) -> None:
    name, settings = EMITTED[case]
    run(programs, "otel_emitters.py", str(tmp_path / "spans.jsonl"), name, **settings)
    [trace] = read((tmp_path / "spans.jsonl").read_text(encoding="utf-8"))
    [turn] = trace.turns
    [call] = calls_of(trace.events)
    assert turn.sent == "Weather?"
    assert (call.id, call.name, call.args) == ("c1", "get_weather", {"city": "London"})
    assert [part.value for event in trace.events for part in event.parts if isinstance(part, Result)] == [
        {"temp": 14}
    ]
    assert last_words(trace.events) == "14 degrees."
    assert sum(event.usage.total for event in trace.events if event.usage) == 30
    assert {"text", "calls", "usage"} <= set(trace.exposes)


@pytest.mark.parametrize("name", ["opentelemetry", "openllmetry"])
def test_a_client_that_records_no_content_exposes_neither_text_nor_calls(
    programs: Path, tmp_path: Path, name: str
) -> None:
    off = {"TRACELOOP_TRACE_CONTENT": "false"} if name == "openllmetry" else {}
    run(programs, "otel_emitters.py", str(tmp_path / "spans.jsonl"), name, **off)
    [trace] = read((tmp_path / "spans.jsonl").read_text(encoding="utf-8"))
    assert trace.exposes == ("usage",)
    assert {call.args_error for call in calls_of(trace.events)} <= {"the arguments were not recorded"}


def told(turn: TurnTrace) -> dict[str, Any]:
    return {
        "sent": turn.sent,
        "calls": [[call.name, dict(call.args or {})] for call in calls_of(turn.events)],
        "answer": last_words(turn.events),
        "tokens": sum(event.usage.total for event in turn.events if event.usage),
    }


def ours(text: str) -> dict[str, Any]:
    return {trace.session: [told(turn) for turn in trace.turns] for trace in read(text)}


def theirs(programs: Path, *files: Path) -> list[Any]:
    found: list[Any] = json.loads(run(programs, "otel_peer.py", *map(str, files)))
    return found


UNREAD = {"OpenInference", "OpenLLMetry", "events of prompt and completion"}
"""What agentevals-cli leaves to the Collector to translate."""


def is_read(dialect: str, form: str) -> bool:
    """Whether it reads this at all; Jaeger keeps the objects in an event as text."""
    return (
        dialect not in UNREAD
        and form != "a list of documents"
        and (dialect, form) != ("an event a message", "Jaeger")
    )


def test_agentevals_reads_the_same_turns_in_every_convention_and_file(programs: Path, tmp_path: Path) -> None:
    files: dict[Path, str] = {}
    for dialect, spans in DIALECTS.items():
        for form, write in FORMS.items():
            if is_read(dialect, form):
                files[tmp_path / f"{len(files)}.json"] = write(spans())
    for path, text in files.items():
        path.write_text(text, encoding="utf-8")
    assert len(files) >= 19
    assert theirs(programs, *files) == [ours(text) for text in files.values()]


@pytest.mark.parametrize("setting", SETTINGS)
def test_agentevals_reads_the_same_turns_in_what_adk_exports(
    record: Record,
    programs: Path,
    tmp_path: Path,
    setting: str,
) -> None:
    text = record("hello | weather in London", **SETTINGS[setting])
    (tmp_path / "spans.jsonl").write_text(text, encoding="utf-8")
    assert theirs(programs, tmp_path / "spans.jsonl") == [ours(text)]


def test_every_instrument_is_run() -> None:
    assert {name for name, _ in EMITTED.values()} == set(INSTRUMENTS)
