"""Sessions of a text, told apart by app, user and id."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.formats.stored import NotASession, moment, read_recording, read_recordings, timestamp


def event(number: int) -> dict[str, Any]:
    return {"author": "bot", "id": f"e{number}"}


def row(session: str, number: int, **more: str) -> dict[str, Any]:
    return {"session_id": session, "data": json.dumps(event(number)), **more}


def found(value: Any) -> list[tuple[str, str, str, list[str]]]:
    lines = "\n".join(map(json.dumps, value)) if isinstance(value, tuple) else json.dumps(value)
    return [
        (one.app, one.user, one.id, [str(frame["id"]) for frame in one.frames])
        for one in read_recordings(lines)
    ]


def test_rows_of_several_sessions_stay_apart() -> None:
    rows = (row("s1", 1), row("s2", 2), row("s1", 3), row("s2", 4, user_id="ann"))
    wanted = [("", "", "s1", ["e1", "e3"]), ("", "", "s2", ["e2"]), ("", "ann", "s2", ["e4"])]
    assert found(rows) == wanted
    assert found(list(rows)) == wanted
    with pytest.raises(NotASession, match="it holds 3 sessions \\('s1', 's2', 's2'\\), not one"):
        read_recording(json.dumps(list(rows)))


def test_exported_rows_of_adks_table_are_read() -> None:
    stored = {"app_name": "a", "user_id": "u", "session_id": "s", "event_data": event(1)}
    assert found([stored, {**stored, "event_data": json.dumps(event(2))}]) == [("a", "u", "s", ["e1", "e2"])]


def test_events_that_name_no_session_belong_to_the_one_before_or_to_the_first() -> None:
    assert found((event(1), row("s1", 2), event(3), row("s2", 4), event(5))) == [
        ("", "", "s1", ["e1", "e2", "e3"]),
        ("", "", "s2", ["e4", "e5"]),
    ]
    assert found((event(1), event(2))) == [("", "", "", ["e1", "e2"])]


def test_a_list_of_sessions_is_a_list_of_sessions() -> None:
    value = [
        {"id": "s", "appName": "a", "userId": "u", "events": [event(1)]},
        {"id": "s", "app_name": "b", "user_id": "u", "events": [event(2)]},
        {"id": "empty", "events": []},
    ]
    assert found(value) == [("a", "u", "s", ["e1"]), ("b", "u", "s", ["e2"])]


def test_a_session_of_kagents_rest_without_events_says_so() -> None:
    with pytest.raises(NotASession, match="no event in it"):
        read_recordings(json.dumps({"error": False, "data": {"session": {"id": "s"}, "events": None}}))


@pytest.mark.parametrize(
    ("value", "seconds"),
    [(1.5, 1.5), (0, 0.0), (-1, 0.0), (1e300, 0.0), (10**300, 0.0), ("1", 0.0), (None, 0.0), (True, 1.0)],
)
def test_a_time_that_no_calendar_has_is_unknown(value: Any, seconds: float) -> None:
    assert timestamp({"timestamp": value}) == seconds


@given(st.floats(allow_nan=False) | st.integers())
def test_every_time_can_be_shown(value: float) -> None:
    assert len(moment(timestamp({"timestamp": value}))) in (0, 19)


SHAPE: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
    {},
    optional={
        "id": st.sampled_from(["s", "t"]) | st.integers(),
        "session_id": st.sampled_from(["s", "t", ""]) | st.none(),
        "data": st.sampled_from(["{}", '{"author": "a"}', "[", "3", "[[]]"])
        | st.just({"events": []})
        | st.none(),
        "event_data": st.sampled_from(["{}", '{"author": "a"}']) | st.just({"author": "b"}) | st.integers(),
        "events": st.lists(st.just({"author": "a"}) | st.none(), max_size=2) | st.text(max_size=1),
        "author": st.text(max_size=2),
    },
)


@given(st.lists(SHAPE, max_size=5), st.booleans())
def test_no_event_is_lost_or_in_two_sessions(values: list[Any], in_lines: bool) -> None:
    text = "\n".join(map(json.dumps, values)) if in_lines else json.dumps(values)
    try:
        recordings = read_recordings(text)
    except NotASession:
        return
    assert len({one.key for one in recordings}) == len(recordings)
    assert all(one.frames for one in recordings)
