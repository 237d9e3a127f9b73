"""Secrets in recorded values: where what looks like one stands, and where a name says that one may stand."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from gate.model import Json
from gate.model.finding import Finding, Place
from gate.recorded.address import Address
from gate.redact import MASK, SHORTEST, Redactor, names_secret

MOST: Final = 20
_CUT: Final = 120
_WHO_SPOKE: Final = "author"
"""A key of every event, which only sounds like one of a secret."""


def leaks(values: Sequence[tuple[str, Mapping[str, Json]]], where: Address) -> tuple[Finding, ...]:
    """A finding for each text that looks like a token or a key, at most MOST and a last one for the rest.

    `values` pairs each value with what it is called, such as `event 3`.
    """
    redactor = Redactor(where.secrets)
    found = [f"{called}: {path}" for called, value in values for path in _leaks(dict(value), redactor, "")]
    findings = [_finding(where, f"{place} holds what looks like a token or a key") for place in found[:MOST]]
    if len(found) > MOST:
        findings.append(_finding(where, f"{len(found) - MOST} more texts look like a token or a key"))
    return tuple(findings)


def suspects(values: Sequence[tuple[str, Mapping[str, Json]]]) -> tuple[str, ...]:
    """Where a key's name speaks of a secret and its value is a text, though it looks like none."""
    return tuple(
        dict.fromkeys(path for _, value in values for path in _suspects(dict(value), "", named=False))
    )


def _finding(where: Address, what: str) -> Finding:
    return Finding.error(
        "holds-secret",
        Place(file=where.shown),
        what,
        why="What is written is committed or sent, and whoever reads it can use the secret.",
        fix="--redact writes *** in its place; --with-secrets writes it as it is.",
    )


def _leaks(value: Json, redactor: Redactor, path: str) -> Iterator[str]:
    """Only values that the redactor would change are walked."""
    if redactor.value(value) == value:
        return
    inner = _members(value, path)
    before = list(inner)
    found = [place for name, held, key in before for place in _inside(name, held, key, redactor)]
    yield from found or [path]


def _inside(path: str, held: Json, key: str, redactor: Redactor) -> Iterator[str]:
    if isinstance(held, dict | list):
        yield from _leaks(held, redactor, path)
    elif redactor.value({key: held}) != {key: held}:
        yield path


def _members(value: Json, path: str) -> Iterator[tuple[str, Json, str]]:
    if isinstance(value, dict):
        for key, held in value.items():
            yield f"{path}.{Redactor().text(key)[:_CUT]}".lstrip("."), held, key
    elif isinstance(value, list):
        for index, held in enumerate(value):
            yield f"{path}[{index}]", held, ""


def _suspects(value: Json, path: str, *, named: bool) -> Iterator[str]:
    if isinstance(value, str):
        if named and len(value) >= SHORTEST and MASK not in value:
            yield path
        return
    for place, held, key in _members(value, path):
        speaks = names_secret(key) and key != _WHO_SPOKE if key else named
        yield from _suspects(held, place, named=speaks)
