"""What cases expect or begin with, and what no agent of the chosen protocol can show or be given."""

from collections.abc import Iterator, Mapping, Sequence

from gate.documents import Document
from gate.errors import BadInput
from gate.model.case import Case
from gate.model.config import Config
from gate.model.finding import Finding
from gate.model.trace import Exposed
from gate.score import build
from gate.score.items import HIDDEN, ExpectMetric

_NEVER: Mapping[str, tuple[Exposed, ...]] = {"a2a": ("nodes",)}
_WITHOUT_START_STATE = ("a2a",)


def exposure_findings(config: Config, cases: Sequence[Case], document: Document) -> Iterator[Finding]:
    """Findings about cases that ask more of the protocol than it has."""
    protocol = config.agent.protocol
    if protocol in _NEVER:
        yield from _hidden(config, cases, document)
    if protocol in _WITHOUT_START_STATE:
        yield from _unsent(protocol, cases)


def _hidden(config: Config, cases: Sequence[Case], document: Document) -> Iterator[Finding]:
    protocol = config.agent.protocol
    try:
        metrics = build(config.metrics)
    except BadInput:
        return
    for metric in metrics:
        if not isinstance(metric, ExpectMetric) or metric.needs not in _NEVER[protocol]:
            continue
        if having := [case for case in cases if metric.expectation(case) is not None]:
            more = f" and {len(having) - 1} more" if len(having) > 1 else ""
            yield Finding.warn(
                "never-exposed",
                document.place(("agent", "protocol")),
                f"'{metric.name}' of case '{having[0].id}'{more} needs {HIDDEN[metric.needs][0]}, "
                f"which the protocol '{protocol}' cannot show",
                why="It could never be measured, and the run would end undecided.",
                fix="Remove the expectation, or choose another protocol that the agent speaks.",
            )


def _unsent(protocol: str, cases: Sequence[Case]) -> Iterator[Finding]:
    for case in cases:
        if case.start_state:
            yield Finding.warn(
                "start-state-unsent",
                case.place,
                f"case '{case.id}' has a start state, which the protocol '{protocol}' cannot send",
                why="The agent would begin without it.",
                fix="Say in the first message what the agent has to know, or remove 'start_state'.",
            )
