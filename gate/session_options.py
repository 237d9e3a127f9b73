"""The options that have to do with recorded sessions: where one is, what is chosen of it, what is kept."""

import argparse
from typing import Final

SOURCES: Final = """\
sources:
  traces.jsonl, or its folder; traces of agents-cli; ADK's session JSON; events or rows as JSON lines
  session.db, sqlite:///session.db              ADK's database of sessions
  postgresql://user@host:5432/database          ADK's or kagent's; the password from PGPASSWORD or .pgpass
"""

EXPECTED: Final = ("calls", "pauses", "reference", "nodes", "state")
"""What `import session --expect` may name; gate.formats.session_case knows the same."""

_DIGITS: Final = 9


def extracts(verb: argparse.ArgumentParser) -> None:
    """Of `extract`: what is printed, of which session, and of it which events."""
    verb.add_argument("source", metavar="SOURCE", help="a file or a database (below)")
    what = verb.add_mutually_exclusive_group()
    what.add_argument(
        "--summary", action="store_true", help="a row an event: who, what it gave, or why nothing"
    )
    what.add_argument("--raw", action="store_true", help="the events as they were stored, a line each")
    what.add_argument("--list-invocations", action="store_true", help="a row an invocation")
    what.add_argument("--list-sessions", action="store_true", help="a row a session, newest first")
    _chooses(verb)
    verb.add_argument("--case", help="which case of traces (default: the first)")
    verb.add_argument("--trial", type=positive, help="which trial of it (default: 1)")
    verb.add_argument("--invocation", action="append", default=[], metavar="ID", help="only its events")
    verb.add_argument("--author", action="append", default=[], metavar="NAME", help="only events of NAME")
    verb.add_argument(
        "--since", type=_since, default=0.0, metavar="TIME", help="nothing older: 2026-11-30, 90m, 2h, 7d"
    )
    verb.add_argument("--limit", type=positive, default=50, help="sessions to list (default: 50)")
    verb.add_argument("--include-internal", action="store_true", help="keep the runtime's own calls, adk_*")
    verb.add_argument("--drop-tool", action="append", default=[], metavar="NAME", help="without this tool")
    _secrets(verb, "with --raw: ")
    verb.add_argument("--to", metavar="FILE", help="write here instead of printing")


def shows(verb: argparse.ArgumentParser) -> None:
    """Of `show` where it is given a source."""
    group = verb.add_argument_group("of a source (below)")
    _chooses(group)
    group.add_argument("--case", help="which case of traces (default: the first)")


def imports(verb: argparse.ArgumentParser) -> None:
    """Of `import session`."""
    group = verb.add_argument_group("of a session")
    _chooses(group)
    group.add_argument("--case", help="which case that agents-cli recorded")
    group.add_argument("--id", metavar="ID", help="the case's id (default: the session's)")
    group.add_argument("--turns", type=positive, metavar="N", help="only the first N turns")
    what = f"what each turn is to expect: some of {', '.join(EXPECTED)} (default: the first three)"
    group.add_argument("--expect", type=_expected, default=None, metavar="KEYS", help=what)
    _secrets(verb, "of a session: ")


def positive(text: str) -> int:
    """A whole number from 1; raises ArgumentTypeError."""
    if not text.isdecimal() or len(text) > _DIGITS or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text[:80]!r} is not a whole number from 1 to {'9' * _DIGITS}")
    return int(text)


def _chooses(verb: "argparse._ActionsContainer") -> None:  # a parser or a group of it
    verb.add_argument("--session", metavar="ID", help="which session, where there are several")
    verb.add_argument("--app", help="of which app (kagent: agent)")
    verb.add_argument("--user", help="of which user")


def _secrets(verb: argparse.ArgumentParser, when: str) -> None:
    how = verb.add_mutually_exclusive_group()
    how.add_argument("--redact", action="store_true", help=f"{when}write *** for what looks like a secret")
    how.add_argument("--with-secrets", action="store_true", help=f"{when}write secrets as they are")


def _expected(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if unknown := [name for name in names if name not in EXPECTED]:
        raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(EXPECTED)}")
    return names


def _since(text: str) -> float:
    from gate.recorded.since import since

    try:
        return since(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
