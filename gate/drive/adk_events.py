"""ADK's events as they arrive, whatever carries them: what is none ends the trial."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from gate.drive.outcome import failure_in
from gate.drive.protocol import Stopped
from gate.formats.adk import EventReader
from gate.formats.adk_fields import UnreadableEvent
from gate.http import HttpError
from gate.model import Json
from gate.model.trace import Crashed, Event


async def told(
    frames: AsyncGenerator[Json], reader: EventReader, failure: Callable[[Json], str]
) -> AsyncGenerator[Event]:
    """Yield the agent's events in the frames of a turn, and what a cut leaves of one.

    Raises Stopped where `failure` says that a frame reports one, and what the frames raise.
    """
    try:
        async with aclosing(frames):
            async for frame in frames:
                refuse(failure(frame))
                for event in _heard(reader, frame):
                    yield event
    except (HttpError, Stopped):
        for event in reader.rest():
            yield event
        raise
    for event in reader.rest():
        yield event


def _heard(reader: EventReader, frame: Json) -> tuple[Event, ...]:
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
