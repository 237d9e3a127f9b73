"""What is said of the project's own tests: a track beside the agent's cases, never counted among them."""

from collections import Counter
from collections.abc import Iterator, Mapping

from gate.model.run import TrackFacts
from gate.model.verdict import CaseVerdict, Report
from gate.publish import case_words, groups
from gate.publish.escape import Quote
from gate.publish.groups import Groups
from gate.publish.words import count


def found(report: Report) -> Groups:
    """The tests of all tracks by what became of them."""
    return groups.group(report, tests=True)


def measured(report: Report, quote: Quote) -> str:
    """`go-tests: 111 of 112 tests pass, 3 skipped.`, a sentence a track; "" where there is none."""
    passed = Counter(case.track for case in groups.planned(report) if case.passed == case.planned)
    return " ".join(f"{quote(each.name)}: {_counted(each, passed)}." for each in report.meta.tracks)


def _counted(track: TrackFacts, passed: Mapping[str, int]) -> str:
    if not track.tests:
        return "no results"
    pass_ = "passes" if track.tests == 1 else "pass"
    skipped = f", {track.skipped} skipped" if track.skipped else ""
    return f"{passed[track.name]} of {count(track.tests, 'test')} {pass_}{skipped}"


def broken_label(report: Report, tests: Groups) -> str:
    """`1 test broke, 2 new tests fail`."""
    kinds = Counter(case.klass for case in tests.broke)
    parts = [f"{count(kinds.pop('regressed'), 'test')} broke"] if kinds["regressed"] else []
    kinds.pop("regressed", None)
    word = "new " if groups.has_baseline(report) else ""
    fresh = kinds.total()
    return ", ".join([*parts, count(fresh, f"{word}test fails", f"{word}tests fail")] if fresh else parts)


def lines(report: Report, case: CaseVerdict, quote: Quote) -> Iterator[str]:
    """What a test that broke has to say: its history, then the start of each failure."""
    yield case_words.history(report, case, quote)
    for reason in dict.fromkeys(reason.text for reason in case.reasons):
        yield quote(reason)


def gone(report: Report) -> tuple[CaseVerdict, ...]:
    """The tests of the baseline that did not run now: skipped, renamed or removed."""
    return found(report).removed


def of_track(report: Report, track: str) -> tuple[CaseVerdict, ...]:
    """The tests of one track that ran."""
    return tuple(case for case in groups.planned(report) if case.track == track)
