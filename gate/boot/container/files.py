"""What of the checkout gets into a container: never `.git`, golden files, baseline or the run's output."""

import os
import stat
import tarfile
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from gate.boot.hidden import Hidden
from gate.git import files_of

WORKSPACE: Final = "workspace"
_FOLDER_MODE, _FILE_MODE = 0o777, 0o666


def workspace(root: Path, unseen: Hidden) -> IO[bytes]:
    """A tar of the checkout under `root`, as /workspace: what git knows or could know, else everything.

    Whoever the agent runs as may read it, and write to it where the container's files are writable.
    """
    names = files_of(root) or tuple(os.listdir(root))  # noqa: PTH208 - names, not paths
    return _tar(root, _walked(root, names, unseen), WORKSPACE, open_to_all=True)


def context(folder: Path, dockerfile: Path, unseen: Hidden) -> tuple[IO[bytes], str]:
    """A tar of a build's context as `.dockerignore` has it, and the Dockerfile's name in it."""
    from docker.utils.build import exclude_paths

    folder = folder.resolve()
    dockerfile = dockerfile.resolve()
    inside = dockerfile.is_relative_to(folder)
    name = dockerfile.relative_to(folder).as_posix() if inside else ".agent-gate.Dockerfile"
    names = sorted(
        exclude_paths(str(folder), _ignored(folder, dockerfile), dockerfile=name if inside else None)
    )
    chosen = (path for path in names if path and folder / path not in unseen)
    extra = {} if inside else {name: dockerfile}
    return _tar(folder, chosen, "", extra=extra), name


def _ignored(folder: Path, dockerfile: Path) -> list[str]:
    """The patterns of `NAME.dockerignore` beside the Dockerfile, or of `.dockerignore`."""
    for file in (dockerfile.with_name(f"{dockerfile.name}.dockerignore"), folder / ".dockerignore"):
        if file.is_file():
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
            return [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return []


def _walked(root: Path, names: Iterable[str], unseen: Hidden) -> Iterator[str]:
    """The files, and folders with all that is in them; a link is taken as a link."""
    for name in sorted(names):
        path = root / name
        if path in unseen:
            continue
        if path.is_dir() and not path.is_symlink():
            yield name
            yield from _walked(root, (f"{name}/{child.name}" for child in path.iterdir()), unseen)
        elif path.is_symlink() or path.exists():
            yield name


def _tar(
    root: Path,
    names: Iterable[str],
    under: str,
    *,
    extra: dict[str, Path] | None = None,
    open_to_all: bool = False,
) -> IO[bytes]:
    spooled = tempfile.TemporaryFile()  # noqa: SIM115 - the caller sends and closes it
    with tarfile.open(fileobj=spooled, mode="w") as tar:
        if under:
            tar.addfile(_folder(under))
        for name, path in [*((name, root / name) for name in names), *(extra or {}).items()]:
            _add(tar, path, f"{under}/{name}" if under else name, open_to_all=open_to_all)
    spooled.seek(0)
    return spooled


def _folder(name: str) -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.mode = tarfile.DIRTYPE, _FOLDER_MODE
    return info


def _add(tar: tarfile.TarFile, path: Path, name: str, *, open_to_all: bool) -> None:
    if not (path.is_file() or path.is_dir() or path.is_symlink()):
        return  # sockets, pipes and devices
    info = tar.gettarinfo(path, name)
    if info.islnk():
        info.type, info.size = tarfile.REGTYPE, path.stat().st_size
    info.uid = info.gid = 0
    info.uname = info.gname = ""
    if open_to_all:
        is_program = info.isdir() or info.mode & stat.S_IXUSR
        info.mode |= _FOLDER_MODE if is_program else _FILE_MODE
    if info.isreg():
        with path.open("rb") as file:
            tar.addfile(info, file)
    else:
        tar.addfile(info)
