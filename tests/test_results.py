"""The folder of a run."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from gate.compare.evidence import tally
from gate.compare.verdict import compare
from gate.errors import UsageError
from gate.model.run import CaseFacts, MetricFacts, TrialRecord
from gate.model.score import Item, Scored
from gate.model.trace import Completed, Trace
from gate.model.verdict import Report
from gate.redact import Redactor
from gate.results import RUN_FILE, TRACES_FILE, Results, read_run, read_traces
from tests.support.runs import CASES_RULE, NONE, PLACE, a_meta, a_metric, a_report

METRICS: tuple[MetricFacts, ...] = (a_metric(),)
FACTS = tuple(CaseFacts(id=name, place=PLACE, keys={"calls": "k"}, trials=2) for name in "ab")


def trial(case: str, number: int) -> tuple[Trace, TrialRecord]:
    trace = Trace(
        case=case, trial=number, session="s\u2028", turns=(), outcome=Completed(), exposes=("text",)
    )
    score = Scored(value=1.0, items=(Item(where="case", value=1.0, reason="é"),))
    return trace, TrialRecord(case=case, trial=number, outcome=Completed(), scores={"calls": score})


TRIALS = [trial("b", 2), trial("a", 1), trial("b", 1), trial("a", 2)]


def a_report_of(records: list[TrialRecord]) -> Report:
    evidence = tally(a_meta(), METRICS, FACTS, records)
    return a_report(compare(evidence, None, NONE, rules=(CASES_RULE,), undecided={}), evidence, (CASES_RULE,))


def written(folder: Path) -> Report:
    report = a_report_of([record for _, record in TRIALS])
    with Results(folder) as results:
        for trace, record in TRIALS:
            results.add(trace, record)
        results.write_run(report, FACTS)
    return report


def test_what_was_written_reads_back_with_the_trials_in_the_order_of_the_cases(tmp_path: Path) -> None:
    report = written(tmp_path / "out")
    stored = read_run(tmp_path / "out")
    assert stored.report == report
    assert stored.cases == FACTS
    assert [(r.case, r.trial) for r in stored.trials] == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert [trace for trace, _ in TRIALS] == list(read_traces(tmp_path / "out"))


def test_run_json_fits_its_schema_and_nothing_else_is_left_behind(tmp_path: Path) -> None:
    written(tmp_path)
    schema = json.loads((Path(__file__).parents[1] / "schemas/run.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(json.loads((tmp_path / RUN_FILE).read_text(encoding="utf-8")))
    assert sorted(path.name for path in tmp_path.iterdir()) == [RUN_FILE, TRACES_FILE]


def test_a_run_without_a_trial_is_a_valid_record(tmp_path: Path) -> None:
    with Results(tmp_path) as results:
        results.write_run(a_report_of([]), FACTS)
    assert read_run(tmp_path).trials == ()


def test_traces_are_on_disk_before_the_run_has_ended(tmp_path: Path) -> None:
    with Results(tmp_path) as results:
        results.add(*TRIALS[0])
        assert [trace.case for trace in read_traces(tmp_path)] == ["b"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot read"),
        (b"{", "cannot be used"),
        (b"[]", "no run record of version 1"),
        (b'{"version": 1}', "cannot be used"),
        (b"\xff", "cannot be used"),
    ],
)
def test_a_run_that_cannot_be_read_says_which_file_and_why(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    if content is not None:
        (tmp_path / RUN_FILE).write_bytes(content)
    with pytest.raises(UsageError, match=says) as error:
        read_run(tmp_path)
    assert RUN_FILE in error.value.message


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (None, "cannot read"),
        (b"{}\n", ":1 is not a trace"),
        (b"oops\n", ":1 is not"),
        (b"\xff\n", "not UTF-8"),
    ],
)
def test_a_trace_that_cannot_be_read_says_which_line_and_why(
    tmp_path: Path, content: bytes | None, says: str
) -> None:
    if content is not None:
        (tmp_path / TRACES_FILE).write_bytes(content)
    with pytest.raises(UsageError, match=says):
        list(read_traces(tmp_path))


def test_a_folder_that_cannot_be_made_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot write to"), Results(tmp_path / "file" / "out"):
        pass


def test_a_folder_that_another_run_writes_to_is_refused_until_that_has_ended(tmp_path: Path) -> None:
    with Results(tmp_path / "out") as first:
        first.add(*TRIALS[0])
        with pytest.raises(UsageError, match="another agent-gate is writing"), Results(tmp_path / "out"):
            pass
        assert [trace.trial for trace in read_traces(tmp_path / "out")] == [2]
    written(tmp_path / "out")
    assert len(list(read_traces(tmp_path / "out"))) == len(TRIALS)


def test_the_last_look_finds_what_came_past_the_model(tmp_path: Path) -> None:
    secret = "canary-77/Of the agent"
    trace, record = trial("a", 1)
    with Results(tmp_path, sweep=Redactor([secret]).sweep) as results:
        results.add(replace(trace, source=secret), replace(record, answer=f"{secret}!"))
        results.write_run(a_report_of([record]), FACTS)
    assert secret not in "".join(path.read_text(encoding="utf-8") for path in tmp_path.iterdir())
    assert read_run(tmp_path).trials[0].answer == "***!"
    assert next(read_traces(tmp_path)).source == "***"
