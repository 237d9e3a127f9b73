"""A pull request as a checkout has it: its branch, its base, and GitHub's merge of the two."""

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gate.model.config import AcceptPolicy
from tests.support.commands import IDENTITY, git
from tests.support.github.state import REPOSITORY, a_pull, a_push

NUMBER = 7


@dataclass(frozen=True, slots=True)
class Proposed:
    """The commits of one pull request; `merge` is what actions/checkout checks out."""

    base: str
    head: str
    merge: str

    @property
    def event(self) -> dict[str, Any]:
        """The payload of `pull_request`."""
        side = {"repo": {"full_name": REPOSITORY}}
        pull = {
            "number": NUMBER,
            "head": {"ref": "topic", "sha": self.head, **side},
            "base": {"ref": "main", "sha": self.base, **side},
        }
        return {"pull_request": pull, "repository": {"default_branch": "main", "full_name": REPOSITORY}}

    @property
    def env(self) -> dict[str, str]:
        return {"GITHUB_SHA": self.merge}

    def known(self, **fields: Any) -> dict[str, Any]:
        """What a fake GitHub has to know of it."""
        pull = a_pull(head=self.head, base=self.base, head_ref="topic", **fields)
        return {"pulls": {str(NUMBER): pull}, "activity": [a_push(branch="topic", after=self.head)]}

    def accepted(self, by: str = "ann", label: str = AcceptPolicy().label) -> dict[str, Any]:
        """The same, with the label that accepts it set after the push."""
        event = {"id": 1, "pull": NUMBER, "event": "labeled", "actor": by, "label": label}
        return {**self.known(labels=[label]), "events": [{**event, "at": "2026-11-30T07:00:00Z"}]}


def propose(folder: Path, base: str = "main") -> Proposed:
    """Commit what the work tree has on a branch from `base`, and check GitHub's merge commit out."""
    git(folder, "switch", "-q", "-C", "topic", base)
    git(folder, "add", "--all")
    git(folder, "commit", "-q", "--allow-empty", "-m", "the change")
    git(folder, "switch", "-q", "--detach", base)
    git(folder, "merge", "-q", "--no-ff", "-m", "GitHub's merge", "topic")
    base, head, merge = (commit_at(folder, name) for name in (base, "topic", "HEAD"))
    return Proposed(base, head, merge)


def commit_at(folder: Path, name: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *IDENTITY, "rev-parse", f"{name}^{{commit}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()
