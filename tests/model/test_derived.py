from gate.model.case import Answer, Answers, TextPart, User
from gate.model.derived import calls_of, found_at, left_open, state_after, texts_of, tokens_of
from gate.model.trace import Call, Event, Pause, Result, Text, Thought, Usage

HELLO = User(parts=(TextPart(text="hello"),))
ASK = Pause(id="p", name="confirm", kind="confirm", tool="delete")


def approving(*names: str) -> Answers:
    return Answers(answers=tuple(Answer(to=name, decision="approve") for name in names))


def test_two_pauses_that_share_an_id_are_both_open() -> None:
    other = Pause(id="p", name="confirm", kind="confirm", tool="transfer")
    assert left_open((), HELLO, [Event(pauses=(ASK, other))]) == (ASK, other)
    assert left_open((ASK, other), approving("delete"), []) == (other,)


def test_an_answer_closes_what_it_names_and_a_message_closes_all() -> None:
    for name in ("p", "confirm", "delete"):
        assert left_open((ASK,), approving(name), []) == ()
    assert left_open((ASK,), approving("other"), []) == (ASK,)
    assert left_open((ASK,), HELLO, []) == ()


def test_a_result_closes_its_pause_and_a_new_request_opens_it_again() -> None:
    done = Event(parts=(Result(call_id="p", name="delete", value=1),))
    assert left_open((ASK,), approving(), [done]) == ()
    assert left_open((), HELLO, [Event(pauses=(ASK,)), done]) == ()
    assert left_open((), HELLO, [done, Event(pauses=(ASK,))]) == (ASK,)


def test_no_empty_name_names_a_pause() -> None:
    no_tool = Pause(id="q", name="ask", kind="input")
    assert left_open((no_tool,), approving(""), []) == (no_tool,)


def test_calls_leave_out_plumbing_and_texts_leave_out_the_user_and_thoughts() -> None:
    call = Call(id="1", name="find", args={})
    events = [
        Event(author="user", parts=(Text(text="hi"),)),
        Event(author="agent", parts=(Thought(text="hm"), Text(text="a"), call)),
        Event(author="agent", parts=(Call(id="2", name="adk_x", args={}),), not_in_trajectory="plumbing"),
    ]
    assert list(calls_of(events)) == [call]
    assert list(texts_of(events)) == ["a"]


def test_tokens_are_unknown_where_nobody_counted_and_zero_where_none_were_spent() -> None:
    assert tokens_of([Event()]) is None
    assert tokens_of([Event(usage=Usage(input_tokens=0, output_tokens=0)), Event()]) == 0


def test_a_removed_key_is_gone_and_a_null_is_there() -> None:
    events = [Event(state_delta={"a": 1, "b": None}), Event(state_removed=("a", "never"))]
    assert state_after({"c": 3}, events) == {"b": None, "c": 3}


def test_a_path_takes_the_longest_key_first_and_then_the_others() -> None:
    value = {"a.b": {"c": 1}, "a": {"b": {"c": 2, "d": [5]}}}
    assert list(found_at(value, "a.b.c")) == [1, 2]
    assert list(found_at(value, "a.b.d.0")) == [5]
    assert list(found_at(value, "a.b.d.1")) == []
