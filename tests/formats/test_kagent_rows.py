"""Rows of kagent's event table."""

import json

import pytest

from gate.formats.kagent_rows import KagentRow, recording
from gate.formats.stored import NotASession

KEY = ("agent", "ann", "s")


def row(name: str, created: float, at: float = 0.0, *, deleted: bool = False) -> KagentRow:
    data = json.dumps({"author": "a", "id": name, "timestamp": at})
    return KagentRow(data=data, created=created, deleted=deleted)


def test_rows_come_by_their_creation_and_at_one_moment_by_the_events_own_time() -> None:
    found = recording(KEY, [row("late", 9), row("b", 5, 2), row("a", 5, 1), row("first", 1, 99)])
    assert [frame["id"] for frame in found.frames] == ["first", "a", "b", "late"]
    assert found.key == KEY


def test_deleted_rows_are_counted_whatever_is_in_them() -> None:
    found = recording(KEY, [row("a", 1), KagentRow(data="{", created=2, deleted=True)])
    assert len(found.frames) == 1
    assert found.notes == ("events that kagent marked as deleted are left out: 1",)


@pytest.mark.parametrize(
    ("data", "says"), [("{", "event 2: not JSON"), ("[]", "event 2: .*this is a list"), ("", "event 2")]
)
def test_a_row_that_is_no_event_is_named(data: str, says: str) -> None:
    with pytest.raises(NotASession, match=says):
        recording(KEY, [row("a", 1), KagentRow(data=data, created=2, deleted=False)])
