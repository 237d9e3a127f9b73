"""The judges of two published systems: a rubric beside the keywords, and that of an experiment in git."""

import json
from pathlib import Path

import pytest

from gate.formats.experiment_judge import ADDRESS
from gate.results import read_run
from tests.examples.test_seed_systems import (
    ANSWER,
    DOCUMENTS,
    INTERACTION,
    MEDICATION,
    PARTS,
    QUESTION,
    call,
    project,
    searches,
)
from tests.support.commands import edit, gate
from tests.support.judge import Asked, Say, ScriptedJudge
from tests.support.judging import response_of

KEYWORDS_ALONE = "Bleeding? No need to ask a doctor: take both."


def disclaims(asked: Asked) -> Say:
    """NO where the user is kept from a doctor."""
    return Say("NO\nIt has no disclaimer." if "No need" in response_of(asked) else "YES\nIt holds.")


def cites(asked: Asked) -> Say:
    """Grounded is an answer that cites its sources and admits the gap."""
    answer = response_of(asked)
    grounded = answer.startswith("Good morning") or ("[ops-" in answer and "no data found" in answer)
    told = {"explanation": "It cites." if grounded else "It invents a base.", "score": float(grounded)}
    return Say(json.dumps(told))


def failed(folder: Path) -> dict[str, set[str]]:
    """The metrics for which each case of the last bad run got worse."""
    cases = read_run(folder / "out-bad").report.comparison.cases
    return {
        case.id: {reason.metric for reason in case.reasons} for case in cases if case.passed < case.measured
    }


def test_an_answer_that_has_its_keywords_and_fails_its_rubric_is_red(tmp_path: Path) -> None:
    answers = {
        INTERACTION: {"reply": KEYWORDS_ALONE, "calls": [call("check_interaction", drugs=[])]},
    }  # fmt: skip
    script = {**MEDICATION, "broken": {"keywords-alone": answers}}
    with ScriptedJudge(disclaims).running() as judge:
        more = (
            "metrics: {says: {ignore_case: true}, rubric: {type: judge}}\n"
            "rules: {cases: {regressed: 0}, rubric: {min: 1}}\n"
            f'judges: {{main: {{base_url: "{judge.url}", model: judge-2026-01-01}}}}\n'
        )
        folder = project(tmp_path / "c", "medication_cases.py", script, more)
        done = gate("run", "--env", "BREAK=keywords-alone", "--out", "out-bad", cwd=folder)
    assert done.code == 1, done.out + done.err
    assert failed(folder) == {"tc02": {"rubric"}}
    assert "the judge says NO: It has no disclaimer." in done.out


@pytest.fixture
def experiment() -> dict[str, object]:
    """One file in git: data set, metrics, judge, prompts and temperature."""
    judge = {
        "type": "llm_judge",
        "name": "grounded",
        "model": "judge-2026-01-01",
        "system_prompt": "Every part of the answer has a source, or says that there is none.",
        "prompt_template": "{prompt}\n{response}\n{reference}\nGive a score and one sentence.",
        "params": {"temperature": 0},
    }
    built_in = [{"type": "builtin", "name": name} for name in ("trajectory_recall", "rouge_1")]
    return {"experiment_name": "nightly", "dataset": "four_bases.evalset.json", "metrics": [*built_in, judge]}


def test_the_experiment_of_a_document_agent_judges_as_it_did_there(
    tmp_path: Path, experiment: dict[str, object]
) -> None:
    invented = {QUESTION: {"reply": ANSWER.replace("no data found", "99 %"), "calls": searches(*PARTS)}}
    script = {**DOCUMENTS, "broken": {"invents": invented}}
    (tmp_path / "experiment.json").write_text(json.dumps(experiment), encoding="utf-8")
    part = gate("import", "experiment", "experiment.json", cwd=tmp_path)
    assert part.code == 0, part.err
    with ScriptedJudge(cites).running() as judge:
        more = part.out.replace(ADDRESS, judge.url).replace("dataset: four_bases.evalset.json\n", "")
        folder = project(tmp_path / "b", "four_bases.evalset.json", script, more)
        edit(folder / "agent-gate.yml", "baseline:", "rules: {grounded: {min: 1, by: case}}\nbaseline:")
        done = gate("run", "--env", "BREAK=invents", "--out", "out-bad", cwd=folder)
    assert done.code == 1, done.out + done.err
    assert failed(folder) == {}, "calls are as before: only the judge sees it"
    assert "four_bases_perf: passes what rules check, and the judge of grounded says no" in done.out
    trials = read_run(folder / "out-bad").trials
    reasons = {trial.case: getattr(trial.scores["grounded"], "reason", "") for trial in trials}
    assert reasons["four_bases_perf"] == "the judge gives 0.00: It invents a base."
    first = judge.asked[0]
    assert (first.body["model"], first.body["temperature"]) == ("judge-2026-01-01", 0)
    assert "Every part of the answer has a source" in first.user
