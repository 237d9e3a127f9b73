"""A fake GitHub: answers from its state; the official description judges every request and every answer.

Two things the description does not have: GraphQL, of which exactly one query is known, and failures that a
test asks for.
"""

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from tests.support.github.exchange import Answer, Request, error
from tests.support.github.objects import GitData
from tests.support.github.openapi import ContractBroken, Edition, Operation, description
from tests.support.github.shapes import Shapes
from tests.support.github.state import State, may

VIEWER = "query { viewer { login } }"
VERSIONS = ("2022-11-28",)
LARGEST_PAGE = 100
LEGACY = {"maintain": "write", "triage": "read"}
"""How `permission` tells the newer roles; `role_name` has their own names."""
Lines = list[Any]


class FakeGitHub:
    """One repository on GitHub, at `base` (GITHUB_API_URL); `violations` in its state must stay empty."""

    def __init__(
        self, state: State, *, edition: Edition = "api.github.com", base: str = "https://api.github.com"
    ) -> None:
        self.state = state
        self.base = base
        self.description = description(edition)
        self._prefix = urlsplit(base).path
        self._graphql = self._prefix.removesuffix("/v3") + "/graphql"
        self._shapes = Shapes(self.description, state, base)
        self._git = GitData(self.description, state, self._shapes)

    @property
    def graphql_url(self) -> str:
        return f"{self.base.removesuffix('/v3')}/graphql"

    @property
    def requests(self) -> list[str]:
        """`GET /repos/…`, in the order of their arrival."""
        return list(self.state["requests"])

    def answer(self, request: Request) -> Answer:
        """Answer one request; what breaks the contract is kept in `violations` and raised."""
        path = request.path.removeprefix(self._prefix)
        self.state["requests"].append(f"{request.method} {path}")
        try:
            return self._limited(request, path)
        except ContractBroken as broken:
            self.state["violations"].append(str(broken))
            raise

    def _limited(self, request: Request, path: str) -> Answer:
        failure = self._failure(request, path)
        if failure and not failure.get("after"):
            return _failed(failure)
        answer = self._authorised(request, path)
        return _failed(failure) if failure else answer

    def _failure(self, request: Request, path: str) -> Mapping[str, Any] | None:
        for failure in self.state["failures"]:
            times = failure.setdefault("times", 1)
            if times and request.method == failure["method"] and path.endswith(failure["path"]):
                failure["times"] = times - 1
                return failure  # type: ignore[no-any-return]
        return None

    def _authorised(self, request: Request, path: str) -> Answer:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if not request.headers.get("user-agent"):
            return error(403, "Request forbidden by administrative rules.")
        if scheme != "Bearer" or token not in self.state["tokens"]:
            return error(401, "Bad credentials")
        if request.path == self._graphql:
            return self._viewer(request, token)
        if request.headers.get("x-github-api-version") not in VERSIONS:
            raise ContractBroken(f"x-github-api-version is {request.headers.get('x-github-api-version')}")
        if request.headers.get("accept") != "application/vnd.github+json":
            raise ContractBroken(f"accept is {request.headers.get('accept')}")
        operation = self.description.operation(request.method, path)
        self.description.check_request(operation, request.query, request.body)
        answer = self._handled(operation, request, token)
        self.description.check_answer(operation, answer.status, answer.body)
        return answer

    def _viewer(self, request: Request, token: str) -> Answer:
        if request.method != "POST" or request.body != {"query": VIEWER}:
            raise ContractBroken(f"an unknown query: {request.body}")
        return Answer(200, {"data": {"viewer": {"login": self.state["tokens"][token]["login"]}}})

    def _handled(self, operation: Operation, request: Request, token: str) -> Answer:
        arguments = operation.arguments
        name = (
            f"{arguments['owner']}/{arguments['repo']}" if "owner" in arguments else self.state["repository"]
        )
        handler, permissions, level = self._table()[operation.id]
        if name != self.state["repository"]:
            public = name in self.state["forks"] and operation.id == "repos/list-activities"
            return handler(operation, request, token) if public else error(404, "Not Found")
        if permissions and not may(self.state, token, permissions, level):
            installation = token.startswith("ghs_")
            kind = "integration" if installation else "personal access token"
            return error(403, f"Resource not accessible by {kind}")
        return handler(operation, request, token)

    def _table(self) -> dict[str, tuple[Callable[..., Answer], tuple[str, ...], str]]:
        talk = ("issues", "pull_requests")
        return {
            "issues/create-comment": (self._create_comment, talk, "write"),
            "issues/delete-comment": (self._delete_comment, talk, "write"),
            "issues/get-comment": (self._get_comment, talk, "read"),
            "issues/list-comments": (self._list_comments, talk, "read"),
            "issues/list-events": (self._list_events, talk, "read"),
            "issues/list-labels-on-issue": (self._list_labels, talk, "read"),
            "issues/update-comment": (self._update_comment, talk, "write"),
            "pulls/get": (self._get_pull, ("pull_requests",), "read"),
            "pulls/list": (self._list_pulls, ("pull_requests",), "read"),
            "pulls/list-reviews": (self._list_reviews, ("pull_requests",), "read"),
            "repos/list-pull-requests-associated-with-commit": (
                self._list_pulls_of_commit,
                ("pull_requests",),
                "read",
            ),
            "repos/compare-commits-with-basehead": (self._compare, ("contents",), "read"),
            "repos/list-activities": (self._list_activities, ("contents",), "read"),
            "repos/get": (lambda *_: Answer(200, self._shapes.repository()), (), "read"),
            "repos/get-collaborator-permission-level": (self._permission, (), "read"),
            "actions/get-workflow-run": (self._get_run, ("actions",), "read"),
            "actions/list-workflow-runs-for-repo": (self._list_runs, ("actions",), "read"),
            "users/get-authenticated": (self._user, (), "read"),
            **self._git.table(),
        }

    def _user(self, _: Operation, __: Request, token: str) -> Answer:
        if token.startswith("ghs_"):
            return error(403, "Resource not accessible by integration")
        login = self.state["tokens"][token]["login"]
        return Answer(200, self.description.component("public-user") | {"login": login})

    def _create_comment(self, operation: Operation, request: Request, token: str) -> Answer:
        number = operation.arguments["issue_number"]
        pull = self.state["pulls"].get(number)
        if pull is None:
            return error(404, "Not Found")
        if pull["locked"]:
            return error(403, "Unable to create comment because issue is locked.")
        if refused := self._refused(request.body["body"]):
            return refused
        self.state["next_id"] += 1
        entry = {
            "id": self.state["next_id"],
            "pull": int(number),
            "author": self.state["tokens"][token]["login"],
            "body": request.body["body"],
        }
        self.state["comments"].append(entry)
        made = self._shapes.comment(entry)
        return Answer(201, made, {"location": made["url"]})

    def _refused(self, body: str) -> Answer | None:
        longest = self.state["longest_body"]
        if not body.strip():
            return _invalid("Body can't be blank")
        return (
            _invalid(f"Body is too long (maximum is {longest} characters)") if len(body) > longest else None
        )

    def _found(self, operation: Operation) -> State | None:
        number = int(operation.arguments["comment_id"])
        return next((entry for entry in self.state["comments"] if entry["id"] == number), None)

    def _get_comment(self, operation: Operation, *_: object) -> Answer:
        entry = self._found(operation)
        return Answer(200, self._shapes.comment(entry)) if entry else error(404, "Not Found")

    def _update_comment(self, operation: Operation, request: Request, _: str) -> Answer:
        entry = self._found(operation)
        if entry is None:
            return error(404, "Not Found")
        if refused := self._refused(request.body["body"]):
            return refused
        entry["body"] = request.body["body"]
        return Answer(200, self._shapes.comment(entry))

    def _delete_comment(self, operation: Operation, *_: object) -> Answer:
        entry = self._found(operation)
        if entry is None:
            return error(404, "Not Found")
        self.state["comments"].remove(entry)
        return Answer(204)

    def _of_issue(
        self, operation: Operation, request: Request, kind: str, shape: Callable[[State], Any]
    ) -> Answer:
        number = operation.arguments.get("issue_number") or operation.arguments["pull_number"]
        if number not in self.state["pulls"]:
            return error(404, "Not Found")
        entries = [entry for entry in self.state[kind] if entry["pull"] == int(number)]
        return self._page(request, sorted(entries, key=lambda entry: entry["id"]), shape)

    def _list_comments(self, operation: Operation, request: Request, _: str) -> Answer:
        return self._of_issue(operation, request, "comments", self._shapes.comment)

    def _list_events(self, operation: Operation, request: Request, _: str) -> Answer:
        return self._of_issue(operation, request, "events", self._shapes.event)

    def _list_reviews(self, operation: Operation, request: Request, _: str) -> Answer:
        return self._of_issue(operation, request, "reviews", self._shapes.review)

    def _list_labels(self, operation: Operation, request: Request, _: str) -> Answer:
        pull = self.state["pulls"].get(operation.arguments["issue_number"])
        return self._page(request, pull["labels"], self._shapes.label) if pull else error(404, "Not Found")

    def _get_pull(self, operation: Operation, *_: object) -> Answer:
        number = operation.arguments["pull_number"]
        if number not in self.state["pulls"]:
            return error(404, "Not Found")
        return Answer(200, self._shapes.pull(int(number)))

    def _simple_pull(self, number: str) -> Any:
        return self._shapes.pull(int(number), "pull-request-simple")

    def _list_pulls(self, _: Operation, request: Request, __: str) -> Answer:
        wanted, state = request.query.get("head"), request.query.get("state", "open")

        def matches(pull: State) -> bool:
            head = f"{pull['head_repository'].partition('/')[0]}:{pull['head_ref']}"
            return state in ("all", pull["state"]) and wanted in (None, head)

        numbers = [number for number, pull in self.state["pulls"].items() if matches(pull)]
        return self._page(request, numbers, self._simple_pull)

    def _list_pulls_of_commit(self, operation: Operation, request: Request, _: str) -> Answer:
        """Pull requests of this repository's own commits; a fork's commit is not among them."""
        sha = operation.arguments["commit_sha"]
        numbers = [
            number
            for number, pull in self.state["pulls"].items()
            if pull["head"] == sha and pull["head_repository"] == self.state["repository"]
        ]
        return self._page(request, numbers, self._simple_pull)

    def _permission(self, operation: Operation, *_: object) -> Answer:
        name = operation.arguments["username"]
        level = self.state["collaborators"].get(name)
        if level is None:
            return error(404, f"{name} is not a user")
        made = self.description.component("repository-collaborator-permission")
        return Answer(200, made | {"permission": LEGACY.get(level, level), "role_name": level})

    def _list_activities(self, operation: Operation, request: Request, _: str) -> Answer:
        """The newest first. Its pages are cursors, which nobody here follows: only the first is answered."""
        repository = f"{operation.arguments['owner']}/{operation.arguments['repo']}"
        wanted = request.query.get("ref", "").removeprefix("refs/heads/")
        found = [
            entry
            for entry in self.state["activity"]
            if entry["repository"] == repository and wanted in ("", entry["branch"])
        ]
        newest = sorted(found, key=lambda entry: entry["at"], reverse=request.query.get("direction") != "asc")
        size = min(int(request.query.get("per_page", "30")), LARGEST_PAGE)
        return Answer(200, [self._shapes.activity(entry) for entry in newest[:size]])

    def _compare(self, operation: Operation, *_: object) -> Answer:
        compared = self.state["compared"].get(operation.arguments["basehead"])
        return Answer(200, self._shapes.comparison(compared)) if compared else self._git.compare(operation)

    def _get_run(self, operation: Operation, *_: object) -> Answer:
        number = int(operation.arguments["run_id"])
        entry = next((run for run in self.state["runs"] if run["id"] == number), None)
        return Answer(200, self._shapes.run(entry)) if entry else error(404, "Not Found")

    def _list_runs(self, _: Operation, request: Request, __: str) -> Answer:
        wanted = request.query.get("head_sha")
        runs = [run for run in self.state["runs"] if wanted in (None, run["head"])]
        page = self._page(request, runs, self._shapes.run)
        return Answer(200, {"total_count": len(runs), "workflow_runs": page.body}, page.headers)

    def _page(self, request: Request, entries: Sequence[Any], shape: Callable[[Any], Any]) -> Answer:
        """One page; its Link header names the repository by number, as GitHub's does."""
        size = min(int(request.query.get("per_page", "30")), LARGEST_PAGE)
        number = int(request.query.get("page", "1"))
        last = max(1, -(-len(entries) // size))
        path = request.path.removeprefix(self._prefix).removeprefix(f"/repos/{self.state['repository']}")

        def link(page: int, relation: str) -> str:
            query = urlencode({**request.query, "page": page})
            return f'<{self.base}/repositories/1{path}?{query}>; rel="{relation}"'

        links = [link(number - 1, "prev"), link(1, "first")] if number > 1 else []
        links += [link(number + 1, "next"), link(last, "last")] if number < last else []
        body = [shape(entry) for entry in entries[(number - 1) * size : number * size]]
        return Answer(200, body, {"link": ", ".join(links)} if links else {})


def _failed(failure: Mapping[str, Any]) -> Answer:
    body = failure.get("body", {"message": "Server Error"})
    return Answer(failure["status"], body, dict(failure.get("headers", {})))


def _invalid(reason: str) -> Answer:
    answer = error(422, "Validation Failed")
    problem = {"resource": "IssueComment", "code": "unprocessable", "field": "data", "message": reason}
    answer.body["errors"] = [problem]
    return answer


def encoded(answer: Answer) -> bytes:
    """The body as bytes; a text is not JSON (a proxy's page)."""
    if answer.body is None:
        return b""
    return answer.body.encode() if isinstance(answer.body, str) else json.dumps(answer.body).encode()


async def breathe() -> None:
    """Let other tasks run: requests of two publishers then interleave as over a network."""
    await asyncio.sleep(0)
