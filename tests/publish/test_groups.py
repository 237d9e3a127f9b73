from dataclasses import fields
from typing import Any

import pytest

from gate.publish.groups import Groups, group
from tests.support.reports import NO_BASELINE, a_case_verdict, a_report, situations

FAILS = {"passed": 0, "failing": True}
UNSEEN = {"passed": 0, "measured": 0}
HALF_SEEN = {"passed": 0, "measured": 1}


@pytest.mark.parametrize(
    ("klass", "given", "name"),
    [
        ("regressed", FAILS, "broke"),
        ("new", FAILS, "broke"),
        ("changed", FAILS, "broke"),
        ("unchanged", FAILS, "failing"),
        ("new", UNSEEN, "undecided"),
        ("changed", HALF_SEEN, "undecided"),
        ("unchanged", HALF_SEEN, "undecided"),
        ("undecided", UNSEEN, "undecided"),
        ("unchanged", {"passed": 2}, "unsteady"),
        ("unchanged", {}, "unchanged"),
        ("new", {}, "new"),
        ("new", {"passed": 1}, "new"),
        ("changed", {}, "changed"),
        ("fixed", {}, "fixed"),
        ("removed", {}, "removed"),
        ("quarantined", FAILS, "quarantined"),
    ],
)
def test_a_case_is_in_the_group(klass: str, given: dict[str, Any], name: str) -> None:
    found = group(a_report(cases=(a_case_verdict("x", klass, **given),)))
    assert [field.name for field in fields(Groups) if getattr(found, field.name)] == [name]


@pytest.mark.parametrize(("passed", "name"), [(3, "unchanged"), (1, "unsteady")])
def test_without_a_baseline_no_case_is_new(passed: int, name: str) -> None:
    found = group(a_report(cases=(a_case_verdict("x", "new", passed=passed),), baseline=NO_BASELINE))
    assert [case.id for case in getattr(found, name)] == ["x"]


def test_every_case_is_in_exactly_one_group() -> None:
    for report in situations().values():
        both = (group(report), group(report, tests=True))
        number = sum(len(getattr(found, field.name)) for found in both for field in fields(Groups))
        assert number == len(report.comparison.cases)
