"""How numbers, rules and exits read.

Shares have two decimals (0.98), latencies are in ms below a second and in seconds above, tokens in thousands
(412k). A change carries its sign (U+2212 for minus); one that rounds to nothing without being nothing reads
`<0.01`. A number that would read as its limit without being on it gets more digits, so that no number
contradicts its verdict: 0.895 under a minimum of 0.9 is never 0.90.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from math import floor, log10
from typing import get_args

from gate.errors import BAD_INPUT, BUG, PUBLISH_FAILED
from gate.model.config import Amount, Rule
from gate.model.score import Cause
from gate.model.verdict import Coverage, Report

MINUS = "\N{MINUS SIGN}"
_MOST_DIGITS = 6
_SAME = 1e-9
_K, _M = 1_000, 1_000_000
_OUTCOMES = frozenset(("completed", "crashed", "timed_out", "paused", "throttled", "refused"))
_CAUSES = frozenset(get_args(Cause))
_MINUTE, _HOUR = 60, 3600
_TENTHS_BELOW = 9.95


def count(number: int, one: str, many: str = "") -> str:
    """`1 case`, `2 cases`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def amount(value: float, unit: str, *, limits: Iterable[float] = ()) -> str:
    """A value of a metric as people read it; on the same side of every limit as the value itself."""
    scale, digits, suffix = _form(value, unit)
    borders = (0.0, 1.0, *limits) if unit == "" else tuple(limits)
    return _digits(value, scale, digits, borders) + suffix


def change(before: float, after: float, unit: str, *, limits: Iterable[float] = ()) -> str:
    """The signed difference, in the unit that the larger side has; `limits` bound its size."""
    size = abs(after - before)
    scale, digits, suffix = _form(max(abs(before), abs(after)), unit)
    if scale == 1:
        digits = max(digits, _form(min(abs(before), abs(after)), unit)[1])
    if size < _SAME:
        return f"{0:.{digits}f}{suffix}"
    sign = "+" if after > before else MINUS
    text = _digits(size, scale, digits, tuple(limits))
    if float(text) == 0:
        return f"{sign}<{10**-digits:.{digits}f}{suffix}"
    return f"{sign}{text}{suffix}"


def _form(value: float, unit: str) -> tuple[float, int, str]:
    """Divisor, decimals and suffix for a value of this size."""
    size = abs(value)
    match unit:
        case "ms":
            return (1, 0, " ms") if size < _K else (_K, 1, " s")
        case "tokens" if size >= _M:
            return _M, 1, "M"
        case "tokens" if size >= _K:
            return _K, 0 if size >= 10 * _K else 1, "k"
        case "":
            return 1, 2, ""
        case "cost":
            return 1, 2 if size >= 1 or not size else min(1 - floor(log10(size)), _MOST_DIGITS), ""
        case _:
            return 1, 0 if float(value).is_integer() else 2, ""


def _digits(value: float, scale: float, digits: int, limits: tuple[float, ...]) -> str:
    def text(decimals: int) -> str:
        return f"{value / scale:.{decimals}f}"

    for decimals in range(digits, _MOST_DIGITS):
        if all(_side(float(text(decimals)) * scale, limit) == _side(value, limit) for limit in limits):
            return text(decimals)
    return text(digits)


def _side(value: float, limit: float) -> int:
    return 0 if abs(value - limit) < _SAME else 1 if value > limit else -1


def duration(seconds: float) -> str:
    """`850 ms`, `2.1 s`, `42 s`, `3 min 12 s`, `1 h 5 min`."""
    whole = round(seconds)
    if round(seconds * 1000) < _K:
        return f"{seconds * 1000:.0f} ms"
    if seconds < _TENTHS_BELOW:
        return f"{seconds:.1f} s"
    if whole < _MINUTE:
        return f"{whole} s"
    hours, minutes, rest = whole // _HOUR, whole % _HOUR // _MINUTE, whole % _MINUTE
    if hours:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def about(seconds: float) -> str:
    """A duration that is only estimated: whole seconds below a minute, else whole minutes or hours."""
    whole = round(seconds)
    if whole < _MINUTE:
        return f"about {max(whole, 1)} s"
    if whole < 1.5 * _HOUR:
        return f"about {round(whole / _MINUTE)} min"
    return f"about {whole / _HOUR:.1f} h"


def tokens(number: int) -> str:
    """`412k tokens`."""
    return f"{amount(number, 'tokens')} {'token' if number == 1 else 'tokens'}"


def age(date: str, now: str) -> str:
    """`2 days old`, `made today`, or nothing where one of the two ISO 8601 dates cannot be read."""
    try:
        days = (_moment(now) - _moment(date)).days
    except ValueError:
        return ""
    if days < 0:
        return ""
    return f"{count(days, 'day')} old" if days else "made today"


def moment(date: str) -> str:
    """`2026-11-30 at 07:12 UTC`; nothing for what is no ISO 8601 date."""
    try:
        return _moment(date).astimezone(UTC).strftime("%Y-%m-%d at %H:%M UTC")
    except (ValueError, OverflowError):
        return ""


def _moment(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def rule_label(rule: Rule, unit: str) -> str:
    """What the rule asks for: `at least 0.90, drop ≤ 0.05`, `rise ≤ 25 % (ignored below 200 ms)`."""
    bounds = [
        f"at least {amount(rule.min, unit)}" if rule.min is not None else "",
        f"at most {amount(rule.max, unit)}" if rule.max is not None else "",
        _move("drop", rule.max_drop, unit),
        _move("rise", rule.max_rise, unit),
        f"{rule.coverage:.0%} scored" if rule.coverage is not None else "",
    ]
    label = ", ".join(bound for bound in bounds if bound)
    if rule.aggregate != "mean":
        label = f"{rule.folded}{'' if rule.at is None else f' at {rule.at:g}'}: {label}"
    if rule.ignore_below is not None:
        label += f" (ignored below {amount(rule.ignore_below, unit)})"
    return label


def coverage(found: Coverage) -> str:
    """What a number rests on where that is not all: `from 48 of 50 cases (1 quarantined; 3 trials not …)`."""
    few, told = cases_of(found), lost(found)
    return " ".join(part for part in (few, f"({told})" if told else "") if part)


def cases_of(found: Coverage) -> str:
    """`from 48 of 50 cases`; nothing where each was measured."""
    total = found.cases + found.quarantined
    return f"from {found.measured} of {count(total, 'case')}" if found.measured < total else ""


def lost(found: Coverage) -> str:
    """What is not in a number: `1 quarantined; 3 trials not scored: 2 crashed, 1 judge`."""
    missing = sum(found.unscored.values())
    notes = [
        f"{found.quarantined} quarantined" if found.quarantined else "",
        f"{count(missing, 'trial')} not scored: {causes(found.unscored)}" if missing else "",
    ]
    return "; ".join(note for note in notes if note)


def causes(unscored: Mapping[str, int]) -> str:
    """`2 crashed, 1 judge`; what is no cause is counted as `other`."""
    named = Counter[str]()
    for name, number in unscored.items():
        named[name.replace("_", " ") if name in _CAUSES else "other"] += number
    return ", ".join(f"{number} {name}" for name, number in sorted(named.items()) if number)


def _move(word: str, limit: Amount | None, unit: str) -> str:
    if limit is None:
        return ""
    if limit.value == 0:
        return f"no {word}"
    return f"{word} ≤ {limit.value:g} %" if limit.percent else f"{word} ≤ {amount(limit.value, unit)}"


def outcomes(counts: Mapping[str, int]) -> str:
    """`2 completed, 1 timed out`; what is no outcome is counted as `other`."""
    named = Counter[str]()
    for name, number in counts.items():
        named[name.replace("_", " ") if name in _OUTCOMES else "other"] += number
    return ", ".join(f"{number} {name}" for name, number in named.items() if number)


_PLAIN_EXITS = {
    BAD_INPUT: "bad input",
    PUBLISH_FAILED: "a surface could not be published (strict_publish)",
    BUG: "a bug in agent-gate",
    129: "hung up",
    130: "interrupted",
    143: "terminated",
}


def exit_line(code: int, report: Report | None = None) -> str:
    """The last line of a run: `agent-gate exited with 3: undecided (throttled)`."""
    return f"agent-gate exited with {code}: {_exit_words(code, report)}"


def _exit_words(code: int, report: Report | None) -> str:
    if code in _PLAIN_EXITS or report is None:
        return _PLAIN_EXITS.get(code, "done")
    comparison = report.comparison
    words: str = comparison.verdict
    if comparison.cause and comparison.verdict == "undecided":
        words += f" ({comparison.cause})"
    if code == 0 and comparison.verdict != "pass":
        words += ", let through by policy" if comparison.enforced else ", reported only (enforce: report)"
    return words
