"""The whole step on GitHub Enterprise Server: its API below /api/v3, a company's authority, a proxy."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gate.network import AUTHORITIES
from tests.support.authority import Certificates, certificates
from tests.support.commands import a_project, git_output
from tests.support.github.server import PREFIXES, serve
from tests.support.github.state import JOB_TOKEN, a_pull
from tests.support.proxy import Proxy, proxy
from tests.support.runner import Runner, gateway
from tests.support.step import Step

pytestmark = pytest.mark.requires("node")

PAGES = "https://ghes.example"
PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
DIRECT = dict.fromkeys((*PROXIES, *map(str.lower, PROXIES), *AUTHORITIES), "")


@dataclass(frozen=True)
class Ghes:
    """A fake GitHub Enterprise Server: how the step finds it, and what it knows."""

    address: str
    scheme: str
    _state: Path

    @property
    def variables(self) -> dict[str, str]:
        url = f"{self.scheme}://{self.address}"
        return {
            **DIRECT,
            "GITHUB_API_URL": f"{url}{PREFIXES['ghes-3.19']}",
            "GITHUB_GRAPHQL_URL": f"{url}/api/graphql",
            "GITHUB_SERVER_URL": PAGES,
        }

    @property
    def comments(self) -> list[Any]:
        state = json.loads(self._state.read_text(encoding="utf-8"))
        assert state["violations"] == []
        return list(state["comments"])


def an_event(workspace: Path) -> dict[str, object]:
    """A pull request of the workspace's one commit onto itself."""
    side = {"sha": git_output(workspace, "rev-parse", "HEAD"), "repo": {"full_name": "acme/agent"}}
    pull = {"number": 7, "head": {"ref": "topic", **side}, "base": {"ref": "main", **side}}
    return {"pull_request": pull, "repository": {"default_branch": "main", "full_name": "acme/agent"}}


@contextmanager
def ghes(folder: Path, *, certificate: Path | None = None, host: str = "127.0.0.1") -> Iterator[Ghes]:
    state, sha = folder / "ghes.json", git_output(folder / "workspace", "rev-parse", "HEAD")
    state.write_text(json.dumps({"pulls": {"7": a_pull(head=sha, base=sha)}}), encoding="utf-8")
    server = serve(0, state, edition="ghes-3.19", certificate=certificate, host=host)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        address = f"{host if host != '0.0.0.0' else gateway()}:{server.server_port}"
        yield Ghes(address, "https" if certificate else "http", state)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Certificates:
    return certificates(tmp_path_factory.mktemp("company") / "tls", "IP:127.0.0.1")


@pytest.fixture
def step(tmp_path: Path) -> Step:
    return Step(a_project(tmp_path / "workspace"), tmp_path / "runner")


@pytest.fixture
def between() -> Iterator[Proxy]:
    with proxy() as made:
        yield made


def through(between: Proxy) -> dict[str, str]:
    return dict.fromkeys((*PROXIES[:3], *map(str.lower, PROXIES[:3])), between.url)


def assert_commented(done: Any, server: Ghes) -> None:
    assert done.code == 0, done.log
    assert server.comments, done.log
    (comment,) = server.comments
    assert "### Agent Gate: pass" in comment["body"]
    assert f"({PAGES}/acme/agent/actions/runs/4711/attempts/1)" in comment["body"]
    assert done.outputs["comment-url"]
    assert not [data for name, data in done.obeyed if name == "warning"]


def test_the_comment_is_posted_below_api_v3(step: Step, tmp_path: Path) -> None:
    with ghes(tmp_path) as server:
        done = step.run(event=an_event(step.workspace), env=server.variables, github_token=JOB_TOKEN)
        assert_commented(done, server)


def test_a_companys_authority_and_its_proxy_are_used_for_github_and_never_for_the_agent(
    step: Step, tmp_path: Path, company: Certificates, between: Proxy
) -> None:
    with ghes(tmp_path, certificate=company.server) as server:
        env = {**server.variables, **through(between), "SSL_CERT_FILE": str(company.authority)}
        done = step.run(event=an_event(step.workspace), env=env, github_token=JOB_TOKEN)
        assert_commented(done, server)
        assert set(between.asked) == {f"CONNECT {server.address}"}


def test_an_exception_from_the_proxy_is_kept(
    step: Step, tmp_path: Path, company: Certificates, between: Proxy
) -> None:
    with ghes(tmp_path, certificate=company.server) as server:
        own = {"SSL_CERT_FILE": str(company.authority), "no_proxy": "127.0.0.1"}
        env = {**server.variables, **through(between), **own}
        assert_commented(step.run(event=an_event(step.workspace), env=env, github_token=JOB_TOKEN), server)
    assert between.asked == []


def test_an_authority_that_is_not_named_is_a_warning_and_gets_no_token(
    step: Step, tmp_path: Path, company: Certificates
) -> None:
    with ghes(tmp_path, certificate=company.server) as server:
        done = step.run(event=an_event(step.workspace), env=server.variables, github_token=JOB_TOKEN)
        assert done.code == 0, done.log
        (warning,) = [data for name, data in done.obeyed if name == "warning"]
        assert "certificate" in warning
        assert server.comments == []


@pytest.mark.requires("docker")
def test_the_image_finds_the_authority_that_the_workspace_brings(tmp_path: Path) -> None:
    """As the runner starts it; the authority's file is named by where it is inside the container."""
    workspace = a_project(tmp_path / "workspace")
    made = certificates(tmp_path / "tls", f"IP:{gateway()}")
    (workspace / "ca.pem").write_bytes(made.authority.read_bytes())
    runner = Runner(tmp_path / "runner", workspace)
    runner.event = an_event(workspace)
    with ghes(tmp_path, certificate=made.server, host="0.0.0.0") as server:
        env = {**server.variables, "SSL_CERT_FILE": "/github/workspace/ca.pem"}
        assert_commented(runner.run(env=env, github_token=JOB_TOKEN), server)
