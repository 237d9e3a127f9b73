"""Files that git has only a pointer of."""

import hashlib
from pathlib import Path

import pytest

from gate.git.lfs import unpointed
from tests.support.commands import git

KEPT = b"cases: []\n"
OID = hashlib.sha256(KEPT).hexdigest()
MISSING = "it is stored with Git LFS, and not in this checkout (`lfs: true`)"


def pointer(oid: str = OID, size: int = len(KEPT), more: str = "") -> bytes:
    return f"version https://git-lfs.github.com/spec/v1\n{more}oid sha256:{oid}\nsize {size}\n".encode()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q", "-b", "main")
    folder = tmp_path / ".git" / "lfs" / "objects" / OID[:2] / OID[2:4]
    folder.mkdir(parents=True)
    (folder / OID).write_bytes(KEPT)
    return tmp_path


def test_what_a_checkout_brought_stands_for_its_pointer(repository: Path) -> None:
    assert unpointed(repository, pointer(), 1000) == KEPT


def test_what_is_no_pointer_is_the_file(repository: Path) -> None:
    assert unpointed(repository, KEPT, 1000) == KEPT


@pytest.mark.parametrize(
    "asked",
    [
        pointer("0" * 64),
        pointer(size=len(KEPT) + 1),
        pointer(size=10**11),
        pointer(more="ext-0-foo sha256:" + "1" * 64 + "\n"),
        pointer(oid="../" * 20),
        pointer()[:-20],
        b"version https://git-lfs.github.com/spec/v9\n",
    ],
)
def test_what_is_not_there_or_cannot_be_told_is_said(repository: Path, asked: bytes) -> None:
    assert unpointed(repository, asked, 1000) == MISSING


def test_another_file_in_the_place_of_the_one_that_is_meant_is_not_taken(repository: Path) -> None:
    (repository / ".git/lfs/objects" / OID[:2] / OID[2:4] / OID).write_bytes(KEPT.swapcase())
    assert unpointed(repository, pointer(), 1000) == MISSING
