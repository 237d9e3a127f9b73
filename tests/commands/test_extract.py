"""`agent-gate extract`: what is shown of a recorded session, what is filtered, and what is refused."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate import cli
from gate.formats.records import dump
from gate.formats.sessions import read_session
from tests.support.commands import ROOT
from tests.support.goldens import Golden
from tests.support.hostile import PIECES

SESSIONS = ROOT / "tests/fixtures/sessions"
HITL = SESSIONS / "hitl_14_events.jsonl"
AGENTS_CLI = ROOT / "tests/fixtures/other_tools/agents_cli_traces.json"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe]")

Out = pytest.CaptureFixture[str]


def a_trace() -> str:
    """A line as a run writes it."""
    trace = read_session((SESSIONS / "weather_grounded.jsonl").read_text(encoding="utf-8"))
    return json.dumps(dump(replace(trace, case="weather"))) + "\n"


def extract(capsys: Out, *arguments: str | Path) -> tuple[int, str, str]:
    code = cli.main(["extract", *map(str, arguments)])
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def golden(update_goldens: bool) -> Golden:
    return Golden(update=update_goldens)


@pytest.mark.parametrize("name", ["hitl_14_events", "weather_grounded", "weather_ungrounded"])
@pytest.mark.parametrize("view", ["summary", "list-invocations"])
def test_the_tables_look_like_this(name: str, view: str, golden: Golden, capsys: Out) -> None:
    code, out, err = extract(capsys, SESSIONS / f"{name}.jsonl", f"--{view}")
    assert (code, err) == (0, "")
    golden(f"extract/{name}_{view}.txt", out)


def test_the_list_of_sessions_looks_like_this(tmp_path: Path, golden: Golden, capsys: Out) -> None:
    rows = [
        {"session_id": name, "user_id": user, "data": line}
        for name, user in (
            ("hitl_14_events", "ann"),
            ("weather_grounded", "ann"),
            ("weather_wrong_city", "bob"),
        )
        for line in (SESSIONS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    file = tmp_path / "rows.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    code, out, err = extract(capsys, file, "--list-sessions")
    assert (code, err) == (0, "")
    golden("extract/sessions.txt", out)
    code, out, err = extract(capsys, file, "--list-sessions", "--limit", "1")
    assert out.count("\n") == 2
    assert "more than 1 sessions; --limit shows more" in err
    assert "bob" not in extract(capsys, file, "--list-sessions", "--user", "ann")[1]
    assert extract(capsys, file, "--list-sessions", "--since", "2030-01-01")[0] == 2
    code, out, err = extract(capsys, file, "--summary")
    assert code == 2
    assert "has 3 sessions" in err
    assert "--session 'weather_wrong_city'" in err
    assert extract(capsys, file, "--summary", "--session", "hitl_14_events")[1].endswith(
        "8 of 14 events contributed\n"
    )


def test_filters_choose_events_and_keep_their_numbers(capsys: Out) -> None:
    code, out, err = extract(capsys, HITL, "--summary", "--author", "user")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[1:-1]] == ["2", "7", "12"]
    assert "note: 3 of 14 events are chosen" in err
    code, out, err = extract(capsys, HITL, "--summary", "--invocation", "header_update")
    assert [line.split()[0] for line in out.splitlines()[1:-1]] == ["1", "6"]
    late = json.loads(HITL.read_text(encoding="utf-8").splitlines()[12])["timestamp"]
    assert late > 1_800_000_002
    code, out, err = extract(capsys, HITL, "--summary", "--since", "2027-01-15T08:00:02Z")
    assert 0 < out.count("\n") < 15
    both = extract(
        capsys, HITL, "--author", "user", "--author", "directory_agent", "--invocation", "header_update"
    )
    assert both[0] == 2
    assert "no event like that" in both[2]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--invocation", "header_updat"], "no invocation 'header_updat'; did you mean 'header_update'"),
        (["--author", "users"], "no author 'users'; did you mean 'user'"),
        (["--session", "other"], "no session with session 'other'"),
        (["--app", "other"], "no session with app 'other'"),
        (["--case", "x"], "not trials of cases"),
        (["--trial", "2"], "not trials of cases"),
        (["--with-secrets"], "are for --raw"),
        (["--redact"], "are for --raw"),
        (["--list-sessions", "--author", "user"], "--list-sessions looks at no event"),
        (["--raw", "--drop-tool", "x"], "--raw writes events as they were stored"),
        (["--since", "2030-01-01"], "no event like that since 2030-01-01 00:00:00"),
    ],
)
def test_what_cannot_be_chosen_is_bad_input(arguments: list[str], says: str, capsys: Out) -> None:
    code, out, err = extract(capsys, HITL, *arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


def test_traces_have_no_invocations(capsys: Out, tmp_path: Path) -> None:
    file = tmp_path / "traces.jsonl"
    file.write_text(a_trace(), encoding="utf-8")
    for option in (["--raw"], ["--list-invocations"], ["--since", "1d"], ["--invocation", "x"]):
        code, _, err = extract(capsys, file, *option)
        assert code == 2
        assert "holds traces, which have no invocations" in err
    code, out, err = extract(capsys, file, "--list-sessions")
    assert (code, out) == (2, "")
    assert "holds traces of cases" in err


def test_plumbing_is_dropped_unless_it_is_asked_for_and_real_tools_are_kept(capsys: Out) -> None:
    def names(*arguments: str) -> set[str]:
        messages = json.loads(extract(capsys, HITL, *arguments)[1])
        return {call["function"]["name"] for message in messages for call in message.get("tool_calls", ())}

    assert names() == {"ask_user", "search_users"}
    assert names("--include-internal") == {"ask_user", "search_users", "adk_request_confirmation"}
    assert names("--drop-tool", "ask_user") == {"search_users"}


def test_envelopes_are_unwrapped_errors_kept_and_thoughts_apart(tmp_path: Path, capsys: Out) -> None:
    def result(value: Any) -> dict[str, Any]:
        part = {"function_response": {"id": "1", "name": "t", "response": value}}
        return {"author": "bot", "content": {"parts": [part]}}

    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    thought = {"author": "bot", "content": {"parts": [{"text": "hm", "thought": True}, {"text": "hello"}]}}
    events = [
        result({"result": "x"}),
        result({"content": blocks, "isError": False}),
        result({"content": blocks, "isError": True}),
        result({"result": {"content": blocks, "isError": True}}),
        result({"error": "no"}),
        thought,
    ]
    file = tmp_path / "x.json"
    file.write_text(json.dumps(events), encoding="utf-8")
    messages = json.loads(extract(capsys, file)[1])
    assert [message["content"] for message in messages] == [
        "x", "a\nb", "[tool error] a\nb", "[tool error] a\nb", '[tool error] {"error": "no"}', "hello",
    ]  # fmt: skip
    assert messages[-1]["reasoning_content"] == "hm"


def leaking(folder: Path) -> Path:
    """The fixture as a gateway would leave it: the user's token in the session's state."""
    frames = [json.loads(line) for line in HITL.read_text(encoding="utf-8").splitlines()]
    frames[0]["actions"]["state_delta"]["headers"] |= {
        "authorization": f"Bearer {JWT}",
        "x-api-key": "plain-words-here",
    }
    file = folder / "leaking.jsonl"
    file.write_text("".join(json.dumps(frame) + "\n" for frame in frames), encoding="utf-8")
    return file


def test_raw_is_a_fixture_that_reads_back_the_same(tmp_path: Path, capsys: Out) -> None:
    to = tmp_path / "fixture.jsonl"
    code, out, err = extract(capsys, HITL, "--raw", "--to", to)
    assert (code, out) == (0, "")
    assert "Before you commit or send them, look for request headers and cookies" in err
    lines, stored = to.read_text(encoding="utf-8").splitlines(), HITL.read_text(encoding="utf-8").splitlines()
    assert list(map(json.loads, lines)) == list(map(json.loads, stored))
    assert all(line.count(": null") >= 40 for line in lines)
    assert extract(capsys, HITL, "--raw", "--to", to)[0] == 2


def test_raw_refuses_to_write_a_token_and_says_where_it_stands(tmp_path: Path, capsys: Out) -> None:
    file, to = leaking(tmp_path), tmp_path / "fixture.jsonl"
    code, out, err = extract(capsys, file, "--raw", "--to", to)
    assert (code, out) == (2, "")
    assert not to.exists()
    assert "event 1: actions.state_delta.headers.authorization holds what looks like a token or a key" in err
    assert JWT not in err


def test_raw_writes_secrets_when_told_and_masks_them_when_told(tmp_path: Path, capsys: Out) -> None:
    file = leaking(tmp_path)
    code, out, err = extract(capsys, file, "--raw", "--with-secrets")
    assert code == 0
    assert JWT in out
    assert (
        "may be secrets: actions.state_delta.headers.authorization, actions.state_delta.headers.x-api-key"
        in err
    )
    code, out, err = extract(capsys, file, "--raw", "--redact")
    assert code == 0
    assert JWT not in out
    assert json.loads(out.splitlines()[0])["actions"]["state_delta"]["headers"]["authorization"] == "***"
    assert "may be secrets: actions.state_delta.headers.x-api-key" in err


@pytest.mark.parametrize("view", [[], ["--summary"], ["--list-invocations"], ["--include-internal"]])
def test_no_other_view_shows_a_token(view: list[str], tmp_path: Path, capsys: Out) -> None:
    file = leaking(tmp_path)
    text = file.read_text(encoding="utf-8").replace("Find Grace's address.", f"my key is {JWT}")
    file.write_text(text, encoding="utf-8")
    code, out, err = extract(capsys, file, *view)
    assert code == 0
    assert JWT not in out + err


def test_agents_cli_traces_are_read(capsys: Out) -> None:
    names = [
        case["eval_case_id"] for case in json.loads(AGENTS_CLI.read_text(encoding="utf-8"))["eval_cases"]
    ]
    for name in names:
        code, out, err = extract(capsys, AGENTS_CLI, "--case", name)
        assert (code, err) == (0, "")
        assert json.loads(out)[0]["role"] == "user"
    assert f"the first of {len(names)} traces" in extract(capsys, AGENTS_CLI, "--summary")[2]
    code, _, err = extract(capsys, AGENTS_CLI, "--case", "none")
    assert code == 2
    assert names[0] in err


def test_a_broken_line_of_traces_is_named(tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "traces.jsonl"
    file.write_text(a_trace() + "{oops\n", encoding="utf-8")
    code, _, err = extract(capsys, file)
    assert code == 2
    assert "traces.jsonl:2 is no trace" in err


PIECE = st.sampled_from(PIECES).filter(lambda piece: not re.search("[\ud800-\udfff]", piece))
WORDS = st.lists(PIECE, max_size=4).map("".join)
KINDS: st.SearchStrategy[Any] = (
    st.none() | st.integers() | st.lists(st.none(), max_size=1) | st.just({}) | WORDS
)
NULLS = {f"field_{n}": None for n in range(40)}
ROW = st.fixed_dictionaries(
    {"author": WORDS},
    optional={
        "invocation_id": WORDS,
        "timestamp": st.floats(allow_nan=False, allow_infinity=False),
        "error_code": KINDS,
        "content": st.fixed_dictionaries(
            {"parts": st.lists(st.fixed_dictionaries({"text": WORDS}) | st.fixed_dictionaries(
                {"function_call": st.fixed_dictionaries({"name": WORDS, "args": KINDS})}), max_size=3)}
        ),
        "actions": st.fixed_dictionaries({"state_delta": st.dictionaries(WORDS, KINDS, max_size=2)}),
    },
).map(lambda row: {**NULLS, **row})  # fmt: skip


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(rows=st.lists(ROW | KINDS, min_size=1, max_size=4))
def test_hostile_rows_stay_inert_in_every_view(rows: list[Any], tmp_path: Path, capsys: Out) -> None:
    file = tmp_path / "hostile.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    for command in (
        ["extract"],
        ["extract", "--summary"],
        ["extract", "--list-invocations"],
        ["extract", "--list-sessions"],
        ["extract", "--raw", "--with-secrets"],
        ["show"],
        ["import", "session"],
    ):
        assert cli.main([*command, str(file)]) in (0, 2)
        said = capsys.readouterr()
        for line in (said.out + "\n" + said.err).split("\n"):
            assert not CONTROL.search(line), (command, ascii(line))
            assert not line.lstrip().startswith("::"), command
            assert not re.search(r"##\w*\[", line), command


ATTACK = re.sub("[\x00\ud800-\udfff]", "", "".join(PIECES))
COMMANDS = (
    ["extract"],
    ["extract", "--summary"],
    ["extract", "--list-invocations"],
    ["extract", "--list-sessions"],
    ["extract", "--raw", "--with-secrets"],
    ["extract", "--raw", "--redact"],
    ["show"],
    ["import", "session", "--id", "x", "--expect", "calls,pauses,reference,nodes,state"],
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("piece", [ATTACK, "::error::x", "##[error]x", "\x1b[31mred", "a\u202eb"])
def test_an_attack_in_every_place_of_a_session_stays_inert(
    command: list[str], piece: str, tmp_path: Path, capsys: Out
) -> None:
    call = {"function_call": {"name": piece, "args": {piece: piece}, "id": piece}}
    result = {"function_response": {"name": piece, "response": {"error": piece}, "id": piece}}
    delta = {"state_delta": {piece: {piece: piece}}}
    events = [
        {"author": "user", "content": {"parts": [{"text": piece}]}, "invocation_id": piece},
        {
            "author": piece,
            "content": {"parts": [{"text": piece}, call]},
            "invocation_id": piece,
            "actions": delta,
        },
        {"author": piece, "content": {"parts": [result]}, "node_info": {"path": piece}, "error_code": piece},
        {"author": piece, "content": {"parts": [{"text": piece}]}},
    ]
    file = tmp_path / "attack.json"
    session = {"id": piece, "appName": piece, "userId": piece, "state": {piece: piece}, "events": events}
    file.write_text(json.dumps(session), encoding="utf-8")
    assert cli.main([*command, str(file)]) == 0
    said = capsys.readouterr()
    for line in (said.out + "\n" + said.err).split("\n"):
        assert not CONTROL.search(line), ascii(line)
        assert not line.lstrip().startswith("::"), line
        assert not re.search(r"##\w*\[", line), line


def test_a_url_in_the_wrong_place_is_not_repeated_with_its_password(capsys: Out) -> None:
    for arguments in (
        ["extract", "x", "postgresql://u:p@ss@h/d"],
        ["import", "postgresql://u:p@ss@h/d", "x"],
    ):
        with pytest.raises(SystemExit):
            cli.main(arguments)
        assert "://***@h/d" in (err := capsys.readouterr().err)
        assert "p@ss" not in err


def test_a_large_session_is_read(tmp_path: Path, capsys: Out) -> None:
    frame = {"author": "bot", "content": {"parts": [{"text": "x" * 200}]}, **NULLS}
    file = tmp_path / "large.jsonl"
    file.write_text((json.dumps(frame) + "\n") * 20_000, encoding="utf-8")
    code, out, _ = extract(capsys, file, "--summary")
    assert code == 0
    assert out.endswith("20000 of 20000 events contributed\n")
    huge = tmp_path / "huge.json"
    huge.write_text(
        json.dumps([{"author": "bot", "content": {"parts": [{"text": "x" * (20 << 20)}]}}]), encoding="utf-8"
    )
    assert extract(capsys, huge, "--summary")[0] == 0
