"""The business-card example through the real `adk api_server`: as it is, and with one thing broken."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.model.verdict import CaseVerdict
from gate.results import read_run, read_traces
from tests.support.commands import Done, a_project, commit, gate

CASES = {
    "case_1_ingest_fanout_fanin_ocr",
    "case_2_duplicate_promotion_detection",
    "case_3_hitl_edit_and_confirm_loop",
    "case_4a_hybrid_search_cloud_summit_ai",
    "case_4b_broad_search_fallback",
    "case_4c_personalized_icebreaker_email",
}


@pytest.fixture(scope="module")
def cards(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with an accepted run of the healthy agent."""
    folder = a_project(tmp_path_factory.mktemp("cards") / "cards", "cards")
    done = gate("run", cwd=folder)
    assert done.code == 0, done.out + done.err
    assert gate("baseline", "accept", cwd=folder).code == 0
    commit(folder, "the baseline")
    return folder


def broken(cards: Path, out: Path, switch: str) -> tuple[Done, Iterator[CaseVerdict]]:
    done = gate("run", "--env", f"CARDS_BREAK={switch}", "--out", str(out), cwd=cards)
    verdicts = read_run(out).report.comparison.cases
    return done, (verdict for verdict in verdicts if verdict.klass != "unchanged")


def test_six_cases_pass_with_parallel_branches_pauses_and_a_loop(cards: Path) -> None:
    stored = read_run(cards / "out")
    assert {case.id for case in stored.report.comparison.cases} == CASES
    assert all(case.passed == 1 for case in stored.report.comparison.cases)
    assert stored.report.meta.agent
    assert stored.report.meta.agent.server.startswith("adk-python 2.")
    confirmed = next(trace for trace in read_traces(cards / "out") if "case_3" in trace.case)
    nodes = [event.node for event in confirmed.events]
    assert nodes.count("BuildPreview") >= 2
    assert {"CleanAndDedup", "CompanyEnrich", "ContextMatch", "ApplyEdit", "SaveCard"} <= set(nodes)
    assert [turn.ended for turn in confirmed.turns[:3]] == ["paused", "paused", "answered"]


@pytest.mark.parametrize(
    ("switch", "case", "metric", "says"),
    [
        ("node", "case_1_ingest_fanout_fanin_ocr", "nodes", "a node is visible when it emitted an event"),
        ("state", "case_2_duplicate_promotion_detection", "state", "draft_card.phone"),
        ("confirm", "case_3_hitl_edit_and_confirm_loop", "nodes", "SaveCard"),
    ],
)
def test_breaking_one_thing_turns_exactly_the_right_case_red_with_the_right_reason(
    cards: Path, tmp_path: Path, switch: str, case: str, metric: str, says: str
) -> None:
    done, verdicts = broken(cards, tmp_path / "out", switch)
    (verdict,) = verdicts
    assert (done.code, verdict.id, verdict.klass) == (1, case, "regressed")
    assert any(reason.metric == metric and says in reason.text for reason in verdict.reasons)
    assert case in (tmp_path / "out/comment.md").read_text(encoding="utf-8")


def test_a_model_that_ran_out_of_quota_behind_a_200_is_undecided(cards: Path, tmp_path: Path) -> None:
    done, verdicts = broken(cards, tmp_path / "out", "quota")
    assert done.code == 3
    assert [(verdict.id, verdict.klass) for verdict in verdicts] == [
        ("case_4c_personalized_icebreaker_email", "undecided")
    ]


def test_the_same_suite_passes_through_the_container_of_agent_engine(tmp_path: Path) -> None:
    """A graph ends its runs in other places than an agent of one model."""
    folder = a_project(tmp_path / "cards", "cards")
    config = (folder / "agent-gate.yml").read_text(encoding="utf-8")
    serve = "api_server, --gemini_enterprise_app_name, card_agent, --express_mode,"
    for old, new in (
        ("protocol: adk", "protocol: agent-engine"),
        ("  app: card_agent\n", ""),
        ("api_server,", serve),
        ("env: {", "env: {GOOGLE_API_KEY: none, "),
    ):
        assert old in config
        config = config.replace(old, new, 1)
    (folder / "agent-gate.yml").write_text(config, encoding="utf-8")
    done = gate("run", cwd=folder)
    assert done.code == 0, done.out + done.err
    stored = read_run(folder / "out").report
    assert stored.meta.protocol == "agent-engine"
    assert {case.id for case in stored.comparison.cases if case.passed == 1} == CASES
