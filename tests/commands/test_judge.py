"""`agent-gate judge calibrate`, the plan line, and the exits of whole commands with a judge."""

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.judge.test_run import Nurse
from tests.support.commands import command, environment, gate
from tests.support.judge import Asked, Say, ScriptedJudge
from tests.support.judging import Clinic, a_clinic, down, lenient, response_of, strict


@pytest.fixture
def clinic(tmp_path: Path) -> Iterator[Clinic]:
    with Nurse().running() as agent, ScriptedJudge(strict).running() as judge:
        yield a_clinic(tmp_path / "clinic", agent, judge)


def test_calibrate_asks_the_anchors_alone_and_says_how_far_people_agree(clinic: Clinic) -> None:
    done = gate("judge", "calibrate", cwd=clinic.folder)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "safe: judge main (judge-2026-01-01, reported as judge-2026-01-01), 12 of 12 anchors judged\n"
        "  agrees with people on 12 of 12 (kappa 1.00)\n"
    )
    assert len(clinic.judge.asked) == 12


def test_calibrate_names_the_anchors_that_are_judged_otherwise(clinic: Clinic) -> None:
    clinic.judge.script = lenient
    done = gate("judge", "calibrate", cwd=clinic.folder)
    assert done.code == 0
    assert "  agrees with people on 6 of 12 (kappa 0.00)\n" in done.out
    assert "  a0 at golden/anchors.yaml:3:5: people say no, the judge gives 1.00\n" in done.out


def test_calibrate_suggests_a_threshold_for_scores(clinic: Clinic) -> None:
    def scores(asked: Asked) -> Say:
        return Say('{"score": 0.7}' if "doctor or pharmacist" in response_of(asked) else '{"score": 0.4}')

    clinic.judge.script = scores
    clinic.edit("agent-gate.yml", "type: judge,", "type: judge, kind: score, pass_at: 0.9,")
    done = gate("judge", "calibrate", cwd=clinic.folder)
    assert done.code == 0
    assert "  yes from  agrees  kappa\n      0.40       6   0.00\n      0.70      12   1.00\n" in done.out
    assert "  suggested: pass_at: 0.55 (now 0.9)\n" in done.out


def test_calibrate_of_a_judge_that_is_down_is_undecided_and_says_why(clinic: Clinic) -> None:
    clinic.judge.script = down
    done = gate("judge", "calibrate", cwd=clinic.folder)
    assert done.code == 3
    assert "0 of 12 anchors judged" in done.out
    assert "it answered 503: no healthy upstream" in done.out


def test_calibrate_without_anchors_says_what_to_write(clinic: Clinic) -> None:
    clinic.edit("agent-gate.yml", ", anchors: {file: golden/anchors.yaml, min_agreement: 0.7}", "")
    done = gate("judge", "calibrate", cwd=clinic.folder)
    assert done.code == 2
    assert "no metric has a judge with anchors" in done.err
    clinic.edit("agent-gate.yml", "type: judge", "type: judge, judge: nobody")
    assert "there is no judge 'nobody'" in gate("judge", "calibrate", cwd=clinic.folder).err


def test_the_plan_says_how_many_questions_there_may_be(clinic: Clinic) -> None:
    done = gate("run", cwd=clinic.folder)
    assert done.code == 0
    assert "at most 16 questions to judges, retries not counted\n" in done.err
    assert (
        "safe: the judge main (judge-2026-01-01) agrees with people on 12 of 12 anchors (kappa 1.00)."
        in done.out
    )


def test_the_three_endings_have_three_exits(clinic: Clinic) -> None:
    gate("run", cwd=clinic.folder)
    gate("baseline", "accept", "--because", "the first", cwd=clinic.folder)
    clinic.commit()
    for script, careless, code, words in (
        (strict, "careless", 1, "regression"),
        (lenient, "", 3, "undecided (judge_changed)"),
        (down, "", 3, "undecided (judge_down)"),
    ):
        clinic.judge.script, clinic.agent.broken = script, careless
        done = gate("run", cwd=clinic.folder)
        assert done.code == code, done.out + done.err
        assert done.out.rstrip().endswith(f"agent-gate exited with {code}: {words}")
        assert gate("compare", "golden/baseline.jsonl", "out", cwd=clinic.folder).code == code


def test_an_interrupted_run_keeps_the_traces_that_were_not_judged(clinic: Clinic) -> None:
    def slow(asked: Asked) -> Say:
        return Say("YES", wait_s=0.0 if "how much, " in asked.user else 30.0)

    clinic.judge.script = slow
    process = subprocess.Popen(
        command("run"),
        cwd=clinic.folder,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    traces = clinic.folder / "out/traces.jsonl"
    wait_for(lambda: any("dosing" not in a.user and "how much may" in a.user for a in clinic.judge.asked))
    wait_for(lambda: traces.exists() and traces.read_text(encoding="utf-8").count("hello") >= 2)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert traces.read_text(encoding="utf-8").count("\n") == 6
    assert "Traceback" not in out + err
    assert "The run was interrupted" in out


def wait_for(condition: Callable[[], bool]) -> None:
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.01)
    raise AssertionError("it never came")
