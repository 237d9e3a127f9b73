"""A repository's branches and files through GitHub's git data API: no clone, no git, no push.

https://docs.github.com/en/rest/git has blobs, trees, commits and references.
"""

import base64
from binascii import Error as NotBase64
from collections.abc import Mapping
from urllib.parse import quote

from gate.github.api import Api, Method
from gate.github.errors import GitHubError, MissingPermission, NotThere, RateLimited, Unclear
from gate.github.pulls import text
from gate.model import Json

NEEDS = "contents: write"
_RACED = frozenset((409, 422))
_TRIES = 3


class Repository:
    """One repository. Every method raises a GitHubError where GitHub refuses."""

    def __init__(self, api: Api, name: str) -> None:
        self._api = api
        self._at = f"/repos/{name}"

    async def default_branch(self) -> str:
        """The name of the branch that pull requests go to."""
        return _text(await self._get(""), "default_branch")

    async def tip(self, branch: str) -> str:
        """The commit that a branch is at; "" where there is no such branch."""
        try:
            found = await self._get(f"/git/ref/heads/{quote(branch)}")
        except NotThere:
            return ""
        return _text(found, "object", "sha")

    async def file(self, commit: str, path: str) -> bytes | None:
        """The bytes of a file at a commit; None where it is not there."""
        at = _text(await self._get(f"/git/commits/{commit}"), "tree", "sha")
        for part in path.split("/"):
            entry = await self._entry(at, part)
            if entry is None:
                return None
            at = _text(entry, "sha")
        blob = await self._get(f"/git/blobs/{at}")
        try:
            return base64.b64decode(_text(blob, "content"))
        except NotBase64 as error:
            raise GitHubError(f"GitHub answered with a {path} that is not base64") from error

    async def _entry(self, tree: str, name: str) -> Mapping[str, Json] | None:
        listed = await self._get(f"/git/trees/{tree}")
        entries = listed.get("tree") if isinstance(listed, Mapping) else None
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, Mapping) and entry.get("path") == name:
                return entry
        if isinstance(listed, Mapping) and listed.get("truncated") is True:
            raise GitHubError(f"a folder of the repository has too many files to look for {name}")
        return None

    async def contains(self, commit: str, ancestor: str) -> bool:
        """Whether a commit is `ancestor` or comes from it."""
        compared = await self._get(f"/compare/{ancestor}...{commit}", {"per_page": "1"})
        return _text(compared, "status") in ("ahead", "identical")

    async def commit(self, *parents: str, like: str, path: str, data: bytes, message: str) -> str:
        """A commit with the files of the commit `like` ("" for none) and this one; returns its hash.

        Its author is whom the token belongs to.
        """
        blob = await self._made(
            "/git/blobs", {"content": base64.b64encode(data).decode(), "encoding": "base64"}
        )
        entry: Json = {"path": path, "mode": "100644", "type": "blob", "sha": blob}
        base = _text(await self._get(f"/git/commits/{like}"), "tree", "sha") if like else ""
        tree = await self._made("/git/trees", {"tree": [entry], **({"base_tree": base} if base else {})})
        return await self._made("/git/commits", {"message": message, "tree": tree, "parents": list(parents)})

    async def move(self, branch: str, tip: str, to: str) -> bool:
        """Let a branch that is at `tip` ("": not there) be at `to`; whether nobody was faster."""
        try:
            if tip:
                await self._send("PATCH", f"/git/refs/heads/{quote(branch)}", {"sha": to, "force": False})
            else:
                await self._send("POST", "/git/refs", {"ref": f"refs/heads/{branch}", "sha": to})
        except (MissingPermission, RateLimited):
            raise
        except GitHubError as error:
            now = await self.tip(branch)
            if now == tip and not isinstance(error, Unclear):
                raise _protected(error, branch) from error
            return now == to
        return True

    async def _made(self, path: str, body: Json) -> str:
        """The hash of an object; making it twice does no harm, so a lost answer is asked for again."""
        for number in range(_TRIES):
            try:
                return _text(await self._send("POST", path, body), "sha")
            except Unclear as error:
                if number == _TRIES - 1:
                    raise
                await self._api.wait(2.0**number, error)
        raise AssertionError("the last try returns or raises")

    async def _get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        return await self._api.get(f"{self._at}{path}", needs=NEEDS, query=query)

    async def _send(self, method: Method, path: str, body: Json) -> Json:
        return await self._api.send(method, f"{self._at}{path}", body, needs=NEEDS)


def _protected(error: GitHubError, branch: str) -> GitHubError:
    """GitHub refuses although nobody was faster: a rule of the repository, as far as one can tell."""
    if error.status not in (403, *_RACED):
        return error
    hint = (
        f"Is {branch} protected? Let this token's app or person past the rule (Settings, Rules, the rule's"
        " bypass list; or Settings, Branches), or use `github-token` with one that may."
    )
    return GitHubError(error.message, hint=hint, status=error.status)


def _text(value: Json, *path: str) -> str:
    found = text(value, *path)
    if not found:
        raise GitHubError(f"GitHub answered without {'.'.join(path)}")
    return found
