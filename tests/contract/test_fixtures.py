"""What is committed as a recording holds no token of anybody."""

import re
from pathlib import Path

import pytest

from gate.formats.accounts import entries
from gate.formats.stored import read_recordings
from gate.recorded import address
from gate.recorded.secrets import leaks

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("tests/fixtures", "tests/goldens", "examples", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.is_file() and path.suffix not in {".png", ".pyc", ".pem", ".py"} and ".adk" not in path.parts
)
JWT = re.compile(r"eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*")
SESSIONS = sorted((ROOT / "tests/fixtures/sessions").glob("*.jsonl"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_committed_recording_holds_a_token(path: Path) -> None:
    found = JWT.search(path.read_text(encoding="utf-8", errors="replace"))
    assert found is None, f"{path}: {found[0][:20]}… looks like a JWT; record it again without it"


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.name)
def test_no_recorded_session_holds_what_raw_would_refuse_to_write(path: Path) -> None:
    for recording in read_recordings(path.read_text(encoding="utf-8")):
        frames = [(f"event {entry.number}", entry.frame) for entry in entries(recording)]
        assert not leaks(frames, address(str(path)))


def test_the_guard_sees_a_token() -> None:
    assert JWT.search('{"authorization": "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"}')
    assert SESSIONS
    assert FILES
