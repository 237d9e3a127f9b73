"""The JSON form of the model's records: unions tagged by `kind`, defaults omitted, unknown keys refused."""

import math
from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import date
from functools import cache, partial
from types import UnionType
from typing import TYPE_CHECKING, TypeVar, Union, cast, get_args, get_origin

from gate.model import Json
from gate.model.baseline import Sample, Value
from gate.model.score import Cause, Scored, Unscored
from gate.model.trace import (
    Call,
    Completed,
    Crashed,
    Paused,
    Refused,
    Result,
    Text,
    Thought,
    Throttled,
    TimedOut,
)

if TYPE_CHECKING:
    from cattrs import Converter

# cattrs is imported where it is used: a run sends its first request before it writes its first record.
T = TypeVar("T")

KINDS: Mapping[str, type] = {
    "text": Text,
    "thought": Thought,
    "call": Call,
    "result": Result,
    "completed": Completed,
    "crashed": Crashed,
    "timed_out": TimedOut,
    "paused": Paused,
    "throttled": Throttled,
    "refused": Refused,
    "scored": Scored,
    "unscored": Unscored,
}
_NAMES = {record: kind for kind, record in KINDS.items()}
_RENAMED = {"klass": "class"}
_LARGEST = 1e100
"""No measurement is beyond this, and sums and differences of what is below stay finite."""


class Malformed(Exception):
    """Stored JSON does not have the shape of its record; the message names the path."""


def dump(record: object) -> Json:
    """The JSON form of a record (or of a tuple or mapping of records), fit for `documents.canonical`."""
    return _converter().unstructure(record)


def load(record: type[T], data: Json) -> T:
    """The record whose JSON form is `data`; raises Malformed."""
    from cattrs.errors import BaseValidationError

    try:
        return _converter().structure(data, record)
    except BaseValidationError as error:
        raise Malformed(f"{_name(record)}: {_first_cause(error)}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Malformed(f"{_name(record)}: {error}") from None


def kind_of(record: object) -> str:
    """The tag of a union's member, such as `timed_out` for `TimedOut`."""
    return _NAMES[type(record)]


def _name(record: object) -> str:
    return getattr(record, "__name__", str(record))


def _first_cause(error: BaseException) -> str:
    from cattrs.errors import BaseValidationError

    while isinstance(error, BaseValidationError) and error.exceptions:
        error = error.exceptions[0]
    notes = " ".join(getattr(error, "__notes__", ()))
    return f"{type(error).__name__} {error} {notes}".strip()


@cache
def _converter() -> "Converter":
    from cattrs import Converter

    converter = Converter(omit_if_default=True, forbid_extra_keys=True)
    converter.register_structure_hook_func(lambda kind: kind is object, lambda value, _: value)
    converter.register_unstructure_hook_func(lambda kind: kind is object, lambda value: value)
    converter.register_structure_hook(str, _structure_text)
    converter.register_structure_hook(bool, _structure_flag)
    converter.register_structure_hook(int, _structure_whole)
    converter.register_structure_hook(float, _structure_number)
    converter.register_structure_hook_factory(_is_list, partial(_structure_list_fn, converter))
    converter.register_structure_hook(date, lambda value, _: date.fromisoformat(value))
    converter.register_unstructure_hook(date, date.isoformat)
    converter.register_structure_hook_func(_is_tagged_union, _structure_tagged)
    converter.register_structure_hook_func(lambda kind: kind == Sample, _structure_sample)
    converter.register_unstructure_hook(Value, _unstructure_value)
    converter.register_structure_hook_factory(_is_record, partial(_structure_fn, converter))
    converter.register_unstructure_hook_factory(_is_record, partial(_unstructure_fn, converter))
    return converter


def _is_list(kind: object) -> bool:
    origin: object = get_origin(kind)
    return origin is tuple


def _is_record(kind: object) -> bool:
    return isinstance(kind, type) and hasattr(kind, "__dataclass_fields__")


def _is_tagged_union(kind: object) -> bool:
    members = get_args(kind) if get_origin(kind) in {Union, UnionType} else ()
    return bool(members) and all(isinstance(member, type) and member in _NAMES for member in members)


def _structure_tagged(data: Json, union: object) -> object:
    if not isinstance(data, Mapping) or data.get("kind") not in KINDS:
        raise ValueError(f"expected an object with a known kind, got {str(data)[:80]!r}")
    record = KINDS[str(data["kind"])]
    if record not in get_args(union):
        raise ValueError(f"kind {data['kind']!r} does not belong here")
    return _converter().structure({k: v for k, v in data.items() if k != "kind"}, record)


def _structure_text(data: Json, _: object) -> str:
    if not isinstance(data, str):
        raise _unexpected("text", data)
    return data


def _structure_flag(data: Json, _: object) -> bool:
    if not isinstance(data, bool):
        raise _unexpected("true or false", data)
    return data


def _structure_whole(data: Json, _: object) -> int:
    if not isinstance(data, int) or isinstance(data, bool) or not -(2**63) <= data < 2**63:
        raise _unexpected("a whole number", data)
    return data


def _structure_number(data: Json, _: object) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise _unexpected("a number", data)
    if not abs(data) <= _LARGEST or not math.isfinite(data):
        raise _unexpected("a measurable number", data)
    return float(data)


def _unexpected(wanted: str, data: Json) -> TypeError:
    return TypeError(f"expected {wanted}, got {str(data)[:80]!r}")


def _structure_list_fn(converter: "Converter", kind: type) -> Callable[[Json, object], object]:
    from cattrs.errors import BaseValidationError

    item = get_args(kind)[0]

    def structure(data: Json, _: object) -> object:
        if not isinstance(data, list | tuple):
            raise _unexpected("a list", data)
        found = []
        for index, value in enumerate(data):
            try:
                found.append(converter.structure(value, item))
            except (BaseValidationError, KeyError, TypeError, ValueError, AttributeError) as error:
                error.add_note(f"in item {index + 1}")
                raise
        return tuple(found)

    return structure


def _structure_sample(data: Json, _: object) -> Sample:
    match data:
        case str() if data in get_args(Cause):
            return cast("Cause", data)
        case int() | float() if not isinstance(data, bool):
            number = _structure_number(data, float)
            return Value(mean=number, worst=number)
        case [mean, worst]:
            return Value(mean=_structure_number(mean, float), worst=_structure_number(worst, float))
        case _:
            raise ValueError(f"a sample is a number, [mean, worst] or a cause, not {str(data)[:80]!r}")


def _unstructure_value(value: Value) -> Json:
    return value.mean if value.mean == value.worst else [value.mean, value.worst]


def _renames(record: type) -> dict[str, object]:
    from cattrs.gen import override

    return {f.name: override(rename=_RENAMED[f.name]) for f in fields(record) if f.name in _RENAMED}


def _structure_fn(converter: "Converter", record: type) -> Callable[..., object]:
    from cattrs.gen import make_dict_structure_fn

    function: Callable[..., object] = make_dict_structure_fn(
        record,
        converter,
        _cattrs_forbid_extra_keys=True,
        **_renames(record),  # type: ignore[arg-type]  # cattrs types its overrides as keywords
    )
    return function


def _unstructure_fn(converter: "Converter", record: type) -> Callable[..., object]:
    from cattrs.gen import make_dict_unstructure_fn

    plain: Callable[..., dict[str, object]] = make_dict_unstructure_fn(
        record,
        converter,
        _cattrs_omit_if_default=True,
        **_renames(record),  # type: ignore[arg-type]  # cattrs types its overrides as keywords
    )
    tag = _NAMES.get(record)
    if tag is None:
        return plain
    return lambda value: {"kind": tag, **plain(value)}
