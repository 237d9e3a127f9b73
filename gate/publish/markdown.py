"""The sections that comment and summary share.

Other people's words stand in code spans and fences only; headings have none but names of metrics, `<summary>`
has none. A blank line follows every HTML tag, else GitHub reads what follows as HTML (CommonMark 4.6).
"""

from collections.abc import Iterable, Sequence

from gate.model.verdict import CaseVerdict, Report
from gate.publish import case_words, escape, groups, headline, table, tracks
from gate.publish.budget import Section
from gate.publish.escape import cell, code
from gate.publish.groups import Groups
from gate.publish.words import count

_CALL = 120
_WHY = 200
_LOUD = {"regression": "**regression**", "warning": "**warning**"}


def title(report: Report) -> Section:
    """The heading."""
    return Section(items=(f"### {headline.headline(report, code)}",), must=True)


def notices(report: Report) -> Section:
    """What must be said beside the verdict, one paragraph each."""
    return Section(items=headline.notices(report, code), what="notice")


def why(report: Report) -> Section:
    """Why the run is undecided."""
    return paragraph(headline.why(report, code))


def paragraph(text: str, *, must: bool = True) -> Section:
    """A paragraph of its own; nothing for no text."""
    return Section(items=(text,) if text else (), must=must)


def agent_down(report: Report) -> Section:
    """Why the agent did not start or went down, with the end of its log."""
    meta = report.meta
    told = meta.agent_down or report.comparison.reason
    ran = "No case was run." if meta.agent_down and not meta.measured_trials else ""
    hint = code(meta.hint, 600) if meta.hint else ""
    words = " ".join(part for part in (f"{code(told, 600)}." if told else "", ran, hint) if part)
    log = (
        f"The end of its log:\n\n{escape.fence(escape.tail(meta.log_tail))}"
        if groups.log_adds(report)
        else ""
    )
    return Section(items=tuple(part for part in (words, log) if part), must=True)


def moved_table(report: Report, *, now: str, every: bool = False) -> Section:
    """The table of rules and of quality metrics that moved."""
    rows = (
        (_name(row), row.baseline, _now(row), row.change, row.rule, _verdict(row.verdict))
        for row in table.rows(report, every=every)
    )
    lines = [f"| {' | '.join(cells)} |" for cells in rows]
    return tabular(
        ("metric", "baseline", now, "change", "rule", "verdict"), "l---ll", lines, what="row of the table"
    )


def _now(row: table.Row) -> str:
    """The number, and what is not in it."""
    return f"{row.now} ({row.lost})".strip() if row.lost else row.now


def _name(row: table.Row) -> str:
    name = row.words or cell(row.metric, 80)
    return f"{name} in {cell(row.scope, 80)}" if row.scope else name


def _verdict(word: str) -> str:
    return _LOUD.get(word, f"**{word}**" if word.startswith("undecided") else word)


def tabular(columns: Sequence[str], align: str, lines: Iterable[str], *, what: str) -> Section:
    """A table of finished rows; `align` has `l` for a column of words and `-` for one of numbers."""
    rule = "|".join("---" if side == "l" else "---:" for side in align)
    head = f"| {' | '.join(columns)} |\n|{rule}|"
    return Section(items=tuple(lines), head=head, after_head="\n", between="\n", what=what)


def broken(report: Report, found: Groups, *, answer_cap: int) -> Section:
    """The cases that broke, opened."""
    return details(
        case_words.broken_label(report, found),
        tuple(_broken_case(report, case, answer_cap) for case in found.broke),
        opened=True,
        what="broken case",
    )


def details(
    label: str, items: tuple[str, ...], *, what: str, opened: bool = False, between: str = "\n\n"
) -> Section:
    """A part that folds; `label` is ours."""
    head = f"<details{' open' if opened else ''}><summary>{label}</summary>"
    return Section(items=items, head=head, foot="</details>", between=between, what=what)


def _broken_case(report: Report, case: CaseVerdict, answer_cap: int) -> str:
    bullets = [case_words.reason(item, lambda text: code(text, 500)) for item in dict.fromkeys(case.reasons)]
    bullets += case_words.base_reasons(report, case, lambda text: code(text, 500))
    if case.calls:
        bullets.append(f"it called {case_words.calls(case, lambda call: code(call, _CALL))}")
    if case.answer.strip():
        bullets.append(f"it answered {code(case.answer, answer_cap)}")
    bullets.append(f"reproduce: {code(case_words.reproduce(report, case), 600)}")
    return "\n".join(
        [
            f"{name(case)} — {case_words.history(report, case, code)}",
            "",
            *(f"- {bullet}" for bullet in bullets),
        ]
    )


def name(case: CaseVerdict) -> str:
    """A case by id, category and place."""
    category = f" ({code(case.category, 80)})" if case.category else ""
    place = f", {code(case_words.place(case), 160)}" if case.place.file else ""
    return f"**{code(case.id, 160)}**{category}{place}"


def undecided(found: Groups, *, opened: bool) -> Section:
    """The cases that could not be decided, with what was measured of them."""
    items = tuple(f"- {name(case)} — {case_words.unmeasured(case, _short)}" for case in found.undecided)
    label = count(len(found.undecided), "case could not be decided", "cases could not be decided")
    return details(label, items, what="undecided case", opened=opened, between="\n")


def _short(text: str) -> str:
    return code(text, _WHY)


def tests(report: Report) -> tuple[Section, ...]:
    """The project's own tests: those that broke opened, and what else became of them."""
    found = tracks.found(report)
    broke = tuple(_broken_test(report, case) for case in found.broke)
    moved = case_words.moved_label(report, found)
    others = tuple(
        f"- {word}{name(case)} — {case_words.history(report, case, code)}"
        for word, case in case_words.others(found)
    )
    return (
        details(tracks.broken_label(report, found), broke, opened=True, what="broken test"),
        details(f"Tests: {moved}", others, what="other test", between="\n"),
    )


def _broken_test(report: Report, case: CaseVerdict) -> str:
    history, *reasons = tracks.lines(report, case, lambda text: code(text, 500))
    return "\n".join([f"{name(case)} — {history}", "", *(f"- {reason}" for reason in reasons)])


def folded(report: Report, found: Groups) -> Section:
    """Every other case that is not simply unchanged."""
    items = tuple(
        f"- {word}{name(case)} — {case_words.history(report, case, code)}{case_words.quarantine(case, code)}"
        for word, case in case_words.others(found)
    )
    return details(case_words.moved_label(report, found), items, what="other case", between="\n")


def measurement(report: Report) -> Section:
    """How well it was measured, and against what."""
    said = (case_words.measured(report), tracks.measured(report, code), case_words.baseline(report, code))
    return paragraph(" ".join(part for part in said if part))


def footer(report: Report) -> Section:
    """Which run and commit this is about."""
    return paragraph(case_words.footer(report, code))
