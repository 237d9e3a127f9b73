"""The fake GitHub has teeth: what the official description does not allow is seen; so is what it needs."""

import json
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from gate.github.api import connect
from tests.support.github.exchange import Request
from tests.support.github.fake import FakeGitHub
from tests.support.github.openapi import ContractBroken, Edition, description
from tests.support.github.server import serve
from tests.support.github.state import HEAD, JOB_TOKEN, REPOSITORY, a_comment, a_state

pytestmark = pytest.mark.requires("node")

BASE = "https://api.github.com"
HEADERS = {
    "authorization": f"Bearer {JOB_TOKEN}",
    "user-agent": "test",
    "accept": "application/vnd.github+json",
    "x-github-api-version": "2022-11-28",
}
COMMENTS = "/repos/acme/agent/issues/7/comments"


def ask(
    method: str,
    path: str,
    body: Any = None,
    *,
    fake: FakeGitHub | None = None,
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Any:
    made = fake or FakeGitHub(a_state())
    return made.answer(Request(method, made.base + path, {**HEADERS, **headers}, body))


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/repos/acme/agent/pull/7", None),
        ("PUT", COMMENTS, {"body": "x"}),
        ("POST", COMMENTS, None),
        ("POST", COMMENTS, {}),
        ("POST", COMMENTS, {"body": 7}),
        ("POST", COMMENTS, {"body": "x", "boddy": "y"}),
        ("GET", COMMENTS, {"body": "x"}),
        ("GET", f"{COMMENTS}?page=two", None),
        ("GET", f"{COMMENTS}?perpage=100", None),
        ("GET", "/repos/acme/agent/pulls/seven", None),
        ("GET", "/repos/acme/agent/pulls?state=ajar", None),
        ("POST", "/graphql", {"query": "query { viewer { id } }"}),
    ],
)
def test_a_request_that_github_does_not_know_is_a_violation(method: str, path: str, body: Any) -> None:
    fake = FakeGitHub(a_state())
    with pytest.raises(ContractBroken):
        ask(method, path, body, fake=fake)
    assert len(fake.state["violations"]) == 1


@pytest.mark.parametrize("header", [{"x-github-api-version": "2021-01-01"}, {"accept": "text/html"}])
def test_a_request_with_the_wrong_headers_is_a_violation(header: dict[str, str]) -> None:
    with pytest.raises(ContractBroken):
        ask("GET", "/user", headers=header)


def test_an_answer_that_github_would_not_give_is_a_violation() -> None:
    api = description("api.github.com")
    operation = api.operation("GET", COMMENTS)
    comment = api.component("issue-comment")
    api.check_answer(operation, 200, [comment])
    wrongs: tuple[Any, ...] = (
        [comment | {"id": "1"}],
        [comment | {"created_at": "yesterday"}],
        [{"id": 1}],
        {},
        None,
    )
    for wrong in wrongs:
        with pytest.raises(ContractBroken):
            api.check_answer(operation, 200, wrong)
    with pytest.raises(ContractBroken):
        api.check_answer(operation, 201, [comment])
    nobody = comment | {"user": None}
    api.check_answer(operation, 200, [nobody])


PATHS = (
    "/user",
    "/repos/acme/agent",
    "/repos/acme/agent/pulls",
    "/repos/acme/agent/pulls/7",
    "/repos/acme/agent/pulls/7/reviews",
    f"/repos/acme/agent/commits/{HEAD}/pulls",
    COMMENTS,
    "/repos/acme/agent/issues/comments/1",
    "/repos/acme/agent/issues/7/events",
    "/repos/acme/agent/issues/7/labels",
    "/repos/acme/agent/collaborators/ann/permission",
    "/repos/acme/agent/activity",
    f"/repos/acme/agent/compare/a...{HEAD}",
    "/repos/acme/agent/actions/runs",
    "/repos/acme/agent/actions/runs/4711",
)


@pytest.mark.parametrize("edition", ["api.github.com", "ghes-3.19"])
@pytest.mark.parametrize("path", PATHS)
def test_everything_that_it_answers_is_what_github_describes(path: str, edition: Edition) -> None:
    state = a_state(
        comments=[a_comment(1, "ann", "hello")],
        events=[
            {"id": 1, "pull": 7, "event": "labeled", "label": "x", "actor": "ann", "app": "tool"},
            {"id": 2, "pull": 7, "event": "base_ref_changed", "actor": "ann"},
        ],
        compared={f"a...{HEAD}": [{"sha": HEAD, "parents": ["a"]}]},
        reviews=[{"id": 1, "pull": 7, "author": "bob", "state": "APPROVED", "commit": HEAD}],
        runs=[{"id": 4711, "head": HEAD}],
        tokens={
            "ghp_x": {
                "login": "ann",
                "permissions": dict.fromkeys(("pull_requests", "actions", "contents"), "read"),
            }
        },
    )
    state["pulls"]["7"]["labels"] = ["bug"]
    fake = FakeGitHub(state, edition=edition)
    answer = ask("GET", path, fake=fake, headers={"authorization": "Bearer ghp_x"})
    assert answer.status == 200
    assert answer.body


def test_a_token_may_do_what_it_was_given_and_no_more() -> None:
    assert ask("GET", "/user").status == 403
    assert ask("GET", "/user", headers={"authorization": "Bearer x"}).status == 401
    assert ask("GET", "/user", headers={"authorization": ""}).status == 401
    assert ask("GET", "/repos/acme/agent/actions/runs/1").status == 403
    assert ask("GET", "/repos/acme/other/pulls/7").status == 404


async def test_it_is_a_server_too_and_its_state_is_a_file(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    with serve(0, file, edition="ghes-3.19") as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/api/v3"
        async with connect(url, JOB_TOKEN) as api:
            made = await api.send("POST", COMMENTS, {"body": "hello"}, needs="")
            listed = [item async for item in api.pages(COMMENTS, needs="")]
        server.shutdown()
    assert isinstance(made, dict)
    assert [item["id"] for item in listed] == [made["id"]]
    state = json.loads(file.read_text(encoding="utf-8"))
    assert [entry["body"] for entry in state["comments"]] == ["hello"]
    assert state["repository"] == REPOSITORY
    assert state["violations"] == []


def test_it_starts_from_the_command_line_and_keeps_violations(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    file.write_text(json.dumps({"comments": [a_comment(1, "ann", "hi")]}), encoding="utf-8")
    command = [sys.executable, "-m", "tests.support.github.server", "0", str(file)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    ) as process:
        assert process.stdout
        address = process.stdout.readline().removeprefix("listening on ").strip()
        request = urllib.request.Request(f"http://{address}/nothing", headers=HEADERS)
        with pytest.raises(urllib.error.HTTPError, match="418") as refusal:
            urllib.request.urlopen(request)
        refusal.value.close()
        process.terminate()
    state = json.loads(file.read_text(encoding="utf-8"))
    assert state["violations"] == ["api.github.com has no GET /nothing"]
    assert state["comments"][0]["body"] == "hi"
