import pytest

from gate.model.bar import BarChange
from gate.publish import bar_changes
from tests.support.reports import DROPPED, LOOSENED, REFUND, REWRITTEN, TIGHTENED, a_bar, a_change, a_report


def quoted(text: str) -> str:
    return f"<{text}>"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (LOOSENED, ("", "<rules.calls.max_drop>", "loosened", "<agent-gate.yml:19>", "<0.05> → <0.50>")),
        (
            a_change("rules.calls", "removed", before="min 0.9", note="no rule is left"),
            ("", "<rules.calls>", "removed", "<agent-gate.yml:19>", "it was <min 0.9>; <no rule is left>"),
        ),
        (
            a_change("rules.says", "added", after="min 0.9"),
            ("", "<rules.says>", "added", "<agent-gate.yml:19>", "<min 0.9>"),
        ),
        (DROPPED, ("case ", "<weather_rome>", "removed", "<golden/weather.yaml>", "")),
        (
            a_change("weather", "added", subject="quarantine"),
            ("quarantine of ", "<weather>", "added", "<agent-gate.yml:19>", ""),
        ),
    ],
)
def test_a_change_in_words(change: BarChange, words: tuple[str, ...]) -> None:
    told = bar_changes.told(a_report(bar=a_bar(change)), change, quoted, None)
    assert (told.subject, told.name, told.word, told.place, told.what) == words


@pytest.mark.parametrize(
    ("kind", "word"),
    [("added", "introduced"), ("changed", "replaced"), ("loosened", "replaced"), ("removed", "removed")],
)
def test_a_baseline_is_introduced_replaced_or_removed(kind: str, word: str) -> None:
    change = a_change("b.jsonl", kind, subject="baseline")
    assert bar_changes.label((change,)) == f"1 baseline {word}"


def test_a_label_counts_alike_changes_together_and_cuts_the_rare_ones() -> None:
    changes = (
        *(LOOSENED,) * 3,
        *(REWRITTEN,) * 2,
        TIGHTENED,
        a_change("p", "changed", subject="policy"),
        a_change("q", "added", subject="quarantine"),
        DROPPED,
    )
    assert bar_changes.label(changes) == (
        "3 rules loosened, 2 cases changed, 1 rule tightened, 1 policy changed, 2 more"
    )
    assert bar_changes.label((a_change("p", "changed", subject="policy"),) * 2) == "2 policies changed"


def test_a_case_that_fails_by_the_text_of_the_base_says_why() -> None:
    told = bar_changes.told(a_report(bar=a_bar(REWRITTEN)), REWRITTEN, quoted, REFUND)
    assert told.what == "passes by its new text (3 of 3) and fails by the text on <main> (0 of 3)"
    assert told.reasons == (
        'by the text on <main>: <says>, turn 1: <expected "30 days" in the answer; it has "14 days">',
    )


def test_a_rule_that_is_named_like_a_case_is_not_told_as_the_case() -> None:
    change = a_change("refund_policy")
    assert bar_changes.told(a_report(bar=a_bar(change)), change, quoted, REFUND).what == ""
