"""The error tree, with the exit code and the hint that each class carries.

GateError                70  base; only its subclasses are raised
├── BadInput              2  config, dataset or baseline: carries every finding
├── UsageError            2  the command line asks for something that cannot be
├── BaseUnreadable        3  what the pull request is held against cannot be read here
├── AgentDown             3  the agent did not come up; carries the tail of its log
└── PublishFailed         4  a surface could not be written and `strict_publish` is on
"""

from collections.abc import Sequence
from typing import ClassVar

from gate.model.finding import Finding

PASS, REGRESSION, BAD_INPUT, UNDECIDED, PUBLISH_FAILED, BUG = 0, 1, 2, 3, 4, 70
BY_SIGNAL, INTERRUPTED = 128, 130
"""What a shell calls the end by a signal: 128 and its number; by Ctrl-C, 130."""


class GateError(Exception):
    """What a person can act on: `message` says what happened, `hint` what to do."""

    exit_code: ClassVar[int] = BUG

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class BadInput(GateError):
    """Config, dataset or baseline cannot be used; `findings` has every reason, not just the first."""

    exit_code: ClassVar[int] = BAD_INPUT

    def __init__(self, findings: Sequence[Finding]) -> None:
        super().__init__(f"{len(findings)} findings")
        self.findings = tuple(findings)


class UsageError(GateError):
    """The command line names something that does not exist or cannot be combined."""

    exit_code: ClassVar[int] = BAD_INPUT


class AgentDown(GateError):
    """The agent did not come up; `log_tail` holds the last lines that it printed, redacted."""

    exit_code: ClassVar[int] = UNDECIDED

    def __init__(self, message: str, *, hint: str = "", log_tail: str = "") -> None:
        super().__init__(message, hint=hint)
        self.log_tail = log_tail


class BaseUnreadable(GateError):
    """The base side of a pull request is not in the checkout, so nothing can be judged from it."""

    exit_code: ClassVar[int] = UNDECIDED


class PublishFailed(GateError):
    """A surface could not be written; replaces only a passing exit code."""

    exit_code: ClassVar[int] = PUBLISH_FAILED
