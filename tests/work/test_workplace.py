"""Where a worker works: which program it gets, and what a pull request cannot put in its way."""

import os
from contextlib import nullcontext
from pathlib import Path

import pytest

from gate.git import head_of
from gate.work.files import Origin
from gate.work.workplace import CannotStart, workplace
from tests.support.commands import git
from tests.work.test_files import repository

WAYS = {
    "a program": {".venv/bin/python": "evil"},
    "a link to the environment": {"evil/bin/python": "evil"},
    "a module of the environment": {".venv/lib/sitecustomize.py": "evil"},
}


def project(folder: Path) -> tuple[Path, str]:
    """A base without an environment, whose workflow makes one."""
    root = repository(folder, {"agent-gate.yml": "", "evals/run.sh": "#!/bin/sh\necho base\n"})
    return root, head_of(root)


def made(root: Path, name: str = ".venv") -> None:
    (root / name / "bin").mkdir(parents=True, exist_ok=True)
    if not (root / name / "bin/python").exists():
        (root / name / "bin/python").symlink_to("/bin/sh")


@pytest.mark.parametrize("of_base", [True, False])
def test_an_environment_that_was_made_beside_the_config_is_used(of_base: bool, tmp_path: Path) -> None:
    root, base = project(tmp_path / "r")
    made(root)
    (root / ".gitignore").write_text(".venv\n")
    with workplace(Origin(root=str(root), commit=base if of_base else "")) as place:
        assert place.program(".venv/bin/python") == str(root / ".venv/bin/python")


@pytest.mark.parametrize("way", WAYS)
def test_an_environment_that_a_pull_request_brings_does_not_run_the_bases_metric(
    way: str, tmp_path: Path
) -> None:
    root, base = project(tmp_path / "r")
    for name, text in WAYS[way].items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    if "link" in way:
        (root / ".venv").symlink_to("evil")
    git(root, "add", "-A", "-f")
    git(root, "commit", "-q", "-m", "evil")
    made(root)
    with (
        workplace(Origin(root=str(root), commit=base)) as place,
        pytest.raises(CannotStart, match="the pull request brings it"),
    ):
        place.program(".venv/bin/python")


def test_a_program_of_the_repository_is_the_bases(tmp_path: Path) -> None:
    root, base = project(tmp_path / "r")
    (root / "evals/run.sh").write_text("#!/bin/sh\necho head\n")
    with workplace(Origin(root=str(root), commit=base)) as place:
        assert Path(place.program("evals/run.sh")).read_text().endswith("echo base\n")


def test_what_npm_installed_is_there_unless_a_pull_request_commits_it(tmp_path: Path) -> None:
    root, base = project(tmp_path / "r")
    (root / "node_modules/x").mkdir(parents=True)
    (root / "node_modules/x/index.js").write_text("x")
    (root / ".gitignore").write_text("node_modules\n")
    origin = Origin(root=str(root), commit=base)
    with workplace(origin) as place:
        assert (place.code / "node_modules/x/index.js").read_text() == "x"
    git(root, "add", "-f", "node_modules/x/index.js")
    with workplace(origin) as place:
        assert not (place.code / "node_modules").exists()


def test_the_copy_is_shared_and_ends_with_the_last_who_works_there(tmp_path: Path) -> None:
    root, _ = project(tmp_path / "r")
    origin = Origin(root=str(root))
    with workplace(origin) as one:
        with workplace(origin) as other:
            assert one.code == other.code
            assert one.own != other.own
        assert one.code.exists()
        assert not other.own.exists()
    assert not one.code.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_where_the_gate_is_root_git_is_closed_to_workers_and_open_again_after(tmp_path: Path) -> None:
    root, _ = project(tmp_path / "r")
    before = (root / ".git").stat().st_mode
    assert before & 0o005
    with workplace(Origin(root=str(root))), workplace(Origin(root=str(root))):
        assert not (root / ".git").stat().st_mode & 0o007
    assert (root / ".git").stat().st_mode == before


def test_what_the_work_tree_becomes_meanwhile_changes_nothing(tmp_path: Path) -> None:
    root, _ = project(tmp_path / "r")
    with workplace(Origin(root=str(root))) as place:
        (root / "evals/run.sh").write_text("changed by the agent")
        assert (place.code / "evals/run.sh").read_text() == "#!/bin/sh\necho base\n"


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, _ = project(tmp_path / "r")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    with pytest.raises(CannotStart, match="No such file"), workplace(Origin(root=str(root))):
        pass


def test_path_has_nothing_that_git_has_but_as_the_base_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, base = project(tmp_path / "r")
    made(root)
    for name in ("bin", "evals", "sub/more"):
        (root / name).mkdir(parents=True, exist_ok=True)
        (root / name / "tool").write_text("evil")
    (root / "link").symlink_to(root / "bin")
    git(root, "add", "-f", "bin", "evals", "sub", "link")
    monkeypatch.setenv(
        "PATH",
        ":".join(
            [
                "/usr/bin",
                *(str(root / n) for n in ("bin", "evals", "sub", "link", ".venv/bin", ".")),
                "",
                "bin",
            ]
        ),
    )
    with workplace(Origin(root=str(root), commit=base)) as place:
        copied = [str(place.code / name) for name in ("bin", "evals", "sub", "link")]
        assert place.search.split(":") == ["/usr/bin", *copied, str(root / ".venv/bin"), str(place.code)]
        assert place.env["PATH"] == place.search
        with pytest.raises(CannotStart, match="not on PATH"):
            place.program("tool")
    with workplace(Origin(root=str(root))) as place:
        assert place.search == os.environ["PATH"]


@pytest.mark.parametrize(
    ("word", "fine"),
    [
        ("{}/evals/run.sh", False),
        ("--script={}/evals/run.sh", False),
        ("sh '{}/evals/run.sh' --fast", False),
        ("{}/evals/../evals", False),
        ("{}/evals/", False),
        ("{}", False),
        ("{}/", False),
        ("{}-other/evals/run.sh", True),
        ("{}/.venv/bin/python", True),
        ("evals/run.sh", True),
        ("/usr/bin/sh", True),
    ],
)
def test_what_the_pull_request_has_is_not_named_by_its_whole_path(
    word: str, fine: bool, tmp_path: Path
) -> None:
    root, base = project(tmp_path / "r")
    made(root)
    (root / ".gitignore").write_text(".venv\n")
    refused = nullcontext() if fine else pytest.raises(CannotStart, match="is the pull request's")
    with workplace(Origin(root=str(root), commit=base)) as place, refused:
        place.refuse([word.format(root)])
    with workplace(Origin(root=str(root))) as place:
        place.refuse([word.format(root)])


def test_an_interpreter_that_a_pull_request_brings_is_refused_by_its_whole_path_too(tmp_path: Path) -> None:
    root, base = project(tmp_path / "r")
    made(root)
    git(root, "add", "-A", "-f")
    with (
        workplace(Origin(root=str(root), commit=base)) as place,
        pytest.raises(CannotStart, match="brings it"),
    ):
        place.program(str(root / ".venv/bin/python"))
