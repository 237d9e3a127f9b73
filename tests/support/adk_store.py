"""Sessions written by ADK's own services, and what ADK itself reads of them."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from google.adk.events.event import Event
from google.adk.sessions import DatabaseSessionService
from google.adk.sessions.base_session_service import BaseSessionService
from google.adk.sessions.schemas import v0
from google.adk.sessions.session import Session
from google.adk.sessions.sqlite_session_service import SqliteSessionService
from sqlalchemy import create_engine

from tests.support.commands import ROOT

RECORDED = ROOT / "tests/fixtures/sessions"
STATE: dict[str, Any] = {"unit": "C", "app:tier": "gold", "user:name": "Grace"}
APP, USER = "agents", "someone"


def lines(name: str) -> list[str]:
    return (RECORDED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()


def fill(
    service: BaseSessionService,
    recordings: Sequence[str],
    *,
    app: str = APP,
    user: str = USER,
    more: Iterable[Event] = (),
) -> dict[str, Session]:
    """Store recordings as sessions of their names, event by event; returns what the service then gives."""
    return asyncio.run(_fill(service, recordings, app, user, tuple(more)))


async def _fill(
    service: BaseSessionService, recordings: Sequence[str], app: str, user: str, more: tuple[Event, ...]
) -> dict[str, Session]:
    stored = {}
    for name in recordings:
        await service.create_session(app_name=app, user_id=user, session_id=name, state=dict(STATE))
        for event in (*map(Event.model_validate_json, lines(name)), *more):
            session = await service.get_session(app_name=app, user_id=user, session_id=name)
            assert session
            await service.append_event(session, event)
        found = await service.get_session(app_name=app, user_id=user, session_id=name)
        assert found
        stored[name] = found
    await service.close()  # type: ignore[attr-defined]  # every service that keeps a file has it
    return stored


def database(url: str) -> DatabaseSessionService:
    return DatabaseSessionService(db_url=url)


def old_database(url: str, sync_url: str) -> DatabaseSessionService:
    """The service on tables of the old layout, which it then goes on using."""
    engine = create_engine(sync_url)
    v0.Base.metadata.create_all(engine)
    engine.dispose()
    return DatabaseSessionService(db_url=url)


def sqlite_of_the_server(path: Path) -> SqliteSessionService:
    """Where `adk api_server` keeps sessions when it is told nothing."""
    return SqliteSessionService(str(path))


def as_json(events: Iterable[Event]) -> list[Any]:
    return [json.loads(event.model_dump_json(exclude_none=True)) for event in events]
