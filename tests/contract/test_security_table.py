"""SECURITY.md's tables of what is read, written and reached say what the code and whole runs do."""

import ast
import json
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.boot.container.labels import _JOB, BOOT_ID
from gate.boot.launch import _PASSED
from gate.github.acceptance import find_acceptance
from gate.judge import token
from gate.model.bar import Acceptance
from gate.model.config import AcceptPolicy
from gate.network import AUTHORITIES
from gate.work.workplace import PASSED
from tests.support.commands import ROOT, a_project, git_output
from tests.support.github.desk import Desk
from tests.support.github.server import serve
from tests.support.github.state import BASE, BOT, HEAD, JOB_TOKEN, a_comment, a_pull
from tests.support.step import Step
from tests.support.watched import Watched

SECURITY = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAME = re.compile(r"[A-Z][A-Z0-9_]+")
UPDATE = "bring the table in SECURITY.md up to date, and say why it is needed"
DYNAMIC = {
    ("gate/boot/headers.py", "os.environ[name]"): set(),  # what `pass_env` names
    ("gate/action/__init__.py", "environ.get(f'STATE_{_BOOT}')"): {"STATE_*"},
    ("gate/boot/container/labels.py", "environ.get(BOOT_ID)"): {BOOT_ID},
    ("gate/action/__init__.py", "os.environ[BOOT_ID]"): {BOOT_ID},
    ("gate/boot/container/labels.py", "environ.get(name)"): set(_JOB.values()),
    ("gate/boot/launch.py", "os.environ[name]"): set(_PASSED),  # and pass_env
    ("gate/github/inputs.py", "environ.get(variable)"): {"INPUT_*"},
    ("gate/github/inputs.py", "environ.get(variable.replace('-', '_'), '')"): {"INPUT_*"},
    ("gate/github/inputs.py", "environ[name]"): set(),  # taken out, not read
    ("gate/github/event.py", "environ.get(name, '')"): set(),  # by whom it is called
    ("gate/github/step.py", "environ.get(variable)"): set(),  # by whom it is called
    ("gate/work/workplace.py", "os.environ[name]"): set(PASSED),
    ("gate/network.py", "os.environ.get(name)"): set(AUTHORITIES),
    ("gate/suite/secrets.py", "os.environ.get(name)"): set(),  # pass_env
    ("gate/check/environment.py", "environ.get(name)"): set(),  # pass_env
    ("gate/check/judges.py", "environ.get(name)"): set(),  # what a judge names
    ("gate/judge/endpoint.py", "environ.get(name, '')"): set(),  # what a judge names
    ("gate/judge/endpoint.py", "environ.get(judge.key, '')"): set(),  # what a judge names
    ("gate/judge/token.py", "environ[name]"): set(token.PASSED),  # and what a judge names
}
"""Where a name is no literal: what it can be. Another place is for a person to look at."""
BY_LIBRARIES = {
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),  # urllib.request.getproxies, httpx
    *("DOCKER_HOST", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "DOCKER_CONTEXT", "DOCKER_CONFIG"),  # docker
    "PG*",  # libpq
    *("HOME", "TMPDIR"),  # tempfile, docker's configuration
}


def table(head: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading."""
    found = re.search(rf"^\| {head} \|.*\n\|[-|]+\n((?:\|.*\n)+)", SECURITY, re.MULTILINE)
    assert found, head
    lines = found[1].splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


def quoted(cells: list[str]) -> set[str]:
    return {word for cell in cells for word in re.findall("`([^`]+)`", cell)}


def anonymous(path: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", path)


def requests() -> set[str]:
    return {anonymous(request) for request in quoted([row[0] for row in table("request")])}


def reads(path: Path) -> Iterator[tuple[str, str]]:
    """Each read of the environment: its source, and the name where that is a literal."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Subscript(value=value, slice=key) if is_environment(value):
                yield ast.unparse(node), literal(key)
            case ast.Call(
                func=ast.Attribute(value=value, attr="get" | "pop" | "setdefault"), args=[key, *_]
            ) if is_environment(value):
                yield ast.unparse(node), literal(key)
            case ast.Call(args=arguments) if any(map(is_environment, arguments)):
                for name in filter(NAME.fullmatch, map(literal, arguments)):
                    yield ast.unparse(node), name


def is_environment(node: ast.expr) -> bool:
    return ast.unparse(node) in ("environ", "os.environ")


def literal(node: ast.expr) -> str:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def test_the_variables_that_are_read_are_those_of_the_table() -> None:
    found = set(BY_LIBRARIES)
    for path in sorted((ROOT / "gate").rglob("*.py")):
        for source, name in reads(path):
            where = (str(path.relative_to(ROOT)), source)
            assert name or where in DYNAMIC, f"{where} is new: {UPDATE}"
            found |= {name} if name else DYNAMIC[where]
    assert found == quoted([row[0] for row in table("variables")]), UPDATE


def test_the_requests_that_the_code_knows_are_those_of_the_table() -> None:
    paths = {request.partition(" ")[2] for request in requests()}
    for module in (ROOT / "gate" / "github").glob("*.py"):
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr | ast.Constant):
                text = anonymous(ast.unparse(node).removeprefix("f")[1:-1])
                if text.startswith(("/repos", "/user", "/orgs", "/search", "/graphql")):
                    assert any(path.startswith(text) for path in paths), f"{module.name}: {text}: {UPDATE}"


@pytest.mark.requires("node")
async def test_the_requests_of_every_kind_of_run_are_those_of_the_table() -> None:
    commented, accepted = await commenting(), await accepting()
    assert not commented.violations + accepted.violations
    asked = (*commented.fake.requests, *accepted.fake.requests)
    assert {shape(request) for request in asked} == requests(), UPDATE


async def commenting() -> Desk:
    """A comment that is made, updated, freed of its double; a token of somebody, a fork's commit."""
    desk = Desk()
    await desk.publish("one")
    await desk.publish("two", run_id=4712)
    (ours,) = desk.comments
    desk.comments.append(a_comment(2000, BOT, ours["body"]))
    await desk.publish("three", run_id=4713)
    desk.fail("POST", "/graphql", 500, times=9)
    await desk.publish("four", run_id=4714)
    await desk.publish("five", run_id=4715, pull=None, is_fork=True, head_repository="fork/agent")
    return desk


async def accepting() -> Desk:
    """An acceptance by label, one by review, and one that a merge group takes over."""
    desk, label, at, group = Desk(), AcceptPolicy().label, "2026-11-30T07:00:00Z", "9e" + "0" * 38
    whole = [{"sha": HEAD, "parents": ["1" * 40]}, {"sha": group, "parents": [BASE, HEAD]}]
    desk.begin(
        {
            "pulls": {"7": a_pull(labels=[label])},
            "events": [{"id": 1, "pull": 7, "event": "labeled", "actor": "ann", "at": at, "label": label}],
            "reviews": [{"id": 2, "pull": 7, "author": "ann", "state": "APPROVED", "commit": HEAD, "at": at}],
            "compared": {f"{BASE}...{group}": whole},
        }
    )
    queued = {
        "event": "merge_group",
        "head_sha": group,
        "sha": group,
        "head_ref": "gh-readonly-queue/main/pr-7-x",
    }
    async with desk.api() as api:
        for policy, fields in (
            (AcceptPolicy(), {}),
            (AcceptPolicy(by="review"), {}),
            (AcceptPolicy(), queued),
        ):
            found = await find_acceptance(api, desk.context(**fields), policy)
            assert isinstance(found, Acceptance), found
    return desk


def shape(request: str) -> str:
    """A request as the table writes it."""
    method, _, path = request.partition(" ")
    path = path.replace("/repos/acme/agent", "/repos/{}")
    path = re.sub(r"/([0-9]+|[0-9a-f]{40}|ann)(?=/|$)", "/{}", path)
    return f"{method} {re.sub(r'[0-9a-f]{40}[.]{3}[0-9a-f]{40}', '{}...{}', path)}"


@pytest.mark.requires("node")
def test_a_step_reaches_starts_and_writes_what_the_tables_say(tmp_path: Path) -> None:
    workspace = a_project(tmp_path / "workspace")
    step = Step(workspace, tmp_path / "runner")
    (tmp_path / "watch").mkdir()
    (tmp_path / "temp").mkdir()
    watched = Watched(tmp_path / "watch")
    state = tmp_path / "github.json"
    sha = git_output(workspace, "rev-parse", "HEAD")
    state.write_text(json.dumps({"pulls": {"7": a_pull(head=sha, base=sha)}}), encoding="utf-8")
    before = files(workspace)
    with serve(0, state) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        github = f"127.0.0.1:{server.server_port}"
        env = {"GITHUB_API_URL": f"http://{github}", "GITHUB_GRAPHQL_URL": f"http://{github}/graphql"}
        env |= {"TMPDIR": str(tmp_path / "temp"), "PYTHONDONTWRITEBYTECODE": "1"}
        done = step.run(event=an_event(sha), env={**env, **watched.variables}, github_token=JOB_TOKEN)
        server.shutdown()
        thread.join()
    assert done.code == 0, done.log
    assert done.outputs["comment-url"]

    programs = table("what")[[row[0] for row in table("what")].index("programs")]
    by_root = set() if os.geteuid() == 0 else {"sh"}
    assert set(watched.found("subprocess.Popen")) == (quoted(programs[1:2]) | {"python3"}) - by_root, UPDATE
    reached = set(watched.found("socket.connect"))
    assert github in reached
    (agent,) = {address.rpartition(":")[0] for address in reached - {github}}
    assert agent == "127.0.0.1"
    assert not watched.found("socket.getaddrinfo"), "who looks up a name talks to somebody else"

    result_files = quoted([table("file")[0][0]])
    assert {str(path) for path in files(workspace) - before} == {f"out/{name}" for name in result_files}
    commands = {str(step.files.folder / "file_commands" / name) for name in ("output", "summary", "state")}
    elsewhere = ("/dev/", str(watched.folder), str(workspace / "out"), str(tmp_path / "temp"))
    assert {path for path in watched.found("open") if not path.startswith(elsewhere)} == commands
    made = {Path(path) for path in watched.found("os.mkdir")} - {workspace / "out"}
    assert made
    assert all(path.relative_to(tmp_path / "temp").parts[0].startswith("agent-gate-") for path in made)
    assert not any((tmp_path / "temp").iterdir())


def files(folder: Path) -> set[Path]:
    return {
        path.relative_to(folder) for path in folder.rglob("*") if path.is_file() and ".git/" not in str(path)
    }


def an_event(sha: str) -> dict[str, object]:
    side = {"sha": sha, "repo": {"full_name": "acme/agent"}}
    pull = {"number": 7, "head": {"ref": "topic", **side}, "base": {"ref": "main", **side}}
    return {"pull_request": pull, "repository": {"default_branch": "main", "full_name": "acme/agent"}}


@pytest.mark.requires("node")
def test_the_token_is_in_no_file_and_in_no_environment(tmp_path: Path) -> None:
    workspace = a_project(tmp_path / "workspace")
    step = Step(workspace, tmp_path / "runner")
    done = step.run(github_token=JOB_TOKEN)
    assert done.code == 0, done.log
    texts = [
        path.read_bytes() for path in (*workspace.rglob("*"), *step.files.folder.rglob("*")) if path.is_file()
    ]
    assert texts
    assert not [text for text in texts if JOB_TOKEN.encode() in text]


def test_what_the_agent_gets_is_what_the_table_says() -> None:
    row = table("what")[[row[0] for row in table("what")].index("variables")]
    assert quoted(row[2:3]) == {*_PASSED, "HOME", "TMPDIR", "env", "pass_env"}


def test_what_a_custom_metric_gets_is_what_the_table_says() -> None:
    (row,) = (row for row in table("what a custom metric") if row[0] == "variables")
    assert quoted(row[1:2]) == {*PASSED, "HOME", "TMPDIR"}
