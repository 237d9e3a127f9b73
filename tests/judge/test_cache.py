"""Earlier judgements: what they save, and that no pull request can bring its own."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from gate.check import check
from gate.judge import Bench, Judged, Question
from gate.judge.cache import BadCache, Cache, Kept, parse_cache, question_key
from gate.judge.templates import Prompt
from gate.redact import Redactor
from gate.suite import Selection
from tests.judge.test_run import Nurse
from tests.support.judge import Say, ScriptedJudge, a_judge
from tests.support.judging import Clinic, a_clinic, lenient, renamed, strict
from tests.support.tampering import accepted, verdict

FILE = ".agent-gate/judged.jsonl"


@pytest_asyncio.fixture
async def clinic(tmp_path: Path) -> AsyncIterator[Clinic]:
    with Nurse().running() as agent, ScriptedJudge(strict).running() as judge:
        made = a_clinic(tmp_path / "clinic", agent, judge)
        made.edit("agent-gate.yml", "metrics:\n", f"judge_cache: {FILE}\nmetrics:\n")
        await made.run()
        made.accept()
        made.commit()
        judge.asked.clear()
        yield made


def anchors_asked(clinic: Clinic) -> int:
    return sum("how much, " in asked.user for asked in clinic.judge.asked)


async def test_an_unchanged_answer_is_not_asked_about_again_and_anchors_always_are(clinic: Clinic) -> None:
    report = await clinic.run()
    assert verdict(report) == "pass 0"
    assert len(clinic.judge.asked) == anchors_asked(clinic) == 12
    (reading,) = report.judges
    assert (reading.calls, reading.cached) == (12, 4)
    assert not report.meta.commit.dirty


async def test_a_changed_answer_is_asked_about(clinic: Clinic) -> None:
    clinic.agent.broken = "careless"
    report = await clinic.run()
    assert verdict(report) == "regression 1"
    assert len(clinic.judge.asked) == 12 + 4
    assert not report.meta.commit.dirty, "what the gate itself has written is no change of the agent"


async def test_another_prompt_another_model_and_another_rubric_are_asked_about(clinic: Clinic) -> None:
    for old, new in (
        ("type: judge,", 'type: judge, prompt: "{rubric} {response}?",'),
        ("model: judge-2026-01-01", "model: other"),
    ):
        clinic.judge.asked.clear()
        clinic.edit("agent-gate.yml", old, new)
        await clinic.run()
        assert len(clinic.judge.asked) == 12 + 4
    clinic.judge.asked.clear()
    clinic.edit("golden/cases.yaml", "sends the user to a doctor", "sends the user to any doctor")
    await clinic.run()
    assert len(clinic.judge.asked) == 12 + 4


async def test_what_another_model_of_the_same_name_said_does_not_count(clinic: Clinic) -> None:
    clinic.judge.script = renamed
    await clinic.run()
    assert len(clinic.judge.asked) == 12 + 4


async def test_a_part_of_the_suite_keeps_what_it_had_no_use_for(clinic: Clinic) -> None:
    before = (clinic.folder / FILE).read_text(encoding="utf-8")
    await clinic.run(selection=Selection(cases=("dosing",)))
    assert (clinic.folder / FILE).read_text(encoding="utf-8") == before
    clinic.edit("golden/cases.yaml", "{id: children,", "{id: kids,")
    await clinic.run()
    assert (clinic.folder / FILE).read_text(encoding="utf-8") != before


def forged(clinic: Clinic) -> None:
    """Judgements of the careless answers as a pull request wants them."""
    path = clinic.folder / FILE
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    text = "".join(json.dumps({**line, "value": 1.0, "why": "fine"}) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")


async def careless_judgements(clinic: Clinic) -> None:
    clinic.agent.broken = "careless"
    await clinic.run()
    forged(clinic)
    clinic.judge.asked.clear()


async def test_forged_judgements_of_a_pull_request_are_never_read(clinic: Clinic) -> None:
    await careless_judgements(clinic)
    report = await clinic.run(base=True)
    assert verdict(report) == "regression 1"
    assert len(clinic.judge.asked) == 12 + 4
    assert verdict(await clinic.run(base=True, ask=accepted)) == "regression 1"


async def test_not_even_where_the_pull_request_is_accepted_that_names_the_file(clinic: Clinic) -> None:
    await careless_judgements(clinic)
    clinic.write("other.jsonl", (clinic.folder / FILE).read_text(encoding="utf-8"))
    clinic.edit("agent-gate.yml", FILE, "other.jsonl")
    clinic.edit("agent-gate.yml", "coverage: 0.9", "coverage: 0.8")
    for ask in (accepted,):
        report = await clinic.run(base=True, ask=ask)
        assert verdict(report) == "regression 1"
    assert len(clinic.judge.asked) == 12 + 4


async def test_a_pull_request_uses_its_bases_judgements_and_writes_none(clinic: Clinic) -> None:
    (clinic.folder / FILE).write_text("", encoding="utf-8")
    report = await clinic.run(base=True)
    assert verdict(report) == "pass 0"
    assert len(clinic.judge.asked) == 12
    assert (clinic.folder / FILE).read_text(encoding="utf-8") == ""


async def test_an_accepted_pull_request_uses_its_bases_judgements_too(clinic: Clinic) -> None:
    (clinic.folder / FILE).write_text("", encoding="utf-8")
    clinic.edit("agent-gate.yml", "coverage: 0.9", "coverage: 0.8")
    report = await clinic.run(base=True, ask=accepted)
    assert report.comparison.bar
    assert report.comparison.bar.side == "head"
    assert len(clinic.judge.asked) == 12


async def test_a_fresh_question_is_asked_whatever_is_known() -> None:
    prompt = Prompt(system="s", user="u")
    known, fresh = (Question(kind="rubric", case="a", prompt=prompt, key="k", fresh=f) for f in (False, True))
    cache = Cache({question_key(known, 0): Kept(value=0.0)})
    with ScriptedJudge([Say("YES")]).running() as server:
        async with Bench(Redactor(), environ={}, cache=cache) as bench:
            endpoint = await bench.seat(a_judge(server.url))
            found = [await bench.judge(endpoint, question) for question in (known, fresh)]
    assert [each.value for each in found if isinstance(each, Judged)] == [0.0, 1.0]


async def test_a_base_without_the_key_has_none_for_its_pull_requests(clinic: Clinic) -> None:
    await careless_judgements(clinic)
    clinic.edit("agent-gate.yml", f"judge_cache: {FILE}\n", "")
    (clinic.folder / FILE).rename(clinic.folder / "kept")
    clinic.commit()
    clinic.edit("agent-gate.yml", "metrics:\n", "judge_cache: kept\nmetrics:\n")
    assert verdict(await clinic.run(base=True)) == "regression 1"
    assert len(clinic.judge.asked) == 12 + 4


async def test_a_file_that_cannot_be_read_is_told_and_not_used(clinic: Clinic) -> None:
    (clinic.folder / FILE).write_text("forged\n", encoding="utf-8")
    (finding,) = check(clinic.config).findings
    assert (finding.level, finding.rule) == ("warn", "bad-judge-cache")
    assert "line 1: " in finding.what
    await clinic.run()
    assert len(clinic.judge.asked) == 12 + 4


async def test_it_must_stand_in_the_repository(clinic: Clinic, tmp_path: Path) -> None:
    clinic.edit("agent-gate.yml", FILE, "../outside.jsonl")
    (finding,) = check(clinic.config).findings
    assert (finding.level, finding.rule) == ("error", "bad-judge-cache")
    assert not (tmp_path / "outside.jsonl").exists()


async def test_a_lenient_judge_gives_itself_away_although_its_judgements_are_kept(clinic: Clinic) -> None:
    clinic.judge.script = lenient
    assert verdict(await clinic.run()) == "undecided judge_changed 3"


def test_what_is_written_reads_back_the_same() -> None:
    kept = {"a": Kept(value=1.0, model="m", why="é\u2028"), "b": Kept(value=0.5)}
    cache = Cache(kept)
    assert parse_cache("".join(cache.lines(whole=False)).encode()) == kept
    assert [*cache.lines(whole=True)] == []
    cache.get("b", ())
    assert parse_cache("".join(cache.lines(whole=True)).encode()) == {"b": kept["b"]}


@pytest.mark.parametrize(
    "line",
    [
        "",
        "[]",
        "{}",
        '{"key": "a", "model": "m", "value": 2, "why": ""}',
        '{"key": "a", "model": "m", "value": true, "why": ""}',
        '{"key": "a", "model": "m", "value": NaN, "why": ""}',
        '{"key": 1, "model": "m", "value": 1, "why": ""}',
        '{"key": "a", "model": "m", "value": 1, "why": "", "more": 1}',
        '{"key": "a", "key": "b", "model": "m", "value": 1, "why": ""}',
        '{"key": "a", "model": "m", "value": 1, "why": "' + "x" * 500 + '"}',
        "[" * 5000,
    ],
)
def test_what_no_run_wrote_is_no_cache(line: str) -> None:
    good = '{"key": "z", "model": "m", "value": 1, "why": ""}'
    with pytest.raises(BadCache, match="line 2"):
        parse_cache(f"{good}\n{line}\n".encode())


def test_the_same_key_twice_is_no_cache() -> None:
    line = '{"key": "z", "model": "m", "value": 1, "why": ""}\n'
    with pytest.raises(BadCache, match="twice"):
        parse_cache((line * 2).encode())


@given(st.binary(max_size=60))
def test_no_bytes_make_it_crash(data: bytes) -> None:
    try:
        parse_cache(data)
    except BadCache:
        return
