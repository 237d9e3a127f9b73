"""The token that a command prints: short-lived credentials of a gateway, asked for again when they expire."""

import asyncio
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from gate.formats.strict import strict_json
from gate.git import is_in_checkout, search_path, top_of, tree_at
from gate.judge.answers import Failed
from gate.model.judge import JudgeConfig
from gate.redact import quoted

WITHIN_S: Final = 30.0
PASSED: Final = (
    *("PATH", "LANG", "LC_ALL", "TZ", "HOME", "TMPDIR"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
"""What a token command gets of the environment, beside `token_env`."""
_FRESH: Final = 0.8
_MOST: Final = 16_384
_EXCERPT: Final = 200


class Tokens:
    """Runs the command when a token is needed: first, after 80 % of its `expires_in`, and after a 401.

    The command prints the token alone, or JSON with `access_token` (or `token`) and perhaps `expires_in` in
    seconds.
    """

    def __init__(
        self, judge: JudgeConfig, environ: Mapping[str, str], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._judge = judge
        self._environ = environ
        self._clock = clock
        self._lock = asyncio.Lock()
        self._until = 0.0
        self._folder: Path | None = None
        self.token = ""

    def forget(self, token: str) -> None:
        """The endpoint does not know this token any more."""
        if token == self.token:
            self.token = ""

    async def get(self) -> str:
        """A token that should still be good; raises Failed."""
        async with self._lock:
            if not self.token or self._clock() >= self._until:
                self.token, lives_s = _read(await self._printed())
                self._until = self._clock() + (lives_s * _FRESH if lives_s else float("inf"))
            return self.token

    def close(self) -> None:
        """Remove the copy of the base's files, where one was made."""
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _printed(self) -> str:
        command = self._judge.token_command
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                cwd=self._place(),
                env=self._variables(),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise Failed(f"its token command cannot be started: {error}", again=False) from None
        try:
            async with asyncio.timeout(WITHIN_S):
                out, err = await process.communicate()
        except TimeoutError:
            raise Failed(f"its token command gave nothing within {WITHIN_S:g} s") from None
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if process.returncode:
            told = quoted(err, _EXCERPT)
            raise Failed(f"its token command exited with {process.returncode}{': ' + told if told else ''}")
        return out[: _MOST + 1].decode("utf-8", "replace")

    def _variables(self) -> dict[str, str]:
        environ, judge = self._environ, self._judge
        found = {name: environ[name] for name in (*PASSED, *judge.token_env) if name in environ}
        if self._folder:  # a program of the pull request must not be found before the base's
            found["PATH"] = search_path(environ.get("PATH", os.defpath), Path(judge.root), self._folder)
        return found

    def _place(self) -> Path:
        """Where the command runs: beside the config, or in a copy of the base's files.

        A pull request's files must not see the variables of `token_env`.
        """
        root = Path(self._judge.root)
        if not self._judge.commit:
            return root
        for argument in self._judge.token_command:
            if Path(argument).is_absolute() and is_in_checkout(root, Path(argument)):
                raise Failed(f"its token command names {argument}, a file of the pull request", again=False)
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="agent-gate-judge-"))
            _copy(root, self._judge.commit, self._folder)
        top = top_of(root)
        place = self._folder / (Path(os.path.realpath(root)).relative_to(top) if top else ".")
        place.mkdir(parents=True, exist_ok=True)
        return place


def _copy(root: Path, commit: str, folder: Path) -> None:
    """Write the files of a commit into a private folder; each may be run."""
    tree = tree_at(root, commit)
    for name, content in tree.read(tree.blobs).items() if tree else ():
        if isinstance(content, bytes) and ".." not in PurePosixPath(name).parts:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
            (folder / name).chmod(0o700)


def _read(printed: str) -> tuple[str, float]:
    """The token, and the seconds that it lives (0: it does not say)."""
    text, lives_s = printed.strip(), 0.0
    if text.startswith("{"):
        try:
            value = strict_json(text)
        except ValueError as error:
            raise Failed(
                f"its token command printed JSON that cannot be read ({error})", again=False
            ) from None
        found = value if isinstance(value, dict) else {}
        token, lives = found.get("access_token") or found.get("token"), found.get("expires_in")
        text = token if isinstance(token, str) else ""
        lives_s = float(lives) if isinstance(lives, int | float) and not isinstance(lives, bool) else 0.0
    if not text or len(text) > _MOST or not text.isascii() or not text.isprintable() or " " in text:
        raise Failed("its token command printed no token: one line of ASCII without spaces", again=False)
    return text, max(lives_s, 0.0)
