"""`agent-gate import session`, and `show` of what was recorded."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gate import cli
from gate.dataset import load
from gate.formats.records import dump
from gate.formats.session_case import case_of
from gate.formats.sessions import read_session
from gate.formats.stored import read_recording
from tests.support.cases import bare
from tests.support.commands import ROOT
from tests.support.goldens import Golden

SESSIONS = ROOT / "tests/fixtures/sessions"
CARDS = ROOT / "tests/fixtures/adk/cards_session.json"
HITL = SESSIONS / "hitl_14_events.jsonl"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"
Out = pytest.CaptureFixture[str]


@pytest.fixture
def golden(update_goldens: bool) -> Golden:
    return Golden(update=update_goldens)


def imported(capsys: Out, *arguments: str | Path) -> tuple[int, str, str]:
    code = cli.main(["import", "session", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.mark.parametrize("suffix", ["yaml", "json"])
@pytest.mark.parametrize("source", [HITL, CARDS, SESSIONS / "weather_grounded.jsonl"])
def test_what_is_written_reads_back_as_the_same_case(
    source: Path, suffix: str, tmp_path: Path, capsys: Out
) -> None:
    to = tmp_path / f"golden.{suffix}"
    code, out, err = imported(capsys, source, "--id", "one", "--to", to)
    assert (code, out) == (0, "")
    assert "read it before you commit it" in err
    found = load([to.name], tmp_path)
    assert found.findings == ()
    case, _ = case_of(read_recording(source.read_text(encoding="utf-8")), "one", str(source))
    assert case is not None
    assert [bare(one) for one in found.cases] == [bare(case)]
    assert imported(capsys, source, "--to", to)[0] == 2


def test_the_golden_file_looks_like_this(
    golden: Golden, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    golden("import/hitl.yaml", imported(capsys, HITL.relative_to(ROOT))[1])
    wide = imported(capsys, CARDS.relative_to(ROOT), "--expect", "nodes,pauses,state", "--turns", "2")
    golden("import/cards.yaml", wide[1])
    golden("import/cards.err", wide[2])


def test_the_cases_id_is_the_sessions_or_the_files(capsys: Out) -> None:
    assert "- id: cards-1\n" in imported(capsys, CARDS)[1]
    assert "- id: weather_grounded\n" in imported(capsys, SESSIONS / "weather_grounded.jsonl")[1]
    code, out, err = imported(capsys, CARDS, "--id", " spaced")
    assert (code, out) == (2, "")
    assert "cannot be the id of a case" in err


@pytest.mark.parametrize("where", ["said", "state", "arguments"])
def test_a_secret_is_refused_unless_told(where: str, tmp_path: Path, capsys: Out) -> None:
    words = JWT if where == "said" else "hi"
    args = {"token": JWT} if where == "arguments" else {}
    call = {"function_call": {"name": "login", "args": args}}
    session = {
        "id": "s",
        "state": {"headers": {"authorization": f"Bearer {JWT}"}} if where == "state" else {},
        "events": [
            {"author": "user", "content": {"parts": [{"text": words}]}},
            {"author": "bot", "content": {"parts": [call]}},
        ],
    }
    file, to = tmp_path / "s.json", tmp_path / "golden.yaml"
    file.write_text(json.dumps(session), encoding="utf-8")
    code, out, err = imported(capsys, file, "--to", to)
    assert (code, out) == (2, "")
    assert not to.exists()
    place = {
        "said": "user",
        "state": "start_state.headers.authorization",
        "arguments": "expect.calls[0].args.token",
    }
    assert f"the case: {place[where]} holds what looks like a token or a key" in err
    assert JWT not in err
    code, out, _ = imported(capsys, file, "--redact")
    assert code == 0
    assert JWT not in out
    assert "***" in out
    code, out, _ = imported(capsys, file, "--with-secrets")
    assert code == 0
    assert JWT in out


def test_a_mask_that_leaves_no_value_is_refused(tmp_path: Path, capsys: Out) -> None:
    key = "sk-" + "a1" * 12
    blob = {"inline_data": {"mime_type": f"{key}", "data": "eA=="}}
    file = tmp_path / "s.json"
    file.write_text(json.dumps([{"author": "user", "content": {"parts": [blob]}}]), encoding="utf-8")
    code, out, err = imported(capsys, file, "--redact")
    assert (code, out) == (2, "")
    assert "s.json, as golden.yaml" in err


AGENTS_CLI = ROOT / "tests/fixtures/other_tools/agents_cli_traces.json"


def test_what_agents_cli_recorded_of_a_case_is_imported(tmp_path: Path, capsys: Out) -> None:
    cases = json.loads(AGENTS_CLI.read_text(encoding="utf-8"))["eval_cases"]
    for case in cases:
        to = tmp_path / f"{case['eval_case_id']}.yaml"
        code, _, err = imported(capsys, AGENTS_CLI, "--case", case["eval_case_id"], "--to", to)
        assert code == 0, err
        (found,) = load([to.name], tmp_path).cases
        assert found.id == case["eval_case_id"]
        (part,) = found.turns[0].sent.parts  # type: ignore[union-attr]
        assert part.text == case["prompt"]["parts"][0]["text"]  # type: ignore[union-attr]
    code, out, err = imported(capsys, AGENTS_CLI)
    assert (code, out) == (2, "")
    assert f"has {len(cases)} cases" in err
    assert "no case 'none'" in imported(capsys, AGENTS_CLI, "--case", "none")[2]


def test_a_trace_of_ours_is_no_session(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "traces.jsonl"
    trace = read_session(HITL.read_text(encoding="utf-8"))
    file.write_text(json.dumps(dump(replace(trace, case="x"))), encoding="utf-8")
    for source in (file, tmp_path):
        code, _, err = imported(capsys, source)
        assert code == 2
        assert "holds traces of cases, not a recorded session" in err


@pytest.mark.parametrize(
    "option", [["--session", "x"], ["--id", "x"], ["--turns", "1"], ["--redact"], ["--with-secrets"]]
)
def test_options_of_a_session_are_for_sessions(option: list[str], tmp_path: Path, capsys: Out) -> None:
    assert cli.main(["import", "agents-cli", str(tmp_path / "x.json"), *option]) == 2
    assert f"{option[0]} is for `import session`" in capsys.readouterr().err


def test_an_unknown_expectation_is_refused(capsys: Out) -> None:
    with pytest.raises(SystemExit) as refused:
        imported(capsys, CARDS, "--expect", "calls,node")
    assert refused.value.code == 2
    assert "'node' is none of calls, pauses" in capsys.readouterr().err


@pytest.mark.parametrize("number", ["0", "-1", "x", "\u00b2", "1" * 10, "9" * 5000])
def test_a_number_of_turns_is_one_that_can_be_counted(number: str, capsys: Out) -> None:
    with pytest.raises(SystemExit) as refused:
        imported(capsys, CARDS, "--turns", number)
    assert refused.value.code == 2
    assert "is not a whole number from 1" in capsys.readouterr().err


@pytest.mark.parametrize("source", [HITL, CARDS])
def test_a_recorded_conversation_looks_like_this(
    source: Path, golden: Golden, capsys: Out, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert cli.main(["show", str(source.relative_to(ROOT))]) == 0
    golden(f"show/recorded_{source.stem}.txt", capsys.readouterr().out)


def test_show_of_a_case_takes_no_options_of_a_source(capsys: Out) -> None:
    assert cli.main(["show", "weather_london", "--session", "s"]) == 2
    assert "'weather_london' is taken for a case" in capsys.readouterr().err


def test_show_of_a_file_that_is_no_recording_is_bad_input(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "x.json"
    for content in ("{}", "[]", "nope", '[{"author": 3}]'):
        file.write_text(content, encoding="utf-8")
        assert cli.main(["show", str(file)]) == 2
        assert "x.json" in capsys.readouterr().err
    assert cli.main(["show", str(tmp_path / "none.json")]) == 2
    assert "cannot read" in capsys.readouterr().err
