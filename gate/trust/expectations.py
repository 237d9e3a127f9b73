"""What a case no longer expects: where an expectation is left out, nothing that is run could show it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields

from gate.model.case import Case, Expect, ExpectedCall

NAMES = tuple(field.name for field in fields(Expect))


def dropped(base: Case, head: Case) -> Iterator[str]:
    """In words, what the base expects and the head has nothing in place of.

    An expectation that says something else is no loss: the case is judged by both texts.
    """
    if len(head.turns) < len(base.turns):
        yield f"{len(base.turns)} turns, now {len(head.turns)}"
    levels = [("case", base.expect, head.expect)]
    levels += [
        (f"turn {number}", before.expect, after.expect)
        for number, (before, after) in enumerate(zip(base.turns, head.turns, strict=False), start=1)
    ]
    for where, before, after in levels:
        for name in NAMES:
            if _is_less(name, getattr(before, name), getattr(after, name)):
                yield f"{where} expects less of `{name}`"


def _is_less(name: str, before: object, after: object) -> bool:
    """Whether `after` is `before` with something left out."""
    if before is None:
        return False
    if after is None:
        return True
    match before, after:
        case Mapping(), Mapping():
            return before.keys() > after.keys()
        case tuple(), tuple():
            return _is_part(name, before, after)
        case _:
            return False


def _is_part(name: str, before: Sequence[object], after: Sequence[object]) -> bool:
    """Whether some of the items are missing, or ask less, and none is new. Nothing at all expects silence."""
    if not before or not after:
        return False
    rest, others = list(before), []
    for item in after:
        if item in rest:
            rest.remove(item)
        else:
            others.append(item)
    missing = len(rest) > len(others)
    for item in others:
        match = next((each for each in rest if _asks_less(name, each, item)), None)
        if match is None:
            return False
        rest.remove(match)
    return missing or bool(others)


def _asks_less(name: str, before: object, after: object) -> bool:
    """The same call with fewer arguments, less of a text that must be said, or more of one that must not."""
    match before, after:
        case ExpectedCall(name=tool, args=dict() as old), ExpectedCall(name=same, args=new) if tool == same:
            return new is None or (new.keys() < old.keys() and all(old[key] == new[key] for key in new))
        case str(), str():
            return (name == "contains" and after in before) or (name == "excludes" and before in after)
        case _:
            return False
