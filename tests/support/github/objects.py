"""The git side of the fake GitHub: blobs, trees, commits, references, and pull requests made of them."""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from tests.support.github.exchange import Answer, Request, error
from tests.support.github.openapi import Description, Operation
from tests.support.github.shapes import Shapes
from tests.support.github.state import State, a_pull

Handler = Callable[[Operation, Request, str], Answer]
Files = Mapping[str, str]
NOT_PERMITTED = "GitHub Actions is not permitted to create or approve pull requests."


def _hash(value: Any) -> str:
    return hashlib.sha1(json.dumps(value, sort_keys=True).encode()).hexdigest()  # noqa: S324  # as git


class GitData:
    """Answers from `state["git"]`: `refs`, `commits` (parents, files), `trees` (files), `blobs` (text)."""

    def __init__(self, description: Description, state: State, shapes: Shapes) -> None:
        self._of = description
        self._state = state
        self._shapes = shapes

    @property
    def _git(self) -> State:
        git: State = self._state["git"]
        return git

    def table(self) -> dict[str, tuple[Callable[..., Answer], tuple[str, ...], str]]:
        read, write = (("contents",), "read"), (("contents",), "write")
        return {
            "git/get-ref": (self._get_ref, *read),
            "git/create-ref": (self._create_ref, *write),
            "git/update-ref": (self._update_ref, *write),
            "git/get-commit": (self._get_commit, *read),
            "git/create-commit": (self._create_commit, *write),
            "git/get-tree": (self._get_tree, *read),
            "git/create-tree": (self._create_tree, *write),
            "git/get-blob": (self._get_blob, *read),
            "git/create-blob": (self._create_blob, *write),
            "pulls/create": (self._create_pull, ("pull_requests",), "write"),
            "pulls/update": (self._update_pull, ("pull_requests",), "write"),
        }

    def _ref(self, branch: str) -> dict[str, Any]:
        made = self._of.component("git-ref")
        found = made["object"] | {"type": "commit", "sha": self._git["refs"][branch]}
        return made | {"ref": f"refs/heads/{branch}", "object": found}

    def _get_ref(self, operation: Operation, *_: object) -> Answer:
        branch = operation.arguments["ref"].removeprefix("heads/")
        return Answer(200, self._ref(branch)) if branch in self._git["refs"] else error(404, "Not Found")

    def _create_ref(self, _: Operation, request: Request, __: str) -> Answer:
        branch = request.body["ref"].removeprefix("refs/heads/")
        refs = self._git["refs"]
        if branch in refs:
            return error(422, "Reference already exists")
        if any(name.startswith(f"{branch}/") or branch.startswith(f"{name}/") for name in refs):
            return error(422, "Reference update failed")
        return self._pointed(branch, request.body["sha"], 201)

    def _update_ref(self, operation: Operation, request: Request, _: str) -> Answer:
        branch, sha = operation.arguments["ref"].removeprefix("heads/"), request.body["sha"]
        if branch not in self._git["refs"]:
            return error(422, "Reference does not exist")
        if not request.body.get("force") and self._git["refs"][branch] not in self._history(sha):
            return error(422, "Update is not a fast forward")
        return self._pointed(branch, sha, 200)

    def _pointed(self, branch: str, sha: str, status: int) -> Answer:
        if branch in self._git["protected"]:
            return error(
                422, "Repository rule violations found\n\nChanges must be made through a pull request."
            )
        if sha not in self._git["commits"]:
            return error(422, "Object does not exist")
        self._git["refs"][branch] = sha
        for pull in self._state["pulls"].values():
            ours = pull["head_repository"] == self._state["repository"]
            if ours and pull["head_ref"] == branch and pull["state"] == "open":
                pull["head"] = sha
        return Answer(status, self._ref(branch))

    def _history(self, sha: str) -> set[str]:
        found, pending = set[str](), [sha]
        while pending:
            commit = pending.pop()
            if commit not in found:
                found.add(commit)
                pending += self._git["commits"].get(commit, {"parents": []})["parents"]
        return found

    def compare(self, operation: Operation) -> Answer:
        base, _dots, head = operation.arguments["basehead"].partition("...")
        if not {base, head} <= self._git["commits"].keys():
            return error(404, "Not Found")
        behind, ahead = base in self._history(head), head in self._history(base)
        status = {(True, True): "identical", (True, False): "ahead", (False, True): "behind"}
        made = self._of.component("commit-comparison")
        return Answer(200, made | {"status": status.get((behind, ahead), "diverged")})

    def _commit(self, sha: str) -> dict[str, Any]:
        commit = self._git["commits"][sha]
        made = self._of.component("git-commit")
        tree = made["tree"] | {"sha": self._planted(commit["files"])}
        parents = [
            {"sha": parent, "url": made["url"], "html_url": made["url"]} for parent in commit["parents"]
        ]
        return made | {"sha": sha, "message": commit["message"], "tree": tree, "parents": parents}

    def _get_commit(self, operation: Operation, *_: object) -> Answer:
        sha = operation.arguments["commit_sha"]
        return Answer(200, self._commit(sha)) if sha in self._git["commits"] else error(404, "Not Found")

    def _create_commit(self, _: Operation, request: Request, token: str) -> Answer:
        parents, tree = request.body.get("parents", []), self._git["trees"].get(request.body["tree"])
        if tree is None or not set(parents) <= self._git["commits"].keys():
            return error(422, "Tree or parent does not exist")
        self._state["next_id"] += 1  # two commits of the same content differ by their time
        made = {
            "parents": parents,
            "files": tree,
            "message": request.body["message"],
            "author": self._state["tokens"][token]["login"],
        }
        sha = _hash([made, self._state["next_id"]])
        self._git["commits"][sha] = made
        return Answer(201, self._commit(sha))

    def _planted(self, files: Files) -> str:
        sha = _hash(dict(files))
        self._git["trees"][sha] = dict(files)
        return sha

    def _tree(self, sha: str) -> dict[str, Any]:
        entries: dict[str, dict[str, Any]] = {}
        for path, blob in self._git["trees"][sha].items():
            name, slash, _ = path.partition("/")
            if not slash:
                entries[name] = {"path": name, "mode": "100644", "type": "blob", "sha": blob}
            elif name not in entries:
                files = self._git["trees"][sha].items()
                below = {p.removeprefix(f"{name}/"): b for p, b in files if p.startswith(f"{name}/")}
                entries[name] = {"path": name, "mode": "040000", "type": "tree", "sha": self._planted(below)}
        made = self._of.component("git-tree")
        return made | {"sha": sha, "truncated": False, "tree": list(entries.values())}

    def _get_tree(self, operation: Operation, *_: object) -> Answer:
        sha = operation.arguments["tree_sha"]
        return Answer(200, self._tree(sha)) if sha in self._git["trees"] else error(404, "Not Found")

    def _create_tree(self, _: Operation, request: Request, __: str) -> Answer:
        base = request.body.get("base_tree")
        files = dict(self._git["trees"][base]) if base else {}
        for entry in request.body["tree"]:
            if entry["sha"] not in self._git["blobs"]:
                return error(422, "tree.sha is not a valid blob")
            files[entry["path"]] = entry["sha"]
        return Answer(201, self._tree(self._planted(files)))

    def _get_blob(self, operation: Operation, *_: object) -> Answer:
        sha = operation.arguments["file_sha"]
        if sha not in self._git["blobs"]:
            return error(404, "Not Found")
        content = base64.encodebytes(self._git["blobs"][sha].encode()).decode()  # in lines, as GitHub does
        made = self._of.component("blob")
        return Answer(200, made | {"sha": sha, "content": content, "encoding": "base64"})

    def _create_blob(self, _: Operation, request: Request, __: str) -> Answer:
        assert request.body["encoding"] == "base64"
        text = base64.b64decode(request.body["content"]).decode()
        sha = hashlib.sha1(text.encode()).hexdigest()  # noqa: S324  # as git
        self._git["blobs"][sha] = text
        return Answer(201, self._of.component("short-blob") | {"sha": sha})

    def _create_pull(self, _: Operation, request: Request, token: str) -> Answer:
        if token.startswith("ghs_") and not self._state["actions_may_open_pulls"]:
            return error(403, NOT_PERMITTED)
        head, base = request.body["head"], request.body["base"]
        pulls, git = self._state["pulls"], self._git
        wanted = (self._state["repository"], head, base, "open")
        keys = ("head_repository", "head_ref", "base_ref", "state")
        same = [pull for pull in pulls.values() if tuple(pull[key] for key in keys) == wanted]
        if same or git["refs"][head] in self._history(git["refs"][base]):
            reason = f"A pull request already exists for acme:{head}." if same else "No commits between them"
            answer = error(422, "Validation Failed")
            answer.body["errors"] = [{"resource": "PullRequest", "code": "custom", "message": reason}]
            return answer
        number = max(map(int, pulls), default=0) + 1
        pulls[str(number)] = a_pull(
            head=git["refs"][head],
            head_ref=head,
            base=git["refs"][base],
            base_ref=base,
            author=self._state["tokens"][token]["login"],
            title=request.body["title"],
            body=request.body.get("body"),
        )
        return Answer(201, self._shapes.pull(number))

    def _update_pull(self, operation: Operation, request: Request, _: str) -> Answer:
        number = operation.arguments["pull_number"]
        if number not in self._state["pulls"]:
            return error(404, "Not Found")
        self._state["pulls"][number] |= request.body
        return Answer(200, self._shapes.pull(int(number)))
