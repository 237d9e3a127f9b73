"""Which metrics measure less."""

from itertools import product
from pathlib import Path

import pytest

from gate.model.bar import BarChange
from gate.model.case import ExpectedCall
from gate.model.config import MetricConfig
from gate.model.finding import Place
from gate.model.trace import Call
from gate.score import build
from gate.score.adk import ToolTrajectory
from gate.score.arguments import BY_ARGS
from gate.score.calls import Calls
from gate.score.metric import Metric
from gate.trust.metrics import STRICTER, metric_changes

PLACE = Place(file="agent-gate.yml")


def a_metric(
    name: str = "calls", type_: str = "calls", pass_at: float | None = None, **options: str
) -> Metric:
    config = MetricConfig(name=name, type=type_, options=options, pass_at=pass_at, place=PLACE)
    return next(metric for metric in build([config]) if metric.name == name)


def changes(base: Metric | None, head: Metric | None, *, spared: tuple[str, ...] = ()) -> list[BarChange]:
    before, after = ([metric] if metric else [] for metric in (base, head))
    return list(metric_changes(before, after, ["calls"], {"": PLACE}, spared))


@pytest.mark.parametrize(
    ("base", "head", "expected"),
    [
        (a_metric(), a_metric(), []),
        (a_metric(), a_metric(mode="exactly"), [("tightened", False)]),
        (a_metric(mode="exactly"), a_metric(), [("loosened", True)]),
        (a_metric(), a_metric(mode="at_most"), [("loosened", True)]),
        (a_metric(), a_metric(args="subset"), [("loosened", True)]),
        (a_metric(args="ignore"), a_metric(args="exact"), [("tightened", False)]),
        (a_metric(args="ignore"), a_metric(args="exact", mode="at_most"), [("loosened", True)]),
        (a_metric(), a_metric(pass_at=0.5), [("loosened", True)]),
        (a_metric(pass_at=0.5), a_metric(), [("tightened", False)]),
        (a_metric(), a_metric(type_="completed"), [("loosened", True)]),
        (a_metric(), None, [("removed", True)]),
        (None, a_metric(), [("added", False)]),
        (
            a_metric("words", "rouge_1", pass_at=0.5),
            a_metric("words", "rouge_1", pass_at=0.1),
            [("loosened", False)],
        ),
    ],
)
def test_what_measures_less_waits_where_something_hangs_on_it(
    base: Metric | None, head: Metric | None, expected: list[tuple[str, bool]]
) -> None:
    assert [(change.kind, change.needs_acceptance) for change in changes(base, head)] == expected


def test_another_way_of_one_tool_waits_and_is_written_as_in_the_config() -> None:
    base, head = ({"f": {"args": way}} for way in ("exact", ["a", "b.c"]))
    (change,) = changes(*(a_metric("calls", "trajectory_match", tools=tools) for tools in (base, head)))  # type: ignore[arg-type]
    assert (change.kind, change.needs_acceptance) == ("loosened", True)
    assert "tools: {f: {args: [a, b.c]}}" in change.after


def test_a_metric_on_which_no_case_hangs_any_more_waits() -> None:
    (change,) = changes(a_metric(), a_metric(), spared=("calls",))
    assert (change.kind, change.needs_acceptance, change.after) == ("loosened", True, "does not")


CALLS = [
    (),
    (Call(id="1", name="f", args={"a": 1}),),
    (Call(id="1", name="f", args={"a": 1, "b": 2}),),
    (Call(id="1", name="f", args={"a": 2}),),
    (Call(id="1", name="f", args=None, args_error="bad"),),
    (Call(id="1", name="f", args={"a": 1}), Call(id="2", name="g", args={})),
    (Call(id="1", name="g", args={}), Call(id="2", name="f", args={"a": 1})),
    (Call(id="1", name="f", args={"a": 1}), Call(id="2", name="f", args={"a": 1})),
]
WANTED = [
    (),
    (ExpectedCall(name="f"),),
    (ExpectedCall(name="f", args={"a": 1}),),
    (ExpectedCall(name="f", args={"a": 1}), ExpectedCall(name="g")),
    (ExpectedCall(name="g"), ExpectedCall(name="f", args={"a": 1})),
    (ExpectedCall(name="f"), ExpectedCall(name="f", args={"a": 1})),
]


def mismatch(metric: Metric, wanted: tuple[ExpectedCall, ...], actual: tuple[Call, ...]) -> str:
    if isinstance(metric, ToolTrajectory):
        return metric.compare(wanted, actual)[1]
    assert isinstance(metric, Calls)
    return metric._mismatch(wanted, actual, BY_ARGS[metric.options["args"]])  # type: ignore[index]


def options_beside(option: str) -> list[dict[str, str | bool]]:
    """Every setting of the other option of the metric that has this one."""
    choices = next(each.choices for each in (Calls, ToolTrajectory) if option in each.choices)
    return [{other: value} for other, values in choices.items() if other != option for value in values]


@pytest.mark.parametrize(
    ("option", "value", "stricter"), [(o, v, s) for (o, v), all_ in STRICTER.items() for s in all_]
)
def test_what_passes_by_a_stricter_option_passes_by_the_other(option: str, value: str, stricter: str) -> None:
    type_ = "calls" if option in Calls.choices else "tool_trajectory_avg_score"
    for other, wanted, actual in product(options_beside(option), WANTED, CALLS):
        loose, strict = (a_metric("m", type_, **{**other, option: each}) for each in (value, stricter))  # type: ignore[arg-type]
        if not mismatch(strict, wanted, actual):
            assert not mismatch(loose, wanted, actual), (other, wanted, actual)


def test_other_code_of_a_custom_metric_waits_and_the_same_code_is_no_change(tmp_path: Path) -> None:
    def custom(code: str, folder: str) -> Metric:
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "m.py").write_text(code)
        config = MetricConfig(
            name="calls", type="python", options={"file": "m.py"}, place=PLACE, root=str(tmp_path / folder)
        )
        return next(metric for metric in build([config]) if metric.name == "calls")

    assert changes(custom("a", "one"), custom("a", "two")) == []
    (change,) = changes(custom("a", "one"), custom("b", "three"))
    assert (change.kind, change.needs_acceptance) == ("loosened", True)
    assert change.before.startswith("{type: python, file: m.py, code: ")
    assert change.before != change.after
