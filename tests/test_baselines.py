"""The baseline's file, in the work tree and on a branch of its own."""

from pathlib import Path

import pytest

from gate.baselines import bytes_of, load_baseline
from gate.git import head_of
from gate.model.bar import Revision
from gate.model.baseline import Baseline, BaselineFacts
from gate.trust import read_base
from tests.support.commands import a_project, edit, gate, git

BRANCH = "agent-gate/baseline"
NAME = "golden/baseline.jsonl"


def write(root: Path, text: str) -> None:
    """Put the file on the branch of a repository, as a commit of its own."""
    git(root, "checkout", "-q", "--orphan", BRANCH)
    git(root, "rm", "-rfq", ".")
    (root / NAME).parent.mkdir(exist_ok=True)
    (root / NAME).write_text(text, encoding="utf-8")
    git(root, "add", NAME)
    git(root, "commit", "-q", "-m", "evidence")
    git(root, "checkout", "-q", "main")


@pytest.fixture
def origin(tmp_path: Path) -> Path:
    return a_project(tmp_path / "origin")


@pytest.fixture
def evidence() -> str:
    return (Path(__file__).parents[1] / "examples/weather/golden/baseline.jsonl").read_text(encoding="utf-8")


def cloned(origin: Path, *options: str, name: str = "clone") -> Path:
    clone = origin.with_name(name)
    git(origin, "clone", "-q", *options, origin.as_uri(), str(clone))
    return clone


def state(root: Path) -> tuple[str, str]:
    _, facts, findings = load_baseline(root, NAME, BRANCH)
    return facts.state, facts.problem or "".join(finding.what for finding in findings)


def test_the_branch_at_the_remote_has_the_baseline(origin: Path, evidence: str) -> None:
    write(origin, evidence)
    baseline, facts, findings = load_baseline(cloned(origin), NAME, BRANCH)
    assert baseline
    assert bytes_of(baseline).decode() == evidence
    assert (facts.state, facts.path, findings) == ("compared", f"{BRANCH}:{NAME}", [])


def test_a_config_below_the_top_finds_its_file_below_the_top(origin: Path, evidence: str) -> None:
    write(origin, evidence)
    baseline, *_ = load_baseline(cloned(origin) / "golden", "baseline.jsonl", BRANCH)
    assert baseline


def test_a_branch_that_a_full_clone_does_not_know_is_no_baseline_yet(origin: Path) -> None:
    assert state(cloned(origin)) == ("none", "")


def test_without_a_remote_a_branch_that_is_not_here_is_no_baseline_yet(origin: Path) -> None:
    assert state(origin) == ("none", "")


@pytest.mark.parametrize(
    ("options", "why"),
    [(["--depth=1"], "the checkout is shallow"), (["--single-branch"], "only some of the branches")],
)
def test_a_clone_that_may_lack_the_branch_is_told_from_one_that_has_every_branch(
    origin: Path, evidence: str, options: list[str], why: str
) -> None:
    (origin / "more").write_text("x", encoding="utf-8")
    git(origin, "add", ".")
    git(origin, "commit", "-q", "-m", "more")
    write(origin, evidence)
    found, problem = state(cloned(origin, *options))
    assert found == "unreadable"
    assert why in problem
    assert "`fetch-depth: 0`" in problem


def test_outside_of_git_a_branch_cannot_be_read(tmp_path: Path) -> None:
    found, problem = state(tmp_path)
    assert found == "unreadable"
    assert "no git checkout" in problem


def test_a_file_that_was_deleted_from_the_branch_is_missed_and_one_that_never_was_is_not(
    origin: Path, evidence: str
) -> None:
    write(origin, evidence)
    assert load_baseline(cloned(origin), "other.jsonl", BRANCH)[1].state == "none"
    git(origin, "checkout", "-q", BRANCH)
    git(origin, "rm", "-q", NAME)
    git(origin, "commit", "-q", "-m", "gone")
    git(origin, "checkout", "-q", "main")
    found, problem = state(origin)
    assert found == "unreadable"
    assert "was deleted from the branch" in problem


def test_a_branch_that_only_the_checkout_has_is_not_the_remotes(origin: Path, evidence: str) -> None:
    """A pull request's branch may bear any name, also that of the baseline's branch."""
    clone = cloned(origin, "--depth=1")
    write(clone, evidence)
    assert state(clone)[0] == "unreadable"
    full = cloned(origin.rename(origin.with_name("other")), "--no-tags", name="full")
    write(full, evidence)
    assert state(full) == ("none", "")


def test_the_base_side_reads_the_branch_and_tells_none_yet_from_not_here(origin: Path, evidence: str) -> None:
    edit(origin / "agent-gate.yml", f"baseline: {NAME}", f"baseline: {{branch: {BRANCH}}}")
    git(origin, "commit", "-aqm", "a branch of its own")

    def facts(clone: Path) -> BaselineFacts:
        side = read_base(Revision(commit=head_of(clone)), clone / "agent-gate.yml")
        return side.baseline_facts

    assert facts(cloned(origin, name="before")).state == "none"
    write(origin, evidence)
    assert facts(cloned(origin)).state == "compared"
    assert facts(cloned(origin, "--single-branch", name="single")).state == "unreadable"


def test_a_malformed_file_on_the_branch_is_a_finding(origin: Path) -> None:
    write(origin, "{}\n")
    found, problem = state(cloned(origin))
    assert found == "unreadable"
    assert "expected the header" in problem


def test_accept_commits_to_the_branch_here_and_says_how_to_push_it(origin: Path) -> None:
    edit(origin / "agent-gate.yml", f"baseline: {NAME}", f"baseline: {{branch: {BRANCH}}}")
    git(origin, "commit", "-aqm", "a branch of its own")
    clone = cloned(origin)
    git(clone, "config", "user.name", "t")
    git(clone, "config", "user.email", "t@example.invalid")
    for runs in (1, 2):
        gate("run", cwd=clone)
        done = gate("baseline", "accept", cwd=clone)
        assert done.code == 0, done.err
        assert f"{BRANCH}:{NAME}: {runs} run" in done.out
        assert f"git push origin {BRANCH}" in done.out
    assert not (clone / NAME).exists()
    git(clone, "diff", "--exit-code")
    git(clone, "push", "-q", "origin", BRANCH)
    git(clone, "fetch", "-q")
    shown = gate("baseline", "show", cwd=clone)
    assert f"{BRANCH}:{NAME}: 2 runs" in shown.out
    assert "nothing got worse" in gate("run", cwd=clone).out


def test_accept_refuses_where_the_branch_is_checked_out(origin: Path) -> None:
    edit(origin / "agent-gate.yml", f"baseline: {NAME}", "baseline: {branch: main}")
    git(origin, "commit", "-aqm", "main itself")
    gate("run", cwd=origin)
    done = gate("baseline", "accept", cwd=origin)
    assert done.code == 2
    assert "main is checked out" in done.err


def test_a_baseline_of_the_work_tree_is_read_as_before(origin: Path, evidence: str) -> None:
    (origin / NAME).write_text(evidence, encoding="utf-8")
    baseline, facts, _ = load_baseline(origin, NAME)
    assert isinstance(baseline, Baseline)
    assert facts.path == NAME
