"""What the fake GitHub knows: plain JSON, so that a server of its own can be given it, and asked for it."""

from collections.abc import Mapping
from typing import Any, TypeAlias

State: TypeAlias = dict[str, Any]

REPOSITORY = "acme/agent"
JOB_TOKEN = "ghs_thetokenofthejob0000000000000000000000"
HEAD = "c0ffee" + "0" * 34
BASE = "ba5e" + "0" * 36
BOT = "github-actions[bot]"


def a_state(**fields: Any) -> State:
    """One repository with one open pull request and the token of a job that may write to it.

    `forks` are public repositories whose activity anybody may read; `compared` has, for `base...head`, each
    commit with its parents, the newest last. `failures` are answered in place of the API: `{method, path (a
    suffix), status, headers?, body?, times?, after?}`; status 0 loses the connection, `after` does the work
    first.
    """
    known: State = {
        "repository": REPOSITORY,
        "default_branch": "main",
        "tokens": {JOB_TOKEN: {"login": BOT, "permissions": {"contents": "read", "pull_requests": "write"}}},
        "pulls": {"7": a_pull()},
        "comments": [],
        "events": [],
        "reviews": [],
        "collaborators": {"ann": "write"},
        "forks": [],
        "activity": [a_push()],
        "compared": {},
        "runs": [],
        "failures": [],
        "longest_body": 65_536,
        "next_id": 1000,
        "requests": [],
        "violations": [],
    }
    return known | fields


def a_pull(**fields: Any) -> State:
    known: State = {
        "head": HEAD,
        "head_ref": "feature",
        "head_repository": REPOSITORY,
        "base": BASE,
        "base_ref": "main",
        "state": "open",
        "locked": False,
        "author": "ann",
        "commits": 1,
        "merged_at": None,
        "labels": [],
    }
    return known | fields


def a_push(**fields: Any) -> State:
    known: State = {
        "repository": REPOSITORY,
        "branch": "feature",
        "after": HEAD,
        "actor": "ann",
        "at": "2026-11-30T06:00:00Z",
    }
    return known | fields


def a_comment(id_: int, author: str, body: str, pull: int = 7) -> State:
    return {"id": id_, "pull": pull, "author": author, "body": body}


def may(state: Mapping[str, Any], token: str, names: tuple[str, ...], level: str) -> bool:
    """Whether a token has one of several permissions at a level; `write` includes `read`."""
    given = state["tokens"][token]["permissions"]
    levels = {"read": ("read", "write"), "write": ("write",)}[level]
    return any(given.get(name) in levels for name in names)
