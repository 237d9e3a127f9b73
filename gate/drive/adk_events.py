"""ADK's events as they arrive, whatever carries them: what is none ends the trial."""

from gate.drive.outcome import failure_in
from gate.drive.protocol import Stopped
from gate.formats.adk import EventReader
from gate.formats.adk_fields import UnreadableEvent
from gate.model import Json
from gate.model.trace import Crashed, Event


def heard(reader: EventReader, frame: Json) -> tuple[Event, ...]:
    """The agent's events in one frame; raises Stopped for what is no event."""
    try:
        found = reader.read(frame)
    except UnreadableEvent as error:
        raise Stopped(Crashed(reason=f"the agent sent what is no ADK event: {error}")) from None
    # A server that echoes the user's message would have the agent say it.
    return tuple(event for event in found if event.author != "user")


def refuse(reason: str) -> None:
    """Raise Stopped for a failure that came instead of an event; "" is none."""
    if reason:
        raise failure_in((Event(error=reason),), ()) or Stopped(Crashed(reason=reason))
