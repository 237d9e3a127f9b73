"""Who is put through the script, and the README's table of what came of it."""

from collections.abc import Iterable, Mapping, Sequence

from tests.support.conformance.script import SCRIPT
from tests.support.conformance.speaker import Counterpart, Speaker
from tests.support.conformance.speakers import a2a
from tests.support.conformance.speakers.adk import Adk
from tests.support.conformance.speakers.ag_ui import AgUi
from tests.support.conformance.speakers.agent_engine import AgentEngine
from tests.support.conformance.speakers.http import Http
from tests.support.conformance.speakers.langgraph import Langgraph
from tests.support.conformance.speakers.openai_chat import OpenaiChat
from tests.support.conformance.speakers.openai_responses import OpenaiResponses

SPEAKERS: tuple[Speaker, ...] = (
    *a2a.speakers(),
    *(Adk("whole"), Adk("streamed"), Adk("streamed in parts")),
    *(AgUi(chunks=False), AgUi(chunks=True)),
    *(AgentEngine("lines"), AgentEngine("server-sent events")),
    Http(),
    *(Langgraph("streamed"), Langgraph("streamed by nodes"), Langgraph("whole")),
    *(OpenaiChat(stream=False), OpenaiChat(stream=True)),
    *(OpenaiResponses(stream=False), OpenaiResponses(stream=True)),
)
"""One row of the table a protocol: its speakers are its variants."""

REPLAY = Counterpart("recordings", "what the row of `http` recorded", "tests/drive/test_conformance.py")
"""Nobody speaks to it: it plays what speakers said."""

BEGIN, END = "<!-- conformance: begin -->\n", "<!-- conformance: end -->\n"
SHOWN = ("text", "calls", "results", "nodes", "state", "usage", "pauses")
YES, NO = "yes", "no"

Rows = Mapping[str, Mapping[str, bool]]
"""From a protocol to what it carries, by the names of the script."""


def render(rows: Rows, speakers: Sequence[Speaker] = SPEAKERS) -> str:
    """The README's table between its marks."""
    lines = [_line(["protocol", *SHOWN, "streamed", "held against"]), _line(["---"] * (len(SHOWN) + 3))]
    for protocol in sorted(rows):
        own = [speaker for speaker in speakers if row_of(speaker) == protocol]
        against = own[0].counterpart if own else REPLAY
        cells = [_word(carried=rows[protocol][name]) for name in SHOWN]
        streamed = _word(carried=any(speaker.variant != "whole" for speaker in own))
        lines.append(_line([f"`{protocol}`", *cells, streamed, str(against)]))
    return BEGIN + "\n".join(lines) + "\n" + END


def row_of(speaker: Speaker) -> str:
    """The protocol, or the name of a variant that shows less and has a row of its own."""
    return str(getattr(speaker, "row", speaker.protocol))


def merged(found: Iterable[tuple[str, str, bool]]) -> dict[str, dict[str, bool]]:
    """Rows out of (protocol, scenario, carried): a protocol carries what every variant of it does."""
    rows: dict[str, dict[str, bool]] = {}
    for protocol, name, carried in found:
        row = rows.setdefault(protocol, dict.fromkeys((each.name for each in SCRIPT), True))
        row[name] = row[name] and carried
    return rows


def between(text: str) -> str:
    """The table as a document has it, with its marks."""
    start, end = text.index(BEGIN), text.index(END)
    return text[start:end] + END


def _word(*, carried: bool) -> str:
    return YES if carried else NO


def _line(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cells) + " |"
