"""What a custom metric answers, by the line protocol (schemas/metric-response.schema.json), to a score."""

from collections.abc import Mapping
from math import fsum
from typing import Final

from gate.formats.adk_fields import kind
from gate.formats.strict import strict_json
from gate.model import Json
from gate.model.score import Item, Score, Scored, Unscored

Scale = tuple[float, float]
PLAIN: Final[Scale] = (0.0, 1.0)
_LONGEST: Final = 500
_MOST_ITEMS: Final = 1000
_KEYS: Final = frozenset({"id", "score", "explanation", "items", "error"})


def answered(line: bytes) -> Mapping[str, Json]:
    """The object in a line; raises ValueError where it is none, is no strict JSON, or has no `id`."""
    value = strict_json(line.decode("utf-8"))
    if not isinstance(value, dict):
        raise ValueError(f"an object is expected, not {kind(value)}")  # noqa: TRY004 - one error for all
    if not isinstance(value.get("id"), str):
        raise ValueError("it has no 'id'")  # noqa: TRY004 - one error for all
    return value


def score_of(answer: Mapping[str, Json], scale: Scale = PLAIN, turns: int = 0) -> Score:
    """The score that an answer gives; what it does not say clearly is Unscored(metric), never a number.

    With `items` and no `score` the value is their mean. As many items as there are `turns` are theirs.
    """
    try:
        return _scored(answer, scale, turns)
    except ValueError as error:
        return Unscored(cause="metric", reason=str(error))


def _scored(answer: Mapping[str, Json], scale: Scale, turns: int) -> Score:
    if "error" in answer:
        raise ValueError(one_line(answer["error"]) or "it gave an error without words")
    if strange := sorted(answer.keys() - _KEYS):
        raise ValueError(f"its answer has the unknown key '{one_line(strange[0])}'")
    listed = answer.get("items")
    if listed is not None:
        return _of_items(answer, listed, scale, turns)
    if "score" not in answer:
        raise ValueError("its answer has neither 'score' nor 'items' nor 'error'")
    words = _words(answer, "explanation")
    value = _number(answer["score"], scale)
    return Scored(value=value, items=(Item(where="case", value=value, reason=words),), reason=words)


def _of_items(answer: Mapping[str, Json], listed: Json, scale: Scale, turns: int) -> Scored:
    if not isinstance(listed, list) or not listed:
        raise ValueError("its list of scores is empty" if listed == [] else "'items' is no list")
    if len(listed) > _MOST_ITEMS:
        raise ValueError(f"it gave {len(listed)} items; {_MOST_ITEMS} at most have a place")
    word = "turn" if len(listed) == turns else "item"
    items = tuple(_item(each, f"{word} {n}", scale) for n, each in enumerate(listed, 1))
    mean = fsum(item.value for item in items) / len(items)
    value = _number(answer["score"], scale) if "score" in answer else mean
    if value < min(item.value for item in items):  # what is said of the whole counts where it is worse
        items = (*items, Item(where="case", value=value, reason=_words(answer, "explanation")))
    reasons = [f"{item.where}: {item.reason}" for item in items if item.reason]
    reason = _words(answer, "explanation") or "; ".join(reasons)
    return Scored(value=value, items=items, reason=reason)


def _item(value: Json, where: str, scale: Scale) -> Item:
    if not isinstance(value, dict):
        return Item(where=where, value=_number(value, scale))
    if "score" not in value:
        raise ValueError(f"{where} has no 'score'")
    named = _words(value, "where") or where
    words = _words(value, "explanation")
    return Item(where=named, value=_number(value["score"], scale), reason=words)


def _words(said: Mapping[str, Json], key: str) -> str:
    value = said.get(key)
    if value is not None and not isinstance(value, str):
        raise ValueError(f"its '{key}' is no text, but {kind(value)}")
    return one_line(value)


def _number(value: Json, scale: Scale) -> float:
    """A score within 0 to 1; true and false are the ends of any scale."""
    if isinstance(value, bool):
        return float(value)
    if not isinstance(value, int | float):
        raise ValueError(f"a score is a number or a bool, not {kind(value)}")  # noqa: TRY004 - one error for all
    low, high = scale
    if not low <= value <= high:
        hint = " (a scale of its own is written as `scale: [0, 5]`)" if scale == PLAIN else ""
        raise ValueError(f"the score {value:g} lies outside of {low:g} to {high:g}{hint}")
    return (value - low) / (high - low)


def one_line(value: Json) -> str:
    """Words of a program for a reason: one line, cut."""
    text = " ".join(value.split()) if isinstance(value, str) else "" if value is None else kind(value)
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
