"""One verdict of two."""

from dataclasses import replace

import pytest

from gate.compare.sides import decide, pending_names
from gate.model.bar import Acceptance, Bar, BarChange, ChangeKind, Subject
from gate.model.baseline import BaselineFacts
from gate.model.config import Policy
from gate.model.finding import Place
from gate.model.verdict import ByBase, CaseVerdict, Comparison, Reason, UndecidedCause, VerdictWord

PLACE = Place(file="agent-gate.yml")
CODES: dict[VerdictWord, int] = {"pass": 0, "regression": 1, "undecided": 3}


def a_comparison(
    verdict: VerdictWord, *cases: CaseVerdict, cause: UndecidedCause | None = None, code: int | None = None
) -> Comparison:
    return Comparison(
        verdict=verdict,
        reason=f"because {verdict}",
        exit_code=CODES[verdict] if code is None else code,
        enforced=True,
        cause=cause or ("throttled" if verdict == "undecided" else None),
        rules=(),
        metrics=(),
        cases=cases,
        baseline=BaselineFacts(state="none"),
    )


def a_change(
    name: str = "rules.calls",
    *,
    needed: bool = True,
    subject: Subject = "rule",
    kind: ChangeKind = "loosened",
) -> BarChange:
    return BarChange(subject=subject, kind=kind, name=name, needs_acceptance=needed, place=PLACE)


def a_bar(*changes: BarChange, **more: object) -> Bar:
    return Bar(base="b" * 40, changes=changes, **more)  # type: ignore[arg-type]  # a builder's keywords


LOOSER, TOLD = a_change(), a_change(needed=False, kind="tightened")
DRIVING = a_change("agent.protocol", subject="agent")
PASS, RED, OPEN = a_comparison("pass"), a_comparison("regression"), a_comparison("undecided")
WARNED = a_comparison("undecided", code=0)
DOWN = a_comparison("undecided", cause="agent_down")


@pytest.mark.parametrize(
    ("head", "base", "changes", "expected"),
    [
        (PASS, None, (), ("pass", None, 0)),
        (PASS, PASS, (TOLD,), ("pass", None, 0)),
        (PASS, PASS, (LOOSER,), ("undecided", "needs_acceptance", 3)),
        (PASS, None, (LOOSER,), ("undecided", "needs_acceptance", 3)),
        (PASS, RED, (TOLD,), ("undecided", "needs_acceptance", 3)),
        (PASS, RED, (LOOSER,), ("undecided", "needs_acceptance", 3)),
        (PASS, OPEN, (TOLD,), ("undecided", "throttled", 3)),
        (PASS, WARNED, (TOLD,), ("undecided", "throttled", 0)),
        (RED, PASS, (TOLD,), ("regression", None, 1)),
        (RED, PASS, (LOOSER,), ("regression", None, 1)),
        (RED, RED, (LOOSER,), ("regression", None, 1)),
        (RED, PASS, (DRIVING,), ("undecided", "needs_acceptance", 3)),
        (RED, RED, (DRIVING,), ("undecided", "needs_acceptance", 3)),
        (OPEN, PASS, (TOLD,), ("undecided", "throttled", 3)),
        (OPEN, RED, (TOLD,), ("undecided", "needs_acceptance", 3)),
        (OPEN, WARNED, (TOLD,), ("undecided", "throttled", 3)),
        (WARNED, OPEN, (TOLD,), ("undecided", "throttled", 3)),
        (DOWN, DOWN, (TOLD,), ("undecided", "agent_down", 3)),
        (DOWN, DOWN, (LOOSER,), ("undecided", "agent_down", 3)),
    ],
)
def test_of_two_verdicts_one_decides(
    head: Comparison,
    base: Comparison | None,
    changes: tuple[BarChange, ...],
    expected: tuple[str, str | None, int],
) -> None:
    found = decide(head, base, a_bar(*changes), {}, enforced=True)
    assert (found.verdict, found.cause, found.exit_code) == expected
    assert found.bar == a_bar(*changes)


@pytest.mark.parametrize("head", [PASS, RED, OPEN])
def test_once_it_is_accepted_the_head_alone_decides(head: Comparison) -> None:
    acceptance = Acceptance(by="ann", how="label", at="2026-11-30T10:00:00Z", head="f" * 40)
    bar = a_bar(LOOSER, side="head", accepted=acceptance)
    assert decide(head, None, bar, {}, enforced=True) == replace(head, bar=bar)


@pytest.mark.parametrize(("policy", "code"), [("fail", 3), ("warn", 0), ("pass", 0)])
def test_the_policy_says_what_a_missing_acceptance_does(policy: Policy, code: int) -> None:
    found = decide(PASS, PASS, a_bar(LOOSER), {"needs_acceptance": policy}, enforced=True)
    assert (found.cause, found.exit_code) == ("needs_acceptance", code)


def test_what_is_not_enforced_exits_with_zero() -> None:
    found = decide(replace(PASS, enforced=False), PASS, a_bar(LOOSER), {}, enforced=False)
    assert (found.verdict, found.exit_code, found.enforced) == ("undecided", 0, False)


def test_the_reason_names_what_the_base_holds_and_what_waits() -> None:
    changes = [a_change(f"rules.{name}") for name in ("a", "b", "c", "d", "a")]
    found = decide(PASS, RED, a_bar(*changes), {}, enforced=True)
    assert found.reason == (
        "by the base's bar it is a regression: because regression; "
        "not in force yet: rules.a, rules.b, rules.c and 1 more"
    )
    assert pending_names(a_bar(*changes, TOLD)) == ("rules.a", "rules.b", "rules.c", "rules.d")


def test_an_agent_that_is_down_for_want_of_what_it_asks_for_says_so() -> None:
    needs = a_change("agent.boot.pass_env", subject="agent")
    found = decide(DOWN, DOWN, a_bar(needs), {}, enforced=True)
    assert (found.cause, found.reason) == (
        "agent_down",
        "because undecided; not in force yet: agent.boot.pass_env",
    )


def test_a_case_that_fares_otherwise_by_the_base_shows_both() -> None:
    def a_case(id_: str, passed: int, **more: object) -> CaseVerdict:
        return CaseVerdict(id=id_, klass="changed", place=PLACE, passed=passed, measured=2, planned=2, **more)  # type: ignore[arg-type]

    reasons = (Reason(metric="says", where="turn 1", text="no"),)
    head = a_comparison("pass", a_case("same", 2), a_case("other", 2), a_case("new", 2))
    base = a_comparison(
        "regression", a_case("same", 2), a_case("other", 0, reasons=reasons), a_case("gone", 1)
    )
    found = decide(head, base, a_bar(TOLD), {}, enforced=True)
    assert [(case.id, case.klass, case.by_base) for case in found.cases] == [
        ("same", "changed", None),
        ("other", "changed", ByBase(passed=0, measured=2, planned=2, reasons=reasons)),
        ("new", "changed", None),
        ("gone", "removed", ByBase(passed=1, measured=2, planned=2)),
    ]
