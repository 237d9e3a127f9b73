"""What is wrong with cases that are well formed: what can never hold, or is out of date.

What asks for nothing (an empty `contains`) has an error in the schema of golden files already.
"""

from collections.abc import Iterator, Sequence
from datetime import date

from gate.model.case import Answers, Case, Expect, Quarantine
from gate.model.config import Config, UrlBoot
from gate.model.finding import Finding, Place
from gate.score import runs_code

UNNAMED = "NAME_OF_A_TOOL"
"""What `agent-gate init` writes where it found no tool."""


def case_findings(config: Config, cases: Sequence[Case], today: date) -> Iterator[Finding]:
    """Findings about single cases; places are theirs."""
    custom = any(map(runs_code, config.metrics))
    for case in cases:
        yield from _turns(case)
        if any(call.name == UNNAMED for expect in case.expects for call in expect.calls or ()):
            yield _unedited(case)
        places = (case.place, *(turn.place for turn in case.turns))
        for place, expect in zip(places, case.expects, strict=True):
            yield from _expect(case, expect, place)
        if not custom and all(expect == Expect() for expect in case.expects):
            yield _expects_nothing(case)
        if case.quarantine is not None and case.quarantine.until < today:
            yield _expired(case, case.quarantine)
    yield from _shared(config, cases)


def _unedited(case: Case) -> Finding:
    return Finding.warn(
        "unedited",
        case.place,
        f"case '{case.id}' still expects a call of {UNNAMED}, which `agent-gate init` left to be filled in",
        fix="Name one of the agent's tools, and say in `user` what makes it call that one.",
    )


def _expects_nothing(case: Case) -> Finding:
    return Finding.warn(
        "expects-nothing",
        case.place,
        f"case '{case.id}' expects nothing: it passes whatever the agent does, unless it crashes",
        fix="Say in `expect` what the agent must do or say; `calls: none` where it must call nothing.",
    )


def _turns(case: Case) -> Iterator[Finding]:
    if isinstance(case.turns[0].sent, Answers):
        yield Finding.error(
            "answer-to-nothing",
            case.turns[0].place,
            f"case '{case.id}' starts with an answer, and nothing was asked yet",
            fix="Begin with a turn that has `user`.",
        )
    for before, turn in zip(case.turns, case.turns[1:], strict=False):
        if isinstance(turn.sent, Answers) and before.expect.pauses == ():
            yield Finding.error(
                "answer-to-nothing",
                turn.place,
                f"case '{case.id}' answers a pause here, and the turn before expects `pauses: none`",
                fix="Name the pause in the turn before, or remove the answer.",
            )


def _expect(case: Case, expect: Expect, place: Place) -> Iterator[Finding]:
    if expect.contains and expect.excludes:
        for wanted in expect.contains:
            banned = next((text for text in expect.excludes if text in wanted), None)
            if banned is not None:
                what = f"case '{case.id}' can never pass: it wants '{wanted}' and excludes '{banned}'"
                yield Finding.error("never-passes", place, what, fix="Remove one of the two.")


def _expired(case: Case, quarantine: Quarantine) -> Finding:
    return Finding.warn(
        "quarantine-expired",
        case.place,
        f"the quarantine of case '{case.id}' ended on {quarantine.until.isoformat()}: it counts again",
        why=f"{quarantine.owner} owns it: {quarantine.reason}",
        fix="Repair the case and remove `quarantine`, or give it a new date with a reason.",
    )


def _shared(config: Config, cases: Sequence[Case]) -> Iterator[Finding]:
    """An agent that somebody else runs keeps its data from trial to trial."""
    grouped = [case for case in cases if case.group]
    if grouped and isinstance(config.agent.boot, UrlBoot):
        yield Finding.warn(
            "shared-needs-boot",
            grouped[0].place,
            f"case '{grouped[0].id}' shares a database with others, and the agent cannot be restarted",
            why="With `boot.url` every trial meets what the one before left behind.",
            fix="Let the gate start the agent (boot.command), with its data in {tmp}.",
        )
