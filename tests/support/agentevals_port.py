"""Our conformant matcher behind agentevals' own interface: as a pytest plugin it takes the evaluators' place.

agentevals still reads the messages, LangChain's and OpenAI's; every verdict is gate.score.conformant's.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import agentevals.trajectory.match as theirs
from agentevals.trajectory.utils import _normalize_to_openai_messages_list
from agentevals.types import EvaluatorResult

from gate.model.case import ExpectedCall
from gate.model.trace import Call
from gate.score.arguments import Comparison, Way
from gate.score.conformant import Fits, beyond, departure, fitting, lacking, turned

Overrides = Mapping[str, Any]
COUNTED = "verdicts of gate.score.conformant"

verdicts = 0


def create_trajectory_match_evaluator(
    *,
    trajectory_match_mode: str = "strict",
    tool_args_match_mode: str = "exact",
    tool_args_match_overrides: Overrides | None = None,
) -> Callable[..., EvaluatorResult]:
    """What agentevals' function of this name makes."""

    def evaluate(*, outputs: Any, reference_outputs: Any, **_: Any) -> EvaluatorResult:
        made = [(role, calls(message)) for role, message in read(outputs)]
        wanted = [
            (role, [expected(call) for call in calls(message)]) for role, message in read(reference_outputs)
        ]
        fits = two_ways(tool_args_match_mode, tool_args_match_overrides or {})
        found = verdict(trajectory_match_mode, wanted, made, *fits)
        return EvaluatorResult(
            key=f"trajectory_{trajectory_match_mode}_match", score=found, comment=None, metadata=None
        )

    return evaluate


def create_async_trajectory_match_evaluator(**options: Any) -> Callable[..., Any]:
    """What agentevals' function of this name makes."""
    evaluate = create_trajectory_match_evaluator(**options)

    async def evaluate_soon(**values: Any) -> EvaluatorResult:
        return evaluate(**values)

    return evaluate_soon


def verdict(
    mode: str,
    references: Sequence[tuple[str, Sequence[ExpectedCall]]],
    messages: Sequence[tuple[str, Sequence[Call]]],
    fits: Fits,
    swapped: Fits,
) -> bool:
    """Whether the messages match in a mode."""
    global verdicts  # noqa: PLW0603 - the report below counts them
    verdicts += 1
    if mode == "strict":
        return departure(references, messages, fits) == (0, None)
    wanted, made = ([call for _, calls in side for call in calls] for side in (references, messages))
    above = mode == "subset" or lacking(wanted, made, fits) is None  # type: ignore[arg-type]
    return above and (mode == "superset" or beyond(wanted, made, swapped) is None)  # type: ignore[arg-type]


def two_ways(args: str, overrides: Overrides) -> tuple[Fits, Fits]:
    """The test of two calls, and the one with the sides swapped; functions among the overrides are called."""
    functions = {name: value for name, value in overrides.items() if callable(value)}
    ways = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in overrides.items()
        if not callable(value)
    }
    comparison = Comparison(way=cast("Way", args), tools=ways)
    straight, swapped = fitting(comparison), fitting(turned(comparison))

    def fits(want: ExpectedCall, call: Call) -> bool:
        if want.name == call.name and call.name in functions:
            return bool(functions[call.name](call.args, want.args))
        return straight(want, call)

    def fits_swapped(want: ExpectedCall, call: Call) -> bool:
        if want.name == call.name and call.name in functions:
            return bool(functions[call.name](want.args, call.args))
        return swapped(want, call)

    return fits, fits_swapped


def read(messages: Any) -> list[tuple[str, Mapping[str, Any]]]:
    """Roles and messages in OpenAI's form."""
    return [(message["role"], message) for message in _normalize_to_openai_messages_list(messages)]


def calls(message: Mapping[str, Any]) -> list[Call]:
    """The calls of a message."""
    functions = [call["function"] for call in message.get("tool_calls") or ()]
    return [Call(id="", name=each["name"], args=json.loads(each["arguments"])) for each in functions]


def expected(call: Call) -> ExpectedCall:
    """A call of the reference."""
    return ExpectedCall(name=call.name, args=call.args)


def pytest_configure() -> None:
    """Take the evaluators' place before a test imports them."""
    theirs.create_trajectory_match_evaluator = create_trajectory_match_evaluator
    theirs.create_async_trajectory_match_evaluator = create_async_trajectory_match_evaluator


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say how many verdicts were ours."""
    terminalreporter.write_line(f"{verdicts} {COUNTED}")
