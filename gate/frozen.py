"""Records: frozen dataclasses with slots. They share their methods; the first call compiles a constructor.

`dataclasses.dataclass` compiles six functions a class: for a hundred classes, that was a fifth of the time to
the first request. `fields`, `replace`, `asdict` and `is_dataclass` of the standard library work as ever.
"""

from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import Any, TypeVar, dataclass_transform, overload

T = TypeVar("T")


@overload
@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen(cls: type[T], /) -> type[T]: ...


@overload
def frozen(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...


def frozen(cls: type[T] | None = None, /, *, kw_only: bool = True) -> type[T] | Callable[[type[T]], type[T]]:
    """Make of a class what `@dataclass(frozen=True, slots=True, kw_only=True)` makes of it."""
    if cls is None:
        return lambda decorated: _record(decorated, kw_only=kw_only)
    return _record(cls, kw_only=kw_only)


def _record(cls: type[T], *, kw_only: bool) -> type[T]:
    own = set(vars(cls))
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls)
    for name in _SHARED - own:
        setattr(made, name, vars(_Shared)[name])
    made.__compared__ = _values_of([each.name for each in fields(made) if each.compare])

    def __init__(self: object, *given: object, **named: object) -> None:  # noqa: N807 - it takes that place
        made.__init__ = _constructor(made)
        made.__init__(self, *given, **named)

    made.__init__ = __init__
    result: type[T] = made
    return result


class _Shared:
    """The methods of every record."""

    __compared__: Callable[[object], tuple[object, ...]]

    @recursive_repr()
    def __repr__(self) -> str:
        shown = [f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr]  # type: ignore[arg-type]
        return f"{type(self).__qualname__}({', '.join(shown)})"

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        values = type(self).__compared__
        return values(self) == values(other)

    def __hash__(self) -> int:
        return hash(type(self).__compared__(self))

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> list[object]:
        return [getattr(self, each.name) for each in fields(self)]  # type: ignore[arg-type]

    def __setstate__(self, state: list[object]) -> None:
        for each, value in zip(fields(self), state, strict=True):  # type: ignore[arg-type]
            object.__setattr__(self, each.name, value)


_SHARED = frozenset({name for name, what in vars(_Shared).items() if callable(what)})


def _values_of(names: list[str]) -> Callable[[object], tuple[object, ...]]:
    """The values of attributes as a tuple; attrgetter gives none for less than two names."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _constructor(cls: Any) -> Callable[..., None]:  # noqa: ANN401 - a class that was made a record
    known: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    positional, named, body = ["self"], list[str](), list[str]()
    for each in fields(cls):
        name = value = each.name
        parameter = name
        if each.default is not MISSING:
            known[f"_{name}"], parameter = each.default, f"{name}=_{name}"
        elif each.default_factory is not MISSING:
            known[f"_{name}"], parameter = each.default_factory, f"{name}=_MISSING"
            value = f"_{name}() if {name} is _MISSING else {name}"
        (named if each.kw_only else positional).append(parameter)
        body.append(f"_set(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*"] if named else []), *named])
    exec(f"def __init__({parameters}):\n " + "\n ".join(body or ["pass"]), known)  # noqa: S102 - as dataclasses does
    made: Callable[..., None] = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made
