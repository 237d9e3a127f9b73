"""Where a worker works: a copy of the code that it cannot change, a HOME and a TMPDIR of its own, a user."""

import logging
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Final

from gate.frozen import frozen
from gate.git import folders_of, real, search_path
from gate.work.files import Files, Origin, files_at, written
from gate.work.identity import WORKERS, Identity, hide_environment, interpreters, unreachable

PASSED: Final = ("PATH", "LANG", "LC_ALL", "TZ")
"""All that a worker sees of the gate's own environment."""
_logger = logging.getLogger(__name__)
_INSTALLED: Final = "node_modules"
_USERS = count()
_MOST_USERS: Final = 1000


class CannotStart(Exception):
    """Why a worker cannot be started at all; to try again would not help."""


@frozen
class Workplace:
    """`code` is the copy of the repository, `folder` the config's folder in it; `who` works here.

    `search` is PATH, in which a pull request's own folders are the base's.
    """

    files: Files
    code: Path
    own: Path
    who: Identity
    search: str

    @property
    def folder(self) -> Path:
        """The config's folder in the copy."""
        return self.code / self.files.folder

    @property
    def env(self) -> Mapping[str, str]:
        """The whole environment: nothing of the gate's own but what says how to find and print."""
        passed = {name: os.environ[name] for name in PASSED if name in os.environ}
        return {
            **passed,
            "PATH": self.search,
            "HOME": str(self.own / "home"),
            "TMPDIR": str(self.own / "tmp"),
        }

    def program(self, word: str) -> str:
        """The program that a word names: of the copy, of PATH, or what was made beside the config.

        Raises CannotStart, also where a pull request brings what the base does not have.
        """
        if "/" not in word:
            if found := shutil.which(word, path=self.search):
                return found
            raise CannotStart(f"`{word}` is not on PATH")
        copied = Path(os.path.normpath(self.folder / word))
        if copied.is_relative_to(self.code) and copied.is_file():
            return str(copied)
        made = Path(os.path.normpath(Path(self.files.origin.root).absolute() / word))
        if not made.is_file():
            raise CannotStart(f"there is no program `{word}`")
        if self.files.origin.commit and _is_brought(made, self.files):
            raise CannotStart(f"`{word}` is not the base's: the pull request brings it, or what is beside it")
        return str(made)

    def refuse(self, words: Iterable[str]) -> None:
        """Raise CannotStart where words name, by its whole path, what a pull request's commit has."""
        if not self.files.origin.commit:
            return
        for word in words:
            for found in re.findall(rf"{re.escape(str(self.files.top))}(?![\w.-])[^\s'\"`;|&<>:,]*", word):
                if _is_brought(Path(os.path.normpath(found)), self.files):
                    what = f"{found} is the pull request's: name it from the folder of agent-gate.yml"
                    raise CannotStart(what)

    def settled(self, argv: tuple[str, ...]) -> Identity:
        """Who can run this here: the worker's own user, or the gate's with a warning where that one cannot.

        Raises CannotStart where the gate is told never to start anything as root.
        """
        path = unreachable(self.who, self.folder, [str(self.own), *interpreters(argv[0], self.search)])
        if not path:
            return self.who
        what = (
            f"a custom metric runs as a user of its own, who cannot reach {path}: open it and the folders"
            " above it (chmod o+rx)"
        )
        if os.environ.get("AGENT_GATE_NEVER_ROOT"):
            raise CannotStart(what)
        _warn(f"{what}. It runs as root, and could read the gate's secrets.")
        return Identity()


@cache
def _warn(what: str) -> None:
    _logger.warning("warning: %s", what)


@contextmanager
def workplace(origin: Origin) -> Iterator[Workplace]:
    """A place for one worker; raises CannotStart. The copy is shared by all that work on the same code."""
    hide_environment()
    files = files_at(origin)
    who = _new_user()
    with _closed(files.top, who), _copy(files) as code, _folder("worker") as own:
        _furnish(own, who)
        path = os.environ.get("PATH", os.defpath)
        search = search_path(path, files.top, code) if origin.commit else path
        yield Workplace(files=files, code=code, own=own, who=who, search=search)


def _furnish(own: Path, who: Identity) -> None:
    try:
        for name in ("home", "tmp"):
            (own / name).mkdir(mode=0o700)
        who.own(own, own / "home", own / "tmp")
    except OSError as error:
        raise CannotStart(f"it cannot be given a folder of its own: {error.strerror}") from error


def _new_user() -> Identity:
    if os.geteuid() != 0:
        return Identity()
    return Identity(WORKERS - 1 - next(_USERS) % _MOST_USERS, WORKERS)


@contextmanager
def _closed(top: Path, who: Identity) -> Iterator[None]:
    """Inside the block only root and its owner read `.git`: a checkout may have left its token there."""
    modes: dict[Path, int] = {}
    try:
        for path in () if who.user is None else folders_of(top):
            with suppress(OSError):  # a root that may not is none, and what it starts is no other user either
                modes[path] = path.stat().st_mode
                path.chmod(stat.S_IMODE(modes[path]) & ~stat.S_IRWXO)
        yield
    finally:
        for path, mode in modes.items():
            with suppress(OSError):  # what was removed meanwhile needs no mode
                path.chmod(stat.S_IMODE(mode))


_COPIES: Final[dict[Origin, tuple[Path, int]]] = {}
"""The copies that are in use, and by how many."""


@contextmanager
def _copy(files: Files) -> Iterator[Path]:
    """The files of an origin in a folder that only workers, and the gate, can enter."""
    origin = files.origin
    path, users = _COPIES.get(origin) or (_new_copy(files), 0)
    _COPIES[origin] = (path, users + 1)
    try:
        yield path / "code"
    finally:
        path, users = _COPIES.pop(origin)
        if users > 1:
            _COPIES[origin] = (path, users - 1)
        else:
            shutil.rmtree(path, ignore_errors=True)


def _new_copy(files: Files) -> Path:
    try:
        path = Path(tempfile.mkdtemp(prefix="agent-gate-"))
        (path / "code").mkdir(mode=0o755)
        (path / "code" / files.folder).mkdir(mode=0o755, parents=True, exist_ok=True)
        written(files, path / "code")
        _link_installed(files, path / "code")
        if os.geteuid() == 0:
            os.chown(path, 0, WORKERS)
            path.chmod(0o710)
    except (OSError, ValueError) as error:
        raise CannotStart(f"its code cannot be copied: {error}") from error
    return path


def _link_installed(files: Files, target: Path) -> None:
    """Make what npm installed reachable from the copy, unless somebody commits such a folder."""
    here = files_at(Origin(root=files.origin.root)).names if files.origin.commit else files.names
    folder = Path(files.folder)
    for name in (folder, *folder.parents):
        installed = (name / _INSTALLED).as_posix()
        listed = any(f"{each}/".startswith(f"{installed}/") for each in here | files.names)
        if not listed and (files.top / installed).is_dir() and (target / name).is_dir():
            (target / installed).symlink_to(files.top / installed)


def _is_brought(program: Path, files: Files) -> bool:
    """Whether git has the program, what it leads to, or anything of the environment that it is of."""
    here = files_at(Origin(root=files.origin.root)).names
    for path in (program, real(program)):
        if not path.is_relative_to(files.top):
            continue
        name = path.relative_to(files.top).as_posix()
        above = {name, *(folder.as_posix() for folder in Path(name).parents)}
        environment = Path(name).parent.parent.as_posix()
        inside = environment != "." and any(each.startswith(f"{environment}/") for each in here)
        if above & here or inside or name == "." or any(each.startswith(f"{name}/") for each in here):
            return True
    return False


@contextmanager
def _folder(name: str) -> Iterator[Path]:
    try:
        path = Path(tempfile.mkdtemp(prefix=f"agent-gate-{name}-"))
    except OSError as error:
        raise CannotStart(f"no folder can be made in {tempfile.gettempdir()}: {error.strerror}") from error
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
