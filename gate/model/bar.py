"""The bar that a pull request is held against: what it changes of it, and who accepted that."""

from dataclasses import field
from typing import Literal

from gate.frozen import frozen
from gate.model.config import AcceptPolicy
from gate.model.finding import Place

ChangeKind = Literal["loosened", "tightened", "changed", "added", "removed"]
Subject = Literal[
    "agent", "baseline", "case", "config", "judge", "metric", "policy", "quarantine", "rule", "run"
]


@frozen
class Revision:
    """The commit that is the base, its branch's name, and how many commits that branch is ahead of it."""

    commit: str
    branch: str = ""
    behind: int = 0


@frozen
class BarChange:
    """One thing that the head says otherwise than the base.

    `name` is a key as the config writes it (`rules.calls.max_drop`) or a case's id; `before` and `after` read
    as people write them, "" where there is none. One that needs acceptance is not in force until then.
    """

    subject: Subject
    kind: ChangeKind
    name: str
    before: str = ""
    after: str = ""
    note: str = ""
    needs_acceptance: bool = False
    place: Place


@frozen
class Acceptance:
    """Who accepted the head `head` and when (ISO 8601), by a label or an approving review."""

    by: str
    how: Literal["label", "review"]
    at: str
    head: str


@frozen
class NotAccepted:
    """Why nothing is accepted: nobody did ("" as `reason`), or what was tried does not count, and why."""

    reason: str = ""
    hint: str = ""


@frozen
class Bar:
    """What the head was held against.

    `base` is the commit, `branch` its name for people ("" where unknown), `behind` how many commits of the
    branch the base lacks. `side` is whose bar decided: the base's, or after acceptance the head's.
    `accept` is what would count as acceptance, by the base's config; `not_accepted` why what was tried
    does not.
    """

    base: str
    branch: str = ""
    behind: int = 0
    side: Literal["base", "head"] = "base"
    changes: tuple[BarChange, ...] = ()
    accepted: Acceptance | None = None
    not_accepted: str = ""
    accept: AcceptPolicy = field(default_factory=AcceptPolicy)
