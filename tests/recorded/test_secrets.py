"""Where secrets stand in recorded values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.recorded.address import Address
from gate.recorded.secrets import MOST, leaks, suspects
from gate.redact import Redactor

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl"
HERE = Address(kind="file", target="x.jsonl", shown="x.jsonl", secrets=("the-password",))
KEY = "sk-" + "a1" * 12


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        ({"actions": {"state_delta": {"headers": {"authorization": f"Bearer {JWT}"}}}},
         ["actions.state_delta.headers.authorization"]),
        ({"headers": {"authorization": "abc12345Z"}}, ["headers.authorization"]),
        ({"parts": [{"text": "x"}, {"text": f"key {KEY}"}]}, ["parts[1].text"]),
        ({"a": {KEY: 1}, "b": KEY}, ["a.***", "b"]),
        ({"a": "it is the-password"}, ["a"]),
        ({"a": [[KEY]]}, ["a[0][0]"]),
        ({"a": f'{{"token": "{JWT}"}}'}, ["a"]),
        ({"a": "nothing", "b": [1, None, 2.5, True]}, []),
    ],
)  # fmt: skip
def test_each_secret_is_named_by_its_path(value: Any, paths: list[str]) -> None:
    found = leaks([("event 3", value)], HERE)
    assert [finding.what.removesuffix(" holds what looks like a token or a key") for finding in found] == [
        f"event 3: {path}" for path in paths
    ]
    assert all(finding.level == "error" and KEY not in finding.what for finding in found)


def test_many_secrets_end_with_a_count() -> None:
    found = leaks([(f"event {n}", {"a": KEY}) for n in range(MOST + 5)], HERE)
    assert len(found) == MOST + 1
    assert found[-1].what == "5 more texts look like a token or a key"


def test_names_that_speak_of_secrets_are_pointed_at() -> None:
    value = {
        "headers": {"x-api-key": "0123456789", "x-request-id": "0123456789"},
        "session_cookie": "abcdefghij",
        "prompt_token_count": 5,
        "password": "short",
        "tokens": ["abcdefghij", {"a": "plain words here"}],
        "auth": "***masked***",
        "author": "weather_agent",
        "authorization": "abcdefghij",
    }
    assert suspects([("event 1", value)]) == (
        "headers.x-api-key",
        "session_cookie",
        "tokens[0]",
        "authorization",
    )


VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=8) | st.sampled_from([JWT, KEY, f"Bearer {JWT}"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["authorization", "a", "token", KEY]), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.text(max_size=5), VALUES, max_size=4))
def test_there_is_a_finding_where_and_only_where_the_redactor_changes_something(value: Any) -> None:
    changed = Redactor().value(value) != value
    assert bool(leaks([("event 1", value)], HERE)) == changed
    assert not leaks([("event 1", Redactor().value(value))], HERE)  # type: ignore[list-item]
    suspects([("event 1", value)])
