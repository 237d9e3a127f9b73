"""What is committed at a revision."""

from pathlib import Path

import pytest

import gate.git.tree
from gate.git import Tree, head_of, tree_at
from tests.support.commands import git


def a_tree(root: Path, files: dict[str, bytes], links: dict[str, str] | None = None) -> Tree:
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    for name, target in (links or {}).items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).symlink_to(target)
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A", ".")
    git(root, "commit", "-q", "-m", "all")
    tree = tree_at(root, head_of(root))
    assert tree
    return tree


ODD = ["a b", 'quo"te', "new\nline", "tab\t", "é", "back\\slash", "-dash", "a/b/c", "glob*[x]", "$HOME"]


def test_bytes_are_read_as_they_are_under_any_name(tmp_path: Path) -> None:
    files = {name: f"{name}\r\n\0\n".encode() * 3 for name in ODD} | {"empty": b""}
    tree = a_tree(tmp_path, files)
    assert set(tree.blobs) == set(files)
    assert tree.read(files) == files


def test_a_name_that_is_not_utf8_is_no_obstacle(tmp_path: Path) -> None:
    name = b"caf\xe9.yaml".decode("utf-8", "surrogateescape")
    tree = a_tree(tmp_path, {name: b"x"})
    assert tree.read([name]) == {name: b"x"}


def test_the_work_tree_does_not_matter(tmp_path: Path) -> None:
    tree = a_tree(tmp_path, {"a": b"committed"})
    (tmp_path / "a").unlink()
    (tmp_path / "b").write_bytes(b"new")
    assert tree.read(["a", "b"]) == {"a": b"committed", "b": "it is not there"}


@pytest.mark.parametrize(
    ("links", "name", "real"),
    [
        ({"l": "a/f"}, "l", "a/f"),
        ({"l": "a"}, "l/f", "a/f"),
        ({"d/l": "../a/f"}, "d/l", "a/f"),
        ({"l": "m", "m": "a"}, "l/f", "a/f"),
        ({"l": "m", "m": "n", "n": "o", "o": "a"}, "l/f", "a/f"),
        ({"l": "."}, "l/a/f", "a/f"),
        ({"a/up": ".."}, "a/up/a/f", "a/f"),
    ],
)
def test_a_link_leads_to_what_is_committed(
    links: dict[str, str], name: str, real: str, tmp_path: Path
) -> None:
    tree = a_tree(tmp_path, {"a/f": b"it"}, links)
    assert tree.read([name]) == {name: b"it"}
    assert tree.real(name) == real
    assert tree.real(real) == real


@pytest.mark.parametrize("target", ["/etc/passwd", "../../../etc/passwd", "../outside", "gone", "l", "m"])
def test_a_link_out_of_the_repository_or_to_nothing_leads_nowhere(target: str, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes(b"secret")
    root = tmp_path / "repository"
    root.mkdir()
    tree = a_tree(root, {"a": b"it"}, {"l": target, "m": "l"})
    assert set(tree.blobs) == {"a"}
    assert tree.read(["l"]) == {"l": "it is not there"}


def test_two_links_into_each_other_end(tmp_path: Path) -> None:
    tree = a_tree(tmp_path, {"a/f": b"1", "b/g": b"2"}, {"a/b": "../b", "b/a": "../a"})
    assert tree.read(["a/b/g", "b/a/f"]) == {"a/b/g": b"2", "b/a/f": b"1"}


def test_a_pointer_of_git_lfs_is_no_content(tmp_path: Path) -> None:
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
    tree = a_tree(tmp_path, {"a": pointer})
    assert tree.read(["a"]) == {"a": "it is stored with Git LFS, and not in this checkout (`lfs: true`)"}


def test_a_file_that_is_too_large_is_not_read_and_others_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = a_tree(tmp_path, {"small": b"12345", "large": b"123456"})
    monkeypatch.setattr(gate.git.tree, "LARGEST", 5)
    assert tree.read(["small", "large"]) == {"small": b"12345", "large": "it exceeds 0 MiB"}


def test_what_a_partial_clone_lacks_is_told_and_not_fetched(tmp_path: Path) -> None:
    origin = tmp_path / "origin"
    origin.mkdir()
    a_tree(origin, {"a": b"it"})
    git(origin, "config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{origin}", str(clone))
    tree = tree_at(clone, head_of(clone))
    assert tree
    assert tree.read(["a"]) == {"a": "git has no copy of it here (a partial clone?)"}


def test_a_submodule_is_a_folder_without_files(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    a_tree(inner, {"f": b"it"})
    root = tmp_path / "outer"
    root.mkdir()
    a_tree(root, {"a": b"x"})
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib/inner")
    git(root, "commit", "-q", "-m", "submodule")
    tree = tree_at(root, head_of(root))
    assert tree
    assert (set(tree.blobs), tree.submodules) == ({"a", ".gitmodules"}, ("lib/inner",))


@pytest.mark.parametrize("commit", ["0" * 40, "main:gone", "nonsense"])
def test_a_commit_that_is_not_here_has_no_tree(commit: str, tmp_path: Path) -> None:
    a_tree(tmp_path, {"a": b"x"})
    assert tree_at(tmp_path, commit) is None


def test_outside_a_repository_there_is_no_tree(tmp_path: Path) -> None:
    assert tree_at(tmp_path, "HEAD") is None
