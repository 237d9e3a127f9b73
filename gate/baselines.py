"""The baseline's file: where it is read from (the work tree, or a branch of its own), and what it says."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from gate.compare.baseline import from_lines, to_lines
from gate.documents import canonical, read_bytes
from gate.formats.records import Malformed
from gate.formats.strict import strict_json
from gate.git import is_tracked
from gate.git.branches import file_at, newest_tip_of, tip_of, was_there, why_unknown
from gate.model import Json
from gate.model.baseline import Baseline, BaselineFacts
from gate.model.finding import Finding, Place

Loaded: TypeAlias = tuple[Baseline | None, BaselineFacts, list[Finding]]
"""The baseline, what is said of it, and what is wrong with the file's content."""

LARGEST_BASELINE = 1 << 30
"""Bytes: ten runs of ten thousand cases make some fifty million."""
_RESTORE = "`git checkout -- {name}` restores it; `agent-gate baseline accept` writes it."


def load_baseline(root: Path, name: str, branch: str = "", *, unpushed: bool = False) -> Loaded:
    """The committed baseline. A malformed one is a finding; one that is gone or unreadable is a fact.

    With a branch it is read from there, as it is at the remote, or else here; `unpushed`: as it is here where
    that is newer.
    """
    if branch:
        return _on_branch(root, name, branch, (newest_tip_of if unpushed else tip_of)(root, branch))
    path = root / name
    try:
        data = read_bytes(path, LARGEST_BASELINE)
    except FileNotFoundError:
        if path.is_symlink():
            return unreadable(name, f"{name} is a link to a file that is not there")
        if not is_tracked(root, path):
            return _none(name)
        return unreadable(name, f"{name} is committed but not there; `git restore {name}` brings it back")
    except OSError as error:
        return unreadable(name, f"{name} cannot be read: {error.strerror}")
    return baseline_of(data, name)


def _on_branch(root: Path, name: str, branch: str, commit: str) -> Loaded:
    shown = f"{branch}:{name}"
    if not commit:
        reason = why_unknown(root, branch)
        if not reason:
            return _none(shown)
        fix = "give actions/checkout `fetch-depth: 0`, or here: `git fetch origin`"
        return unreadable(shown, f"the branch {branch}, which has the baseline, is not here: {reason}; {fix}")
    match file_at(root, commit, name):
        case bytes(data):
            return baseline_of(data, shown, fix="Restore it on that branch, from the commit before.")
        case str(reason):
            return unreadable(shown, f"{name} on the branch {branch} cannot be read: {reason}")
        case None if was_there(root, commit, name):
            return unreadable(shown, f"{name} was deleted from the branch {branch}; restore it there")
        case None:
            return _none(shown)


def baseline_of(data: bytes, name: str, *, fix: str = "") -> Loaded:
    """The baseline of a file's bytes, from wherever they came; `name` is the file's, for people."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return unreadable(name, f"{name} cannot be read: byte {error.start} is not UTF-8")
    try:
        baseline = from_lines(_lines(text))
    except Malformed as error:
        facts = BaselineFacts(state="unreadable", path=name)
        return None, facts, [_malformed(name, str(error), fix or _RESTORE.format(name=name))]
    return baseline, baseline_facts(baseline, name), []


def bytes_of(baseline: Baseline) -> bytes:
    """The file's bytes."""
    return "".join(map(canonical, to_lines(baseline))).encode()


def baseline_facts(baseline: Baseline, name: str) -> BaselineFacts:
    """What is said of a baseline that could be read."""
    if not baseline.runs:
        return BaselineFacts(state="none", path=name)
    last = baseline.runs[-1]
    return BaselineFacts(
        state="compared",
        path=name,
        runs=len(baseline.runs),
        commit=last.commit,
        branch=last.branch,
        date=last.date,
    )


def _none(name: str) -> Loaded:
    return None, BaselineFacts(state="none", path=name), []


def unreadable(name: str, problem: str) -> Loaded:
    """There is a baseline, and it cannot be read."""
    return None, BaselineFacts(state="unreadable", path=name, problem=problem), []


def _lines(text: str) -> Iterator[Json]:
    """The values of JSON lines: a line ends with a newline, and with nothing else that Unicode calls one."""
    whole = text.rstrip()
    for number, line in enumerate(whole.split("\n") if whole else (), start=1):
        try:
            yield strict_json(line)
        except ValueError as error:
            raise Malformed(f"line {number}: {error}") from None


def _malformed(name: str, problem: str, fix: str) -> Finding:
    return Finding.error(
        "baseline-malformed",
        Place(file=name),
        problem,
        why="Without the baseline nothing can be called better or worse.",
        fix=fix,
    )
