"""Recorded sessions under three checks: grounded, answered from memory, and asked about the wrong city."""

import re
from pathlib import Path

import pytest

from gate.formats.sessions import read_session
from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User
from gate.model.config import MetricConfig
from gate.model.finding import Place
from gate.model.score import Score, Scored
from gate.score import build, score_trial
from tests.support.commands import ROOT, a_project, gate

SESSIONS = Path(__file__).parents[1] / "fixtures/sessions"
PLACE = Place(file="golden/weather.yaml")


async def scores(session: str, wanted: Expect) -> dict[str, Score]:
    trace = read_session((SESSIONS / f"{session}.jsonl").read_text(encoding="utf-8"))
    turn = Turn(
        sent=User(parts=(TextPart(text="What is the weather in London?"),)), expect=wanted, place=PLACE
    )
    case = Case(id=trace.case, turns=(turn,), place=PLACE)
    exact = MetricConfig(name="exact", type="trajectory_exact_match", place=PLACE)
    return dict(await score_trial(build([exact]), case, trace))


@pytest.mark.parametrize(
    ("session", "used", "exact", "says"),
    [
        ("weather_grounded", 1.0, 1.0, 1.0),
        ("weather_ungrounded", 0.0, 0.0, 1.0),
        ("weather_wrong_city", 1.0, 0.0, 1.0),
    ],
)
async def test_an_answer_from_memory_passes_one_check_and_a_wrong_city_fails_only_the_exact_one(
    session: str, used: float, exact: float, says: float
) -> None:
    anyhow = await scores(session, Expect(calls=(ExpectedCall(name="get_weather"),), contains=("°C",)))
    london = Expect(calls=(ExpectedCall(name="get_weather", args={"city": "London"}),))
    found = [anyhow["calls"], (await scores(session, london))["exact"], anyhow["says"]]
    assert [score.value for score in found if isinstance(score, Scored)] == [used, exact, says]


def test_a_session_becomes_a_case_that_the_real_agent_passes_and_a_broken_one_fails(tmp_path: Path) -> None:
    folder = a_project(tmp_path / "cards", "cards")
    recording = ROOT / "tests/fixtures/adk/cards_session.json"
    to = ["--to", "golden/cards.yaml", "--expect", "calls,pauses,reference,nodes,state"]
    (folder / "golden/cards.yaml").unlink()
    done = gate("import", "session", str(recording), *to, cwd=folder)
    assert done.code == 0, done.err
    # which of the three branches comes first is chance, as the import says
    assert "parallel: […]" in done.err
    golden = folder / "golden/cards.yaml"
    listed = re.compile(r"- CleanAndDedup\n\s*- CompanyEnrich\n\s*- ContextMatch\n")
    branches = "- {parallel: [CleanAndDedup, CompanyEnrich, ContextMatch]}\n"
    text, found = listed.subn(branches, golden.read_text(encoding="utf-8"))
    assert found == 1
    golden.write_text(text, encoding="utf-8")
    done = gate("run", cwd=folder)
    assert done.code == 0, done.out + done.err
    broken = gate("run", "--env", "CARDS_BREAK=state", "--out", "out-broken", cwd=folder)
    assert broken.code == 1, broken.out + broken.err
