"""The cases that `--case` and `--tag` name, with all that they need to run."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from gate.documents.messages import did_you_mean
from gate.errors import UsageError
from gate.model.case import Case


def select(cases: Sequence[Case], ids: Sequence[str], tags: Sequence[str]) -> tuple[Case, ...]:
    """Give the cases with one of these ids and one of these tags (globs; none given: all), in their order.

    What they depend on comes with them, and with a shared case all shared cases of its file. Raises
    UsageError for a pattern that nothing matches, and where no case has both.
    """
    named = _matching({case.id: {case.id} for case in cases}, ids, "case")
    tagged = _matching({case.id: set(case.tags) for case in cases}, tags, "tag")
    both = named & tagged
    chosen = [case for case in cases if case.id in both]
    if ids and tags and not chosen:
        raise UsageError(
            f"no case that --case {' '.join(ids)} names has a tag that --tag {' '.join(tags)} names",
            hint="Both narrow the choice; give one of them alone.",
        )
    needed = _with_what_they_need(cases, chosen)
    return tuple(case for case in cases if case.id in needed)


def _matching(labels: dict[str, set[str]], patterns: Sequence[str], kind: str) -> set[str]:
    """Ids of cases with a label that is one of the patterns, literally or as a glob; all without patterns."""
    if not patterns:
        return set(labels)
    known = {label for held in labels.values() for label in held}
    found: set[str] = set()
    for pattern in patterns:
        hits = {pattern} if pattern in known else {label for label in known if fnmatchcase(label, pattern)}
        if not hits:
            raise _no_match(pattern, known, kind)
        found |= hits
    return {case for case, held in labels.items() if not found.isdisjoint(held)}


def _no_match(pattern: str, known: set[str], kind: str) -> UsageError:
    few = ", ".join(sorted(known)[:10]) + (", …" if len(known) > 10 else "")  # noqa: PLR2004
    meant = did_you_mean(pattern, sorted(known))
    hint = f"There are: {few}." if known else f"No case has a {kind}."
    return UsageError(f"there is no {kind} {pattern!r}{meant}", hint=hint)


def _with_what_they_need(cases: Sequence[Case], chosen: Sequence[Case]) -> set[str]:
    by_id = {case.id: case for case in cases}
    sharing: dict[str, list[Case]] = {}
    for case in cases:
        if case.isolation == "shared":
            sharing.setdefault(case.place.file, []).append(case)
    needed: set[str] = set()
    todo = list(chosen)
    while todo:
        case = todo.pop()
        if case.id in needed:
            continue
        needed.add(case.id)
        todo += [by_id[name] for name in case.depends_on if name in by_id]
        if case.isolation == "shared":
            todo += sharing.pop(case.place.file, [])
    return needed
