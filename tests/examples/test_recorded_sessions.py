"""Recorded sessions under three checks: grounded, answered from memory, and asked about the wrong city."""

from pathlib import Path

import pytest

from gate.formats.sessions import read_session
from gate.model.case import Case, Expect, ExpectedCall, TextPart, Turn, User
from gate.model.config import MetricConfig
from gate.model.finding import Place
from gate.model.score import Score, Scored
from gate.score import build, score_trial

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
