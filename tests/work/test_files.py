"""Which files the user's code is read from, and what it is made of."""

import os
from pathlib import Path

import pytest

from gate.git import head_of
from gate.work.closure import closure, module_file
from gate.work.files import Files, Origin, files_at, fingerprint, written
from tests.support.commands import git

FILES = {
    "evals/metrics.py": "import helper\nfrom evals import words\nfrom .near import x\nimport json\n",
    "evals/helper.py": "from deep.er import y",
    "evals/words.py": "",
    "evals/near.py": "",
    "evals/__init__.py": "",
    "deep/__init__.py": "from . import other",
    "deep/er.py": "def broken(:",
    "deep/other.py": "import evals.metrics",
    "unused.py": "",
}


def repository(folder: Path, files: dict[str, str] = FILES) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    git(folder, "init", "-q", "-b", "main", "--template=")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return folder


def at(folder: Path, *, commit: bool = False, inner: str = "") -> Files:
    return files_at(Origin(root=str(folder / inner), commit=head_of(folder) if commit else "", folder=inner))


@pytest.mark.parametrize("commit", [True, False])
def test_a_metric_is_its_file_and_all_that_it_imports_of_the_repository(commit: bool, tmp_path: Path) -> None:
    files = at(repository(tmp_path / "r"), commit=commit)
    found = closure(files, ["evals/metrics.py"], ["evals", ""])
    assert found == set(FILES) - {"unused.py"}


def test_inline_code_counts_what_it_imports(tmp_path: Path) -> None:
    files = at(repository(tmp_path / "r"))
    assert closure(files, [], [""], "from evals.words import x") == {"evals/__init__.py", "evals/words.py"}


@pytest.mark.parametrize(
    ("module", "folders", "file"),
    [
        ("metrics", ["evals", ""], "evals/metrics.py"),
        ("evals.metrics", ["evals", ""], "evals/metrics.py"),
        ("deep", [""], "deep/__init__.py"),
        ("json", ["", "evals"], ""),
        ("metrics", ["../evals"], ""),
    ],
)
def test_a_module_is_found_by_its_dotted_name(
    module: str, folders: list[str], file: str, tmp_path: Path
) -> None:
    assert module_file(at(repository(tmp_path / "r")), module, folders) == file


def test_the_fingerprint_is_of_the_content_and_of_names_from_the_configs_folder(tmp_path: Path) -> None:
    one = repository(tmp_path / "one", {"a/evals/m.py": "x", "a/c.yml": ""})
    two = repository(tmp_path / "two", {"b/b/evals/m.py": "x", "b/b/c.yml": ""})
    first = fingerprint(at(one, inner="a"), ["a/evals/m.py"])
    assert first == fingerprint(at(two, inner="b/b"), ["b/b/evals/m.py"])
    assert first == fingerprint(at(one, inner="a", commit=True), ["a/evals/m.py"])
    (one / "a/evals/m.py").write_text("y")
    assert first != fingerprint(at(one, inner="a"), ["a/evals/m.py"])
    assert first == fingerprint(at(one, inner="a", commit=True), ["a/evals/m.py"])


@pytest.mark.parametrize("commit", [True, False])
def test_a_copy_has_what_git_has_and_nothing_from_outside(commit: bool, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    folder.mkdir()
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "inside.txt").write_text("inside")
    (folder / "out").symlink_to("../outside.txt")
    (folder / "in").symlink_to("inside.txt")
    (folder / "run.sh").write_text("")
    (folder / "run.sh").chmod(0o755)
    repository(folder, {".gitignore": "ignored\n", "evals/m.py": "m"})
    (folder / "ignored").write_text("")
    (folder / "later.txt").write_text("not committed")
    (tmp_path / "copy").mkdir()
    written(at(folder, commit=commit), tmp_path / "copy")
    found = {path.relative_to(tmp_path / "copy").as_posix() for path in (tmp_path / "copy").rglob("*")}
    more = set() if commit else {"later.txt"}
    assert found == {".gitignore", "in", "inside.txt", "run.sh", "evals", "evals/m.py", *more}
    assert (tmp_path / "copy/in").read_text() == "inside"
    assert not (tmp_path / "copy/in").is_symlink()
    assert os.access(tmp_path / "copy/run.sh", os.X_OK)
    assert not os.access(tmp_path / "copy/in", os.X_OK)


@pytest.mark.parametrize("commit", [True, False])
def test_a_copy_has_no_secret_of_the_machine_and_nothing_of_git(commit: bool, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    secrets = (".env", "a/.env.local", "gha-creds-1.json", "a/server.key", ".npmrc")
    repository(folder, dict.fromkeys((*secrets, "a/env.py", "key.txt"), "x"))
    for link, target in (("config", ".git/config"), ("git", ".git"), ("env", ".env")):
        (folder / link).symlink_to(target)
    if commit:
        git(folder, "add", "-A")
        git(folder, "commit", "-q", "-m", "links")
    (tmp_path / "copy").mkdir()
    written(at(folder, commit=commit), tmp_path / "copy")
    found = {
        path.relative_to(tmp_path / "copy").as_posix()
        for path in (tmp_path / "copy").rglob("*")
        if path.is_file()
    }
    assert found - {"env"} == {"a/env.py", "key.txt"}
    assert commit or "env" not in found


def test_outside_of_a_repository_the_configs_folder_is_read(tmp_path: Path) -> None:
    for name in ("m.py", "evals/n.py", ".hidden/x.py", "node_modules/y.js", ".secret"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    assert files_at(Origin(root=str(tmp_path))).names == {"m.py", "evals/n.py"}


def test_a_commit_that_is_not_here_has_no_files(tmp_path: Path) -> None:
    repository(tmp_path / "r")
    files = files_at(Origin(root=str(tmp_path / "r"), commit="0" * 40))
    assert files.names == frozenset()
    assert files.read(["evals/metrics.py"]) == {}


def test_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gate.work.files.MOST", 10)
    (tmp_path / "copy").mkdir()
    with pytest.raises(ValueError, match="GiB of files"):
        written(at(repository(tmp_path / "r")), tmp_path / "copy")


def test_a_checkout_that_ends_lines_otherwise_has_the_same_code(tmp_path: Path) -> None:
    root = repository(tmp_path / "r", {".gitattributes": "*.py text eol=crlf\n", "m.py": "a = 1\nb = 2\n"})
    (root / "m.py").unlink()
    git(root, "checkout", "--", "m.py")
    assert b"\r\n" in (root / "m.py").read_bytes()
    here, base = fingerprint(at(root), ["m.py"]), fingerprint(at(root, commit=True), ["m.py"])
    assert here == base
    (root / "m.py").write_bytes(b"a = 1\r\nb = 3\r\n")
    assert fingerprint(at(root), ["m.py"]) != base
