"""What is said of judges: how far they can be believed, and where they and the rules disagree."""

from collections.abc import Sequence
from typing import Final

from gate.model.judge import Agreement, Disagreement, JudgeHealth, JudgeReading
from gate.model.verdict import Report
from gate.publish.escape import Quote
from gate.publish.words import amount, count, tokens

_DOUBTED: Final = ("changed", "unfit", "down")


def doubts(report: Report, quote: Quote) -> tuple[str, ...]:
    """`tone was not judged by main (model): …`, one a judge whose verdicts do not count."""
    return tuple(_doubt(judge, quote) for judge in report.comparison.judges if judge.state in _DOUBTED)


def unfit(report: Report) -> bool:
    """Whether a judge is not believed because it disagrees with people, and none because it changed."""
    states = {judge.state for judge in report.comparison.judges}
    return "unfit" in states and "changed" not in states


def healthy(report: Report, quote: Quote) -> tuple[str, ...]:
    """`tone: judge main (model) agrees with people on 19 of 20 anchors …`, one a judge that counts."""
    found = (judge for judge in report.comparison.judges if judge.state not in _DOUBTED)
    return tuple(standing(judge, quote) for judge in found)


def standing(judge: JudgeHealth, quote: Quote) -> str:
    """How far one judge is believed, in one sentence or two."""
    if judge.state in _DOUBTED:
        return _doubt(judge, quote)
    return f"{quote(judge.metric)}: the judge {_who(judge, quote)} {_agrees(judge)}."


def spent(report: Report, quote: Quote) -> tuple[str, ...]:
    """`tone asked main 16 times: 1600 tokens; 2 questions got no verdict.`, one a judge that was asked."""
    return tuple(_spent(reading, quote) for reading in report.judges if reading.calls or reading.cached)


def disagreements(report: Report, quote: Quote) -> tuple[str, ...]:
    """`dosing: passes what rules check, and the judge of tone says no in 3 of 3 trials`, one a pair."""
    return tuple(_disagreement(each, quote) for each in report.comparison.disagreements)


def label(found: Sequence[str]) -> str:
    """`1 case on which rules and judge disagree`."""
    return f"{count(len(found), 'case')} on which rules and judge disagree"


def _who(judge: JudgeHealth, quote: Quote) -> str:
    named = [name for name in judge.reported if name != judge.model]
    also = f", which calls itself {', '.join(map(quote, named))}" if named else ""
    return f"{quote(judge.judge)} ({quote(judge.model)}{also})"


def _doubt(judge: JudgeHealth, quote: Quote) -> str:
    then = ""
    if judge.state == "changed" and judge.now:
        before = f"; it was {_share(judge.before)} in the baseline" if judge.before else ""
        then = f" It {_agreed(judge.now)}{before}."
    return f"{quote(judge.metric)} was not judged by {_who(judge, quote)}: {quote(judge.reason)}.{then}"


def _agrees(judge: JudgeHealth) -> str:
    if judge.now is None:
        return "has no anchors, so that nobody can tell whether it changed"
    return f"{_agreed(judge.now)}{_before(judge)}"


def _before(judge: JudgeHealth) -> str:
    if judge.before is None:
        return ""
    flips = f", {count(judge.flipped, 'anchor')} judged otherwise" if judge.flipped else ""
    return f", and with {_share(judge.before)} in the baseline{flips}"


def _agreed(found: Agreement) -> str:
    kappa = "undefined" if found.kappa is None else f"{found.kappa:.2f}"
    return f"agrees with people on {_share(found)} (kappa {kappa})"


def _share(found: Agreement) -> str:
    return f"{found.agreed} of {count(found.judged, 'anchor')}"


def _spent(reading: JudgeReading, quote: Quote) -> str:
    asked = f"{quote(reading.metric)} asked {quote(reading.judge)} {count(reading.calls, 'time')}"
    cost = "" if reading.money is None else f", cost {amount(reading.money, 'cost')}"
    agree = f"{count(reading.samples, 'sample')} of each question agree to {reading.agreement:.0%} on average"
    notes = (
        f"{tokens(reading.tokens)}{cost}" if reading.calls else "",
        f"{count(reading.cached, 'judgement')} of earlier runs" if reading.cached else "",
        f"{count(reading.failed, 'question')} without a verdict" if reading.failed else "",
        agree if reading.samples > 1 else "",
    )
    return f"{asked}: {'; '.join(note for note in notes if note)}."


def _disagreement(each: Disagreement, quote: Quote) -> str:
    word = "passes" if each.says == "no" else "fails"
    trials = count(each.measured, "trial")
    said = f"{word} what rules check, and the judge of {quote(each.metric)} says {each.says}"
    return f"{quote(each.case)}: {said} in {each.trials} of {trials}"
