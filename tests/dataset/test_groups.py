import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from gate.dataset.groups import grouped
from gate.model.case import Case
from gate.model.finding import Place
from tests.support.cases import lines, made


def _in_order(*cases: Case) -> list[tuple[str, str]]:
    ordered, findings = grouped(cases)
    assert findings == ()
    return [(case.id, case.group) for case in ordered]


def test_a_case_that_shares_nothing_has_no_group() -> None:
    assert _in_order(made("a"), made("b")) == [("a", ""), ("b", "")]


def test_dependencies_come_first_and_the_group_is_named_after_what_runs_first() -> None:
    got = _in_order(
        made("pay", depends_on=("cart",)), made("alone"), made("cart", depends_on=("login",)), made("login")
    )
    assert got == [("login", "login"), ("cart", "login"), ("pay", "login"), ("alone", "")]


def test_the_order_of_the_file_stays_where_nothing_depends() -> None:
    root = made("root")
    leaves = [made(name, depends_on=("root",)) for name in ("c", "a", "b")]
    assert [name for name, _ in _in_order(root, *leaves)] == ["root", "c", "a", "b"]


def test_the_shared_cases_of_a_file_are_one_group_and_other_files_and_own_cases_are_not_in_it() -> None:
    other = Place(file="other.yaml")
    got = _in_order(
        made("a", isolation="shared"),
        made("own"),
        made("b", isolation="shared"),
        made("c", isolation="shared", place=other),
    )
    assert got == [("a", "a"), ("b", "a"), ("own", ""), ("c", "c")]


def test_a_dependency_joins_the_groups_of_two_files() -> None:
    other = Place(file="other.yaml")
    got = _in_order(
        made("a", isolation="shared"),
        made("b", isolation="shared", place=other),
        made("c", depends_on=("a", "b")),
    )
    assert {group for _, group in got} == {"a"}


def test_an_unknown_dependency_is_a_finding_at_its_case() -> None:
    case = made("pay", depends_on=("logn",), place=Place(file="g.yaml", line=7, column=5))
    ordered, findings = grouped((made("login"), case))
    assert [c.id for c in ordered] == ["login", "pay"]
    what = "case 'pay' depends on 'logn', and there is no such case; did you mean 'login'?"
    assert lines(findings) == [f"g.yaml:7:5 error depends-on-unknown: {what}"]


def test_a_cycle_is_named_from_its_first_case_on_and_loses_no_case() -> None:
    cases = (
        made("z", depends_on=("c",)),
        made("a", depends_on=("b",)),
        made("b", depends_on=("c",)),
        made("c", depends_on=("a",)),
    )
    ordered, findings = grouped(cases)
    assert {case.id for case in ordered} == {"z", "a", "b", "c"}
    assert [found.what for found in findings] == ["these cases wait for each other: a → b → c → a"]
    assert findings[0].rule == "depends-on-cycle"


def test_a_case_that_depends_on_itself_is_a_cycle() -> None:
    assert [found.what for found in grouped([made("a", depends_on=("a",))])[1]] == [
        "these cases wait for each other: a → a"
    ]


def test_a_chain_of_thousands_is_ordered() -> None:
    chain = [made(str(n), depends_on=(str(n + 1),) if n < 5000 else ()) for n in range(5001)]
    ordered, findings = grouped(chain)
    assert findings == ()
    assert [int(case.id) for case in ordered] == list(range(5000, -1, -1))


@given(
    st.lists(
        st.tuples(st.sets(st.integers(0, 9), max_size=3), st.booleans(), st.sampled_from("xy")), max_size=10
    )
)
def test_any_graph_keeps_all_cases_and_where_there_is_no_cycle_every_dependency_comes_first(
    drawn: list[tuple[set[int], bool, str]],
) -> None:
    cases = [
        made(
            str(n),
            depends_on=tuple(str(need) for need in sorted(needs)),
            isolation="shared" if shared else "own",
            place=Place(file=file),
        )
        for n, (needs, shared, file) in enumerate(drawn)
    ]
    ordered, findings = grouped(cases)
    assert sorted(case.id for case in ordered) == sorted(case.id for case in cases)
    assert all(replace(case, group="") in cases for case in ordered)
    at = {case.id: n for n, case in enumerate(ordered)}
    group = {case.id: case.group for case in ordered}
    if not any(found.rule == "depends-on-cycle" for found in findings):
        assert all(at[need] < at[case.id] for case in ordered for need in case.depends_on if need in at)
    assert all(group[need] == case.group for case in ordered for need in case.depends_on if need in at)
    groups = [case.group for case in ordered if case.group]
    assert sum(one != other for one, other in itertools.pairwise(groups)) <= max(0, len(set(groups)) - 1)
