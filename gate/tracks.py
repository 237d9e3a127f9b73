"""The project's own tests as tracks of the run: JUnit files become cases that were run already."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from gate.compare.cases import TEST
from gate.dataset.files import matching, named
from gate.dataset.reader import LABEL
from gate.documents import read_bytes
from gate.formats.junit_results import NativeResults, NativeTest, NotJunit, read
from gate.git import committed_under
from gate.model.config import Config, TrackConfig
from gate.model.finding import Finding, Place
from gate.model.run import CaseFacts, Track, TrackFacts, TrialRecord
from gate.model.score import Item, Scored
from gate.model.trace import Completed
from gate.redact import Redactor

LARGEST: Final = 256 << 20
MOST: Final = 100_000
"""Tests of a track."""
_LONGEST_NAME: Final = 150


def load(
    config: Config, redact: Redactor, *, required: bool = True
) -> tuple[tuple[Track, ...], tuple[Finding, ...]]:
    """Read the results of every track; what is not there or cannot be read is a finding.

    Missing results are a warning where they are not `required`.
    """
    tracks: list[Track] = []
    findings: list[Finding] = []
    for configured in config.tracks:
        files, wrong = _files(configured, Path(config.root), required=required)
        results, unread = _read(files, Path(config.root))
        findings += [*wrong, *unread]
        track = _track(configured, results, Path(config.root), redact)
        findings += _about(configured, track, found=bool(files), broken=bool(unread))
        tracks.append(track)
    return tuple(tracks), tuple(findings)


def _files(track: TrackConfig, root: Path, *, required: bool) -> tuple[list[str], list[Finding]]:
    found: set[str] = set()
    findings = []
    for pattern in track.junit:
        matched = {named(name, root) for name in matching(pattern, root)}
        found |= matched
        if not matched:
            make = Finding.error if required else Finding.warn
            what = f"track '{track.name}': no file matches {pattern!r}"
            why = "Results that are not there would count as tests that pass."
            fix = "Run the tests, with a JUnit report, in a step before this one; or correct `junit:`."
            findings.append(make("no-results", track.place, what, why=why, fix=fix))
    return sorted(found), findings


def _read(files: Sequence[str], root: Path) -> tuple[dict[str, NativeResults], list[Finding]]:
    results: dict[str, NativeResults] = {}
    findings = []
    committed = committed_under(root) if files else frozenset[str]()
    for name in files:
        try:
            results[name] = read(read_bytes(root / name, LARGEST))
        except NotJunit as error:
            place = Place(file=name, line=error.line)
            what = f"these are no results that can be read: {error}"
            fix = "Have the test runner write it anew."
            findings.append(Finding.error("bad-results", place, what, fix=fix))
        except OSError as error:
            what = f"cannot be read: {error.strerror}"
            findings.append(Finding.error("unreadable", Place(file=name), what))
        if name in committed:
            what = "these results are committed: they say what the tests said then"
            fix = f"`git rm --cached {name}`, and have the workflow write it."
            findings.append(Finding.warn("committed-results", Place(file=name), what, fix=fix))
    return results, findings


def _about(track: TrackConfig, read_: Track, *, found: bool, broken: bool) -> Iterator[Finding]:
    if found and not broken and not read_.facts.tests:
        skipped = read_.facts.skipped
        what = f"track '{track.name}': its results have no test that ran" + (
            f" ({skipped} were skipped)" if skipped else ""
        )
        why = "A check of nothing would always be green."
        yield Finding.error("no-tests", track.place, what, why=why, fix="Look at how the tests were run.")
    if read_.facts.tests > MOST:
        what = f"track '{track.name}' has {read_.facts.tests} tests, and a run can have {MOST}"
        yield Finding.error("too-many-tests", track.place, what, fix="Make several tracks of it.")


def _track(track: TrackConfig, results: dict[str, NativeResults], root: Path, redact: Redactor) -> Track:
    cases: list[CaseFacts] = []
    trials: list[TrialRecord] = []
    seen: Counter[str] = Counter()
    for file, held in results.items():
        for test in held.tests:
            place = Place(file=(root / file).as_posix(), line=test.line)
            id_ = _id(track.name, redact.text(test.name), seen)
            records = [*_trials(track.name, id_, test, redact)]
            cases.append(
                CaseFacts(id=id_, place=place, keys={track.name: TEST}, track=track.name, trials=len(records))
            )
            trials += records
    facts = TrackFacts(
        name=track.name,
        files=tuple(results),
        tests=len(cases),
        skipped=sum(held.skipped for held in results.values()),
    )
    return Track(facts=facts, cases=tuple(cases), trials=tuple(trials))


def _id(track: str, name: str, seen: Counter[str]) -> str:
    """`go-tests::pkg.TestSave`; another test of the same name is a test of its own, ` (2)`.

    `seen` has every name that is taken: a test may be called `TestSave (2)` by itself.
    """
    label = " ".join(name.split())
    if len(label) > _LONGEST_NAME or not LABEL.fullmatch(label):
        kept = "".join(character if character.isprintable() else "?" for character in label)
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
        label = f"{kept[:_LONGEST_NAME]}… {digest}"
    found = label
    while found in seen:  # the name with a number may be another test's own
        seen[label] += 1
        found = f"{label} ({seen[label]})"
    seen[found] += 1
    return f"{track}::{found}"


def _trials(track: str, id_: str, test: NativeTest, redact: Redactor) -> Iterator[TrialRecord]:
    """Each time that the test was run: those that failed, then the one that passed."""
    for number, why in enumerate(test.failed, start=1):
        reason = redact.text(why) or "it failed, and does not say why"
        yield _trial(track, id_, number, test, Item(where="case", value=0.0, reason=reason))
    if test.passed:
        yield _trial(track, id_, len(test.failed) + 1, test, Item(where="case", value=1.0))


def _trial(track: str, id_: str, number: int, test: NativeTest, item: Item) -> TrialRecord:
    return TrialRecord(
        case=id_,
        trial=number,
        outcome=Completed(),
        scores={track: Scored(value=item.value, items=(item,), reason=item.reason)},
        duration_ms=round(test.seconds * 1000, 3) if number == 1 else 0.0,
        track=track,
    )
