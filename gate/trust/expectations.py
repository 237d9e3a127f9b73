"""What a case no longer expects: where an expectation is left out, nothing that is run could show it."""

from collections.abc import Iterable, Iterator, Mapping
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
            if _is_less(getattr(before, name), getattr(after, name)):
                yield f"{where} expects less of `{name}`"


def _is_less(before: object, after: object) -> bool:
    """Whether `after` is `before` with something left out."""
    if before is None:
        return False
    if after is None:
        return True
    match before, after:
        case Mapping(), Mapping():
            return before.keys() > after.keys()
        case tuple(), tuple():
            return _is_part(before, after)
        case _:
            return False


def _is_part(before: Iterable[object], after: Iterable[object]) -> bool:
    """Whether some of the items are missing, or ask less, and none is new. Nothing at all expects silence."""
    rest = list(before)
    less = False
    items = list(after)
    if not items or not rest:
        return False
    for item in items:
        if item in rest:
            rest.remove(item)
        elif (match := next((each for each in rest if _asks_less(each, item)), None)) is not None:
            rest.remove(match)
            less = True
        else:
            return False
    return less or bool(rest)


def _asks_less(before: object, after: object) -> bool:
    """The same call with fewer of its arguments named, or none."""
    match before, after:
        case ExpectedCall(name=name, args=dict() as old), ExpectedCall(name=same, args=new) if name == same:
            return new is None or (new.keys() < old.keys() and all(old[key] == new[key] for key in new))
        case _:
            return False
