import io
import json
import sys

from hypothesis import given
from hypothesis import strategies as st

from gate.github.step import Log
from gate.publish.escape import without_commands
from tests.support.step import Finished

SECRET = "canary/secret+of=the agent\nin two lines"
PIECES = [*"a:#[]% \t\n\r\x0b\u2028", "::", "##[", "stop-commands", "error"]
HOSTILE = st.lists(st.sampled_from(PIECES)).map("".join)


def written(stream: io.StringIO) -> Finished:
    return Finished(code=0, log=stream.getvalue(), outputs={}, summary="", state={})


@given(st.lists(HOSTILE))
def test_whatever_is_printed_is_text_and_what_is_commanded_is_obeyed(texts: list[str]) -> None:
    stream = io.StringIO()
    with Log(stream, without_commands) as log:
        for text in texts:
            sys.stdout.write(text)
            log.commands(["::notice::ours"])
            sys.stderr.write(f"{text}\n")
    assert written(stream).obeyed == [("notice", "ours")] * len(texts)


@given(st.lists(HOSTILE))
def test_what_looks_like_a_command_is_broken_although_nobody_would_obey(texts: list[str]) -> None:
    stream = io.StringIO()
    with Log(stream, without_commands):
        for text in texts:
            sys.stdout.write(text)
    _, *printed, _ = stream.getvalue().split("\n")[:-1]
    assert not [line for line in printed if line.lstrip().startswith("::") or "##[" in line]


def test_a_secret_is_masked_as_the_runner_reads_it_and_taken_out_of_what_follows() -> None:
    stream = io.StringIO()
    with Log(stream, without_commands) as log:
        log.mask([SECRET, "short", ""])
        sys.stdout.write(f"it is {SECRET} and {json.dumps(SECRET)} and short\n")
        log.show_warning(f"no {SECRET}")
    assert [name for name, _ in written(stream).obeyed] == ["add-mask", "warning"]
    mask = dict(written(stream).obeyed)["add-mask"]
    assert mask.replace("%0A", "\n").replace("%25", "%") == SECRET
    assert stream.getvalue().count("canary/secret") == 1
    assert "two lines" not in stream.getvalue().replace(mask, "")
    assert "and short" in stream.getvalue()


def test_a_line_that_was_begun_does_not_run_into_a_command() -> None:
    stream = io.StringIO()
    with Log(stream, without_commands) as log:
        sys.stdout.write("begun")
        log.commands(["::notice::ours"])
    lines = stream.getvalue().splitlines()
    assert lines.index("begun") < lines.index("::notice::ours")
    assert lines[0].startswith("::stop-commands::")
    assert lines[-1].startswith("::")
