"""What the fake GitHub knows: plain JSON, so that a server of its own can be given it, and asked for it."""

import hashlib
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
        "git": a_git(),
        "actions_may_open_pulls": True,
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


def a_git(files: Mapping[str, str] | None = None, **branches: Mapping[str, str]) -> State:
    """Branches by name (`__` stands for a slash, `_` for a hyphen), each one commit with files of text."""
    made: State = {"refs": {}, "commits": {}, "trees": {}, "blobs": {}, "protected": []}
    for number, (name, content) in enumerate({"main": files or {}, **branches}.items()):
        blobs = {path: hashlib.sha1(text.encode()).hexdigest() for path, text in content.items()}  # noqa: S324
        made["blobs"] |= {blobs[path]: text for path, text in content.items()}
        sha = BASE if name == "main" else f"b4a9c4{number:034x}"
        made["commits"][sha] = {"parents": [], "files": blobs, "message": "begun"}
        made["refs"][name.replace("__", "/").replace("_", "-")] = sha
    return made


def a_comment(id_: int, author: str, body: str, pull: int = 7) -> State:
    return {"id": id_, "pull": pull, "author": author, "body": body}


def may(state: Mapping[str, Any], token: str, names: tuple[str, ...], level: str) -> bool:
    """Whether a token has one of several permissions at a level; `write` includes `read`."""
    given = state["tokens"][token]["permissions"]
    levels = {"read": ("read", "write"), "write": ("write",)}[level]
    return any(given.get(name) in levels for name in names)
