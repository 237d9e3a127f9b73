"""Rows of ADK's session tables."""

from typing import Any

import pytest

from gate.formats.adk import read_events
from gate.formats.adk_rows import KEPT_WITHOUT_PICKLE, PICKLED, event, old_event, recording
from gate.formats.stored import NotASession

KEY = ("a", "u", "s")


def test_what_the_json_lacks_comes_from_the_row_and_nothing_else() -> None:
    identity = {"id": "row", "invocation_id": "i", "timestamp": 5.0}
    assert event('{"author": "a", "id": "own", "timestamp": null}', identity) == {
        "author": "a",
        "id": "own",
        "invocation_id": "i",
        "timestamp": 5.0,
    }


def test_states_are_merged_as_adk_merges_them() -> None:
    states = [("app:", '{"x": 1}'), ("user:", '{"x": 2}'), ("", '{"x": 3}')]
    found = recording(KEY, states, (), old=False)
    assert found.state == {"app:x": 1, "user:x": 2, "x": 3}
    assert found.notes == ()
    with pytest.raises(NotASession, match="a list, not an object"):
        recording(KEY, [("", "[]")], (), old=False)


def test_a_row_of_the_old_layout_has_all_but_what_is_pickled() -> None:
    columns: dict[str, Any] = {
        "id": "e",
        "author": "bot",
        "content": '{"parts": [{"function_call": {"id": "c", "name": "job", "args": {}}}]}',
        "usage_metadata": '{"prompt_token_count": 3, "candidates_token_count": 4}',
        "long_running_tool_ids_json": '["c"]',
        "error_code": None,
        "timestamp": 7.0,
        "partial": 0,
    }
    (found,) = read_events([dict(old_event(columns))])
    assert found.usage is not None
    assert found.usage.total == 7
    assert [(pause.kind, pause.id) for pause in found.pauses] == [("job", "c")]
    assert recording(KEY, [], (), old=True).notes == (PICKLED,)
    assert "state" not in KEPT_WITHOUT_PICKLE


@pytest.mark.parametrize("partial", [True, 1, "true", "t"])
def test_a_partial_row_is_partial_in_every_spelling(partial: Any) -> None:
    assert old_event({"partial": partial})["partial"] is True
    assert old_event({"partial": None})["partial"] is None


@pytest.mark.parametrize("data", ["[]", "3", '"x"', "null"])
def test_an_event_is_an_object(data: str) -> None:
    with pytest.raises(NotASession, match="an event is an object"):
        event(data, {})
