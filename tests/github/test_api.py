"""The rules of GitHub's API: limits, pages, retries, refusals, and a token that never leaves it."""

from typing import Any

import pytest

from gate.errors import UsageError
from gate.github.api import MOST_PAGES, PATIENCE_S, connect
from gate.github.errors import GitHubError, MissingPermission, NotThere, RateLimited, TooLong, Unclear
from gate.http import Client
from tests.support.faulty_agent import answers, faulty_agent
from tests.support.github.desk import Desk
from tests.support.github.state import a_comment

pytestmark = pytest.mark.requires("node")

PULL = "/repos/acme/agent/pulls/7"
COMMENTS = "/repos/acme/agent/issues/7/comments"


async def get(desk: Desk, path: str = PULL, **fields: Any) -> Any:
    async with desk.api(**fields) as api:
        return await api.get(path, needs="pull-requests: read")


async def post(desk: Desk) -> Any:
    async with desk.api() as api:
        return await api.send("POST", COMMENTS, {"body": "x"}, needs="pull-requests: write")


async def test_an_object_is_read(desk: Desk) -> None:
    assert (await get(desk))["number"] == 7
    assert not desk.clock.slept


LIMITS: list[tuple[int, str, dict[str, str], float]] = [
    (429, "Too Many Requests", {"retry-after": "7"}, 7),
    (403, "You have exceeded a secondary rate limit", {"retry-after": "30"}, 30),
    (403, "You have exceeded a secondary rate limit", {}, 60),
    (429, "slow down", {}, 60),
    (403, "API rate limit exceeded", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800000042"}, 42),
    (403, "API rate limit exceeded", {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1"}, 1),
    (429, "odd", {"retry-after": "soon"}, 60),
    (503, "Service Unavailable", {"retry-after": "5"}, 5),
]


@pytest.mark.parametrize(("status", "message", "headers", "pause"), LIMITS)
async def test_a_limit_is_waited_for_as_long_as_github_says(
    desk: Desk, status: int, message: str, headers: dict[str, str], pause: float
) -> None:
    desk.fail("GET", PULL, status, message, headers=headers)
    desk.fail("POST", "/comments", status, message, headers=headers)
    assert (await get(desk))["number"] == 7
    assert desk.clock.slept == [pause]
    desk.clock.time -= pause
    await post(desk)
    assert desk.clock.slept == [pause, pause]
    assert len(desk.comments) == 1


async def test_a_limit_that_ends_too_late_is_an_error_that_says_when(desk: Desk) -> None:
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(1_800_000_000 + 3600)}
    desk.fail("GET", PULL, 403, "API rate limit exceeded", headers=headers)
    with pytest.raises(RateLimited) as failure:
        await get(desk)
    assert failure.value.hint == "It is free again at 09:00:00 UTC."
    assert not desk.clock.slept


async def test_patience_is_for_all_requests_together(desk: Desk) -> None:
    for path in ("/pulls/7", "/user"):
        desk.fail("GET", path, 429, "slow down", headers={"retry-after": str(int(PATIENCE_S) - 10)})
    async with desk.api() as api:
        await api.get(PULL, needs="")
        with pytest.raises(RateLimited):
            await api.get("/user", needs="")
    assert desk.clock.slept == [PATIENCE_S - 10]


@pytest.mark.parametrize("status", [0, 500, 502, 503, 504])
async def test_a_server_that_fails_is_asked_again_and_ever_later(desk: Desk, status: int) -> None:
    desk.fail("GET", PULL, status, times=3)
    assert (await get(desk))["number"] == 7
    assert desk.clock.slept == [1, 2, 4]


async def test_a_server_that_stays_down_is_an_error(desk: Desk) -> None:
    desk.fail("GET", PULL, 502, times=100)
    with pytest.raises(GitHubError, match="GitHub answered 502 to GET /repos/acme/agent/pulls/7"):
        await get(desk)
    assert len(desk.fake.requests) == 6


@pytest.mark.parametrize("status", [0, 500, 502, 504])
async def test_a_post_whose_fate_is_unknown_is_not_repeated(desk: Desk, status: int) -> None:
    desk.fail("POST", "/comments", status, after=True)
    with pytest.raises(Unclear):
        await post(desk)
    assert len(desk.comments) == 1


REFUSALS: list[tuple[int, str, type[GitHubError]]] = [
    (403, "Resource not accessible by integration", MissingPermission),
    (403, "Resource not accessible by personal access token", MissingPermission),
    (403, "Must have admin rights to Repository.", MissingPermission),
    (404, "Not Found", NotThere),
    (410, "Gone", NotThere),
    (422, "Body is too long (maximum is 65536 characters)", TooLong),
]


@pytest.mark.parametrize(("status", "message", "kind"), REFUSALS)
async def test_a_refusal_has_a_name_and_is_not_repeated(
    desk: Desk, status: int, message: str, kind: type[GitHubError]
) -> None:
    desk.fail("GET", PULL, status, message, times=9)
    with pytest.raises(kind, match=message.partition("(")[0]):
        await get(desk)
    assert not desk.clock.slept


async def test_a_missing_permission_is_named_as_a_workflow_writes_it(desk: Desk) -> None:
    desk.fake.state["tokens"]["ghs_x"] = {"login": "x", "permissions": {}}
    with pytest.raises(MissingPermission) as failure:
        await get(desk, token="ghs_x")
    assert failure.value.permission == "pull-requests: read"
    assert failure.value.hint == "Add `pull-requests: read` to the `permissions` of the job."


@pytest.mark.parametrize(
    "body", ["<html>blocked by policy, permission denied</html>", "", "[]", '{"message": 3}']
)
async def test_a_refusal_that_is_not_githubs_is_not_taken_for_a_missing_permission(
    desk: Desk, body: str
) -> None:
    desk.fail("GET", PULL, 403)
    desk.fake.state["failures"][0]["body"] = body
    with pytest.raises(GitHubError, match="no reason given") as failure:
        await get(desk)
    assert not isinstance(failure.value, MissingPermission)


@pytest.mark.parametrize("body", ["<html>hello</html>", "{", '{"a": NaN}'])
async def test_an_answer_that_is_no_json_is_an_error(desk: Desk, body: str) -> None:
    desk.fail("GET", PULL, 200)
    desk.fake.state["failures"][0]["body"] = body
    with pytest.raises(GitHubError, match="GitHub answered 200, but not JSON"):
        await get(desk)


async def numbers(desk: Desk) -> list[Any]:
    async with desk.api() as api:
        return [item["id"] async for item in api.pages(COMMENTS, needs="")]


@pytest.mark.parametrize("count", [0, 1, 99, 100, 101, 200, 345])
async def test_every_page_is_read_once(desk: Desk, count: int) -> None:
    desk.comments.extend(a_comment(n, "ann", "x") for n in range(count))
    assert await numbers(desk) == list(range(count))
    assert len(desk.fake.requests) == max(1, -(-count // 100))


async def test_pages_that_never_end_are_an_error(desk: Desk) -> None:
    link = {"link": '<https://evil.example/x?page=2>; rel="next"'}
    desk.fail("GET", "/comments", 200, headers=link, times=MOST_PAGES + 1)
    desk.fake.state["failures"][0]["body"] = []
    with pytest.raises(GitHubError, match="more than 10,000 entries"):
        await numbers(desk)


async def test_a_link_to_another_host_gets_no_token(desk: Desk) -> None:
    desk.fail("GET", "/comments", 200, headers={"link": '<https://evil.example/x?page=2>; rel="next"'})
    desk.fake.state["failures"][0]["body"] = []
    assert await numbers(desk) == []
    assert desk.fake.requests == [f"GET {COMMENTS}"] * 2


async def test_a_renamed_repository_is_followed_within_the_api_only(desk: Desk) -> None:
    desk.fail("GET", "/repos/acme/old/pulls/7", 301, headers={"location": f"{desk.fake.base}{PULL}"})
    assert (await get(desk, "/repos/acme/old/pulls/7"))["number"] == 7
    for elsewhere in ("https://evil.example/x", f"{desk.fake.base}.evil.example/x", "//evil.example"):
        desk.fail("GET", "/repos/acme/old/pulls/7", 301, headers={"location": elsewhere})
        with pytest.raises(GitHubError, match="301"):
            await get(desk, "/repos/acme/old/pulls/7")


async def test_graphql_on_another_host_gets_no_token(desk: Desk) -> None:
    async with desk.api() as api:
        with pytest.raises(GitHubError, match=r"evil\.example"):
            await api.graphql("https://evil.example/graphql", "query { viewer { login } }")
    assert not desk.fake.requests


@pytest.mark.parametrize("token", ["", " ", "ghs_x\n", "ghs x", "ghs_é", "ghs_x\r\nhost: evil.example"])
async def test_a_token_that_is_none_is_refused_without_repeating_it(token: str) -> None:
    with pytest.raises(UsageError) as failure:
        async with connect("https://api.github.com", token):
            pass
    assert not token.strip() or token.strip() not in failure.value.message


async def test_the_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with faulty_agent(answers({"number": 7})) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        async with connect("http://ghes.example/api/v3", "ghs_x") as api:
            assert await api.get(PULL, needs="") == {"number": 7}
        assert proxy.seen[0].path == f"http://ghes.example/api/v3{PULL}"


async def test_a_client_is_all_that_an_api_needs() -> None:
    async with faulty_agent(answers({"number": 7})) as server, Client() as client:
        from gate.github.api import Api

        assert await Api(client, f"{server.url}/").get("/x", needs="", query={"a": "b c"}) == {"number": 7}
        assert server.seen[0].path == "/x?a=b+c"
