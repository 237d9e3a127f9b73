"""Hypothesis strategies for JSON values and traces."""

from hypothesis import strategies as st

from gate.model import Json
from gate.model.trace import (
    Call,
    Completed,
    Crashed,
    Event,
    Outcome,
    Pause,
    Paused,
    Refused,
    Result,
    Text,
    Thought,
    Throttled,
    TimedOut,
    Trace,
    TurnTrace,
    Usage,
)

texts = st.text(max_size=8)
scalars = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False) | texts
json_values: st.SearchStrategy[Json] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
parts = st.one_of(
    st.builds(Text, text=texts),
    st.builds(Thought, text=texts),
    st.builds(Call, id=texts, name=texts, args=st.none() | json_objects, args_error=texts),
    st.builds(Result, call_id=texts, name=texts, value=json_values, is_error=st.booleans()),
)
pauses = st.builds(
    Pause, id=texts, name=texts, kind=st.sampled_from(["confirm", "input", "credential", "job"]), tool=texts
)
counts = st.integers(0, 10**6)
times = st.floats(0, 1e9, allow_nan=False)
events = st.builds(
    Event,
    seq=counts,
    turn=counts,
    at_ms=times,
    author=texts,
    node=texts,
    parts=st.lists(parts, max_size=3).map(tuple),
    state_delta=json_objects,
    usage=st.none() | st.builds(Usage, input_tokens=counts, output_tokens=counts),
    error=texts,
    pauses=st.lists(pauses, max_size=2).map(tuple),
    not_in_trajectory=texts,
    artifact_delta=json_objects,
)
outcomes: st.SearchStrategy[Outcome] = st.one_of(
    *(st.builds(kind, reason=texts) for kind in (Completed, Crashed, TimedOut, Paused, Throttled, Refused))
)
turns = st.builds(
    TurnTrace,
    sent=texts,
    events=st.lists(events, max_size=3).map(tuple),
    ended=st.sampled_from(["answered", "paused", "failed"]),
    started_ms=times,
    ended_ms=times,
)
traces = st.builds(
    Trace,
    case=texts,
    trial=counts,
    session=texts,
    turns=st.lists(turns, max_size=3).map(tuple),
    outcome=outcomes,
    exposes=st.lists(st.sampled_from(["text", "calls", "nodes", "state", "usage", "pauses"]), max_size=3).map(
        tuple
    ),
    start_state=json_objects,
    retries=counts,
    duration_ms=times,
)
