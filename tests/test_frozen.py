"""A record is what the standard library's decorator makes of the same class."""

import copy
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.frozen import frozen


def plain() -> type[Any]:
    class Point:
        """A point."""

        x: int
        tags: tuple[str, ...] = ()
        seen: list[int] = field(default_factory=list)
        note: str = field(default="n", compare=False, repr=False)

        def double(self) -> int:
            return self.x * 2

    return Point


OURS: Any = frozen(plain())
THEIRS: Any = dataclass(frozen=True, slots=True, kw_only=True)(plain())
BOTH = pytest.mark.parametrize("made", [OURS, THEIRS], ids=["ours", "theirs"])
VALUES = st.fixed_dictionaries(
    {"x": st.integers(0, 2)},
    optional={
        "tags": st.tuples(st.sampled_from("ab")),
        "seen": st.lists(st.integers(0, 1), max_size=1),
        "note": st.sampled_from(("n", "m")),
    },
)


@frozen
class Shipped:
    """At the top of a module, where pickle finds it."""

    name: str
    at: int = 0


@given(VALUES, VALUES)
def test_values_compare_read_and_come_apart_alike(one: dict[str, Any], two: dict[str, Any]) -> None:
    ours, theirs = (OURS(**one), OURS(**two)), (THEIRS(**one), THEIRS(**two))
    assert (ours[0] == ours[1]) == (theirs[0] == theirs[1])
    assert repr(ours[0]) == repr(theirs[0])
    assert asdict(ours[0]) == asdict(theirs[0])
    assert asdict(replace(ours[0], x=9)) == asdict(replace(theirs[0], x=9))
    assert ours[0] != theirs[0]


@BOTH
def test_it_is_a_dataclass_with_slots_and_no_dict(made: Any) -> None:
    assert all(map(is_dataclass, [made]))
    assert [each.name for each in fields(made)] == ["x", "tags", "seen", "note"]
    assert not hasattr(made(x=1), "__dict__")
    assert made.__doc__ == "A point."
    assert made(x=2).double() == 4
    assert made(x=1).seen is not made(x=1).seen


@BOTH
@pytest.mark.parametrize("given", [{}, {"x": 1, "y": 2}, {"y": 2}])
def test_what_does_not_fit_is_a_type_error(made: Any, given: dict[str, int]) -> None:
    with pytest.raises(TypeError, match="__init__"):
        made(**given)
    with pytest.raises(TypeError):
        made(1)


@BOTH
@pytest.mark.parametrize("change", [lambda p: setattr(p, "x", 2), lambda p: delattr(p, "x")])
def test_nothing_in_it_changes(made: Any, change: Callable[[Any], None]) -> None:
    point = made(x=1)
    with pytest.raises(FrozenInstanceError):
        change(point)
    assert point.x == 1


def test_equal_records_hash_alike_and_fields_that_are_not_compared_do_not_count() -> None:
    @frozen(kw_only=False)
    class Pair:
        left: int
        right: int = field(default=0, compare=False)

    assert hash(Pair(1)) == hash(Pair(1, 2))
    assert Pair(1) == Pair(1, 2)
    assert Pair(1) != Pair(2)
    assert {Pair(1), Pair(1, 5)} == {Pair(1)}


def test_it_survives_copies() -> None:
    shipped = Shipped(name="a")
    assert pickle.loads(pickle.dumps(shipped)) == copy.deepcopy(shipped) == copy.copy(shipped) == shipped  # noqa: S301


def test_a_method_of_its_own_stays_and_the_invariant_is_checked() -> None:
    @frozen
    class Positive:
        value: int

        def __post_init__(self) -> None:
            if self.value <= 0:
                raise ValueError("not positive")

        def __repr__(self) -> str:
            return "own"

    assert repr(Positive(value=1)) == "own"
    with pytest.raises(ValueError, match="not positive"):
        Positive(value=0)


def test_the_signature_is_known_once_the_first_was_made() -> None:
    OURS(x=1)
    assert [*inspect.signature(OURS).parameters] == ["x", "tags", "seen", "note"]
