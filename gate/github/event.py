"""What GitHub says of the run that we are in: the GITHUB_* variables and the event's file.

https://docs.github.com/en/actions/reference/workflows-and-actions/variables and
https://docs.github.com/en/webhooks/webhook-events-and-payloads have the sources.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path

from gate.errors import UsageError
from gate.frozen import frozen
from gate.model import Json

_REPOSITORY = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)
_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_WORKFLOW_REF = re.compile(r"[^/]+/[^/]+/(?P<path>.+?)@")
_QUEUE = re.compile(r"refs/heads/gh-readonly-queue/.+/pr-(?P<number>[1-9]\d*)-[0-9a-f]+")
_LARGEST_EVENT = 32 * 1024 * 1024
_NOT_AN_ACTION = "This needs the variables that GitHub Actions sets in a job."


@frozen
class RunContext:
    """The run, what it tests and against what; "" and None stand for what its event does not tell.

    `run_id` and `attempt` order runs: they are those of the run that measured, also where another one
    publishes (`workflow_run`). `sha` is what was checked out, `head_sha` the commit that a person pushed;
    `base_sha` is the base as the event knew it, which may be older than the branch. `is_fork`: the head's
    repository is another one, so the token only reads and there are no secrets.
    """

    event: str
    repository: str
    workflow: str
    job: str
    run_id: int
    attempt: int
    sha: str
    head_sha: str
    head_ref: str = ""
    head_repository: str = ""
    base_ref: str = ""
    base_sha: str = ""
    default_branch: str = ""
    pull: int | None = None
    is_fork: bool = False
    actor: str = ""
    server_url: str = "https://github.com"
    api_url: str = "https://api.github.com"
    graphql_url: str = "https://api.github.com/graphql"

    @property
    def run_url(self) -> str:
        """The page of the run, at the attempt that measured."""
        return f"{self.server_url}/{self.repository}/actions/runs/{self.run_id}/attempts/{self.attempt}"


def read_context(environ: Mapping[str, str]) -> RunContext:
    """The context of this job; raises UsageError with the variable or the field that is missing or odd."""
    event = _Fields(_event_file(environ), "the event")
    name = _variable(environ, "GITHUB_EVENT_NAME")
    server = environ.get("GITHUB_SERVER_URL", "").rstrip("/") or "https://github.com"
    api = _address(environ.get("GITHUB_API_URL", "").rstrip("/") or "https://api.github.com")
    sha = environ.get("GITHUB_SHA", "")
    told: dict[str, object] = {
        "event": name,
        "repository": _repository(environ),
        "workflow": _workflow(environ),
        "job": environ.get("GITHUB_JOB", ""),
        "run_id": _number(environ, "GITHUB_RUN_ID"),
        "attempt": _number(environ, "GITHUB_RUN_ATTEMPT", "1"),
        "sha": sha,
        "head_sha": sha,
        "head_ref": environ.get("GITHUB_HEAD_REF", "") or environ.get("GITHUB_REF_NAME", ""),
        "default_branch": event.inside("repository").text("default_branch"),
        "actor": environ.get("GITHUB_ACTOR", ""),
        "server_url": server,
        "api_url": api,
        "graphql_url": environ.get("GITHUB_GRAPHQL_URL", "").rstrip("/") or _graphql(api),
    }
    return RunContext(**(told | _of_event(name, event)))  # type: ignore[arg-type]  # each key has its field's type


class _Fields:
    """A JSON object of a stranger, read field by field; what is missing or of another type is empty."""

    def __init__(self, value: Json, where: str) -> None:
        self._value: Mapping[str, Json] = value if isinstance(value, Mapping) else {}
        self._where = where

    def __bool__(self) -> bool:
        return bool(self._value)

    def inside(self, key: str) -> "_Fields":
        return _Fields(self._value.get(key), f"{self._where}'s {key}")

    def text(self, key: str) -> str:
        value = self._value.get(key)
        return value if isinstance(value, str) else ""

    def sha(self, key: str) -> str:
        """A commit, or "" for the zeros that stand for no commit; raises UsageError for anything else."""
        value = self.text(key)
        if not _SHA.fullmatch(value):
            raise UsageError(f"{self._where} has no commit at {key!r}; found {self._value.get(key)!r:.60}")
        return value if value.strip("0") else ""

    def number(self, key: str) -> int:
        value = self._value.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise UsageError(f"{self._where} has no positive number at {key!r}; found {value!r:.60}")
        return value


def _of_event(name: str, event: _Fields) -> dict[str, object]:
    match name:
        case "pull_request" | "pull_request_target" | "pull_request_review":
            return _of_pull_request(event.inside("pull_request"))
        case "merge_group":
            return _of_merge_group(event.inside("merge_group"))
        case "push":
            return {"base_sha": event.sha("before")}
        case "workflow_run":
            return _of_workflow_run(event.inside("workflow_run"), event.inside("repository"))
        case _:
            return {}


def _of_pull_request(pull: _Fields) -> dict[str, object]:
    head, base = pull.inside("head"), pull.inside("base")
    head_repository = head.inside("repo").text("full_name")  # null where the fork has been deleted
    return {
        "pull": pull.number("number"),
        "head_sha": head.sha("sha"),
        "head_ref": head.text("ref"),
        "head_repository": head_repository,
        "base_ref": base.text("ref"),
        "base_sha": base.sha("sha"),
        "is_fork": head_repository.lower() != base.inside("repo").text("full_name").lower(),
    }


def _of_merge_group(group: _Fields) -> dict[str, object]:
    queue = _QUEUE.fullmatch(group.text("head_ref"))
    return {
        "pull": int(queue["number"]) if queue else None,
        "head_sha": group.sha("head_sha"),
        "base_sha": group.sha("base_sha"),
        "base_ref": group.text("base_ref").removeprefix("refs/heads/"),
        "head_ref": group.text("head_ref").removeprefix("refs/heads/"),
    }


def _of_workflow_run(run: _Fields, repository: _Fields) -> dict[str, object]:
    """The run that measured; its pull request is asked for later, since a fork's is not in the event."""
    head_repository = run.inside("head_repository").text("full_name")
    return {
        "run_id": run.number("id"),
        "attempt": run.number("run_attempt"),
        "workflow": run.text("path").partition("@")[0] or run.text("name"),
        "head_sha": run.sha("head_sha"),
        "head_ref": run.text("head_branch"),
        "head_repository": head_repository,
        "is_fork": head_repository.lower() != repository.text("full_name").lower(),
    }


def _event_file(environ: Mapping[str, str]) -> Json:
    path = Path(_variable(environ, "GITHUB_EVENT_PATH"))
    try:
        if path.stat().st_size > _LARGEST_EVENT:
            raise UsageError(f"the event's file {path} exceeds {_LARGEST_EVENT:,} bytes")
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read the event's file {path}: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the event's file {path} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise UsageError(f"the event's file {path} holds no object")
    return value


def _variable(environ: Mapping[str, str], name: str) -> str:
    if value := environ.get(name, ""):
        return value
    raise UsageError(f"{name} is not set", hint=_NOT_AN_ACTION)


def _number(environ: Mapping[str, str], name: str, default: str = "") -> int:
    text = environ.get(name, "") or default or _variable(environ, name)
    if not re.fullmatch(r"[1-9][0-9]{0,18}", text):
        raise UsageError(f"{name} is no positive number; found {text!r:.60}")
    return int(text)


def _repository(environ: Mapping[str, str]) -> str:
    name = _variable(environ, "GITHUB_REPOSITORY")
    if not _REPOSITORY.fullmatch(name) or {".", ".."} & set(name.split("/")):
        raise UsageError(f"GITHUB_REPOSITORY is not written owner/name; found {name!r:.60}")
    return name


def _workflow(environ: Mapping[str, str]) -> str:
    """The workflow's file, which is unique in a repository, as its name is not."""
    found = _WORKFLOW_REF.match(environ.get("GITHUB_WORKFLOW_REF", ""))
    return found["path"] if found else environ.get("GITHUB_WORKFLOW", "")


def _address(url: str) -> str:
    if re.fullmatch(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?", url):
        return url
    raise UsageError(f"GITHUB_API_URL is no http address; found {url!r:.60}")


def _graphql(api: str) -> str:
    """https://api.github.com/graphql, and https://HOST/api/graphql for GitHub Enterprise Server."""
    return f"{api.removesuffix('/v3')}/graphql"
